//! ATTENTION on the first page: opens the page of an item.

use crate::present::board::is_shown;
use crate::state::State;
use crate::update::board::items;
use crate::update::explain::go_to;
use crate::update::{alerts, config, fairness, limits_used, navigate};
use view::waiting::Target;

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
