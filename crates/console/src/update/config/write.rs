//! Edits the text, with completion.

use crate::input::editing::text_step;
use crate::present::edit_completion::completions;
use crate::state::editor::Completion;
use crate::state::key::Key;
use crate::state::layer::Layer;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::update::config::page::{changed, shown};

/// Starts editing: characters are text.
pub fn write(state: &mut State) {
    if let Some(page) = shown(state) {
        (page.swapped, page.find) = (false, String::new());
        state.layers.push(Layer::Edit);
    }
}

/// Closes the completions, then ends editing.
pub fn end(state: &mut State) {
    if let Some(page) = shown(state).filter(|page| !page.completion.words.is_empty()) {
        page.completion = Completion::default();
        return;
    }
    if matches!(state.layers.last(), Some(Layer::Edit)) {
        state.layers.pop();
    }
}

/// Applies a key.
pub fn key(state: &mut State, key: Key) {
    let Some(page) = shown(state) else { return };
    let before = page.buffer.version();
    if !text_step(key).is_some_and(|step| page.buffer.apply(step)) {
        return;
    }
    if page.buffer.version() == before {
        page.completion = Completion::default();
    } else {
        changed(state);
        complete_again(state);
    }
    state.redraw();
}

/// Puts pasted text into the text.
pub fn paste(state: &mut State, text: &str) -> bool {
    let space = config::yaml::LARGEST;
    let Some(page) = shown(state) else { return false };
    let there: usize = page.buffer.lines().iter().map(|line| line.len() + 1).sum();
    if there + text.len() > space {
        state.report(Grade::Refusal, format!("a configuration has at most {space} bytes; the pasted text is ignored"));
        return true;
    }
    page.buffer.insert(text);
    page.completion = Completion::default();
    changed(state);
    true
}

fn complete_again(state: &mut State) {
    let Some(Page::Config(page)) = state.pages.last() else { return };
    let (row, _) = page.buffer.cursor();
    let before = page.buffer.before();
    let at_end = page.buffer.behind().trim_start().is_empty() || page.buffer.behind().starts_with([',', '}', ']']);
    let started = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let completion = if at_end && started {
        completions(&page.buffer.lines()[..row], before, state.cluster.part())
    } else {
        Completion::default()
    };
    if let Some(page) = shown(state) {
        (page.completion, page.chosen) = (completion, 0);
    }
}

/// Accepts the completion, or moves right.
pub fn complete(state: &mut State) {
    let Some(page) = shown(state) else { return };
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
    changed(state);
}

/// Selects another completion.
pub fn choose(state: &mut State, step: isize) {
    if let Some(page) = shown(state) {
        let len = page.completion.words.len();
        if len > 0 {
            page.chosen = (page.chosen + len).saturating_add_signed(step) % len;
        }
    }
}
