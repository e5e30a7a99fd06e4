//! The scheduler of a tape with a manual clock, and the console's view of it.

use std::sync::Arc;
use std::time::Duration;

use engine::Progress;
use model::Time;
use source::{Source, Stepped};

/// A scheduler with a manual clock, and its connection to the console.
pub trait Rig {
    /// The source for the console.
    fn source(&self) -> Arc<dyn Source>;

    /// The scheduler's time.
    fn now(&self) -> Time;

    /// Runs everything due by `until`, at most `steps` cycles and commands.
    fn advance_until(&self, until: Time, steps: usize) -> Progress;

    /// Advances the clock of the connection, and waits until the console could have seen every change.
    fn pass(&self, _by: Duration) {}

    /// Waits until the console's requests are done. Returns whether any existed.
    fn settle(&self) -> bool {
        false
    }

    /// Starts or stops the server.
    ///
    /// # Errors
    /// Why it failed.
    fn server(&mut self, _there: bool) -> Result<(), String> {
        Err("the tape does not serve its scheduler".to_owned())
    }
}

/// The console uses the scheduler in its own process.
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
