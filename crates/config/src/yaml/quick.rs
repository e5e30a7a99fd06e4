//! A fast single-pass reader for plain YAML, which covers nearly all configurations.
//!
//! Invariants:
//! - nodes, locations, and texts are those of the full parser;
//! - anything unusual (errors, tabs, non-ASCII, anchors, tags, values of several lines, empty values, a second
//!   document) is left to it, with every message.

mod scan;
#[cfg(test)]
mod tests;

use self::scan::{Found, Scanner};
use super::{Content, Document, Entry, NodeData, Run, ScalarData, Style, count};
use crate::types::Place;

const DEEPEST: usize = 64;
/// Keys are compared one by one.
const MOST_KEYS: usize = 64;
const LONGEST_KEY: usize = 256;
const REPORTED: usize = 1 << 12;

struct Frame {
    id: u32,
    map: bool,
    /// From 0; unused in flow style.
    column: usize,
    /// Where its children start in [`Reader::children`].
    from: usize,
    waits: bool,
}

struct Reader<'t> {
    scan: Scanner<'t>,
    document: Document,
    open: Vec<Frame>,
    /// Of all open collections; of a map key and value in turn.
    children: Vec<u32>,
    root: bool,
}

/// The text starts in a line of the file. Calls `progress` with the number of bytes from time to time.
pub(super) fn read(text: &str, line: u32, progress: &mut dyn FnMut(usize)) -> Option<Document> {
    let mut reader = Reader {
        scan: Scanner::of(text, line)?,
        // In a long list of steps a node has at least 8 bytes; unused capacity costs nothing.
        document: Document { nodes: Vec::with_capacity(text.len() / 8), ..Document::default() },
        open: Vec::new(),
        children: Vec::new(),
        root: false,
    };
    let mut lines = 0;
    while reader.scan.pos < text.len() {
        lines += 1;
        if lines % REPORTED == 0 {
            progress(reader.scan.pos);
        }
        reader.scan.spaces();
        match reader.scan.byte() {
            b'\n' | b'#' => reader.scan.end_line()?,
            _ => reader.content()?,
        }
    }
    if reader.open.iter().any(|frame| frame.waits) || !reader.root {
        return None;
    }
    while !reader.open.is_empty() {
        reader.close();
    }
    Some(reader.document)
}

