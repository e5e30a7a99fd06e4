//! The scanner of the quick reader: position and scalars.

use super::super::{Style, count};
use crate::types::Place;

/// Some others depend on their neighbors.
const PLAIN: [bool; 256] = symbols(b"_-./+*@$%=~^()<>;?|!&\\");
/// `-` depends on the next character.
const FIRST: [bool; 256] = symbols(b"_./+~$");

const fn symbols(more: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    let mut at = 0;
    while at < more.len() {
        table[more[at] as usize] = true;
        at += 1;
    }
    table
}

pub(super) struct Found {
    pub from: usize,
    pub to: usize,
    pub style: Style,
    /// The start, including quotes.
    pub at: usize,
}

/// The text ends with a line break.
pub(super) struct Scanner<'t> {
    bytes: &'t [u8],
    pub text: &'t str,
    pub pos: usize,
    /// From 1, with its start.
    line: u32,
    pub line_start: usize,
}

impl<'t> Scanner<'t> {
    /// Starts a scan in a line of the file; `None` for other characters than printable ASCII, or without a final line
    /// break.
    pub fn of(text: &'t str, line: u32) -> Option<Self> {
        let plain = text.bytes().all(|byte| byte == b'\n' || (b' '..0x7f).contains(&byte)) && text.ends_with('\n');
        plain.then_some(Self { bytes: text.as_bytes(), text, pos: 0, line, line_start: 0 })
    }

    pub fn rest(&self) -> &'t [u8] {
        self.bytes.get(self.pos..).unwrap_or_default()
    }

    /// The column, from 0.
    pub fn column(&self) -> usize {
        self.pos - self.line_start
    }

    /// The text ends with a line break, after which nothing is read.
    pub fn byte(&self) -> u8 {
        self.bytes.get(self.pos).copied().unwrap_or(b'\n')
    }

    pub fn byte_at(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    pub fn spaces(&mut self) {
        while self.byte() == b' ' {
            self.pos += 1;
        }
    }

    pub fn place(&self, at: usize) -> Place {
        Place { line: self.line, column: count(at - self.line_start + 1) }
    }

    /// Ends the line, which must be empty or a comment.
    pub fn end_line(&mut self) -> Option<()> {
        let before = self.pos;
        self.spaces();
        match self.byte() {
            b'\n' => {}
            // A comment must follow white space.
            b'#' if before == self.line_start || self.byte_at(self.pos - 1) == b' ' => {
                while self.byte() != b'\n' {
                    self.pos += 1;
                }
            }
            _ => return None,
        }
        self.next_line();
        Some(())
    }

    pub fn next_line(&mut self) {
        self.pos += 1;
        self.line += 1;
        self.line_start = self.pos;
    }

    /// Reads a scalar: in a block up to the end of the line, a comment, or `: `; in flow style up to a terminating
    /// character.
    pub fn scalar(&mut self, block: bool) -> Option<Found> {
        let at = self.pos;
        let quote = self.byte();
        if quote == b'\'' || quote == b'"' {
            let rest = &self.bytes[at + 1..];
            let length = rest.iter().position(|byte| matches!(*byte, b'\n' | b'\\') || *byte == quote)?;
            self.pos = at + length + 2;
            // A doubled quote is an escape, like a backslash in double quotes.
            let plain = rest[length] == quote && (quote == b'"' || self.byte() != quote);
            return plain.then_some(Found { from: at + 1, to: at + 1 + length, style: Style::Quoted, at });
        }
        let first = if quote == b'-' { self.byte_at(at + 1) } else { quote };
        if !FIRST[usize::from(first)] {
            return None;
        }
        let mut end = at;
        loop {
            let byte = self.byte();
            match byte {
                _ if PLAIN[usize::from(byte)] => self.pos += 1,
                b' ' => {
                    self.spaces();
                    if matches!(self.byte(), b'\n' | b'#') {
                        break;
                    }
                    continue;
                }
                b':' if PLAIN[usize::from(self.byte_at(self.pos + 1))] => self.pos += 1,
                b',' if block => self.pos += 1,
                b'\n' | b':' => break,
                b',' | b']' | b'}' if !block => break,
                _ => return None,
            }
            end = self.pos;
        }
        Some(Found { from: at, to: end, style: Style::Plain, at })
    }
}
