//! The scheduler of a tape, with a manual clock.

use std::sync::Arc;
use std::time::Duration;

use engine::Progress;
use model::Time;
use source::{Source, Stepped};

/// A scheduler with a manual clock.
pub trait Rig {
    /// The source for the console.
    fn source(&self) -> Arc<dyn Source>;

    /// The scheduler's time.
    fn now(&self) -> Time;

    /// Runs at most `steps` cycles and commands.
    fn advance_until(&self, until: Time, steps: usize) -> Progress;

    /// Waits until the console could have seen every change.
    fn pass(&self, _by: Duration) {}

    /// Returns whether requests existed.
    fn settle(&self) -> bool {
        false
    }

    /// Starts or stops the server.
    ///
    /// # Errors
    /// Why not.
    fn server(&mut self, _there: bool) -> Result<(), String> {
        Err("the tape does not serve its scheduler".to_owned())
    }
}

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
