//! The input of a person, and its listener: the recording of a tape.

use ratatui::layout::Size;

use crate::input::terminal_events::Mouse;
use crate::state::State;
use crate::state::key::Key;
use model::Time;
use source::Source;

/// What a person does to a console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Pressed a key.
    Key(Key),
    /// Did something with the mouse.
    Mouse(Mouse),
    /// What was pasted, in one piece.
    Paste(String),
    /// Gave the terminal another size.
    Size(Size),
}

/// Listens to what a person does. Called on the console's own thread, which waits for it.
pub trait Tap {
    /// The console starts, on a terminal of this size.
    fn begin(&mut self, size: Size, state: &State);
    /// Something is done, at this time of the cluster; the console has not answered yet.
    fn input(&mut self, input: &Input, at: Time);
    /// The console has answered, or shows something new.
    fn shown(&mut self, state: &State);
    /// The console ends, because the person left it or for another reason.
    fn end(&mut self, at: Time, left: bool);
}

/// The time that a tap learns: it grows over schedulers that are examined one after the other, each with its own clock.
#[derive(Clone, Copy)]
pub(super) struct TapTime {
    /// The time that was reported when the present scheduler was first examined.
    pub shown: Time,
    /// Its own time then.
    pub began: Time,
}

impl TapTime {
    /// Starts with a scheduler's own time.
    pub fn of(source: &dyn Source) -> Self {
        Self { shown: source.now(), began: source.now() }
    }

    /// The time by now.
    pub fn at(self, source: &dyn Source) -> Time {
        self.shown + source.now().since(self.began)
    }

    /// Continues with another scheduler.
    pub fn on(self, before: &dyn Source, source: &dyn Source) -> Self {
        Self { shown: self.at(before), began: source.now() }
    }
}
