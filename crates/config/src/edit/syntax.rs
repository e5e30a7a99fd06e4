//! A YAML text as a tree of byte ranges, with aliases unresolved. Parses only the first document.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle};

use super::value::Value;
use crate::types::Place;

pub(super) type Id = usize;

#[derive(Debug, Default)]
pub(super) struct Tree<'t> {
    pub text: &'t str,
    nodes: Vec<Node>,
    anchors: HashMap<usize, Id>,
    pub root: Option<Id>,
}

#[derive(Debug)]
pub(super) struct Node {
    /// Without its anchor. A missing value is empty, after the preceding token.
    pub range: Range<usize>,
    /// With the range of `&name`.
    anchor: Option<(usize, Range<usize>)>,
    pub tagged: bool,
    pub shape: Shape,
}

#[derive(Debug)]
pub(super) enum Shape {
    Scalar { text: String, style: ScalarStyle },
    Alias(usize),
    List { flow: bool, items: Vec<Id> },
    Map { flow: bool, entries: Vec<(Id, Id)> },
}

impl<'t> Tree<'t> {
    /// Parses a text that is valid YAML within the limits of [`crate::yaml`]; otherwise `None`.
    pub fn parse(text: &'t str) -> Option<Self> {
        let options = granit_parser::options! { emit_comments: false, emit_anchor_events: true };
        let mut parser = Parser::new_from_str_with_options(text, options);
        let mut tree = Self { text, ..Self::default() };
        let mut open: Vec<(Id, Option<Id>)> = Vec::new();
        while let Some(next) = parser.next_event() {
            let (event, span) = next.ok()?;
            let range = span.start.byte_offset()?..span.end.byte_offset()?;
            match event {
                Event::DocumentEnd => return Some(tree),
                Event::SequenceStart(style, _, tag) => {
                    let shape = Shape::List { flow: style == StructureStyle::Flow, items: Vec::new() };
                    open.push((tree.push(range, tag.is_some(), shape), None));
                }
                Event::MappingStart(style, _, tag) => {
                    let shape = Shape::Map { flow: style == StructureStyle::Flow, entries: Vec::new() };
                    open.push((tree.push(range, tag.is_some(), shape), None));
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    let (id, _) = open.pop()?;
                    tree.close(id, range);
                    tree.attach(&mut open, id);
                }
                Event::Scalar(content, style, _, tag) => {
                    let end = range.start + text.get(range.clone())?.trim_end().len();
                    let content = if span_is_empty(&span) { String::new() } else { content.into_owned() };
                    let shape = Shape::Scalar { text: content, style };
                    let id = tree.push(range.start..end, tag.is_some(), shape);
                    tree.attach(&mut open, id);
                }
                Event::Alias(anchor) => {
                    let id = tree.push(range, false, Shape::Alias(anchor));
                    tree.attach(&mut open, id);
                }
                Event::Anchor(number, _) => {
                    let last = tree.nodes.len().checked_sub(1)?;
                    tree.nodes[last].anchor = Some((number, range));
                    tree.anchors.insert(number, last);
                }
                _ => {}
            }
        }
        Some(tree)
    }

    fn push(&mut self, range: Range<usize>, tagged: bool, shape: Shape) -> Id {
        self.nodes.push(Node { range, anchor: None, tagged, shape });
        self.nodes.len() - 1
    }

    fn close(&mut self, id: Id, last: Range<usize>) {
        let end = match &self.nodes[id].shape {
            Shape::List { flow: true, .. } | Shape::Map { flow: true, .. } => last.end,
            Shape::List { items, .. } => items.last().map_or(last.start, |item| self.outer(*item).end),
            Shape::Map { entries, .. } => {
                entries.last().map_or(last.start, |(key, value)| self.entry(*key, *value).end)
            }
            _ => last.end,
        };
        let mut start = self.nodes[id].range.start;
        if let Shape::List { flow: false, items } = &self.nodes[id].shape
            && let Some(first) = items.first().map(|item| self.outer(*item).start)
            && (start >= first || !self.text[start..].starts_with('-'))
        {
            // The parser reports the start of such a list after its first dash.
            start = self.text[..start.min(first)].rfind('-').unwrap_or(start);
        }
        self.nodes[id].range = start..end.max(start);
    }

    fn attach(&mut self, open: &mut [(Id, Option<Id>)], id: Id) {
        let Some((above, key)) = open.last_mut() else {
            self.root = Some(id);
            return;
        };
        match &mut self.nodes[*above].shape {
            Shape::List { items, .. } => items.push(id),
            Shape::Map { entries, .. } => match key.take() {
                None => *key = Some(id),
                Some(key) => entries.push((key, id)),
            },
            _ => {}
        }
    }

    pub fn node(&self, id: Id) -> &Node {
        &self.nodes[id]
    }

    pub fn outer(&self, id: Id) -> Range<usize> {
        let node = &self.nodes[id];
        match &node.anchor {
            Some((_, at)) => at.start.min(node.range.start)..at.end.max(node.range.end),
            None => node.range.clone(),
        }
    }

    /// The range of a key with its value; up to the colon if the value is missing.
    pub fn entry(&self, key: Id, value: Id) -> Range<usize> {
        let (key, value) = (self.outer(key), self.outer(value));
        let colon = self.colon(key.end).map_or(key.end, |at| at + 1);
        key.start..value.end.max(colon).max(key.end)
    }

