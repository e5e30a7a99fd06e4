//! Text of jobs for a terminal: a job's output may come from another user, and must not steer the terminal of who reads it.

use std::io::IsTerminal as _;

use console::present::text::escape;

/// Turns bytes, as they come, into what may be written to a terminal.
#[derive(Debug, Default)]
pub struct TerminalText {
    /// The beginning of a character, or of the end of a line, whose rest has not come yet.
    rest: Vec<u8>,
}

impl TerminalText {
    /// What escapes output, where the standard output is a terminal and its bytes are not asked for.
    pub fn unless(raw: bool) -> Option<Self> {
        (!raw && std::io::stdout().is_terminal()).then(Self::default)
    }

    /// The next bytes with every control character written out, except the ends of lines and tabs. Bytes that are not UTF-8 are shown
    /// as U+FFFD.
    pub fn next(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.rest);
        all.extend_from_slice(bytes);
        let whole = all.len() - unfinished(&all);
        self.rest = all.split_off(whole);
        shown(&all)
    }

    /// What is left when nothing comes any more.
    pub fn end(&mut self) -> String {
        shown(&std::mem::take(&mut self.rest))
    }
}

/// How many of the last bytes may be the beginning of something longer.
fn unfinished(bytes: &[u8]) -> usize {
    if bytes.ends_with(b"\r") {
        return 1;
    }
    let last = bytes.utf8_chunks().last();
    let invalid = last.map_or(&[][..], |chunk| chunk.invalid());
    let cut = std::str::from_utf8(invalid).is_err_and(|error| error.error_len().is_none());
    if cut { invalid.len() } else { 0 }
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let line = |line: &str| line.split('\t').map(escape).collect::<Vec<_>>().join("\t");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out_wherever_the_bytes_are_cut() {
        let bytes = "a\tb\r\n\x1b[2Jé\u{9b}1m\u{202e}€\rx\x07\n".as_bytes();
        let due = "a\tb\n\\x1b[2Jé\\x9b1m\\u{202e}€\\rx\\x07\n";
        for cut in 0..=bytes.len() {
            let mut text = TerminalText::default();
            let parts = [text.next(&bytes[..cut]), text.next(&bytes[cut..]), text.end()];
            assert_eq!(parts.concat(), due, "cut at {cut}");
        }
        let mut text = TerminalText::default();
        assert_eq!([text.next(b"a\xffb\xe2"), text.end()], ["a\u{fffd}b", "\u{fffd}"]);
    }
}
