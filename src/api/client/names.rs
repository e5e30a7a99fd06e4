//! Names in the path of an address (`rest.md` section 1, "Path parameters").

use std::fmt::Write as _;

/// A name that the other side decodes once: partitions, nodes, applications.
pub fn once(name: &str) -> String {
    encode(name, "%2F")
}

/// A name that the other side decodes twice: queues, users, groups. Only `/` needs it, since nothing else that would change by a
/// second decoding may be in such a name.
pub fn twice(name: &str) -> String {
    encode(name, "%252F")
}

fn encode(name: &str, slash: &str) -> String {
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'/' => encoded.push_str(slash),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' | b':' | b'$' => {
                encoded.push(char::from(byte));
            }
            // Writing to a text cannot fail.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_by_how_often_they_are_decoded() {
        assert_eq!(twice("root.a/b#c@d:e"), "root.a%252Fb%23c@d:e");
        assert_eq!(once("n/1 x"), "n%2F1%20x");
        assert_eq!(twice("root.@recovery@"), "root.@recovery@");
        assert_eq!(once("ü%?"), "%C3%BC%25%3F");
    }
}
