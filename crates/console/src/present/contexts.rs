//! The contexts page: one line per context, then the selected one's details.

use std::sync::Arc;

use crate::present::details::sheet::labeled_text;
use crate::present::layout;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, symbol_set};
use crate::present::text;
use crate::state::State;
use crate::state::contexts::{ContextEntry, ContextFacts, ContextOrigin, ContextState};
use crate::theme::Role;

/// The number of lines before the first context.
pub const TITLES: usize = 1;
const WITH_ADDRESS: usize = 100;
const WIDEST: usize = 44;

/// The contexts with the title line.
pub fn rows(state: &State, width: usize) -> Lines {
    let symbols = symbol_set(state);
    let all = &state.contexts.all;
    if all.is_empty() {
        return vec![vec![dim("no contexts; add `[contexts.NAME]` to your settings, or use a kubeconfig")]];
    }
    let longest = |of: fn(&ContextEntry) -> &str| all.iter().map(|one| text::width(&text::escape(of(one)))).max();
    let name = longest(|one| &one.name).unwrap_or(0).clamp(7, WIDEST.min(width / 2));
    let address = if width < WITH_ADDRESS { 0 } else { longest(|one| &one.address).unwrap_or(0).clamp(7, WIDEST) };
    let known = width.saturating_sub(name + address + 6);
    let line = |first: Piece, symbol: Piece, words: (String, Role), last: Piece| {
        let fitted = |text: &str, space: usize| {
            let cut = text::cut(&text::escape(text), space, symbols.ellipsis).into_owned();
            let pad = space.saturating_sub(text::width(&cut));
            format!("{cut}{}", " ".repeat(pad))
        };
        vec![
            symbol,
            piece(first.role, fitted(&first.text, name)),
            plain("  "),
            piece(words.1, fitted(&words.0, known)),
            plain("  "),
            piece(last.role, fitted(&last.text, address)),
        ]
    };
    let titles = line(dim("CONTEXT"), plain("  "), ("KNOWN".to_owned(), Role::Dim), dim("ADDRESS"));
    let rows = all.iter().map(|one| {
        let here = state.contexts.here.as_deref() == Some(&*one.name);
        let symbol = if here { piece(Role::StateActive, format!("{} ", symbols.active)) } else { plain("  ") };
        line(plain(one.name.clone()), symbol, words(state, one), dim(one.address.clone()))
    });
    std::iter::once(titles).chain(rows).collect()
}

fn words(state: &State, one: &ContextEntry) -> (String, Role) {
    match (state.contexts.known.get(&one.name), &one.plugin) {
        (Some(ContextState::Asked), _) => ("connecting".to_owned(), Role::Dim),
        (Some(ContextState::Failed(why)), _) => (format!("unreachable: {why}"), Role::Error),
        (Some(ContextState::Reached(facts)), _) => reached(facts),
        (None, Some(plugin)) => (format!("not connected, because that runs {plugin}; space connects"), Role::Dim),
        (None, None) => (String::new(), Role::Dim),
    }
}

fn reached(facts: &ContextFacts) -> (String, Role) {
    let mut words = format!("{} in {}ms", facts.version, facts.took.as_millis());
    if let Ok(user) = &facts.user {
        words += &format!(", as {}", user.split(" (").next().unwrap_or_default());
    }
    match &facts.scheduler {
        Some(Ok(place)) => (format!("{words}, {place}"), Role::Text),
        Some(Err(why)) => (format!("{words}, no scheduler: {why}"), Role::Warning),
        None => (words, Role::Text),
    }
}

/// The details of a context.
pub fn sheet(state: &State, index: usize, width: usize) -> Lines {
    let Some(one) = state.contexts.all.get(index) else { return Lines::new() };
    let mut lines = Lines::new();
    let of = match (one.origin, one.current) {
        (ContextOrigin::Settings, _) => "of your settings",
        (ContextOrigin::Kubeconfig, true) => "of the kubeconfig (current)",
        (ContextOrigin::Kubeconfig, false) => "of the kubeconfig",
    };
    lines.push(vec![piece(Role::Title, one.name.clone()), plain("   "), dim(of)]);
    for (label, text) in [("address", &one.address), ("user", &one.user), ("namespace", &one.namespace)] {
        if !text.is_empty() {
            labeled_text(&mut lines, label, text, width, Role::Text);
        }
    }
    if let Some(plugin) = &one.plugin {
        labeled_text(&mut lines, "credentials", &format!("from the program {plugin}"), width, Role::Text);
    }
    match state.contexts.known.get(&one.name) {
        Some(ContextState::Reached(facts)) => answered(&mut lines, facts, width),
        Some(ContextState::Failed(why)) => labeled_text(&mut lines, "not reached", why, width, Role::Error),
        Some(ContextState::Asked) | None => {}
    }
    lines
}

fn answered(lines: &mut Lines, facts: &ContextFacts, width: usize) {
    let took = format!("{}, in {}ms", facts.version, facts.took.as_millis());
    labeled_text(lines, "reached", &took, width, Role::Text);
    match &facts.user {
        Ok(user) => labeled_text(lines, "as", user, width, Role::Text),
        Err(why) => labeled_text(lines, "as", &format!("unknown: {why}"), width, Role::Warning),
    }
    match &facts.scheduler {
        Some(Ok(place)) => labeled_text(lines, "scheduler", &format!("at {place}"), width, Role::Text),
        Some(Err(why)) => labeled_text(lines, "no scheduler", why, width, Role::Warning),
        None => {}
    }
}

/// The number of detail lines with the separator.
pub fn below(state: &State, index: usize) -> usize {
    let regions = layout::regions(state);
    let (width, height) =
        regions.map_or((80, 20), |regions| (usize::from(regions.rows.width), usize::from(regions.rows.height)));
    (1 + sheet(state, index, width.saturating_sub(2)).len()).min(height / 2)
}

/// All lines, for export.
pub fn all(state: &State, width: usize) -> Lines {
    let sheets = (0..state.contexts.all.len()).flat_map(|index| [vec![Vec::new()], sheet(state, index, width)]);
    rows(state, width).into_iter().chain(sheets.flatten()).collect()
}

/// The context at an index.
pub fn at(state: &State, index: usize) -> Option<&Arc<ContextEntry>> {
    state.contexts.all.get(index)
}
