//! A change of the tree → the smallest change of the text.
//!
//! Invariants:
//! - in block style whole lines are added and removed, in flow style only the entry with its comma;
//! - only comments of a removed entry are removed: after it in its lines, or below it with more indentation;
//! - other changes are rejected.

use std::ops::Range;

use granit_parser::ScalarStyle;

use super::change::{PathSegment, TreeChange, predecessor};
use super::lines::{behind, column, is_blank, is_first, is_last, line_break, line_end, line_start};
use super::refusal::EditFaults;
use super::syntax::{Id, Shape, Tree};
use super::value::{TextStyle, Value};
use super::{flow, lines};
use crate::fault::Fault;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Patch {
    pub range: Range<usize>,
    pub with: String,
}

impl Patch {
    pub fn insert(at: usize, with: impl Into<String>) -> Self {
        Self { range: at..at, with: with.into() }
    }

    pub fn delete(range: Range<usize>) -> Self {
        Self { range, with: String::new() }
    }
}

/// In the order of the text, without contact.
pub(super) fn patches(
    tree: &Tree<'_>,
    at: &[PathSegment],
    change: &TreeChange,
    refuse: EditFaults<'_>,
) -> Result<Vec<Patch>, Fault> {
    let id = resolve(tree, at, refuse)?;
    let context = Context { tree, look: TextStyle::of(tree), refuse };
    let mut patches = match (&tree.node(id).shape, change) {
        (Shape::Map { entries, .. }, TreeChange::Put { key, value, .. }) if tree.find(id, key).is_some() => {
            let entry = entries[tree.find(id, key).unwrap_or_default()];
            context.replace(id, entry, value)
        }
        (Shape::Map { flow: true, entries }, TreeChange::Put { key, value, order }) => {
            let index = context.position(entries, key, order);
            Ok(flow::insert(tree, id, &context.ranges(id), index, &super::value::flow_entry(key, value)))
        }
        (Shape::Map { flow: false, entries }, TreeChange::Put { key, value, order }) => {
            context.put(entries, context.position(entries, key, order), key, value)
        }
        (Shape::Map { flow, .. }, TreeChange::Drop { key }) => {
            let index = tree.find(id, key).ok_or_else(|| context.surprise(id))?;
            let range = context.ranges(id)[index].clone();
            context.check_anchors(&range, &format!("`{key}`"))?;
            if *flow { Ok(flow::remove(tree, id, &context.ranges(id), index)) } else { context.drop(id, index) }
        }
        (Shape::List { flow: true, .. }, TreeChange::Insert { index, value }) => {
            Ok(flow::insert(tree, id, &context.ranges(id), *index, &value.in_flow()))
        }
        (Shape::List { flow: false, .. }, TreeChange::Insert { index, value }) => context.insert(id, *index, value),
        (Shape::List { flow, .. }, TreeChange::Remove { index }) => {
            let range = context.ranges(id).get(*index).cloned().ok_or_else(|| context.surprise(id))?;
            context.check_anchors(&range, "this entry")?;
            if *flow { Ok(flow::remove(tree, id, &context.ranges(id), *index)) } else { context.remove(id, *index) }
        }
        _ => Err(context.surprise(id)),
    }?;
    patches.sort_by_key(|patch| patch.range.start);
    Ok(patches)
}

/// The node must be written there and not be shared.
fn resolve(tree: &Tree<'_>, at: &[PathSegment], refuse: EditFaults<'_>) -> Result<Id, Fault> {
    let mut id = tree.root.ok_or_else(|| refuse.form(tree.place(0), "the text is empty"))?;
    let mut what = "the file".to_owned();
    for step in at {
        let next = match step {
            PathSegment::Key(key) => {
                what = format!("`{key}`");
                if tree.find(id, key).is_none()
                    && let Some(alias) = tree.merged(id, key)
                {
                    return Err(refuse.alias(tree, &what, alias, tree.node_at(alias).and_then(|id| tree.target(id))));
                }
                tree.get(id, key)
            }
            PathSegment::Index(index) => {
                "this entry".clone_into(&mut what);
                tree.items(id).and_then(|items| items.get(*index).copied())
            }
        };
        id = next.ok_or_else(|| refuse.form(tree.place(tree.node(id).range.start), format!("{what} not found")))?;
        if let Shape::Alias(_) = tree.node(id).shape {
            return Err(refuse.alias(tree, &what, tree.node(id).range.start, tree.target(id)));
        }
        if let Some(alias) = tree.used_again(id) {
            return Err(refuse.shared(tree, &what, tree.node(id).range.start, alias));
        }
    }
    Ok(id)
}

