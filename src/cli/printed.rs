//! External text for a terminal must not move the cursor, change a color, or change the writing direction.
//!
//! Every printed text passes [`safe`], including JSON, which stays equal. A whole file keeps its bytes in a pipe
//! ([`document`]). Commands that write as they go use [`out`] and [`err`].

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, StderrLock, StdoutLock, Write};

use console::present::text::escape;

/// Escapes every hidden character except newlines, as in JSON: `\u001b`.
pub fn safe(text: &str) -> Cow<'_, str> {
    // Most text is plain, and a trace is long.
    if text.bytes().all(|byte| byte == b'\n' || (b' '..=b'~').contains(&byte)) {
        return Cow::Borrowed(text);
    }
    written_out(text, |c| c == '\n')
}

/// Formats an error: `error: cannot VERB OBJECT: REASON; REMEDY`. A message with `error`, even after a location, is
/// unchanged.
pub fn error(message: &str) -> Cow<'_, str> {
    let first = message.lines().next().unwrap_or_default();
    let marked = ["error: ", "error[", "warning["].iter().any(|mark| {
        let rest = first.split_once(mark);
        rest.is_some_and(|(before, _)| before.is_empty() || before.ends_with(": "))
    });
    if marked { Cow::Borrowed(message) } else { Cow::Owned(format!("error: {message}")) }
}

fn written_out(text: &str, retained: impl Fn(char) -> bool) -> Cow<'_, str> {
    let mut buffer = [0; 4];
    let mut shows = |c: char| retained(c) || matches!(escape(c.encode_utf8(&mut buffer)), Cow::Borrowed(_));
    if text.chars().all(&mut shows) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if shows(c) {
            shown.push(c);
            continue;
        }
        let mut units = [0; 2];
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    Cow::Owned(shown)
}

/// Standard output, written as by [`safe`].
pub fn out() -> Safe<StdoutLock<'static>> {
    Safe { inner: io::stdout().lock(), rest: Vec::new() }
}

/// Standard error, written as by [`safe`].
pub fn err() -> Safe<StderrLock<'static>> {
    Safe { inner: io::stderr().lock(), rest: Vec::new() }
}

/// Escapes what is written as by [`safe`]. Bytes arrive in arbitrary chunks.
#[derive(Debug)]
pub struct Safe<W> {
    inner: W,
    /// The start of an unfinished character.
    rest: Vec<u8>,
}

impl<W: Write> Safe<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(safe(&String::from_utf8_lossy(bytes)).as_bytes())
    }
}

impl<W: Write> Write for Safe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        self.rest = all.split_off(all.len() - unfinished(&all));
        self.put(&all)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        self.put(&rest)?;
        self.inner.flush()
    }
}

/// Sanitizes the output of a job, possibly of another user. Bytes arrive in arbitrary chunks.
#[derive(Debug, Default)]
pub struct TerminalText {
    /// The start of an unfinished character or line end.
    rest: Vec<u8>,
}

impl TerminalText {
    /// A sanitizer, unless stdout is not a terminal or raw bytes are requested.
    pub fn unless(raw: bool) -> Option<Self> {
        (!raw && io::stdout().is_terminal()).then(Self::default)
    }

    /// Sanitizes bytes like [`safe`], but keeps tabs. CR LF becomes LF, and invalid UTF-8 becomes U+FFFD.
    pub fn next(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let whole = all.len() - if all.ends_with(b"\r") { 1 } else { unfinished(&all) };
        self.rest = all.split_off(whole);
        lines(&all)
    }

    /// Returns the rest at the end.
    pub fn end(&mut self) -> String {
        lines(&std::mem::take(&mut self.rest))
    }
}

fn unfinished(bytes: &[u8]) -> usize {
    let last = bytes.utf8_chunks().last();
    let invalid = last.map_or(&[][..], |chunk| chunk.invalid());
    let cut = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if cut { invalid.len() } else { 0 }
}

fn lines(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    written_out(&text, |c| matches!(c, '\n' | '\t')).into_owned()
}

/// Sanitizes CSV, whose lines end with CR LF.
pub fn csv(text: &str) -> String {
    text.split("\r\n").map(safe).collect::<Vec<_>>().join("\r\n")
}

/// Returns a file, sanitized only for a terminal.
pub fn document(text: &str) -> Cow<'_, str> {
    if io::stdout().is_terminal() { safe(text) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_written_out_and_json_stays_the_same() {
        assert_eq!(safe("a\u{1b}[2J\u{7}\u{9b}\u{202e}b\nc\r"), "a\\u001b[2J\\u0007\\u009b\\u202eb\nc\\u000d");
        assert!(matches!(safe("plain \u{fc}\ntext\n"), Cow::Borrowed(_)));
        assert_eq!(csv("a,b\r\nc\r,\u{1b}\r\n"), "a,b\r\nc\\u000d,\\u001b\r\n");
        let json = serde_json::json!({"a": "\u{9b}\u{202e}\u{e0001}\u{7f}"});
        let printed = json.to_string();
        let back: serde_json::Value = serde_json::from_str(&safe(&printed)).unwrap();
        assert_eq!(back, json);
    }

    #[test]
    fn text_is_escaped_wherever_it_is_cut() {
        let bytes = "a\x1b[2Jé\u{9b}1m\u{202e}€\r\nx\x07\n".as_bytes();
        for cut in 0..=bytes.len() {
            let mut written = Safe { inner: Vec::new(), rest: Vec::new() };
            written.write_all(&bytes[..cut]).unwrap();
            written.write_all(&bytes[cut..]).unwrap();
            written.flush().unwrap();
            let due = "a\\u001b[2Jé\\u009b1m\\u202e€\\u000d\nx\\u0007\n";
            assert_eq!(String::from_utf8(written.inner).unwrap(), due, "cut at {cut}");
        }
    }

    #[test]
    fn an_error_is_marked_once() {
        assert_eq!(error("cannot read a: gone"), "error: cannot read a: gone");
        assert_eq!(error("cannot read error: gone"), "error: cannot read error: gone");
        assert_eq!(error("cannot parse the error[0] of a"), "error: cannot parse the error[0] of a");
        for marked in ["error: x", "a.yaml:1:2: error[CFG-001]: x\n  | y", "a.yaml:1:2: warning[CFG-002]: x"] {
            assert_eq!(error(marked), marked);
        }
    }

    #[test]
    fn output_is_written_out_wherever_its_bytes_are_cut() {
        let bytes = "a\tb\r\n\x1b[2Jé\u{9b}1m\u{202e}€\rx\x07\n".as_bytes();
        let due = "a\tb\n\\u001b[2Jé\\u009b1m\\u202e€\\u000dx\\u0007\n";
        for cut in 0..=bytes.len() {
            let mut text = TerminalText::default();
            let parts = [text.next(&bytes[..cut]), text.next(&bytes[cut..]), text.end()];
            assert_eq!(parts.concat(), due, "cut at {cut}");
        }
        let mut text = TerminalText::default();
        assert_eq!([text.next(b"a\xffb\xe2"), text.end()], ["a\u{fffd}b", "\u{fffd}"]);
    }
}
