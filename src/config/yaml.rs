//! YAML text → a tree in which every node knows its place.
//!
//! Invariants:
//! - nothing recurses, neither while reading nor when the tree is dropped: the nodes stand in one list;
//! - an alias points at its target and copies nothing; what aliases would expand to is counted, and bounded by
//!   [`EXPANDED`], so whoever walks the tree does bounded work;
//! - a scalar keeps its source text: `010` and `1e3` are not turned into numbers (`config.md` section 2).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use granit_parser::{ErrorKind, Event, Marker, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use super::fault::Faults;
use super::types::Place;

/// The largest text that is read, in bytes.
pub const LARGEST: usize = 32 << 20;
/// The deepest nesting of maps and lists, through aliases too.
pub const DEEPEST: usize = 256;
/// The most values that all aliases together may stand for.
pub const EXPANDED: usize = 500_000;

/// One YAML document as a tree.
#[derive(Debug, Default)]
pub struct Document {
    pub(super) nodes: Vec<NodeData>,
    root: Option<u32>,
}

/// A node of a [`Document`]; as cheap to copy as a reference.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    pub(super) document: &'d Document,
    pub(super) id: u32,
}

#[derive(Debug)]
pub(super) struct NodeData {
    pub(super) at: Place,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    Scalar(Scalar),
    List(Vec<u32>),
    Map(Vec<Entry>),
    /// Still being read, or faulty: told already, to be passed over in silence.
    Broken,
}

/// One key of a map with its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Box<str>,
    pub(super) key_at: Place,
    pub(super) value: u32,
}

/// How a scalar was written. A tag overrides: `!!str 5` counts as quoted, `!!int '5'` as plain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// In single or double quotes.
    Quoted,
    /// A literal block `|`: its lines are lines of the file.
    Literal,
    /// A folded block `>`.
    Folded,
}

/// A scalar.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The text: as in the source for a plain scalar, without quotes and escapes for the others.
    pub text: Box<str>,
    /// How it was written.
    pub style: Style,
    /// Where the content begins; for a block the line after its header, and the column is its indentation.
    pub content: Place,
}

impl Scalar {
    /// Whether this is null: nothing, `~` or `null`, without quotes.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(&*self.text, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The place in the file of a place in this scalar's text: exact for literal blocks and one-line texts.
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
    /// The outermost node; `None` when there is nothing but white space and comments.
    pub fn root(&self) -> Option<Node<'_>> {
        self.root.map(|id| Node { document: self, id })
    }
}

/// Reads the first document of a text. Faults are added to `faults`: CFG-001, CFG-004, CFG-008, and the warning
/// CFG-009. What could not be read at all gives `None`.
pub fn parse(text: &str, faults: &mut Faults) -> Option<Document> {
    let mut builder = Builder::new(text, faults);
    let mut first = builder.next_document()?;
    if first.root.is_none() && builder.ended {
        return Some(first);
    }
    // The rest is not read as a document, only found: a text may hold many.
    if let Some(at) = builder.further_document() {
        // An empty first document before `---` is still the first.
        builder.faults.warning(
            "CFG-009",
            at,
            "",
            "a second document begins here and is not read",
            "only the first document of a file counts: put everything into that",
        );
    }
    first.nodes.shrink_to_fit();
    Some(first)
}

/// Reads every document of a text, as in a file of several manifests. After a fault that hides the rest, what came
/// before it is given.
pub fn parse_all(text: &str, faults: &mut Faults) -> Vec<Document> {
    let mut builder = Builder::new(text, faults);
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

/// Reads bytes as text for [`parse`].
///
/// A byte order mark is dropped. Not UTF-8, or more than [`LARGEST`]: fault CFG-001 and `None`.
pub fn decode<'b>(bytes: &'b [u8], faults: &mut Faults) -> Option<&'b str> {
    if bytes.len() > LARGEST {
        let message = format!("the text has {} bytes, more than are read", bytes.len());
        faults.error("CFG-001", Place::default(), "", message, format!("at most {} MiB", LARGEST >> 20));
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
            faults.error("CFG-001", at, "", format!("byte 0x{byte:02x} is no UTF-8"), "save the file as UTF-8");
            None
        }
    }
}

