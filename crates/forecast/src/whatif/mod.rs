//! What if: two runs from one moment of a scheduler, with and without changes, and the differences between them.
//!
//! Where to read: [`fork`] is the state that both start from; [`change`] has a person's changes, `meaning` the commands for them, `carry_out` does them;
//! [`runtimes`] has the ends of allocations, [`arrivals`] the new asks; `world` drives a fork as the engine drives the scheduler; `tally`
//! counts its events, and `guarantee` how long queues are below their guarantees; [`compare`] finds the differences, `why` explains the first one, and [`pair`] puts all of it together; [`several`]
//! puts pairs with different seeds together. `effects` is what a configuration does to applications at once. `course` counts a fork that someone steps by hand. [`try_remedies`] is for explanations: the changes that let an ask run in a fork.
//!
//! Invariants:
//! - no IO, clock, thread or randomness: time is virtual, draws come from a seed, and the caller's function says when to stop;
//! - nothing is changed but the fork: its origin is not even known here;
//! - two runs of a pair are alike in all but the changes; without a change nothing differs.

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
pub use tally::{AppTally, Figures, NodeTally};
pub use why::explained;
