//! The dashboard: its overview and cursor.

use std::sync::Arc;
use std::time::Duration;

use crate::present::board::is_shown;
use crate::state::State;
use crate::state::board::Board;
use crate::state::cursor::Move;
use crate::state::page::Page;
use crate::state::reply::OverviewMade;
use view::act::Refusal;
use view::overview::attention;

pub(super) fn items(board: &Board) -> &[view::waiting::SheetLine] {
    match &board.overview.sheet {
        Some(Ok(sheet)) => attention(sheet),
        _ => &[],
    }
}

pub(super) fn take(state: &mut State, made: OverviewMade) {
    state.config_faults = made.faults;
    let (partition, now) = (state.cluster.partition.to_string(), state.now);
    let Some(board) = &mut state.board else { return };
    let page = &mut board.overview;
    page.awaited = false;
    page.pace = page.asked.map_or(Duration::ZERO, |asked| now.saturating_sub(asked));
    page.view = Some(made.view);
    page.take(made.sheet.map(|sheet| *sheet).ok_or_else(|| Refusal::not_found("partition", &partition)));
    board.waiting = made.waiting.map(Arc::new);
    let last = items(board).len().saturating_sub(1);
    board.focused &= !items(board).is_empty();
    board.overview.index = board.overview.index.min(last);
    if let Some(Page::Queues(page)) = state.pages.first_mut() {
        page.waiting.clone_from(&board.waiting);
    }
}

pub(super) fn go(state: &mut State, by: Move) -> bool {
    let shown = is_shown(state);
    let Some(board) = state.board.as_mut().filter(|board| shown && board.focused) else { return false };
    let len = items(board).len();
    board.overview.index = by.from(board.overview.index, len, len);
    true
}

pub(super) fn leave(state: &mut State) -> bool {
    let shown = is_shown(state);
    state.board.as_mut().is_some_and(|board| shown && std::mem::take(&mut board.focused))
}