impl Reader<'_> {
    fn content(&mut self) -> Option<()> {
        let column = self.scan.column();
        let dash = self.scan.byte() == b'-' && self.scan.byte_at(self.scan.pos + 1) == b' ';
        if column == 0 && (self.scan.rest().starts_with(b"...")) {
            return None;
        }
        while let Some(frame) = self.open.last() {
            if frame.waits || column > frame.column || (column == frame.column && (frame.map || dash)) {
                break;
            }
            self.close();
        }
        let starts = match self.open.last() {
            None if !self.root => true,
            Some(frame) if frame.waits && (column > frame.column || (dash && column == frame.column)) => true,
            Some(frame) if !frame.waits && column == frame.column && frame.map != dash => false,
            _ => return None,
        };
        self.root = true;
        if !dash {
            let key = self.scan.scalar(true)?;
            return self.entry(&key, starts.then_some(column));
        }
        let at = self.scan.pos;
        self.scan.pos += 1;
        self.scan.spaces();
        if starts {
            // As in the parser, a list in the column of its key starts at its first item.
            let indented = self.open.last().is_none_or(|frame| column > frame.column);
            self.open(false, column, if indented { at } else { self.scan.pos })?;
        }
        self.item()
    }

    fn item(&mut self) -> Option<()> {
        let column = self.scan.column();
        match self.scan.byte() {
            b'{' | b'[' => {
                self.flow()?;
                self.scan.end_line()
            }
            _ => {
                let found = self.scan.scalar(true)?;
                if self.scan.byte() == b':' {
                    return self.entry(&found, Some(column));
                }
                self.push_scalar(&found);
                self.scan.end_line()
            }
        }
    }

    /// `opens`: the first entry of a map in this column.
    fn entry(&mut self, key: &Found, opens: Option<usize>) -> Option<()> {
        if let Some(column) = opens {
            self.open(true, column, key.at)?;
        }
        self.key(key)?;
        match self.scan.byte() {
            b'\n' | b'#' => {
                self.open.last_mut()?.waits = true;
                return self.scan.end_line();
            }
            b'|' => return self.literal(),
            b'{' | b'[' => self.flow()?,
            _ => {
                let found = self.scan.scalar(true)?;
                self.push_scalar(&found);
            }
        }
        self.scan.end_line()
    }

    fn key(&mut self, key: &Found) -> Option<()> {
        let from = self.open.last()?.from;
        let text = self.scan.text.get(key.from..key.to)?;
        let known = &self.children[from..];
        let twice =
            known.iter().step_by(2).any(|id| self.document.scalar(*id).is_some_and(|scalar| scalar.text == text));
        if twice || known.len() >= 2 * MOST_KEYS || text.len() > LONGEST_KEY || self.scan.byte() != b':' {
            return None;
        }
        self.push_scalar(key);
        self.scan.pos += 1;
        if !matches!(self.scan.byte(), b' ' | b'\n') {
            return None;
        }
        self.scan.spaces();
        Some(())
    }

    fn literal(&mut self) -> Option<()> {
        let parent = self.open.last()?.column;
        self.scan.pos += 1;
        let strip = self.scan.byte() == b'-';
        self.scan.pos += usize::from(strip);
        self.scan.end_line()?;
        self.scan.spaces();
        let indent = self.scan.column();
        if indent <= parent || matches!(self.scan.byte(), b'\n') {
            return None;
        }
        let (at, from) = (self.scan.place(self.scan.pos), self.document.texts.len());
        self.scan.pos = self.scan.line_start;
        while self.scan.pos < self.scan.text.len() {
            let rest = self.scan.rest();
            let length = rest.iter().position(|byte| *byte == b'\n')?;
            let spaces = rest[..length].iter().take_while(|byte| **byte == b' ').count();
            if spaces < indent && spaces < length {
                if spaces > parent {
                    return None;
                }
                break;
            }
            self.document
                .texts
                .push_str(self.scan.text.get(self.scan.pos + indent.min(length)..=self.scan.pos + length)?);
            self.scan.pos += length;
            self.scan.next_line();
        }
        let texts = &mut self.document.texts;
        let end = from + texts[from..].trim_end_matches('\n').len() + usize::from(!strip);
        texts.truncate(end);
        let data = ScalarData { text: (count(from), count(end)), style: Style::Literal, content: at };
        self.push(at, Content::Scalar(data));
        Some(())
    }

    fn flow(&mut self) -> Option<()> {
        let outside = self.open.len();
        self.bracket()?;
        let mut empty = true;
        loop {
            self.scan.spaces();
            let (map, close) = self.innermost()?;
            if !empty || self.scan.byte() != close {
                if map {
                    let key = self.scan.scalar(false)?;
                    self.key(&key)?;
                }
                if matches!(self.scan.byte(), b'{' | b'[') {
                    self.bracket()?;
                    empty = true;
                    continue;
                }
                let found = self.scan.scalar(false)?;
                self.push_scalar(&found);
            }
            loop {
                self.scan.spaces();
                let (_, close) = self.innermost()?;
                let byte = self.scan.byte();
                self.scan.pos += 1;
                if byte == b',' {
                    break;
                }
                if byte != close {
                    return None;
                }
                self.close();
                if self.open.len() == outside {
                    return Some(());
                }
            }
            empty = false;
        }
    }

    fn bracket(&mut self) -> Option<()> {
        self.open(self.scan.byte() == b'{', 0, self.scan.pos)?;
        self.scan.pos += 1;
        Some(())
    }

    /// Returns whether it is a map, and its closing bracket.
    fn innermost(&self) -> Option<(bool, u8)> {
        let map = self.open.last()?.map;
        Some((map, if map { b'}' } else { b']' }))
    }

    fn open(&mut self, map: bool, column: usize, at: usize) -> Option<()> {
        if self.open.len() >= DEEPEST {
            return None;
        }
        let id = self.push(self.scan.place(at), Content::Broken);
        self.open.push(Frame { id, map, column, from: self.children.len(), waits: false });
        Some(())
    }

    fn close(&mut self) {
        let Some(Frame { id, map, from, .. }) = self.open.pop() else { return };
        let children = &self.children[from..];
        let document = &mut self.document;
        let content = if map {
            let start = document.entries.len();
            document
                .entries
                .extend(children.as_chunks().0.iter().map(|[key, value]| Entry { key: *key, value: *value }));
            Content::Map(Run::behind(start, &document.entries))
        } else {
            let start = document.items.len();
            document.items.extend_from_slice(children);
            Content::List(Run::behind(start, &document.items))
        };
        self.children.truncate(from);
        document.nodes[id as usize].content = content;
    }

    fn push(&mut self, at: Place, content: Content) -> u32 {
        let id = count(self.document.nodes.len());
        self.document.nodes.push(NodeData { at, content });
        match self.open.last_mut() {
            Some(frame) => {
                frame.waits = false;
                self.children.push(id);
            }
            None => self.document.root = Some(id),
        }
        id
    }

    fn push_scalar(&mut self, found: &Found) {
        let Found { from, to, style, at } = *found;
        let start = self.document.texts.len();
        self.document.texts.push_str(self.scan.text.get(from..to).unwrap_or_default());
        let content = self.scan.place(from);
        let text = (count(start), count(self.document.texts.len()));
        self.push(self.scan.place(at), Content::Scalar(ScalarData { text, style, content }));
    }
}
