//! Opens the command line, and completes it.

use crate::state::State;
use crate::state::jobs::Names;
use crate::state::layer::{CommandLine, Layer};
use crate::state::line_edit::LineEdit;
use crate::update::completion;
use crate::update::move_watch;
use crate::update::names;
use crate::update::orders;

/// Starts a command line.
pub fn open_command_line(state: &mut State) {
    open_command_line_with(state, "");
}

/// Its target stays the currently selected subject.
pub fn open_command_line_with(state: &mut State, text: &str) {
    state.layers.clear();
    state.command_target = None;
    state.command_target = orders::aim(state);
    state.layers.push(Layer::Command(CommandLine { line: LineEdit::new(text), ..CommandLine::default() }));
    look_up(state);
}

/// Updates the completions.
pub fn look_up(state: &mut State) {
    let Some(Layer::Command(command)) = state.layers.last() else { return };
    let candidates = completion::candidates(state, command.line.text());
    let whole = completion::is_whole(state, command.line.text(), &candidates);
    if let Some(Layer::Command(command)) = state.layers.last_mut() {
        command.candidates = candidates;
        command.chosen = None;
        command.whole = whole;
    }
    names::want(state);
    move_watch::watch_move(state);
}

/// Inserts the selected or the best completion.
pub fn complete(state: &mut State) {
    if let Some(Layer::Command(command)) = state.layers.last_mut()
        && let Some(candidate) = command.candidates.get(command.chosen.unwrap_or(0))
    {
        command.line.set(candidate.line.clone());
        look_up(state);
    }
}

/// Selects another completion.
pub fn choose(state: &mut State, step: isize) {
    if let Some(Layer::Command(command)) = state.layers.last_mut() {
        let len = command.candidates.len();
        command.chosen = match (command.chosen, step) {
            (_, _) if len == 0 => None,
            (None, 1) => Some(0),
            (None, _) => Some(len - 1),
            (Some(at), step) => at.checked_add_signed(step).filter(|at| *at < len),
        };
    }
}

/// Takes completions that were found.
pub fn take_names(state: &mut State, found: Names) {
    if let Some(fits) = names::take(state, found) {
        look_up(state);
        if fits {
            state.redraw();
        }
    }
}
