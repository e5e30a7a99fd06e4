//! JSON in YuniKorn's form: `<`, `>`, and `&` are escaped in strings, and whole floats have no fraction.

use std::io;

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};

/// Writes a document in one line with a final newline.
pub fn to_bytes<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(256);
    append(&mut bytes, value);
    bytes
}

/// Appends a document in one line with a final newline.
pub fn append<T: Serialize + ?Sized>(bytes: &mut Vec<u8>, value: &T) {
    let mut serializer = Serializer::with_formatter(&mut *bytes, Upstream(CompactFormatter));
    #[expect(clippy::expect_used, reason = "transfer types have text keys")]
    value.serialize(&mut serializer).expect("transfer types have text keys, and a vector takes every byte");
    bytes.push(b'\n');
}

/// Writes an indented document with a final newline.
pub fn to_indented<T: Serialize + ?Sized>(value: &T, indent: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    let formatter = Upstream(PrettyFormatter::with_indent(indent.as_bytes()));
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    #[expect(clippy::expect_used, reason = "transfer types have text keys")]
    value.serialize(&mut serializer).expect("transfer types have text keys, and a vector takes every byte");
    bytes.push(b'\n');
    bytes
}

/// Appends a quoted string.
pub fn text(bytes: &mut Vec<u8>, text: &str) {
    if text.bytes().any(|byte| MUST_ESCAPE[usize::from(byte)]) {
        append(bytes, text);
        bytes.pop();
        return;
    }
    bytes.push(b'"');
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(b'"');
}

/// Appends an integer.
#[expect(clippy::expect_used, reason = "a vector takes every byte")]
pub fn number<N: Serialize>(bytes: &mut Vec<u8>, number: N) {
    serde_json::to_writer(bytes, &number).expect("a vector takes every byte");
}

const MUST_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    let mut at = 0;
    let others = b"\"\\<>&\xE2";
    while at < others.len() {
        table[others[at] as usize] = true;
        at += 1;
    }
    table
};

/// YuniKorn's strings and floats; another formatter does the layout.
struct Upstream<F>(F);

/// The escape at a position, if needed, and its length.
fn escape_at(text: &[u8], at: usize) -> Option<(&'static [u8], usize)> {
    match text[at] {
        b'<' => Some((b"\\u003c", 1)),
        b'>' => Some((b"\\u003e", 1)),
        b'&' => Some((b"\\u0026", 1)),
        0xE2 => match text.get(at + 1..at + 3) {
            Some([0x80, 0xA8]) => Some((b"\\u2028", 3)),
            Some([0x80, 0xA9]) => Some((b"\\u2029", 3)),
            _ => None,
        },
        _ => None,
    }
}

impl<F: Formatter> Formatter for Upstream<F> {
    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let text = fragment.as_bytes();
        let (mut written, mut at) = (0, 0);
        while let Some(step) = text[at..].iter().position(|byte| matches!(byte, b'<' | b'>' | b'&' | 0xE2)) {
            at += step;
            match escape_at(text, at) {
                Some((escape, length)) => {
                    writer.write_all(&text[written..at])?;
                    writer.write_all(escape)?;
                    at += length;
                    written = at;
                }
                None => at += 1,
            }
        }
        writer.write_all(&text[written..])
    }

    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value == 0.0 || (1e-6..1e21).contains(&value.abs()) {
            return write!(writer, "{value}");
        }
        let text = format!("{value:e}");
        let text = if text.contains("e-") { text } else { text.replacen('e', "e+", 1) };
        writer.write_all(text.as_bytes())
    }

    fn begin_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written<T: Serialize + ?Sized>(value: &T) -> String {
        String::from_utf8(to_bytes(value)).unwrap()
    }

    #[test]
    fn what_a_page_could_mistake_for_markup_is_escaped() {
        assert_eq!(written("a<b>&c"), "\"a\\u003cb\\u003e\\u0026c\"\n");
        assert_eq!(written("\u{2028}\u{2029}\u{2026}é<"), "\"\\u2028\\u2029\u{2026}é\\u003c\"\n");
        assert_eq!(written("q\"\\\n<"), "\"q\\\"\\\\\\n\\u003c\"\n");
    }

    #[test]
    fn floats_are_written_as_upstream_does() {
        let cases = [(1.0, "1"), (0.0, "0"), (0.5, "0.5"), (-2.25, "-2.25"), (1e20, "100000000000000000000")];
        for (value, text) in cases.into_iter().chain([(1e21, "1e+21"), (2.5e-7, "2.5e-7"), (0.000_001, "0.000001")]) {
            assert_eq!(written(&value), format!("{text}\n"));
        }
    }
}
