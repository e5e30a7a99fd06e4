//! Names in the path of an address (`rest.md` section 1, "Path parameters").

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Characters that must be escaped in a part of a path.
const PATH_PART: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'@').remove(b':').remove(b'$');

/// Encodes a name that the server decodes once: partitions, nodes, applications.
pub fn encode_once(name: &str) -> String {
    utf8_percent_encode(name, PATH_PART).to_string()
}

/// Encodes a name that the server decodes twice: queues, users, groups. Only `/` needs it.
pub fn encode_twice(name: &str) -> String {
    encode_once(name).replace("%2F", "%252F")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_by_how_often_they_are_decoded() {
        assert_eq!(encode_twice("root.a/b#c@d:e"), "root.a%252Fb%23c@d:e");
        assert_eq!(encode_once("n/1 x"), "n%2F1%20x");
        assert_eq!(encode_twice("root.@recovery@"), "root.@recovery@");
        assert_eq!(encode_once("ü%?"), "%C3%BC%25%3F");
    }
}
