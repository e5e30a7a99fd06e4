//! The dashboard around the queue tree: having its overview made, and the cursor in what needs attention.

use std::sync::Arc;
use std::time::Duration;

use crate::present::board::is_shown;
use crate::state::State;
use crate::state::board::Board;
use crate::state::cursor::Move;
use crate::state::page::Page;
use crate::state::reply::OverviewMade;
use crate::state::work::Work;
use crate::update::explain::go_to;
use crate::update::overview::{again, given};
use crate::update::stack::home;
use crate::update::{alerts, config, fairness, limits_used, navigate};
use view::act::Refusal;
use view::overview::attention;
use view::waiting::Target;

/// Up to how many applications and nodes the overview is made where the frame is drawn, so that all of a frame is of one moment.
const AT_ONCE: usize = 2_000;
/// How many rows are asked for: the pane itself leaves out what has no room.
const ROWS: usize = 60;

/// Shows the dashboard; on it: moves the cursor between the tree and what needs attention.
pub(super) fn open(state: &mut State) {
    let was = matches!(state.page(), Page::Queues(_));
    home(state);
    let Some(board) = state.board.as_mut() else { return };
    board.focused = was && !board.focused && !items(board).is_empty();
    board.overview.index = 0;
}

fn items(board: &Board) -> &[view::waiting::SheetLine] {
    match &board.overview.sheet {
        Some(Ok(sheet)) => attention(sheet),
        _ => &[],
    }
}

/// Has the overview made, where it is missing or old.
pub(super) fn want(state: &mut State) {
    if !is_shown(state) {
        return;
    }
    let Some(part) = state.cluster.part() else { return };
    let at_once = part.apps.len() + part.nodes.len() <= AT_ONCE;
    let Some(board) = &state.board else { return };
    let page = &board.overview;
    let of_another = page.view.as_ref().is_none_or(|view| !Arc::ptr_eq(view, &state.cluster.view));
    let stands = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let pause = if at_once && of_another { Duration::ZERO } else { again(state, page) };
    let due = |asked: Duration| if stands { of_another } else { state.now >= asked + pause };
    if page.awaited || !page.asked.is_none_or(due) {
        return;
    }
    let given = view::overview::Given { rows: ROWS, ..given(state, None) };
    let now = state.now;
    let Some(board) = &mut state.board else { return };
    board.overview.asked = Some(now);
    if at_once {
        let made = OverviewMade::of(given);
        return take(state, made);
    }
    board.overview.awaited = true;
    state.emit(Work::Overview(Box::new(given)));
}

/// Takes an overview.
pub(super) fn take(state: &mut State, made: OverviewMade) {
    state.config_faults = made.faults;
    let (partition, now) = (state.cluster.partition.to_string(), state.now);
    let Some(board) = &mut state.board else { return };
    let page = &mut board.overview;
    page.awaited = false;
    page.pace = page.asked.map_or(Duration::ZERO, |asked| now.saturating_sub(asked));
    page.view = Some(made.view);
    page.take(made.sheet.map(|sheet| *sheet).ok_or_else(|| Refusal::not_found("partition", &partition)));
    board.waiting = made.waiting;
    let last = items(board).len().saturating_sub(1);
    board.focused &= !items(board).is_empty();
    board.overview.index = board.overview.index.min(last);
}

/// Moves the cursor in what needs attention. `false`: it is in the tree.
pub(super) fn go(state: &mut State, by: Move) -> bool {
    let shown = is_shown(state);
    let Some(board) = state.board.as_mut().filter(|board| shown && board.focused) else { return false };
    let len = items(board).len();
    board.overview.index = by.from(board.overview.index, len, len);
    true
}

/// Opens the page that shows or changes what the line under the cursor names. `false`: the cursor is in the tree.
pub(super) fn enter(state: &mut State) -> bool {
    let shown = is_shown(state);
    let Some(board) = state.board.as_mut().filter(|board| shown && board.focused) else { return false };
    let Some(line) = items(board).get(board.overview.index).cloned() else { return true };
    board.focused = false;
    let of_queue = matches!(line.to, Some(Target::Queue(_)));
    if let Some(to) = line.to {
        go_to(state, to);
        if !of_queue {
            return true;
        }
    }
    // The tree is on the screen already: what can be done about a queue is on a page of its own.
    match line.label.as_str() {
        "drains" => navigate::open(state),
        "starves" => fairness::open(state),
        "maximum" if of_queue => navigate::details(state),
        "maximum" => navigate::queues(state, None),
        "limit" => limits_used::open(state),
        "alert" => alerts::open(state),
        "config" => config::open(state),
        "node" | "fragments" => navigate::nodes(state),
        _ if of_queue => navigate::details(state),
        _ => navigate::health(state),
    }
    true
}

/// Puts the cursor back into the tree. `false`: it was there.
pub(super) fn leave(state: &mut State) -> bool {
    let shown = is_shown(state);
    state.board.as_mut().is_some_and(|board| shown && std::mem::take(&mut board.focused))
}
