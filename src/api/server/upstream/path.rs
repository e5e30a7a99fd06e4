//! Paths and queries as upstream takes them apart: percent-decoded once before they are matched, and names of queues, users and
//! groups a second time as part of a query (`rest.md` section 1).

use std::fmt::Write as _;

/// A path, percent-decoded. `None` for an escape that is none.
pub(super) fn decoded(path: &str) -> Option<String> {
    unescape(path, false).ok()
}

/// A parameter, decoded a second time as part of a query.
///
/// # Errors
/// The escape that is none.
pub(super) fn decoded_again(parameter: &str) -> Result<String, String> {
    unescape(parameter, true).map_err(|escape| format!("invalid URL escape {escape:?}"))
}

/// Percent-decodes; `+` is a space where `plus` says so. Gives the first escape that is none.
fn unescape(text: &str, plus: bool) -> Result<String, String> {
    let hex = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let (Some(high), Some(low)) = (hex(bytes.get(at + 1)), hex(bytes.get(at + 2))) else {
                    let end = (at + 3).min(bytes.len());
                    return Err(String::from_utf8_lossy(&bytes[at..end]).into_owned());
                };
                // Two hexadecimal digits are a byte.
                out.push(u8::try_from(high * 16 + low).unwrap_or_default());
                at += 2;
            }
            b'+' if plus => out.push(b' '),
            byte => out.push(byte),
        }
        at += 1;
    }
    // What is no UTF-8 names nothing that is here.
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// A path with everything escaped that must be.
pub(super) fn encoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out.push(char::from(byte)),
            b'/' | b'-' | b'_' | b'.' | b'~' | b'$' | b'&' | b'+' | b':' | b'=' | b'@' | b'!' | b'*' | b',' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a text cannot fail.
                let _written = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The parameters of a query. What is not well formed is left out, as upstream does.
pub(super) fn query(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((unescape(name, true).ok()?, unescape(value, true).ok()?))
    };
    pairs.filter_map(pair).collect()
}

/// The path without doubled slashes and dots, as the router mends it.
pub(super) fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_once_and_again() {
        assert_eq!(decoded("/a%20b%252Fc+d").as_deref(), Some("/a b%2Fc+d"));
        assert_eq!(decoded_again("root.a%2Fb+c").unwrap(), "root.a/b c");
        assert_eq!(decoded("/%zz"), None);
        assert_eq!(decoded("/%2"), None);
        assert_eq!(decoded_again("%zz").unwrap_err(), "invalid URL escape \"%zz\"");
        assert_eq!(decoded("/%ff").as_deref(), Some("/\u{fffd}"));
    }

    #[test]
    fn takes_queries_apart() {
        let pairs = query("subtree&count=5&a=%41+b&x=%zz&=&k=1;2");
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("subtree", ""), ("count", "5"), ("a", "A b"), ("", "")]);
    }

    #[test]
    fn cleans_and_encodes() {
        assert_eq!(cleaned("//ws/./v1/../v1//partitions/"), "/ws/v1/partitions");
        assert_eq!(cleaned("/../.."), "/");
        assert_eq!(encoded("/a b/é<"), "/a%20b/%C3%A9%3C");
    }
}
