//! Parser events → the tree: anchors, merge keys, duplicate keys, and their limits.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StructureStyle, Tag};

use super::explain::{TAB, explain, indenting_tab};
use super::{Content, DEEPEST, Document, EXPANDED, Entry, NodeData, Run, ScalarData, Style, count, place};
use crate::fault::Faults;
use crate::types::Place;

struct Frame {
    id: u32,
    flow: bool,
    content: OpenCollection,
    weight: SubtreeSize,
}

enum OpenCollection {
    List(Vec<u32>),
    Map(OpenMap),
}

#[derive(Default)]
struct OpenMap {
    entries: Vec<Entry>,
    key: Option<Key>,
    merges: Vec<u32>,
    /// Only if there are many; few are compared one by one.
    seen: HashMap<Box<str>, Place>,
}

enum Key {
    Plain(u32),
    Merge,
    /// Reported; its value is dropped.
    Faulty,
}

#[derive(Clone, Copy, Default)]
struct SubtreeSize {
    nodes: usize,
    height: usize,
}

/// From here on, keys are looked up by hash.
const MANY_KEYS: usize = 16;

pub(super) struct Builder<'t, 'f> {
    text: &'t str,
    parser: Parser<'t, granit_parser::StrInput<'t>>,
    pub(super) faults: &'f mut Faults,
    document: Document,
    weights: Vec<SubtreeSize>,
    stack: Vec<Frame>,
    anchors: HashMap<usize, u32>,
    expanded: usize,
    pub(super) ended: bool,
    flow: usize,
    /// In bytes, and whether it was a block scalar.
    seen_to: (usize, bool),
    progress: &'f mut dyn FnMut(usize),
    events: usize,
}

const REPORTED: usize = 1 << 14;

