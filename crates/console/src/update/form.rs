//! Editing of a form: placement, or a change of a queue.

use crate::state::State;
use crate::state::key::Key;
use crate::state::layer::Layer;
use crate::state::page::Page;
use crate::update::change;
use crate::update::placement;

/// Starts editing the field under the cursor.
pub fn write(state: &mut State) {
    let has_fields = match state.page() {
        Page::Placement(_) => true,
        Page::Change(page) => !page.fields.is_empty(),
        _ => false,
    };
    if has_fields {
        state.layers.push(Layer::Form);
    }
}

/// Moves to another field.
pub fn step(state: &mut State, step: isize) {
    match state.page_mut() {
        Page::Placement(page) => placement::step(page, step),
        Page::Change(page) => change::step(page, step),
        _ => {}
    }
}

/// Leaves the form.
pub fn end(state: &mut State) {
    if matches!(state.layers.last(), Some(Layer::Form)) {
        state.layers.pop();
    }
    match state.page_mut() {
        Page::Placement(page) => page.suggestion.clear(),
        Page::Change(page) => page.suggestion.clear(),
        _ => {}
    }
}

/// Restores the initial form.
pub fn clear(state: &mut State) {
    match state.page() {
        Page::Placement(_) => placement::clear(state),
        Page::Change(_) => change::clear(state),
        _ => {}
    }
}

/// Applies a key to the field under the cursor.
pub fn key(state: &mut State, key: Key) {
    match state.page() {
        Page::Placement(_) => placement::key(state, key),
        Page::Change(_) => change::key(state, key),
        _ => {}
    }
}

/// Pastes text into the field under the cursor.
pub fn paste(state: &mut State, text: &str) -> bool {
    match state.page() {
        Page::Placement(_) => placement::paste(state, text),
        Page::Change(_) => change::paste(state, text),
        _ => false,
    }
}

/// Accepts the suggestion.
pub fn take_suggestion(state: &mut State) {
    match state.page() {
        Page::Placement(_) => placement::take_suggestion(state),
        Page::Change(_) => change::take_suggestion(state),
        _ => {}
    }
}