/// A map or list that is still open.
struct Frame {
    id: u32,
    flow: bool,
    content: Open,
    weight: Weight,
}

enum Open {
    List(Vec<u32>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    /// The key that waits for its value.
    key: Option<Key>,
    merges: Vec<u32>,
    /// Where each key stands, once there are many; few are looked for one by one.
    seen: HashMap<Box<str>, Place>,
}

enum Key {
    Plain(Box<str>, Place),
    Merge,
    /// Told already; its value is dropped.
    Faulty,
}

/// What a node amounts to when every alias below is followed.
#[derive(Clone, Copy, Default)]
struct Weight {
    nodes: usize,
    height: usize,
}

/// From this many keys on a map's keys are looked up by hash.
const MANY_KEYS: usize = 16;

struct Builder<'t, 'f> {
    text: &'t str,
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    faults: &'f mut Faults,
    document: Document,
    weights: Vec<Weight>,
    stack: Vec<Frame>,
    anchors: HashMap<usize, u32>,
    expanded: usize,
    ended: bool,
    /// How many of the open maps and lists are written with brackets.
    flow: usize,
    /// Where the last event ended, in bytes, and whether that was a block scalar.
    seen_to: (usize, bool),
}

impl<'t, 'f> Builder<'t, 'f> {
    fn new(text: &'t str, faults: &'f mut Faults) -> Self {
        let options = granit_parser::options! {
            emit_comments: false,
            emit_unresolved_aliases: true,
            flow_nesting_limit: DEEPEST,
            block_nesting_limit: DEEPEST,
        };
        Self {
            text,
            parser: Parser::new_from_str_with_options(text, options),
            faults,
            document: Document::default(),
            weights: Vec::new(),
            stack: Vec::new(),
            anchors: HashMap::new(),
            expanded: 0,
            ended: false,
            flow: 0,
            seen_to: (0, false),
        }
    }

    /// Reads up to the end of the next document. `None` after a fault that ends reading.
    fn next_document(&mut self) -> Option<Document> {
        self.document = Document::default();
        self.weights.clear();
        self.anchors.clear();
        loop {
            let (event, span) = match self.parser.next_event() {
                Some(Ok(next)) => next,
                Some(Err(error)) => {
                    self.syntax(&error);
                    return None;
                }
                None => {
                    self.ended = true;
                    return Some(std::mem::take(&mut self.document));
                }
            };
            match event {
                Event::StreamEnd => self.ended = true,
                Event::DocumentEnd => return Some(std::mem::take(&mut self.document)),
                event => self.event(event, span)?,
            }
        }
    }

    /// Where the next document begins, if there is one.
    fn further_document(&mut self) -> Option<Place> {
        while let Some(next) = self.parser.next_event() {
            match next {
                Ok((Event::DocumentStart(..), span)) => return Some(place(span.start)),
                Ok(_) => {}
                // Also what cannot be read behind the first document would not be read.
                Err(error) => return Some(place(*error.marker())),
            }
        }
        None
    }

