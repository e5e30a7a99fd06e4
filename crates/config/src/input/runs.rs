//! The pieces of quoted, folded, and plain texts of several lines in the source, which is decoded again and compared
//! with the text from the parser.

use super::places::Lines;
use crate::types::Place;
use crate::yaml::{Scalar, Style};

/// Contiguous in the source too: its start in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub inner: Place,
    pub outer: Place,
}

impl Run {
    /// Maps a location to the source by the last piece that starts at or before it.
    pub fn outer(runs: &[Self], inner: Place) -> Option<Place> {
        let after = runs.partition_point(|run| run.inner <= inner);
        let run = runs.get(after.checked_sub(1)?)?;
        let shift = if run.inner.line == inner.line { inner.column.saturating_sub(run.inner.column) } else { 0 };
        Some(Place { line: run.outer.line, column: run.outer.column + shift })
    }
}

/// `None` if the source does not give that text.
pub(super) fn runs_of(source: &Lines<'_>, scalar: &Scalar<'_>) -> Option<Vec<Run>> {
    let start = source.offset(scalar.content)?;
    let quote = source.text.get(..start)?.chars().next_back().filter(|_| scalar.style == Style::Quoted);
    let mut decoder = Decoder::new(source.text.get(start..)?, scalar);
    match (scalar.style, quote) {
        (Style::Folded, _) => decoder.folded()?,
        (_, Some('"')) => decoder.flow(Some('"'))?,
        (_, Some('\'')) => decoder.flow(Some('\''))?,
        _ => decoder.flow(None)?,
    }
    decoder.is_whole().then_some(decoder.runs)
}

struct Decoder<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    source: &'t str,
    expected: std::iter::Peekable<std::str::Chars<'t>>,
    outer: Place,
    inner: Place,
    margin: u32,
    runs: Vec<Run>,
    /// In the source and the text.
    next: Option<(Place, Place)>,
}

impl<'t> Decoder<'t> {
    fn new(source: &'t str, scalar: &Scalar<'t>) -> Self {
        Self {
            rest: source.chars().peekable(),
            source,
            expected: scalar.text.chars().peekable(),
            outer: scalar.content,
            inner: Place { line: 1, column: 1 },
            margin: scalar.content.column,
            runs: Vec::new(),
            next: None,
        }
    }

    fn is_whole(&mut self) -> bool {
        self.expected.peek().is_none()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        self.outer = after(self.outer, c);
        Some(c)
    }

    /// `None` if another character is expected.
    fn give(&mut self, c: char, from: Place) -> Option<()> {
        if self.expected.next()? != c {
            return None;
        }
        if self.next != Some((self.inner, from)) {
            self.runs.push(Run { inner: self.inner, outer: from });
        }
        self.inner = after(self.inner, c);
        self.next = Some((self.inner, Place { column: from.column + 1, ..from }));
        Some(())
    }

    /// Single line breaks are blanks, and escapes apply in double quotes.
    fn flow(&mut self, quote: Option<char>) -> Option<()> {
        // They count only if no line break follows.
        let mut blanks: Vec<(char, Place)> = Vec::new();
        while quote.is_some() || self.expected.peek().is_some() {
            let from = self.outer;
            let c = self.take()?;
            match c {
                ' ' | '\t' => blanks.push((c, from)),
                '\r' if self.rest.peek() == Some(&'\n') => {}
                '\n' => {
                    blanks.clear();
                    self.fold(from)?;
                }
                _ => {
                    for (blank, at) in blanks.drain(..) {
                        self.give(blank, at)?;
                    }
                    match (c, quote) {
                        ('\'', Some('\'')) if self.rest.peek() == Some(&'\'') => {
                            self.take();
                            self.give(c, from)?;
                        }
                        (c, Some(quote)) if c == quote => return Some(()),
                        ('\\', Some('"')) => self.escape(from)?,
                        _ => self.give(c, from)?,
                    }
                }
            }
        }
        Some(())
    }

    /// The first line break was read.
    fn fold(&mut self, from: Place) -> Option<()> {
        let mut breaks = 0;
        while let Some(&c) = self.rest.peek() {
            match c {
                ' ' | '\t' | '\r' => {}
                '\n' => breaks += 1,
                _ => break,
            }
            self.take();
        }
        if breaks == 0 {
            return self.give(' ', from);
        }
        (0..breaks).try_for_each(|_| self.give('\n', from))
    }

    fn escape(&mut self, from: Place) -> Option<()> {
        let c = match self.take()? {
            '\n' => return self.continued(),
            '\r' if self.rest.peek() == Some(&'\n') => {
                self.take();
                return self.continued();
            }
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            't' | '\t' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            'N' => '\u{85}',
            '_' => '\u{a0}',
            'L' => '\u{2028}',
            'P' => '\u{2029}',
            'x' => self.coded(2)?,
            'u' => self.coded(4)?,
            'U' => self.coded(8)?,
            c => c,
        };
        self.give(c, from)
    }

    /// The indentation of the next line does not count.
    fn continued(&mut self) -> Option<()> {
        while matches!(self.rest.peek(), Some(' ' | '\t')) {
            self.take();
        }
        Some(())
    }

    /// JSON writes large characters as surrogate pairs.
    fn coded(&mut self, digits: u32) -> Option<char> {
        let code = self.hexadecimal(digits)?;
        if digits == 4 && (0xd800..0xdc00).contains(&code) {
            let (Some('\\'), Some('u')) = (self.take(), self.take()) else { return None };
            let low = self.hexadecimal(4)?.checked_sub(0xdc00)?;
            return char::from_u32(0x10000 + ((code - 0xd800) << 10) + low);
        }
        char::from_u32(code)
    }

    fn hexadecimal(&mut self, digits: u32) -> Option<u32> {
        (0..digits).try_fold(0_u32, |code, _| Some((code << 4) | self.take()?.to_digit(16)?))
    }

    /// Each line of the source is a piece, separated by a blank or line breaks.
    fn folded(&mut self) -> Option<()> {
        let indent = usize::try_from(self.margin).ok()?.checked_sub(1)?;
        let (mut line, mut first) = (self.outer.line, true);
        for source in self.source.split('\n') {
            let source = source.strip_suffix('\r').unwrap_or(source);
            let content = if first { Some(source) } else { source.get(indent..) };
            first = false;
            if let Some(content) = content.filter(|content| !content.is_empty()) {
                self.separators();
                if self.is_whole() {
                    return Some(());
                }
                for (at, c) in content.chars().enumerate() {
                    let column = self.margin + u32::try_from(at).ok()?;
                    self.give(c, Place { line, column })?;
                }
            }
            line += 1;
        }
        self.separators();
        Some(())
    }

    fn separators(&mut self) {
        if self.inner == (Place { line: 1, column: 1 }) && self.expected.peek() != Some(&'\n') {
            return;
        }
        if self.expected.peek() == Some(&' ') {
            self.expected.next();
            self.inner = after(self.inner, ' ');
            return;
        }
        while self.expected.next_if_eq(&'\n').is_some() {
            self.inner = after(self.inner, '\n');
        }
    }
}

fn after(at: Place, c: char) -> Place {
    match c {
        '\n' => Place { line: at.line + 1, column: 1 },
        _ => Place { column: at.column + 1, ..at },
    }
}