impl<'t, 'f> Builder<'t, 'f> {
    pub(super) fn new(text: &'t str, faults: &'f mut Faults, progress: &'f mut dyn FnMut(usize)) -> Self {
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
            progress,
            events: 0,
        }
    }

    pub(super) fn next_document(&mut self) -> Option<Document> {
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
            self.events += 1;
            if self.events.is_multiple_of(REPORTED) {
                (self.progress)(self.seen_to.0);
            }
            match event {
                Event::StreamEnd => self.ended = true,
                Event::DocumentEnd => return Some(std::mem::take(&mut self.document)),
                event => self.event(event, span)?,
            }
        }
    }

    pub(super) fn further_document(&mut self) -> Option<Place> {
        while let Some(next) = self.parser.next_event() {
            match next {
                Ok((Event::DocumentStart(..), span)) => return Some(place(span.start)),
                Ok(_) => {}
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
                let scalar = scalar(&mut self.document.texts, text, style, tag.as_deref(), span);
                let id = self.node(at, Content::Scalar(scalar), anchor);
                self.attach(id, SubtreeSize { nodes: 1, height: 0 })
            }
            Event::SequenceStart(style, anchor, _) => self.open(at, anchor, style, OpenCollection::List(Vec::new())),
            Event::MappingStart(style, anchor, _) => {
                self.open(at, anchor, style, OpenCollection::Map(OpenMap::default()))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at, span),
            Event::UnresolvedAlias(name) => {
                let message = format!("alias `*{name}` has no anchor before it");
                let hint = if name.is_empty() {
                    String::new()
                } else {
                    format!("write `&{name}` at the intended value, above this line; or quote the text: '*{name}'")
                };
                self.faults.error("CFG-008", at, "", message, hint);
                let id = self.node(at, Content::Broken, 0);
                self.attach(id, SubtreeSize { nodes: 1, height: 0 })
            }
            _ => Some(()),
        }
    }

    fn node(&mut self, at: Place, content: Content, anchor: usize) -> u32 {
        let id = count(self.document.nodes.len());
        self.document.nodes.push(NodeData { at, content });
        self.weights.push(SubtreeSize::default());
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        id
    }

    /// CFG-001: the parser accepts some tabs that other readers reject.
    fn no_tab_before(&mut self, event: &Event<'t>, span: Span) -> Option<()> {
        let (Some(start), Some(end)) = (span.start.byte_offset(), span.end.byte_offset()) else { return Some(()) };
        let (seen_to, after_block) = self.seen_to;
        let block = matches!(event, Event::Scalar(_, ScalarStyle::Literal | ScalarStyle::Folded, ..));
        self.seen_to = (end.max(seen_to), block);
        // The header and the first indentation of a block scalar are not checked here.
        let Some(gap) = self.text.get(seen_to..start).filter(|_| self.flow == 0 && !block) else { return Some(()) };
        // Blank lines after a block scalar belong to it.
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

    fn open(&mut self, at: Place, anchor: usize, style: StructureStyle, content: OpenCollection) -> Option<()> {
        if self.stack.len() >= DEEPEST {
            return self.too_deep(at);
        }
        let flow = style == StructureStyle::Flow;
        self.flow += usize::from(flow);
        let id = self.node(at, Content::Broken, anchor);
        self.stack.push(Frame { id, flow, content, weight: SubtreeSize { nodes: 1, height: 1 } });
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        let Frame { id, flow, content, weight } = self.stack.pop()?;
        self.flow -= usize::from(flow);
        let content = match content {
            OpenCollection::List(mut items) => {
                let start = self.document.items.len();
                self.document.items.append(&mut items);
                Content::List(Run::behind(start, &self.document.items))
            }
            OpenCollection::Map(map) => {
                let mut entries = self.merge(map);
                let start = self.document.entries.len();
                self.document.entries.append(&mut entries);
                Content::Map(Run::behind(start, &self.document.entries))
            }
        };
        self.document.nodes[id as usize].content = content;
        self.attach(id, weight)
    }

    fn attach(&mut self, id: u32, weight: SubtreeSize) -> Option<()> {
        self.weights[id as usize] = weight;
        let Some(frame) = self.stack.last_mut() else {
            self.document.root = Some(id);
            return Some(());
        };
        frame.weight.nodes = frame.weight.nodes.saturating_add(weight.nodes);
        frame.weight.height = frame.weight.height.max(weight.height + 1);
        match &mut frame.content {
            OpenCollection::List(items) => items.push(id),
            OpenCollection::Map(map) => match map.key.take() {
                None => {
                    let key = self.key(id);
                    if let Some(Frame { content: OpenCollection::Map(map), .. }) = self.stack.last_mut() {
                        map.key = Some(key);
                    }
                }
                Some(Key::Plain(key)) => map.entries.push(Entry { key, value: id }),
                Some(Key::Merge) => map.merges.push(id),
                Some(Key::Faulty) => {}
            },
        }
        Some(())
    }

    fn key(&mut self, id: u32) -> Key {
        let node = &self.document.nodes[id as usize];
        let at = node.at;
        let Some(scalar) = self.document.scalar(id) else {
            if !matches!(node.content, Content::Broken) {
                self.faults.error("CFG-001", at, "", "a key is a list or a map", "keys are strings: `key: value`");
            }
            return Key::Faulty;
        };
        if scalar.style == Style::Plain && scalar.text == "<<" {
            return Key::Merge;
        }
        let Some(Frame { content: OpenCollection::Map(map), .. }) = self.stack.last_mut() else { return Key::Faulty };
        match first_place(&self.document, map, scalar.text, at) {
            None => Key::Plain(id),
            Some(first) => {
                let message =
                    format!("duplicate key `{}` in one map; first defined on line {}", scalar.text, first.line);
                self.faults.error("CFG-004", at, "", message, "keep one of the two");
                Key::Faulty
            }
        }
    }

    fn alias(&mut self, anchor: usize, at: Place, span: Span) -> Option<()> {
        let name = span.slice(self.text).unwrap_or_default();
        let target = self.anchors.get(&anchor).copied();
        let open = target.is_some_and(|target| self.stack.iter().any(|frame| frame.id == target));
        let (Some(target), false) = (target, open) else {
            let message = format!("alias `{name}` is inside its own value");
            self.faults.error("CFG-008", at, "", message, "an alias can refer only to a value that ends before it");
            let id = self.node(at, Content::Broken, 0);
            return self.attach(id, SubtreeSize { nodes: 1, height: 0 });
        };
        let weight = self.weights[target as usize];
        self.expanded = self.expanded.saturating_add(weight.nodes);
        if self.expanded > EXPANDED {
            let message = format!("with `{name}` the aliases of this file expand to more than {EXPANDED} values");
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
        self.faults.error("CFG-001", at, "", message, "each queue uses two levels; flatten the tree");
        None
    }

    /// Merged entries come last, and only for missing keys.
    fn merge(&mut self, map: OpenMap) -> Vec<Entry> {
        let OpenMap { mut entries, merges, .. } = map;
        if merges.is_empty() {
            return entries;
        }
        let document = &self.document;
        let mut present: HashSet<&str> = entries.iter().map(|entry| document.key(entry).0).collect();
        for merge in merges {
            let sources = match &document.nodes[merge as usize].content {
                Content::List(items) => document.items(*items).to_vec(),
                _ => vec![merge],
            };
            for source in sources {
                let node = &document.nodes[source as usize];
                match &node.content {
                    Content::Map(alias_content) => {
                        for entry in document.entries(*alias_content) {
                            if present.insert(document.key(entry).0) {
                                entries.push(*entry);
                            }
                        }
                    }
                    Content::Broken => {}
                    _ => {
                        let hint = "write an alias of a map, or a list of such aliases";
                        self.faults.error("CFG-008", node.at, "", "`<<` accepts only maps", hint);
                    }
                }
            }
        }
        entries
    }

    fn syntax(&mut self, error: &ScanError) {
        let (at, message, hint) = explain(error, self.text);
        self.faults.error("CFG-001", at, "", message, hint);
    }
}

fn first_place(document: &Document, map: &mut OpenMap, key: &str, at: Place) -> Option<Place> {
    if map.entries.len() < MANY_KEYS {
        return map.entries.iter().map(|entry| document.key(entry)).find(|(text, _)| *text == key).map(|(_, at)| at);
    }
    if map.seen.is_empty() {
        map.seen = map.entries.iter().map(|entry| document.key(entry)).map(|(text, at)| (text.into(), at)).collect();
    }
    let first = map.seen.get(key).copied();
    if first.is_none() {
        map.seen.insert(key.into(), at);
    }
    first
}

fn scalar(texts: &mut String, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> ScalarData {
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
    // The parser returns `~` for an empty value.
    let text = if span.is_empty() && text == "~" { "".into() } else { text };
    if style == Style::Literal {
        let blank = text.bytes().take_while(|b| *b == b'\n').count();
        content.line = content.line.saturating_sub(count(blank));
    }
    let start = count(texts.len());
    texts.push_str(&text);
    ScalarData { text: (start, count(texts.len())), style, content }
}
