//! Entries of maps and lists in brackets.

use std::ops::Range;

use super::lines::{is_first, is_last, line_break, line_end, line_start, next_line};
use super::patch::Patch;
use super::syntax::{Id, Tree};

pub(super) fn insert(tree: &Tree<'_>, id: Id, entries: &[Range<usize>], index: usize, new: &str) -> Vec<Patch> {
    let text = tree.text;
    let whole = tree.node(id).range.clone();
    let Some(last) = entries.last() else {
        let inside = whole.start + 1..whole.end - 1;
        let range = if text[inside.clone()].contains('#') { inside.start..inside.start } else { inside };
        return vec![Patch { range, with: new.to_owned() }];
    };
    let nl = line_break(text);
    if let Some(next) = entries.get(index) {
        let own_line = is_first(text, next.start) && index > 0;
        let indent = &text[line_start(text, next.start)..next.start];
        let gap = if own_line { format!("{nl}{indent}") } else { " ".to_owned() };
        return vec![Patch::insert(next.start, format!("{new},{gap}"))];
    }
    let comma = comma(text, last.end);
    let end = comma.map_or(last.end, |at| at + 1);
    if !is_first(text, last.start) || !is_last(text, end) {
        return vec![Patch::insert(last.end, format!(", {new}"))];
    }
    let indent = &text[line_start(text, last.start)..last.start];
    let below = line_end(text, end);
    match comma {
        Some(_) => vec![Patch::insert(below, format!("{nl}{indent}{new},"))],
        None if below == last.end => vec![Patch::insert(below, format!(",{nl}{indent}{new}"))],
        None => vec![Patch::insert(last.end, ","), Patch::insert(below, format!("{nl}{indent}{new}"))],
    }
}

/// With one comma.
pub(super) fn remove(tree: &Tree<'_>, id: Id, entries: &[Range<usize>], index: usize) -> Vec<Patch> {
    let text = tree.text;
    let own = entries[index].clone();
    let comma_behind = comma(text, own.end);
    let end = comma_behind.map_or(own.end, |at| at + 1);
    let alone = is_first(text, own.start) && is_last(text, end) && next_line(text, end) > line_end(text, end);
    let lines = line_start(text, own.start)..next_line(text, end);
    if let Some(next) = entries.get(index + 1) {
        if !text[own.end..next.start].contains('#') {
            return vec![Patch::delete(own.start..next.start)];
        }
        return vec![Patch::delete(if alone { lines } else { own.start..end })];
    }
    let Some(before) = index.checked_sub(1).map(|index| &entries[index]) else {
        let whole = tree.node(id).range.clone();
        let inside = whole.start + 1..whole.end - 1;
        let commented = text[inside.start..own.start].contains('#') || text[own.end..inside.end].contains('#');
        return vec![Patch::delete(if commented { own.start..end } else { inside })];
    };
    // A comma after the last entry stays.
    if !text[before.end..own.start].contains('#') && !text[own.end..end].contains('#') {
        return vec![Patch::delete(before.end..own.end)];
    }
    if comma_behind.is_some() {
        return vec![Patch::delete(if alone { lines } else { own.start..end })];
    }
    let mut patches: Vec<Patch> = comma(text, before.end).map(|at| Patch::delete(at..at + 1)).into_iter().collect();
    patches.push(Patch::delete(if alone { lines } else { own.start..own.end }));
    patches
}

/// Perhaps after white space and comments.
fn comma(text: &str, end: usize) -> Option<usize> {
    let mut at = end;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start().len();
        match rest[blank..].chars().next()? {
            ',' => return Some(at + blank),
            '#' => at = next_line(text, at + blank),
            _ => return None,
        }
    }
}
