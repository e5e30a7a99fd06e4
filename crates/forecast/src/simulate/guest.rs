//! A guest: an additional actor in a run.

use model::Time;
use scheduler::{PartitionCommand, Scheduler};

/// Acts at its own times.
pub trait Guest {
    /// `None` for never.
    fn next(&self) -> Option<Time>;

    /// Returns true if the run must wait for it, even if nothing else happens.
    fn is_busy(&self) -> bool {
        false
    }

    /// Returns its commands for the current state.
    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand>;
}
