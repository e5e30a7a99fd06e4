//! A page in lines: head and body.

use crate::linear::plain::WIDTH;
use crate::linear::{config, plain, rows, trends};
use crate::present::page::Present;
use crate::present::{crumbs, lists, unreached};
use crate::state::State;
use crate::state::explain::{ExplainPage, Explained};
use crate::state::page::{Page, each_page};
use crate::theme::SPOKEN;
use view::waiting::SheetLine;

/// The body of a page.
pub enum Spoken<'a> {
    /// A list, one line per row.
    Rows(rows::Rows<'a>),
    /// Lines, and their noun.
    Lines(Vec<String>, &'static str),
}

impl Spoken<'_> {
    /// The number of lines.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Lines(lines, _) => lines.len(),
        }
    }

    /// A line of the body, from 0.
    pub fn line(&self, at: usize) -> String {
        match self {
            Self::Rows(rows) => rows.line(at),
            Self::Lines(lines, _) => lines.get(at).cloned().unwrap_or_default(),
        }
    }

    /// The noun for its lines.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Rows(_) => "row",
            Self::Lines(_, noun) => noun,
        }
    }
}

/// The page and its facts.
pub fn head(state: &State) -> String {
    let mut parts = vec![crumbs::crumbs(state).iter().map(|crumb| plain::text(crumb)).collect::<Vec<_>>().join(", ")];
    let facts = each_page!(state.page(), page => page.facts(state, &SPOKEN));
    let facts =
        facts.iter().rev().map(|fact| plain::text(&fact.iter().map(|piece| piece.text.as_ref()).collect::<String>()));
    parts.extend(facts.filter(|fact| !fact.is_empty() && fact != "filter none"));
    parts.join("; ")
}

/// The body of the page.
pub fn of(state: &State) -> Spoken<'_> {
    if unreached::is(state) && !matches!(state.page(), Page::Details(_) | Page::Contexts(_)) {
        return Spoken::Lines(unreached::lines(state).iter().map(|line| plain::text(line)).collect(), "line");
    }
    match state.page() {
        Page::Explain(page) => return Spoken::Lines(explained(state, page), "line"),
        Page::Trends(page) => return Spoken::Lines(trends::lines(state, page), "line"),
        Page::Config(page) => return Spoken::Lines(config::lines(state, page), "line"),
        _ => {}
    }
    if let Some(sheet) = each_page!(state.page(), page => page.sheet(state, WIDTH)) {
        return Spoken::Lines(plain::lines(&sheet), "line");
    }
    match rows::of(state).filter(|rows| rows.len() > 0) {
        Some(rows) => Spoken::Rows(rows),
        None => Spoken::Lines(empty(state), "line"),
    }
}

fn empty(state: &State) -> Vec<String> {
    let words = lists::table(state, 120).map(|table| table.empty).unwrap_or_default();
    let words: Vec<String> = words.iter().map(|line| plain::text(line)).filter(|line| !line.is_empty()).collect();
    if words.is_empty() { vec!["No rows.".to_owned()] } else { words }
}

fn explained(state: &State, page: &ExplainPage) -> Vec<String> {
    let rows = crate::present::explain::rows(state, page, WIDTH);
    let mut lines: Vec<String> = rows
        .iter()
        .filter(|row| row.of.is_none())
        .map(|row| plain::line(&row.pieces))
        .filter(|line| !line.is_empty())
        .collect();
    let numbered = page.lines().iter().enumerate().map(|(at, line)| {
        let reported = rows
            .iter()
            .filter(|row| row.of == Some(at))
            .map(|row| row.pieces.iter().map(|piece| piece.text.as_ref()).collect::<String>());
        sheet_line(at, line, &reported.collect::<Vec<_>>().join(" "), matches!(page.of, Explained::Overview(_)))
    });
    lines.extend(numbered);
    lines
}

fn sheet_line(at: usize, line: &SheetLine, drawn: &str, flat: bool) -> String {
    let drawn = plain::text(drawn);
    let label = plain::text(&line.label);
    let reported = drawn.strip_prefix(&label).map_or(drawn.as_str(), str::trim_start);
    let (reported, leads) = match line.to {
        Some(_) => (reported.strip_suffix(" to").unwrap_or(reported), "; open goes there"),
        None => (reported, ""),
    };
    let deep = if line.depth > 1 && !flat { "of that: " } else { "" };
    let label = if label.is_empty() { String::new() } else { format!("{label}: ") };
    format!("{}. {deep}{label}{reported}{leads}", at + 1).trim_end().to_owned()
}

/// The index among the selectable lines, and their number.
pub fn cursor(state: &State) -> Option<(usize, usize)> {
    if let Some(list) = state.page().list() {
        return (list.rows() > 0).then(|| (list.index(), list.rows()));
    }
    match state.page() {
        Page::Explain(page) => (!page.lines().is_empty()).then(|| (page.index, page.lines().len())),
        Page::Contexts(page) => (!state.contexts.all.is_empty()).then_some((page.index, state.contexts.all.len())),
        _ => None,
    }
}

/// The selected line with its number; `all`: with all columns.
pub fn here(state: &State, all: bool) -> Option<String> {
    let (index, len) = cursor(state)?;
    if let Some(rows) = rows::of(state).filter(|rows| rows.len() > 0) {
        return Some(rows.reported(index.min(rows.len() - 1), all));
    }
    if let Page::Explain(page) = state.page() {
        let lines = explained(state, page);
        return lines.get(lines.len().saturating_sub(len) + index).cloned();
    }
    None
}
