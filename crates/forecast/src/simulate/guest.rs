//! What else acts in a run.

use model::Time;
use scheduler::{PartitionCommand, Scheduler};

/// Acts in a run at its own times, next to the workload.
pub trait Guest {
    /// When it acts next; `None`: not any more.
    fn next(&self) -> Option<Time>;

    /// Whether the run must wait for it, although nothing else happens.
    fn is_busy(&self) -> bool {
        false
    }

    /// Looks at the scheduler, and gives what it does now.
    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand>;
}
