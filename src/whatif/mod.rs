//! What if: two runs from one moment of a scheduler, with and without changes, and what differs between them.
//!
//! Where to read: [`fork`] is the state that both begin from; [`change`] what a person can change, with `carry_out` for how it is done;
//! [`runtimes`] when that what runs ends, [`arrivals`] what comes in; `world` drives a fork as the engine drives the scheduler; `tally` counts what happens in it;
//! [`compare`] says what differs, `why` what the scheduler explains where the runs part, and [`pair`] puts all of it together; [`several`]
//! puts pairs with different seeds together. [`try_remedies`] is for explanations: what lets an ask run in a fork.
//!
//! Invariants:
//! - no IO, clock, thread or randomness: time is virtual, what is drawn is drawn by a seed, and who asks says by a function when to stop;
//! - nothing is changed but the fork: what it was taken from is not even known here;
//! - two runs of a pair are alike in all but the changes; without a change nothing differs.

pub mod arrivals;
mod carry_out;
pub mod change;
pub mod compare;
mod config_change;
pub mod fork;
pub mod pair;
mod remedies;
pub mod runtimes;
pub mod several;
pub mod steps;
mod tally;
mod verdict;
mod why;
mod world;

pub use arrivals::{Arrival, Arrivals};
pub use change::Change;
pub use compare::{AppDifference, Comparison, Effect, FirstDifference};
pub use fork::{Fork, NoFork, Pace};
pub use pair::{Bounds, Pair, Plan, RefusedStep, Span, Step, Stopped, Unfinished, run};
pub use remedies::try_remedies;
pub use runtimes::{HistoryKey, RuntimeRule, Runtimes, fits};
pub use several::{AppSpread, MoreBy, Several, Spread};
pub use tally::{AppTally, Figures, NodeTally};
