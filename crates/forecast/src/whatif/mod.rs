//! What-if: two runs from one state of a scheduler, without and with changes. Start with [`pair`].
//!
//! Invariants:
//! - no IO, clock, thread, or randomness: time is virtual, draws come from a seed;
//! - only the fork is changed;
//! - without a change the two runs are equal.

pub mod arrivals;
mod carry_out;
pub mod change;
pub mod compare;
mod config_change;
mod course;
pub mod effects;
pub mod fork;
mod guarantee;
mod meaning;
pub mod pair;
mod remedies;
pub mod runtimes;
pub mod several;
pub mod steps;
mod tally;
#[cfg(test)]
mod tests;
mod trend;
mod verdict;
mod why;
mod world;

pub use arrivals::{Arrival, Arrivals};
pub use carry_out::refusal;
pub use change::Change;
pub use compare::{AppDifference, Comparison, Effect, FirstDifference};
pub use course::{Course, PartingPlace};
pub use effects::{ConfigEffect, EffectKind, config_effects};
pub use fork::{Fork, NoFork, Pace};
pub use meaning::{Meaning, meaning};
pub use pair::{Bounds, Job, LONG_WAIT, Pair, Plan, RefusedStep, Span, Step, Stopped, Unfinished, run, run_by};
pub use remedies::try_remedies;
pub use runtimes::{HistoryKey, RuntimeRule, Runtimes, fits};
pub use several::{AppSpread, MoreBy, Several, Spread};
pub use tally::{AppTally, Metrics, NodeTally};
pub use why::explained;