struct Context<'a, 't> {
    tree: &'a Tree<'t>,
    look: TextStyle,
    refuse: EditFaults<'a>,
}

impl Context<'_, '_> {
    fn surprise(&self, id: Id) -> Fault {
        self.refuse.form(self.tree.place(self.tree.node(id).range.start), "unexpected text at this location")
    }

    fn form(&self, at: usize, message: &str) -> Fault {
        self.refuse.form(self.tree.place(at), message)
    }

    fn ranges(&self, id: Id) -> Vec<Range<usize>> {
        match &self.tree.node(id).shape {
            Shape::Map { entries, .. } => entries.iter().map(|(key, value)| self.tree.entry(*key, *value)).collect(),
            Shape::List { items, .. } => items.iter().map(|item| self.tree.outer(*item)).collect(),
            _ => Vec::new(),
        }
    }

    fn position(&self, entries: &[(Id, Id)], key: &str, order: &[&str]) -> usize {
        let keys = entries.iter().map(|(key, _)| self.tree.scalar(*key).unwrap_or_default());
        predecessor(keys, key, order).map_or(0, |index| index + 1)
    }

    fn check_anchors(&self, range: &Range<usize>, what: &str) -> Result<(), Fault> {
        match self.tree.used_outside(range) {
            Some(alias) => Err(self.refuse.shared(self.tree, what, range.start, alias)),
            None => Ok(()),
        }
    }

    fn replace(&self, map: Id, (key, value): (Id, Id), new: &Value) -> Result<Vec<Patch>, Fault> {
        let tree = self.tree;
        let node = tree.node(value);
        let name = format!("`{}`", tree.scalar(key).unwrap_or_default());
        if let Some(alias) = tree.used_again(value) {
            return Err(self.refuse.shared(tree, &name, node.range.start, alias));
        }
        let flow = matches!(tree.node(map).shape, Shape::Map { flow: true, .. });
        match &node.shape {
            Shape::Alias(_) => Err(self.refuse.alias(tree, &name, node.range.start, tree.target(value))),
            _ if node.tagged => Err(self.form(node.range.start, "the value has a tag")),
            Shape::Scalar { style: ScalarStyle::Literal | ScalarStyle::Folded, .. } => {
                Err(self.form(node.range.start, "the value is a block scalar"))
            }
            Shape::Scalar { style, .. } if !node.range.is_empty() => {
                Ok(vec![Patch { range: node.range.clone(), with: new.in_place(flow, *style) }])
            }
            Shape::Scalar { .. } => {
                let end = tree.entry(key, value).end;
                if flow && tree.colon(tree.outer(key).end).is_none() {
                    return Ok(vec![Patch::insert(end, format!(": {}", new.in_flow()))]);
                }
                if flow {
                    return Ok(vec![Patch::insert(end, format!(" {}", new.in_flow()))]);
                }
                let below = self.look.behind_colon(new, column(tree.text, tree.outer(key).start));
                let at = if below.starts_with('\n') { line_end(tree.text, end) } else { end };
                Ok(vec![Patch::insert(at, self.broken(&below))])
            }
            _ => Err(self.form(node.range.start, "expected a single value")),
        }
    }

    fn put(&self, entries: &[(Id, Id)], index: usize, key: &str, value: &Value) -> Result<Vec<Patch>, Fault> {
        let first = self.tree.outer(entries[0].0).start;
        self.check_head(first)?;
        let column = column(self.tree.text, first);
        let (before, its_value) = entries[index.saturating_sub(1)];
        let end = self.tree.entry(before, its_value).end;
        self.insert_lines(end, column, &self.look.entry(key, value, column))
    }

