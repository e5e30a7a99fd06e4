//! Writing in the text, with completion.

use super::super::super::action::Effects;
use super::super::super::editor::{Completion, completions};
use super::super::super::key::Key;
use super::super::super::model::layer::Layer;
use super::super::super::model::page::Page;
use super::super::super::model::{Grade, Model};
use super::{changed, shown};

/// Starts writing.
pub fn write(model: &mut Model) {
    if let Some(page) = shown(model) {
        (page.swapped, page.find) = (false, String::new());
        model.layers.push(Layer::Edit);
    }
}

/// Ends writing; a list of completions is closed first.
pub fn end(model: &mut Model) {
    if let Some(page) = shown(model).filter(|page| !page.completion.words.is_empty()) {
        page.completion = Completion::default();
        return;
    }
    if matches!(model.layers.last(), Some(Layer::Edit)) {
        model.layers.pop();
    }
}

/// Lets a key work on the text.
pub fn key(model: &mut Model, key: Key) -> Effects {
    let Some(page) = shown(model) else { return Effects::NONE };
    let before = page.buffer.version();
    if !page.buffer.key(key) {
        return Effects::NONE;
    }
    if page.buffer.version() == before {
        page.completion = Completion::default();
    } else {
        changed(model);
        complete_anew(model);
    }
    Effects::REDRAW
}

/// Puts pasted text into the text.
pub fn paste(model: &mut Model, text: &str) -> bool {
    let room = crate::config::yaml::LARGEST;
    let Some(page) = shown(model) else { return false };
    let there: usize = page.buffer.lines().iter().map(|line| line.len() + 1).sum();
    if there + text.len() > room {
        model.say(Grade::Refusal, format!("a configuration has at most {room} bytes; nothing was pasted"));
        return true;
    }
    page.buffer.insert(text);
    page.completion = Completion::default();
    changed(model);
    true
}

/// Looks up what the word before the cursor could become.
fn complete_anew(model: &mut Model) {
    let Some(Page::Config(page)) = model.pages.last() else { return };
    let (row, _) = page.buffer.cursor();
    let before = page.buffer.before();
    let at_end = page.buffer.behind().trim_start().is_empty() || page.buffer.behind().starts_with([',', '}', ']']);
    let begun = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let completion = if at_end && begun {
        completions(&page.buffer.lines()[..row], before, model.cluster.part())
    } else {
        Completion::default()
    };
    if let Some(page) = shown(model) {
        (page.completion, page.chosen) = (completion, 0);
    }
}

/// Takes the completion, or goes one step to the right.
pub fn complete(model: &mut Model) {
    let Some(page) = shown(model) else { return };
    match page.completion.words.get(page.chosen).cloned() {
        Some(word) => {
            let typed = page.completion.typed;
            page.buffer.complete(typed, &word);
        }
        None => {
            let (_, column) = page.buffer.cursor();
            page.buffer.insert(if column % 2 == 0 { "  " } else { " " });
        }
    }
    page.completion = Completion::default();
    changed(model);
}

/// Chooses another completion.
pub fn choose(model: &mut Model, step: isize) {
    if let Some(page) = shown(model) {
        let len = page.completion.words.len();
        if len > 0 {
            page.chosen = (page.chosen + len).saturating_add_signed(step) % len;
        }
    }
}
