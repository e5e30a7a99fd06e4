//! What a tape is played against: a clock that only the tape moves, and what a console sees by it.

use std::sync::Arc;
use std::time::Duration;

use engine::Progress;
use model::Time;
use source::{Source, Stepped};

/// A scheduler whose time only the tape moves, and the way from it to the console.
pub trait Rig {
    /// What the console examines.
    fn source(&self) -> Arc<dyn Source>;

    /// The scheduler's time.
    fn now(&self) -> Time;

    /// Has what is due by `until` carried out, at most `steps` cycles and commands.
    fn advance_until(&self, until: Time, steps: usize) -> Progress;

    /// Moves the clock of the connection between scheduler and console, and waits until the console could have seen every change.
    fn pass(&self, _by: Duration) {}

    /// Waits until what the console wanted is done. Returns whether it wanted anything.
    fn settle(&self) -> bool {
        false
    }

    /// Has the server be there, or gone.
    ///
    /// # Errors
    /// Why it cannot.
    fn server(&mut self, _there: bool) -> Result<(), String> {
        Err("the tape does not serve its scheduler".to_owned())
    }
}

/// Nothing lies between: the console examines the scheduler in its own process.
impl Rig for Arc<Stepped> {
    fn source(&self) -> Arc<dyn Source> {
        Self::clone(self)
    }

    fn now(&self) -> Time {
        Source::now(&**self)
    }

    fn advance_until(&self, until: Time, steps: usize) -> Progress {
        Stepped::advance_until(self, until, steps)
    }
}