    fn event(&mut self, event: Event<'t>, span: Span) -> Option<()> {
        let at = place(span.start);
        self.no_tab_before(&event, span)?;
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = scalar(text, style, tag.as_deref(), span);
                let id = self.node(at, Content::Scalar(scalar), anchor);
                self.attach(id, Weight { nodes: 1, height: 0 })
            }
            Event::SequenceStart(style, anchor, _) => self.open(at, anchor, style, Open::List(Vec::new())),
            Event::MappingStart(style, anchor, _) => self.open(at, anchor, style, Open::Map(OpenMap::default())),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at, span),
            Event::UnresolvedAlias(name) => {
                let message = format!("alias `*{name}` has no anchor before it");
                let hint = if name.is_empty() {
                    String::new()
                } else {
                    format!("write `&{name}` at the value meant, above this line; or quote the text: '*{name}'")
                };
                self.faults.error("CFG-008", at, "", message, hint);
                let id = self.node(at, Content::Broken, 0);
                self.attach(id, Weight { nodes: 1, height: 0 })
            }
            _ => Some(()),
        }
    }

    fn node(&mut self, at: Place, content: Content, anchor: usize) -> u32 {
        let id = count(self.document.nodes.len());
        self.document.nodes.push(NodeData { at, content });
        self.weights.push(Weight::default());
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        id
    }

    /// Refuses tabs before a key or an entry (CFG-001): the parser lets some pass that other readers do not.
    fn no_tab_before(&mut self, event: &Event<'t>, span: Span) -> Option<()> {
        let (Some(start), Some(end)) = (span.start.byte_offset(), span.end.byte_offset()) else { return Some(()) };
        let (seen_to, after_block) = self.seen_to;
        let block = matches!(event, Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..));
        self.seen_to = (end.max(seen_to), block);
        // The header and the first indentation of a block scalar are not read here.
        let Some(gap) = self.text.get(seen_to..start).filter(|_| self.flow == 0 && !block) else { return Some(()) };
        // Behind a block scalar blank lines are still its own.
        let from = if after_block { gap.rfind('\n').unwrap_or(gap.len()) } else { 0 };
        let fresh = from == 0 && (seen_to == 0 || self.text[..seen_to].ends_with('\n'));
        let Some(tab) = indenting_tab(&gap[from..], fresh) else { return Some(()) };
        let before = &self.text[..seen_to + from + tab];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let at = Place { line: count(line), column: count(before[line_start..].chars().count() + 1) };
        self.faults.error("CFG-001", at, "", TAB.0, TAB.1);
        None
    }

    fn open(&mut self, at: Place, anchor: usize, style: StructureStyle, content: Open) -> Option<()> {
        if self.stack.len() >= DEEPEST {
            return self.too_deep(at);
        }
        let flow = style == StructureStyle::Flow;
        self.flow += usize::from(flow);
        let id = self.node(at, Content::Broken, anchor);
        self.stack.push(Frame { id, flow, content, weight: Weight { nodes: 1, height: 1 } });
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let Frame { id, flow, content, weight } = self.stack.pop()?;
        self.flow -= usize::from(flow);
        let content = match content {
            Open::List(items) => Content::List(items),
            Open::Map(map) => self.merge(map),
        };
        self.document.nodes[id as usize].content = content;
        self.attach(id, weight)
    }

    /// Puts a finished node where it belongs.
    fn attach(&mut self, id: u32, weight: Weight) -> Option<()> {
        self.weights[id as usize] = weight;
        let Some(frame) = self.stack.last_mut() else {
            self.document.root = Some(id);
            return Some(());
        };
        frame.weight.nodes = frame.weight.nodes.saturating_add(weight.nodes);
        frame.weight.height = frame.weight.height.max(weight.height + 1);
        match &mut frame.content {
            Open::List(items) => items.push(id),
            Open::Map(map) => match map.key.take() {
                None => {
                    let key = self.key(id);
                    if let Some(Frame { content: Open::Map(map), .. }) = self.stack.last_mut() {
                        map.key = Some(key);
                    }
                }
                Some(Key::Plain(key, key_at)) => {
                    if map.entries.len() >= MANY_KEYS {
                        map.seen.insert(key.clone(), key_at);
                    }
                    map.entries.push(Entry { key, key_at, value: id });
                }
                Some(Key::Merge) => map.merges.push(id),
                Some(Key::Faulty) => {}
            },
        }
        Some(())
    }

    /// What the node `id`, which stands where a key is due, is as a key.
    fn key(&mut self, id: u32) -> Key {
        let node = &self.document.nodes[id as usize];
        let at = node.at;
        let Content::Scalar(scalar) = &node.content else {
            if !matches!(node.content, Content::Broken) {
                self.faults.error("CFG-001", at, "", "a key is a list or a map", "keys are texts: `key: value`");
            }
            return Key::Faulty;
        };
        if scalar.style == Style::Plain && &*scalar.text == "<<" {
            return Key::Merge;
        }
        let text = scalar.text.clone();
        match self.first_place(&text) {
            None => Key::Plain(text, at),
            Some(first) => {
                let message = format!("key `{text}` stands twice in one map, first in line {}", first.line);
                self.faults.error("CFG-004", at, "", message, "keep one of the two");
                Key::Faulty
            }
        }
    }

    /// Where `key` already stands in the innermost open map.
    fn first_place(&mut self, key: &str) -> Option<Place> {
        let Some(Frame { content: Open::Map(map), .. }) = self.stack.last_mut() else { return None };
        if map.entries.len() < MANY_KEYS {
            return map.entries.iter().find(|entry| &*entry.key == key).map(|entry| entry.key_at);
        }
        if map.seen.is_empty() {
            map.seen = map.entries.iter().map(|entry| (entry.key.clone(), entry.key_at)).collect();
        }
        map.seen.get(key).copied()
    }

    fn alias(&mut self, anchor: usize, at: Place, span: Span) -> Option<()> {
        let name = span.slice(self.text).unwrap_or_default();
        let target = self.anchors.get(&anchor).copied();
        let open = target.is_some_and(|target| self.stack.iter().any(|frame| frame.id == target));
        let (Some(target), false) = (target, open) else {
            let message = format!("alias `{name}` stands inside the value that it stands for");
            self.faults.error("CFG-008", at, "", message, "an alias can stand only for a value that ends before it");
            let id = self.node(at, Content::Broken, 0);
            return self.attach(id, Weight { nodes: 1, height: 0 });
        };
        let weight = self.weights[target as usize];
        self.expanded = self.expanded.saturating_add(weight.nodes);
        if self.expanded > EXPANDED {
            let message = format!("with `{name}` the aliases of this file stand for more than {EXPANDED} values");
            self.faults.error("CFG-008", at, "", message, "write the values out, or use fewer aliases of aliases");
            return None;
        }
        if self.stack.len() + weight.height > DEEPEST {
            return self.too_deep(at);
        }
        self.attach(target, weight)
    }

    fn too_deep(&mut self, at: Place) -> Option<()> {
        let message = format!("maps and lists are nested deeper than {DEEPEST} levels here");
        self.faults.error("CFG-001", at, "", message, "a queue takes two levels; flatten the tree");
        None
    }

    /// Closes a map: what `<<` brings comes last, and only where the key is not written or brought before.
    fn merge(&mut self, map: OpenMap) -> Content {
        let OpenMap { mut entries, merges, .. } = map;
        if merges.is_empty() {
            return Content::Map(entries);
        }
        let mut present: HashSet<Box<str>> = entries.iter().map(|entry| entry.key.clone()).collect();
        for merge in merges {
            let sources = match &self.document.nodes[merge as usize].content {
                Content::List(items) => items.clone(),
                _ => vec![merge],
            };
            for source in sources {
                let node = &self.document.nodes[source as usize];
                match &node.content {
                    Content::Map(brought) => {
                        for entry in brought {
                            if present.insert(entry.key.clone()) {
                                entries.push(entry.clone());
                            }
                        }
                    }
                    Content::Broken => {}
                    _ => {
                        let hint = "write an alias of a map, or a list of such aliases";
                        self.faults.error("CFG-008", node.at, "", "`<<` takes maps only", hint);
                    }
                }
            }
        }
        Content::Map(entries)
    }

    fn syntax(&mut self, error: &ScanError) {
        let (at, message, hint) = explain(error, self.text);
        self.faults.error("CFG-001", at, "", message, hint);
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Scalar {
    let plain = match tag {
        None => style == ScalarStyle::Plain,
        Some(tag) => matches!(tag.core_suffix(), Some("bool" | "int" | "float" | "null")),
    };
    let mut content = place(span.start);
    let style = match style {
        _ if plain => Style::Plain,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
        ScalarStyle::Plain => Style::Quoted,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
            content.column += 1;
            Style::Quoted
        }
    };
    // Nothing at all is handed over as `~`.
    let text = if span.is_empty() && text == "~" { "".into() } else { text };
    if style == Style::Literal {
        let blank = text.bytes().take_while(|b| *b == b'\n').count();
        content.line = content.line.saturating_sub(count(blank));
    }
    Scalar { text: text.into(), style, content }
}

