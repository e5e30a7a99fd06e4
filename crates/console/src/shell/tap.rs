//! User input, and its listener for recording tapes.

use ratatui::layout::Size;

use crate::input::terminal_events::Mouse;
use crate::state::State;
use crate::state::key::Key;
use model::Time;
use source::Source;

/// What a person does to a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A key press.
    Key(Key),
    /// A mouse action.
    Mouse(Mouse),
    /// What was pasted, in one piece.
    Paste(String),
    /// Gave the terminal another size.
    Size(Size),
}

/// Listens to user input on the console's thread.
pub trait Tap {
    /// The console starts with this size.
    fn start(&mut self, size: Size, state: &State);
    /// Called before the console processes an input.
    fn input(&mut self, input: &Input, at: Time);
    /// Called after an input, or a change.
    fn shown(&mut self, state: &State);
    /// `left`: the user quit.
    fn end(&mut self, at: Time, left: bool);
}

#[derive(Clone, Copy)]
pub(super) struct TapTime {
    /// The reported time when the current scheduler was opened.
    pub shown: Time,
    /// The scheduler's time then.
    pub started_at: Time,
}

impl TapTime {
    /// Starts with a scheduler's time.
    pub fn of(source: &dyn Source) -> Self {
        Self { shown: source.now(), started_at: source.now() }
    }

    /// The current time.
    pub fn at(self, source: &dyn Source) -> Time {
        self.shown + source.now().since(self.started_at)
    }

    /// Continues with another scheduler.
    pub fn on(self, before: &dyn Source, source: &dyn Source) -> Self {
        Self { shown: self.at(before), started_at: source.now() }
    }
}
