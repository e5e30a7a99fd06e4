//! Movement in the text: lines, matches, errors, folds.

use crate::present::config::place_of;
use crate::state::config::ConfigPage;
use crate::state::cursor::Move;
use crate::state::editor::Completion;
use crate::state::{Grade, State};
use crate::update::config::page::shown;

/// Moves the cursor, or scrolls a pane that replaces the text.
pub fn go(page: &mut ConfigPage, by: Move, height: usize) {
    if page.swapped {
        page.side_top = by.from(page.side_top, usize::MAX, height);
        return;
    }
    let last = page.buffer.lines().len().saturating_sub(1);
    match by {
        Move::Rows(rows) => page.buffer.step(rows),
        Move::Pages(pages) => {
            let rows = isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
            page.buffer.step(pages.saturating_mul(rows));
        }
        Move::Top => page.buffer.go(0, 0),
        Move::Bottom => page.buffer.go(last, 0),
    }
}

/// Moves the cursor to a screen line.
pub fn select_at(page: &mut ConfigPage, line: usize) -> bool {
    if page.swapped {
        return false;
    }
    let len = page.buffer.lines().len();
    let mut row = page.top;
    for _ in 0..line {
        match page.buffer.folds.next(row, len) {
            Some(next) => row = next,
            None => return false,
        }
    }
    page.buffer.go(row, 0);
    true
}

/// Searches from the cursor.
pub fn find(page: &mut ConfigPage, text: &str) {
    text.clone_into(&mut page.find);
    if let Some((row, column)) = page.buffer.find(text, true, true) {
        page.buffer.go(row, column);
    }
}

/// Goes to the next or previous match or error.
pub fn next(state: &mut State, forward: bool) {
    let Some(page) = shown(state) else { return };
    if !page.find.is_empty() {
        match page.buffer.find(&page.find, forward, false) {
            Some((row, column)) => page.buffer.go(row, column),
            None => {
                let message = format!("{} not found", page.find);
                state.report(Grade::Info, message);
            }
        }
        return;
    }
    match next_fault(page, forward) {
        Some((row, column)) => page.buffer.go(row, column),
        None => state.report(Grade::Info, "no errors"),
    }
}

/// Goes to an error, even during a search.
pub fn to_fault(state: &mut State, forward: bool) {
    if let Some(page) = shown(state)
        && let Some((row, column)) = next_fault(page, forward)
    {
        page.buffer.go(row, column);
        page.completion = Completion::default();
    }
}

fn next_fault(page: &ConfigPage, forward: bool) -> Option<(usize, usize)> {
    let places: Vec<(usize, usize)> = page.checked.faults.iter().map(place_of).collect();
    let at = page.buffer.cursor();
    if forward {
        places.iter().find(|place| **place > at).or(places.first()).copied()
    } else {
        places.iter().rev().find(|place| **place < at).or(places.last()).copied()
    }
}

/// Toggles the fold of the item under the cursor.
pub fn toggle_fold(state: &mut State) {
    if let Some(page) = shown(state)
        && !page.buffer.toggle_fold()
    {
        state.report(Grade::Info, "nothing to fold here");
    }
}

/// Folds only queues with lines of their own.
pub fn fold_all(state: &mut State, fold: bool) {
    if let Some(page) = shown(state) {
        page.buffer.fold_all(fold);
    }
}
