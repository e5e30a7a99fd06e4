//! The operations and status of a what-if.

use std::sync::Arc;
use std::time::Duration;

use forecast::whatif::Comparison;
use model::Time;
use view::act::Order;

/// The status of a what-if.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialStatus {
    /// The moment that it started from.
    pub started_at: Time,
    /// Its current time.
    pub now: Time,
    /// The changes in words, in order.
    pub changes: Vec<String>,
    /// Whether the screen shows the side with the changes.
    pub changed_side: bool,
    /// Whether long work is in progress.
    pub busy: bool,
    /// The assumed ends of running allocations, in a sentence.
    pub assumed: Arc<str>,
    /// `None` until [`Trial::compare`] computed it.
    pub comparison: Option<Arc<Comparison>>,
}

/// A change of a what-if that can be applied to the real cluster.
#[derive(Clone, Debug)]
pub struct TrialChange {
    /// The change: `kill nightly`.
    pub words: String,
    /// The orders, in sequence.
    pub orders: Vec<Order>,
}

/// The operations of a what-if besides orders. No call blocks.
pub trait Trial: Send + Sync {
    /// How it stands.
    fn status(&self) -> TrialStatus;

    /// Advances the time.
    fn advance(&self, by: Duration);

    /// Makes a change in the syntax of `kornsole whatif`: `node add n1 4`, `submit etl 20`, `demand root.a x2`.
    ///
    /// # Errors
    /// Returns an error if the change is invalid or impossible, or during other work.
    fn suppose(&self, change: &str) -> Result<(), String>;

    /// Undoes a change by its number, from 1: the other changes are replayed.
    ///
    /// # Errors
    /// Returns an error if the change does not exist, another one depends on it, or during other work.
    fn take_back(&self, number: usize) -> Result<(), String>;

    /// Shows the other side, with or without the changes.
    fn turn_over(&self);

    /// Compares the sides, unless known; the result is in [`TrialStatus::comparison`].
    fn compare(&self);

    /// The changes, for the real cluster.
    fn changes(&self) -> Vec<TrialChange>;
}
