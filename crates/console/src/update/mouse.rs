//! A click selects a row or sorts by a column; the wheel scrolls.

use ratatui::layout::Position;

use crate::input::terminal_events::Mouse;
use crate::present::guard;
use crate::present::layout;
use crate::present::strip;
use crate::state::command::CommandId;
use crate::state::cursor::Move;
use crate::state::layer::Layer;
use crate::state::{Grade, State};
use crate::update::lists;
use crate::update::tabs;

const WHEEL: isize = 3;

/// Applies a mouse action.
pub fn act(state: &mut State, mouse: Mouse) {
    if matches!(state.layers.last(), Some(Layer::Confirm(_) | Layer::Command(_))) {
        return;
    }
    match mouse {
        Mouse::Wheel(steps) => lists::go(state, Move::Rows(steps.saturating_mul(WHEEL))),
        Mouse::Click(at) if state.layers.is_empty() => return click(state, at),
        Mouse::Click(_) => return,
    }
    state.redraw();
}

fn click(state: &mut State, at: Position) {
    let Some(regions) = layout::regions(state) else { return };
    if let Some(id) = strip::at(state, regions.strip, at) {
        return match guard::check(state, CommandId::Go(id)) {
            Ok(()) => {
                state.toast = None;
                tabs::open(state, id);
                state.redraw();
            }
            Err(reason) => {
                state.report(Grade::Refusal, reason);
                state.redraw();
            }
        };
    }
    if regions.head.contains(at) {
        let Some(column) = crate::present::lists::column_at(state, at) else { return };
        lists::sort_by(state, column);
        return state.redraw();
    }
    if !regions.rows.contains(at) {
        return;
    }
    if lists::select_at(state, usize::from(at.y - regions.rows.y)) {
        state.redraw();
    }
}

/// Toggles mouse capture.
pub fn toggle(state: &mut State) {
    state.options.mouse = !state.options.mouse;
    let message = if state.options.mouse {
        "mouse on: click a row to select, a title to sort"
    } else {
        "mouse off: the terminal can select text"
    };
    state.report(Grade::Info, message);
}
