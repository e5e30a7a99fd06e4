//! The column picker.

use crate::present::arrange::chosen_columns;
use crate::state::column::ColumnChoice;
use crate::state::layer::{ColumnPicker, Layer, PickedColumn};
use crate::state::{Grade, State};
use crate::update::{columns, lists};

const UNSEEN: u16 = 10;
const WIDEST: u16 = 200;

/// Sets the columns by name, or opens the picker.
pub fn choose(state: &mut State, argument: Option<&str>) {
    match argument.map(str::trim).filter(|text| !text.is_empty()) {
        Some(argument) => columns::choose(state, argument),
        None => open(state),
    }
}

fn open(state: &mut State) {
    let mut seen = columns::on_screen(state);
    if seen.is_empty() {
        // Titles of an unsorted list have no names.
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

fn change(state: &mut State, change: impl FnOnce(&mut ColumnPicker)) {
    let Some(Layer::Columns(picker)) = state.layers.last_mut() else { return };
    if picker.at == 0 {
        return state.report(Grade::Refusal, "the name column is always first");
    }
    change(picker);
    picker.changed = true;
}

/// Toggles the visibility.
pub fn toggle(state: &mut State) {
    change(state, |picker| {
        if let Some(row) = picker.rows.get_mut(picker.at) {
            row.shown = !row.shown;
        }
    });
}

/// Moves the column by one.
pub fn shift(state: &mut State, step: isize) {
    change(state, |picker| {
        let to = picker.at.saturating_add_signed(step);
        if (1..picker.rows.len()).contains(&to) {
            picker.rows.swap(picker.at, to);
            picker.at = to;
        }
    });
}

/// Changes the width, starting at the automatic width.
pub fn widen(state: &mut State, step: i16) {
    change(state, |picker| {
        if let Some(row) = picker.rows.get_mut(picker.at) {
            let width = row.choice.width.unwrap_or(row.usual);
            row.choice.width = Some(width.saturating_add_signed(step).clamp(1, WIDEST));
        }
    });
}

/// Restores the automatic columns.
pub fn usual(state: &mut State) {
    state.layers.pop();
    columns::set(state, None);
}

/// Applies the selection.
pub fn take(state: &mut State) {
    let Some(Layer::Columns(picker)) = state.layers.pop() else { return };
    if picker.changed {
        let shown = picker.rows.into_iter().filter(|row| row.shown).map(|row| row.choice);
        columns::set(state, Some(shown.collect()));
    }
}