/// Place, message and hint of a text that is no YAML.
fn explain(error: &ScanError, text: &str) -> (Place, String, &'static str) {
    let at = place(*error.marker());
    let said = || format!("not YAML: {}", error.info());
    match error.kind() {
        ErrorKind::MissingAnchorOrAliasName => {
            let hint = "quote a text that begins with `*` or `&`: '*'";
            (at, "`*` without quotes begins an alias, and no name follows".into(), hint)
        }
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            (at, said(), "quote a text that holds `: `; keys of one map begin in the same column")
        }
        ErrorKind::UnclosedFlowCollection { open } => {
            (at, format!("not YAML: `{open}` is never closed"), "close it with the bracket that belongs to it")
        }
        ErrorKind::UnclosedQuotedScalar => (at, "not YAML: the quote is never closed".into(), "close the quoted text"),
        ErrorKind::InvalidQuotedScalarIndent => {
            (at, said(), "the quote of the text that begins above is perhaps never closed")
        }
        ErrorKind::RecursionLimitExceeded => {
            let message = format!("maps and lists are nested deeper than {DEEPEST} levels here");
            (at, message, "a queue takes two levels; flatten the tree")
        }
        ErrorKind::UnexpectedCharacter { character } if *character == '@' || *character == '`' => {
            (at, format!("not YAML: a text cannot begin with `{character}` without quotes"), "quote the text")
        }
        ErrorKind::UnexpectedCharacter { character } => {
            let code = u32::from(*character);
            (at, format!("not YAML: character U+{code:04X} is not allowed here"), "take the character out")
        }
        _ => match tab_after(error.marker(), text) {
            Some(tab) => (tab, TAB.0.into(), TAB.1),
            None => (at, said(), "keys of one map begin in the same column, entries of a list with `- `"),
        },
    }
}

