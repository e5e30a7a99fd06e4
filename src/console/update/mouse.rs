//! The mouse: a click selects a row or sorts by a column, the wheel scrolls.

use ratatui::layout::Position;

use super::super::action::{Effects, Mouse};
use super::super::model::cursor::Move;
use super::super::model::layer::Layer;
use super::super::model::{Grade, Model};
use super::super::{draw, layout};
use super::lists;

/// How many rows the wheel goes at once.
const WHEEL: isize = 3;

/// Lets the mouse do something.
pub fn act(model: &mut Model, mouse: Mouse) -> Effects {
    // What stands below something that is asked or written stays where it is.
    if matches!(model.layers.last(), Some(Layer::Confirm(_) | Layer::Command(_))) {
        return Effects::NONE;
    }
    match mouse {
        Mouse::Wheel(steps) => lists::go(model, Move::Rows(steps.saturating_mul(WHEEL))),
        Mouse::Click(at) if model.layers.is_empty() => return click(model, at),
        Mouse::Click(_) => return Effects::NONE,
    }
    Effects::REDRAW
}

fn click(model: &mut Model, at: Position) -> Effects {
    let Some(regions) = layout::regions(model) else { return Effects::NONE };
    if regions.head.contains(at) {
        let Some(column) = draw::column_at(model, at) else { return Effects::NONE };
        lists::sort_by(model, column);
        return Effects::REDRAW;
    }
    if !regions.rows.contains(at) {
        return Effects::NONE;
    }
    if lists::select_at(model, usize::from(at.y - regions.rows.y)) { Effects::REDRAW } else { Effects::NONE }
}

/// Listens to the mouse from now on, or stops doing so.
pub fn toggle(model: &mut Model) {
    model.options.mouse = !model.options.mouse;
    let told = if model.options.mouse {
        "the mouse is heard: a click selects, on a title it sorts"
    } else {
        "the mouse is left to the terminal, which can select text with it"
    };
    model.say(Grade::Info, told);
}