    /// After the entry that ends at `end` and is in `column`.
    fn insert_lines(&self, end: usize, column: usize, lines: &str) -> Result<Vec<Patch>, Fault> {
        let text = self.tree.text;
        if !is_last(text, end) {
            return Err(self.form(end, "unexpected text follows on this line"));
        }
        let at = behind(text, end, column);
        let fresh = text[..at].ends_with('\n');
        let lines = if fresh { format!("{lines}\n") } else { format!("\n{lines}") };
        Ok(vec![Patch::insert(at, self.broken(&lines))])
    }

    fn broken(&self, lines: &str) -> String {
        match line_break(self.tree.text) {
            "\n" => lines.to_owned(),
            other => lines.replace('\n', other),
        }
    }

    fn check_head(&self, key: usize) -> Result<(), Fault> {
        let head = &self.tree.text[line_start(self.tree.text, key)..key];
        if head.bytes().all(|b| matches!(b, b' ' | b'-')) {
            return Ok(());
        }
        Err(self.form(key, "the keys of this map are not at the start of their lines"))
    }

    fn drop(&self, map: Id, index: usize) -> Result<Vec<Patch>, Fault> {
        let (text, ranges) = (self.tree.text, self.ranges(map));
        let range = ranges[index].clone();
        self.check_head(range.start)?;
        if !is_last(text, range.end) {
            return Err(self.form(range.end, "unexpected text follows on this line"));
        }
        let end = behind(text, range.end, column(text, range.start));
        if is_first(text, range.start) {
            return Ok(vec![Patch::delete(line_start(text, range.start)..end)]);
        }
        let Some(next) = ranges.get(index + 1) else {
            return Err(self.form(range.start, "this map has no other keys"));
        };
        if is_blank(&text[end..next.start]) {
            return Ok(vec![Patch::delete(range.start..next.start)]);
        }
        let dash = text[..range.start].trim_end_matches(' ').len();
        Ok(vec![Patch::delete(dash..line_end(text, range.end))])
    }

    fn insert(&self, list: Id, index: usize, value: &Value) -> Result<Vec<Patch>, Fault> {
        let (text, ranges) = (self.tree.text, self.ranges(list));
        let dash = self.tree.node(list).range.start;
        let column = column(text, dash);
        let item = self.look.item(value, column);
        if index > 0 {
            let before = ranges.get(index - 1).ok_or_else(|| self.surprise(list))?;
            return self.insert_lines(before.end.max(dash + 1), column, &item);
        }
        if !is_first(text, dash) {
            return Err(self.form(dash, "this list starts on the line of another list"));
        }
        Ok(vec![Patch::insert(line_start(text, dash), self.broken(&format!("{item}\n")))])
    }

    /// Writes `[]` for the last item.
    fn remove(&self, list: Id, index: usize) -> Result<Vec<Patch>, Fault> {
        let (text, ranges) = (self.tree.text, self.ranges(list));
        let dash = self.dash(list, &ranges, index).ok_or_else(|| self.surprise(list))?;
        let end = ranges[index].end.max(dash + 1);
        if !is_first(text, dash) || !is_last(text, end) {
            return Err(self.form(dash, "this entry shares its lines with another"));
        }
        let gone = Patch::delete(line_start(text, dash)..behind(text, end, column(text, dash)));
        if ranges.len() > 1 {
            return Ok(vec![gone]);
        }
        let (key, value) = self.tree.nested().find(|(_, value)| *value == list).ok_or_else(|| self.surprise(list))?;
        let colon = self.tree.colon(self.tree.outer(key).end).ok_or_else(|| self.surprise(list))?;
        if self.tree.outer(value).start < dash {
            return Err(self.form(colon, "the list has an anchor"));
        }
        Ok(vec![Patch::insert(colon + 1, " []"), gone])
    }

    fn dash(&self, list: Id, ranges: &[Range<usize>], index: usize) -> Option<usize> {
        let (text, first) = (self.tree.text, self.tree.node(list).range.start);
        if index == 0 {
            return Some(first);
        }
        let depth = column(text, first);
        let mut line = lines::next_line(text, ranges[index - 1].end);
        while line <= ranges[index].start && line < text.len() {
            let rest = &text[line..line_end(text, line)];
            if rest.trim_start_matches(' ').starts_with('-') && rest.len() - rest.trim_start_matches(' ').len() == depth
            {
                return Some(line + depth);
            }
            line = lines::next_line(text, line);
        }
        None
    }
}