/// Message and hint for a tab where YAML takes none.
const TAB: (&str, &str) = ("a tab is used as indentation", "YAML takes spaces only for indentation");

/// Where, in the text between two values, a tab stands before the first thing of a line, or between `-` and its entry.
fn indenting_tab(gap: &str, fresh: bool) -> Option<usize> {
    if !gap.contains('\t') {
        return None;
    }
    // A first line that is not fresh goes on behind a value or a key: a tab is harmless there until an entry begins.
    let (mut indents, mut skip_line, mut in_word) = (fresh, false, false);
    for (at, c) in gap.char_indices() {
        match c {
            '\n' => (indents, skip_line, in_word) = (true, false, false),
            _ if skip_line => {}
            '\t' if indents => return Some(at),
            ' ' | '\t' | '\r' => in_word = false,
            '#' if !in_word => skip_line = true,
            '-' | '?' if !in_word => indents = true,
            _ => (indents, in_word) = (false, true),
        }
    }
    None
}

/// The tab that begins the rest of a line at or right after `mark`, which is where a scanner stops on one.
fn tab_after(mark: &Marker, text: &str) -> Option<Place> {
    let offset = mark.byte_offset()?;
    let rest = text.get(offset..)?;
    let line_start = text[..offset].rfind('\n').map_or(0, |at| at + 1);
    let only_blank_before = text[line_start..offset].trim().is_empty();
    if only_blank_before
        && let Some(tab) = text[line_start..].find(|c: char| c != ' ')
        && text[line_start + tab..].starts_with('\t')
    {
        return Some(Place { line: count(mark.line()), column: count(tab + 1) });
    }
    let mut line = mark.line();
    for (at, _) in rest.match_indices('\n').take(2) {
        line += 1;
        let next = &rest[at + 1..];
        let spaces = next.bytes().take_while(|b| *b == b' ').count();
        if next[spaces..].starts_with('\t') {
            return Some(Place { line: count(line), column: count(spaces + 1) });
        }
    }
    None
}

fn place(mark: Marker) -> Place {
    Place { line: count(mark.line()), column: count(mark.col() + 1) }
}

/// Lines, columns and nodes of a text of at most [`LARGEST`] bytes always fit.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
