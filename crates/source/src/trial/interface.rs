//! What can be done with a what-if in addition orders in it, and how it stands.

use std::sync::Arc;
use std::time::Duration;

use forecast::whatif::Comparison;
use model::Time;
use view::act::Order;

/// How a what-if stands.
#[derive(Clone, Debug, PartialEq)]
pub struct TrialStatus {
    /// The moment that it started from.
    pub began: Time,
    /// Its own time.
    pub now: Time,
    /// The changes in words, in their order.
    pub changes: Vec<String>,
    /// The side on the screen is the one with the changes.
    pub changed_side: bool,
    /// Work that takes its time is being done on it.
    pub busy: bool,
    /// When what runs ends, in a sentence.
    pub assumed: Arc<str>,
    /// What differs between the sides as they stand; `None` until [`Trial::compare`] has found it out.
    pub comparison: Option<Arc<Comparison>>,
}

/// A change that was made in a what-if, to be made in the real cluster.
#[derive(Clone, Debug)]
pub struct TrialChange {
    /// The change in a few words: `kill nightly`.
    pub words: String,
    /// The orders that make it, in their order.
    pub orders: Vec<Order>,
}

/// The commands of a what-if in addition orders in it. Every call returns at once.
pub trait Trial: Send + Sync {
    /// How it stands.
    fn status(&self) -> TrialStatus;

    /// Moves its time on.
    fn advance(&self, by: Duration);

    /// Makes a change that is written as `kornsole whatif` takes it: `node add n1 4`, `submit etl 20`, `demand root.a x2`.
    ///
    /// # Errors
    /// It is no change, it cannot be made, or other work is being done.
    fn suppose(&self, change: &str) -> Result<(), String>;

    /// Takes a change back, by its number from 1: everything is done again without it.
    ///
    /// # Errors
    /// There is no such change, another one rests on it, or other work is being done.
    fn take_back(&self, number: usize) -> Result<(), String>;

    /// Shows the other side: without the changes, or with them.
    fn turn_over(&self);

    /// Has the sides compared as they stand, unless that is known; [`TrialStatus::comparison`] has it then.
    fn compare(&self);

    /// The changes so far, to be made in the real cluster.
    fn changes(&self) -> Vec<TrialChange>;
}
