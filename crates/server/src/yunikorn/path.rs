//! Paths and queries like YuniKorn: names are decoded twice (`rest.md` section 1).

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::escape::malformed;

const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b':')
    .remove(b'=')
    .remove(b'@')
    .remove(b'!')
    .remove(b'*')
    .remove(b',');

/// `None` for a malformed escape.
pub(super) fn decoded(path: &str) -> Option<String> {
    malformed(path).is_none().then(|| percent_decode_str(path).decode_utf8_lossy().into_owned())
}

/// Decodes a parameter a second time like a query: `+` is a space.
///
/// # Errors
/// The malformed escape.
pub(super) fn decoded_again(parameter: &str) -> Result<String, String> {
    let escape = |escape| format!("invalid URL escape {escape:?}");
    malformed(parameter).map_or(Ok(()), |bad| Err(escape(bad)))?;
    Ok(percent_decode_str(&parameter.replace('+', " ")).decode_utf8_lossy().into_owned())
}

pub(super) fn encoded(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// The query parameters. Malformed ones are omitted, like in YuniKorn.
pub(super) fn query(query: &str) -> Vec<(String, String)> {
    let pairs = query.split('&').filter(|pair| !pair.contains(';') && malformed(pair).is_none());
    pairs.flat_map(|pair| form_urlencoded::parse(pair.as_bytes()).into_owned()).collect()
}

/// Removes doubled slashes and dots from a path, like the router.
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
    fn splits_queries() {
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
