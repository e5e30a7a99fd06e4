//! YAML text → a tree in which every node has its location.
//!
//! Invariants:
//! - nothing recurses: the nodes are in one list;
//! - an alias points to its target; [`EXPANDED`] limits a walk over the tree;
//! - the fast reader and the full parser give the same result;
//! - a scalar keeps its source text: `010` and `1e3` are not converted (`config.md` section 2).

mod builder;
mod chunks;
mod explain;
mod made;
mod quick;
#[cfg(test)]
mod tests;

use granit_parser::Marker;

use self::builder::Builder;
pub(crate) use self::made::TreeMaker;
use super::fault::Faults;
use super::types::Place;

/// The largest text in bytes: about 30,000 queues with limits, access lists, and properties.
pub const LARGEST: usize = 16 << 20;
/// The deepest nesting of maps and lists, including aliases.
pub const DEEPEST: usize = 256;
/// Values that all aliases together may represent.
pub const EXPANDED: usize = 500_000;

/// A YAML document as a tree.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub(super) nodes: Vec<NodeData>,
    texts: String,
    /// Contiguous for each node.
    items: Vec<u32>,
    entries: Vec<Entry>,
    root: Option<u32>,
}

/// A node of a [`Document`], which is cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    pub(super) document: &'d Document,
    pub(super) id: u32,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct NodeData {
    pub(super) at: Place,
    pub(super) content: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Scalar(ScalarData),
    List(Run),
    Map(Run),
    /// Being read, or invalid and reported: to be skipped.
    Broken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    from: u32,
    to: u32,
}

impl Run {
    fn behind<T>(from: usize, all: &[T]) -> Self {
        Self { from: count(from), to: count(all.len()) }
    }

    fn of<T>(self, all: &[T]) -> &[T] {
        all.get(self.from as usize..self.to as usize).unwrap_or_default()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: u32,
    pub(super) value: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScalarData {
    text: (u32, u32),
    style: Style,
    content: Place,
}

/// A tag overrides it: `!!str 5` counts as quoted, `!!int '5'` as plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes, as for null, numbers, and booleans.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// A literal block `|`: its lines are lines of the file.
    Literal,
    /// A folded block `>`.
    Folded,
}

/// A scalar with its location and style.
#[derive(Clone, Copy, Debug)]
pub struct Scalar<'d> {
    /// The source of a plain scalar, otherwise without quotes and escapes.
    pub text: &'d str,
    /// How it was written.
    pub style: Style,
    /// For a block the line after its header, with the indentation as column.
    pub content: Place,
}

impl Scalar<'_> {
    /// Whether it is null: empty, `~`, or `null`, without quotes.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The origin of the text, independent of the tree.
    pub fn origin(&self) -> Origin {
        Origin { style: self.style, content: self.content }
    }
}

/// The location of a scalar's text in a file.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    pub(super) style: Style,
    pub(super) content: Place,
}

impl Origin {
    /// Maps a location to the file, exactly for literal blocks and one-line texts.
    pub fn outer(&self, inner: Place) -> Place {
        let shift = inner.column.saturating_sub(1);
        match self.style {
            _ if inner.line == 0 => self.content,
            Style::Literal => Place { line: self.content.line + inner.line - 1, column: self.content.column + shift },
            Style::Plain | Style::Quoted if inner.line == 1 => {
                Place { line: self.content.line, column: self.content.column + shift }
            }
            _ => self.content,
        }
    }
}

impl Document {
    /// The outermost node; `None` if the text has only white space and comments.
    pub fn root(&self) -> Option<Node<'_>> {
        self.root.map(|id| Node { document: self, id })
    }

    pub(super) fn scalar(&self, id: u32) -> Option<Scalar<'_>> {
        let Content::Scalar(ScalarData { text: (start, end), style, content }) = self.nodes[id as usize].content else {
            return None;
        };
        let text = self.texts.get(start as usize..end as usize).unwrap_or_default();
        Some(Scalar { text, style, content })
    }

    pub(super) fn items(&self, list: Run) -> &[u32] {
        list.of(&self.items)
    }

    pub(super) fn entries(&self, map: Run) -> &[Entry] {
        map.of(&self.entries)
    }

    pub(super) fn key(&self, entry: &Entry) -> (&str, Place) {
        let text = self.scalar(entry.key).map_or("", |scalar| scalar.text);
        (text, self.nodes[entry.key as usize].at)
    }
}

/// Adds CFG-001, CFG-004, CFG-008, and the warning CFG-009. `None` if nothing can be parsed.
pub fn parse(text: &str, faults: &mut Faults) -> Option<Document> {
    parse_with(text, faults, &mut |_| {})
}

/// Calls `progress` with the number of bytes from time to time.
pub fn parse_with(text: &str, faults: &mut Faults, progress: &mut dyn FnMut(usize)) -> Option<Document> {
    if let Some(plain) = quick::read(text, 1, progress) {
        return Some(plain);
    }
    parse_whole(text, faults, progress)
}

fn parse_whole(text: &str, faults: &mut Faults, progress: &mut dyn FnMut(usize)) -> Option<Document> {
    let mut builder = Builder::new(text, faults, progress);
    let first = builder.next_document()?;
    if first.root.is_none() && builder.ended {
        return Some(first);
    }
    if let Some(at) = builder.further_document() {
        // An empty document before `---` is the first one.
        builder.faults.warning(
            "CFG-009",
            at,
            "",
            "a second document starts here and is ignored",
            "only the first document of a file is read: move all content into it",
        );
    }
    Some(first)
}

/// Parses every document; after a fatal error it returns those before it.
pub fn parse_all(text: &str, faults: &mut Faults) -> Vec<Document> {
    chunks::parse_all(text).unwrap_or_else(|| parse_all_whole(text, faults))
}

fn parse_all_whole(text: &str, faults: &mut Faults) -> Vec<Document> {
    let mut progress = |_| {};
    let mut builder = Builder::new(text, faults, &mut progress);
    let mut documents = Vec::new();
    while let Some(document) = builder.next_document() {
        if document.root.is_some() {
            documents.push(document);
        }
        if builder.ended {
            break;
        }
    }
    documents
}

/// Drops a byte order mark. Not UTF-8, or more than [`LARGEST`]: error CFG-001 and `None`.
pub fn decode<'b>(bytes: &'b [u8], faults: &mut Faults) -> Option<&'b str> {
    decode_up_to(bytes, LARGEST, faults)
}

/// The same with another size limit in bytes.
pub fn decode_up_to<'b>(bytes: &'b [u8], largest: usize, faults: &mut Faults) -> Option<&'b str> {
    if bytes.len() > largest {
        let message = format!("the text has {} bytes, above the size limit", bytes.len());
        faults.error("CFG-001", Place::default(), "", message, format!("at most {} MiB", largest >> 20));
        return None;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let good = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
            let line = good.bytes().filter(|b| *b == b'\n').count() + 1;
            let column = good.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
            let at = Place { line: count(line), column: count(column) };
            let byte = bytes.get(error.valid_up_to()).copied().unwrap_or_default();
            faults.error("CFG-001", at, "", format!("byte 0x{byte:02x} is not UTF-8"), "save the file as UTF-8");
            None
        }
    }
}

fn place(mark: Marker) -> Place {
    Place { line: count(mark.line()), column: count(mark.col() + 1) }
}

/// Always fits in a text of at most [`LARGEST`] bytes.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
