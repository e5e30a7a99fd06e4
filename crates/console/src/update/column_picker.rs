//! Choosing the columns of a list one by one, in a box over it: shown or not, in which order, how wide.

use crate::present::arrange::chosen_columns;
use crate::state::column::ColumnChoice;
use crate::state::layer::{ColumnPicker, Layer, PickedColumn};
use crate::state::{Grade, State};
use crate::update::{columns, lists};

/// How wide a column is taken to be that is not on the screen.
const UNSEEN: u16 = 10;
/// The widest that a column may be made.
const WIDEST: u16 = 200;

/// Chooses the columns of the list on the screen: those that are named, or one by one.
pub fn choose(state: &mut State, argument: Option<&str>) {
    match argument.map(str::trim).filter(|text| !text.is_empty()) {
        Some(argument) => columns::choose(state, argument),
        None => open(state),
    }
}

/// Opens the box: the columns that are shown, then the others.
fn open(state: &mut State) {
    let mut seen = columns::on_screen(state);
    if seen.is_empty() {
        // A list that is not sorted has no names at its titles.
        seen = lists::columns(state).into_iter().map(|name| (name, UNSEEN)).collect();
    }
    let usual = |name: &str| seen.iter().find(|(there, _)| *there == name).map_or(UNSEEN, |(_, width)| *width);
    let shown = |choice: ColumnChoice| PickedColumn { usual: usual(&choice.name), choice, shown: true };
    let plain = |name: &str| ColumnChoice { name: name.to_owned(), width: None };
    let names = seen.first().map(|(name, _)| plain(name));
    let others = match chosen_columns(state) {
        Some(chosen) => chosen.to_vec(),
        None => seen.iter().map(|(name, _)| plain(name)).collect(),
    };
    let others = others.into_iter().filter(|choice| names.as_ref().is_none_or(|names| names.name != choice.name));
    let mut rows: Vec<PickedColumn> = names.iter().cloned().chain(others).map(shown).collect();
    for name in lists::columns(state) {
        if !rows.iter().any(|row| row.choice.name == name) {
            rows.push(PickedColumn { choice: plain(name), shown: false, usual: usual(name) });
        }
    }
    state.layers.push(Layer::Columns(ColumnPicker { rows, at: 0, changed: false }));
}

/// Changes the column under the cursor; the one of the names stays unchanged.
fn change(state: &mut State, change: impl FnOnce(&mut ColumnPicker)) {
    let Some(Layer::Columns(picker)) = state.layers.last_mut() else { return };
    if picker.at == 0 {
        return state.say(Grade::Refusal, "the name column is always first");
    }
    change(picker);
    picker.changed = true;
}

/// Shows the column, or hides it.
pub fn toggle(state: &mut State) {
    change(state, |picker| {
        if let Some(row) = picker.rows.get_mut(picker.at) {
            row.shown = !row.shown;
        }
    });
}

/// Moves the column to the next place of the list, or to the one before.
pub fn shift(state: &mut State, step: isize) {
    change(state, |picker| {
        let to = picker.at.saturating_add_signed(step);
        if (1..picker.rows.len()).contains(&to) {
            picker.rows.swap(picker.at, to);
            picker.at = to;
        }
    });
}

/// Makes the column wider, or narrower; from how wide it is by itself.
pub fn widen(state: &mut State, step: i16) {
    change(state, |picker| {
        if let Some(row) = picker.rows.get_mut(picker.at) {
            let width = row.choice.width.unwrap_or(row.usual);
            row.choice.width = Some(width.saturating_add_signed(step).clamp(1, WIDEST));
        }
    });
}

/// Goes back to the columns that the screen has room for.
pub fn usual(state: &mut State) {
    state.layers.pop();
    columns::set(state, None);
}

/// Takes what was chosen.
pub fn take(state: &mut State) {
    let Some(Layer::Columns(picker)) = state.layers.pop() else { return };
    if picker.changed {
        let shown = picker.rows.into_iter().filter(|row| row.shown).map(|row| row.choice);
        columns::set(state, Some(shown.collect()));
    }
}
