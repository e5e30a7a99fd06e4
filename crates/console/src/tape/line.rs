//! A line of a tape, parsed from left to right.

use config::Place;

#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    rest: &'t str,
    at: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unclosed {
    /// Where it starts.
    pub at: Place,
    /// The missing character.
    pub glyph: char,
}

impl<'t> Line<'t> {
    /// A line with its number, from 1.
    pub fn new(text: &'t str, number: u32) -> Self {
        let mut line = Self { rest: text, at: Place { line: number, column: 1 } };
        line.skip_blanks();
        line
    }

    /// The location of the rest.
    pub fn at(&self) -> Place {
        self.at
    }

    /// Whether only a comment is left.
    pub fn is_over(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('#')
    }

    /// The next character.
    pub fn peek(&self) -> Option<char> {
        if self.is_over() { None } else { self.rest.chars().next() }
    }

    /// Takes text up to a blank or quotation mark.
    pub fn word(&mut self) -> &'t str {
        let ends = |(at, c): (usize, char)| (c.is_whitespace() || at > 0 && is_quote(c)).then_some(at);
        let end = self.rest.char_indices().find_map(ends).unwrap_or(self.rest.len());
        self.take(end)
    }

    /// Takes text in `"`, `'`, or backticks.
    pub fn quoted(&mut self) -> Option<Result<&'t str, Unclosed>> {
        self.enclosed(is_quote)
    }

    /// Takes text between slashes.
    pub fn slashed(&mut self) -> Option<Result<&'t str, Unclosed>> {
        self.enclosed(|c| c == '/')
    }

    fn enclosed(&mut self, opens: impl Fn(char) -> bool) -> Option<Result<&'t str, Unclosed>> {
        let glyph = self.peek().filter(|c| opens(*c))?;
        let Some(end) = self.rest[1..].find(glyph) else { return Some(Err(Unclosed { at: self.at, glyph })) };
        let whole = self.take(end + 2);
        Some(Ok(&whole[1..=end]))
    }

    fn take(&mut self, end: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.at.column = self.at.column.saturating_add(columns(taken));
        self.skip_blanks();
        taken
    }

    fn skip_blanks(&mut self) {
        let trimmed = self.rest.trim_start();
        let blanks = &self.rest[..self.rest.len() - trimmed.len()];
        self.at.column = self.at.column.saturating_add(columns(blanks));
        self.rest = trimmed;
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`')
}

fn columns(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
