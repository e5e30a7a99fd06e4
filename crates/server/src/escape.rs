//! Malformed percent escapes, which the libraries ignore and both APIs reject.

/// The first percent sign of a text without two hexadecimal digits.
pub(super) fn malformed(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    text.match_indices('%').find_map(|(at, _)| {
        let escape = &bytes[at..bytes.len().min(at + 3)];
        let well_formed = escape.len() == 3 && escape[1..].iter().all(u8::is_ascii_hexdigit);
        (!well_formed).then(|| String::from_utf8_lossy(escape).into_owned())
    })
}