    pub fn colon(&self, key_end: usize) -> Option<usize> {
        let rest = &self.text[key_end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        rest[gap..].starts_with(':').then_some(key_end + gap)
    }

    pub fn scalar(&self, id: Id) -> Option<&str> {
        match &self.nodes[id].shape {
            Shape::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    pub fn is_null(&self, id: Id) -> bool {
        matches!(&self.nodes[id].shape, Shape::Scalar { text, style: ScalarStyle::Plain }
            if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    pub fn entries(&self, id: Id) -> Option<&[(Id, Id)]> {
        match &self.nodes[id].shape {
            Shape::Map { entries, .. } => Some(entries),
            _ => None,
        }
    }

    pub fn items(&self, id: Id) -> Option<&[Id]> {
        match &self.nodes[id].shape {
            Shape::List { items, .. } => Some(items),
            _ => None,
        }
    }

    /// The index of the entry with this key that is written in the map itself.
    pub fn find(&self, map: Id, key: &str) -> Option<usize> {
        self.entries(map)?.iter().position(|(known, _)| self.scalar(*known) == Some(key))
    }

    /// The value of a key that is written in the map itself.
    pub fn get(&self, map: Id, key: &str) -> Option<Id> {
        Some(self.entries(map)?[self.find(map, key)?].1)
    }

    /// The alias through which `<<` merges the key.
    pub fn merged(&self, map: Id, key: &str) -> Option<usize> {
        let mut sources: Vec<Id> = self.merges(map).collect();
        let mut seen = Vec::new();
        while let Some(source) = sources.pop() {
            match &self.nodes[source].shape {
                Shape::Alias(anchor) => sources.extend(self.anchors.get(anchor).filter(|id| !seen.contains(*id))),
                Shape::List { items, .. } => sources.extend(items),
                Shape::Map { .. } if self.find(source, key).is_some() => {
                    return self.merges(map).next().map(|id| self.nodes[id].range.start);
                }
                Shape::Map { .. } => {
                    seen.push(source);
                    sources.extend(self.merges(source));
                }
                Shape::Scalar { .. } => {}
            }
        }
        None
    }

    fn merges(&self, map: Id) -> impl Iterator<Item = Id> {
        let entries = self.entries(map).unwrap_or_default().iter();
        entries.filter(|(key, _)| self.scalar(*key) == Some("<<")).map(|(_, value)| *value)
    }

    /// The alias or value that starts at this byte.
    pub fn node_at(&self, at: usize) -> Option<Id> {
        self.nodes.iter().position(|node| node.range.start == at)
    }

    pub fn target_id(&self, alias: Id) -> Option<Id> {
        match &self.nodes[alias].shape {
            Shape::Alias(number) => self.anchors.get(number).copied(),
            _ => None,
        }
    }

    pub fn target(&self, alias: Id) -> Option<usize> {
        self.target_id(alias).map(|id| self.outer(id).start)
    }

    pub fn used_again(&self, id: Id) -> Option<usize> {
        let (anchor, _) = self.nodes[id].anchor.as_ref()?;
        let mut aliases = self.nodes.iter().filter(|node| matches!(&node.shape, Shape::Alias(of) if of == anchor));
        aliases.next().map(|node| node.range.start)
    }

    /// An alias outside of `range` of a value inside it.
    pub fn used_outside(&self, range: &Range<usize>) -> Option<usize> {
        let inside = |node: &&Node| {
            range.contains(&node.range.start) || node.anchor.as_ref().is_some_and(|a| range.contains(&a.1.start))
        };
        let anchored = self.nodes.iter().filter(inside).filter_map(|node| node.anchor.as_ref());
        let numbers: Vec<usize> = anchored.map(|(number, _)| *number).collect();
        let outside = |node: &&Node| !range.contains(&node.range.start);
        let used = |node: &&Node| matches!(&node.shape, Shape::Alias(of) if numbers.contains(of));
        self.nodes.iter().filter(outside).find(used).map(|node| node.range.start)
    }

    /// The tree without locations, for comparisons.
    pub fn value(&self) -> Option<Value> {
        self.root.map(|id| self.value_of(id))
    }

    fn value_of(&self, id: Id) -> Value {
        match &self.nodes[id].shape {
            Shape::Scalar { text, style } => Value::Written { text: text.clone(), plain: *style == ScalarStyle::Plain },
            Shape::Alias(_) => Value::Written { text: self.text[self.nodes[id].range.clone()].to_owned(), plain: true },
            Shape::List { items, .. } => Value::List(items.iter().map(|item| self.value_of(*item)).collect()),
            Shape::Map { entries, .. } => {
                let key = |id| self.scalar(id).unwrap_or_default().to_owned();
                Value::Map(entries.iter().map(|(k, value)| (key(*k), self.value_of(*value))).collect())
            }
        }
    }

    pub fn place(&self, at: usize) -> Place {
        let before = self.text.get(..at).unwrap_or(self.text);
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
        let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Place { line: count(line), column: count(column) }
    }

    /// The nodes of the keys and values of block maps whose value is a map or list.
    pub fn nested(&self) -> impl Iterator<Item = (Id, Id)> {
        let maps = self.nodes.iter().filter_map(|node| match &node.shape {
            Shape::Map { flow: false, entries } => Some(entries),
            _ => None,
        });
        maps.flatten().copied()
    }
}

fn span_is_empty(span: &Span) -> bool {
    span.start.byte_offset() == span.end.byte_offset()
}
