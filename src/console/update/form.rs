//! Writing in a form: that of the placement, or one on a queue.

use super::super::action::Effects;
use super::super::key::Key;
use super::super::model::Model;
use super::super::model::layer::Layer;
use super::super::model::page::Page;
use super::{change, placement};

/// Starts writing in the field under the cursor.
pub fn write(model: &mut Model) {
    let has_fields = match model.page() {
        Page::Placement(_) => true,
        Page::Change(page) => !page.fields.is_empty(),
        _ => false,
    };
    if has_fields {
        model.layers.push(Layer::Form);
    }
}

/// Goes to another field.
pub fn step(model: &mut Model, step: isize) {
    match model.page_mut() {
        Page::Placement(page) => placement::step(page, step),
        Page::Change(page) => change::step(page, step),
        _ => {}
    }
}

/// Leaves the form.
pub fn end(model: &mut Model) {
    if matches!(model.layers.last(), Some(Layer::Form)) {
        model.layers.pop();
    }
    match model.page_mut() {
        Page::Placement(page) => page.suggestion.clear(),
        Page::Change(page) => page.suggestion.clear(),
        _ => {}
    }
}

/// Puts the form back to what it was at first.
pub fn clear(model: &mut Model) {
    match model.page() {
        Page::Placement(_) => placement::clear(model),
        Page::Change(_) => change::clear(model),
        _ => {}
    }
}

/// Lets a key work on the field under the cursor.
pub fn key(model: &mut Model, key: Key) -> Effects {
    match model.page() {
        Page::Placement(_) => placement::key(model, key),
        Page::Change(_) => change::key(model, key),
        _ => Effects::NONE,
    }
}

/// Puts pasted text into the field under the cursor.
pub fn paste(model: &mut Model, text: &str) -> bool {
    match model.page() {
        Page::Placement(_) => placement::paste(model, text),
        Page::Change(_) => change::paste(model, text),
        _ => false,
    }
}

/// Takes what is shown behind the cursor.
pub fn take_suggestion(model: &mut Model) {
    match model.page() {
        Page::Placement(_) => placement::take_suggestion(model),
        Page::Change(_) => change::take_suggestion(model),
        _ => {}
    }
}
