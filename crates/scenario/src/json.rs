//! Streams JSON objects without building a tree.

use std::io;

use model::Resource;

/// It adds commas; the caller balances brackets.
#[derive(Debug, Default)]
pub(super) struct Json {
    text: Vec<u8>,
    /// The last byte that was already written out, if any.
    before: Option<u8>,
}

/// The bytes from which text is written out.
const ENOUGH: usize = 1 << 16;

impl Json {
    pub fn as_bytes(&self) -> &[u8] {
        &self.text
    }

    pub fn clear(&mut self) {
        self.text.clear();
        self.before = None;
    }

    /// Writes out a long text.
    pub fn pass_on(&mut self, out: &mut impl io::Write) -> io::Result<()> {
        if self.text.len() >= ENOUGH {
            out.write_all(&self.text)?;
            self.before = self.text.last().copied();
            self.text.clear();
        }
        Ok(())
    }

    pub fn end_line(&mut self) {
        self.text.push(b'\n');
    }

    /// Opens an object or list as a value.
    pub fn open(&mut self, bracket: u8) {
        self.separate();
        self.text.push(bracket);
    }

    /// Opens an object or list as the value of a key.
    pub fn open_field(&mut self, key: &'static str, bracket: u8) {
        self.key(key);
        self.text.push(bracket);
    }

    pub fn close(&mut self, bracket: u8) {
        self.text.push(bracket);
    }

    pub fn text(&mut self, value: &str) -> io::Result<()> {
        self.separate();
        self.put(value)
    }

    pub fn text_field(&mut self, key: &'static str, value: &str) -> io::Result<()> {
        self.key(key);
        self.put(value)
    }

    pub fn number_field(&mut self, key: &'static str, value: i64) -> io::Result<()> {
        self.key(key);
        Ok(serde_json::to_writer(&mut self.text, &value)?)
    }

    pub fn flag_field(&mut self, key: &'static str, value: bool) {
        self.key(key);
        self.text.extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub fn list_field<'a>(&mut self, key: &'static str, values: impl Iterator<Item = &'a str>) -> io::Result<()> {
        self.open_field(key, b'[');
        for value in values {
            self.text(value)?;
        }
        self.close(b']');
        Ok(())
    }

    /// Writes a key with a resource, without zero values.
    pub fn resource_field(&mut self, key: &'static str, resource: &Resource) -> io::Result<()> {
        self.open_field(key, b'{');
        for (name, amount) in resource.iter().filter(|(_, amount)| *amount != 0) {
            self.separate();
            self.put(name)?;
            self.text.push(b':');
            serde_json::to_writer(&mut self.text, &amount)?;
        }
        self.close(b'}');
        Ok(())
    }

    /// Writes a key; the keys of kornsole need no escapes.
    fn key(&mut self, key: &'static str) {
        self.text.reserve(key.len() + 4);
        self.separate();
        self.text.push(b'"');
        self.text.extend_from_slice(key.as_bytes());
        self.text.extend_from_slice(b"\":");
    }

    fn separate(&mut self) {
        // A string ends with a quote, so a bracket or line break here is never part of one.
        if !matches!(self.text.last().copied().or(self.before), None | Some(b'{' | b'[' | b'\n')) {
            self.text.push(b',');
        }
    }

    fn put(&mut self, value: &str) -> io::Result<()> {
        if !is_plain(value.as_bytes()) {
            return Ok(serde_json::to_writer(&mut self.text, value)?);
        }
        self.text.reserve(value.len() + 2);
        self.text.push(b'"');
        self.text.extend_from_slice(value.as_bytes());
        self.text.push(b'"');
        Ok(())
    }
}

/// Whether a text needs no escapes: no control character, quote, or backslash. Checks eight bytes at a time.
fn is_plain(text: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const TOPS: u64 = ONES << 7;
    // Sets the top bit of each byte below `bound`. It may also set bits after such a byte, but misses none.
    let below = |bytes: u64, bound: u8| bytes.wrapping_sub(ONES * u64::from(bound)) & !bytes & TOPS;
    let is = |bytes: u64, byte: u8| below(bytes ^ (ONES * u64::from(byte)), 1);
    let (eights, rest) = text.as_chunks::<8>();
    let odd = |bytes: &[u8; 8]| {
        let bytes = u64::from_ne_bytes(*bytes);
        below(bytes, b' ') | is(bytes, b'"') | is(bytes, b'\\')
    };
    eights.iter().all(|bytes| odd(bytes) == 0) && rest.iter().all(|byte| *byte >= b' ' && !b"\"\\".contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_bytes_are_found_at_any_position() {
        for length in 0..20 {
            for (at, byte) in (0..length).flat_map(|at| (0..=255).map(move |byte: u8| (at, byte))) {
                for filling in [b'a', 0x7f, 0x80, 0xff, b' '] {
                    let mut text = vec![filling; length];
                    text[at] = byte;
                    let plain = byte >= b' ' && byte != b'"' && byte != b'\\';
                    assert_eq!(is_plain(&text), plain, "{text:?}");
                }
            }
        }
    }
}
