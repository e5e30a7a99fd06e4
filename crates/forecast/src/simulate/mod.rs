//! Simulation: a workload runs through the scheduler in virtual time.
//!
//! Where to read: [`job`] is a workload as data, and [`input`] converts known formats; [`arrange`] adapts it: more
//! nodes, more load, a fill;
//! [`run`] drives a scheduler through it, [`meter`] counts its events, and [`figures`] is the result; [`node_groups`]
//!   adds and removes nodes
//! like an autoscaler; [`backtest`] compares a forecast with the record; [`target`] is a condition, and [`search`]
//! finds the fewest nodes that meet it.
//!
//! Invariants:
//! - no IO, clock, thread, or randomness: time is virtual, and draws come from a seed;
//! - the same workload, configuration, profile, and seed give the same result;
//! - waits and resource times are counted exactly from the scheduler's events; only the series over time has bins.

pub mod arrange;
pub mod backtest;
mod bins;
pub mod draw;
pub mod figures;
pub mod guest;
pub mod input;
pub mod job;
pub mod meter;
pub mod never;
pub mod node_groups;
pub mod queues;
pub mod run;
pub mod search;
pub mod target;

pub use figures::{Figures, Group, Longest, Waits};
pub use guest::Guest;
pub use job::{Job, LeftOut, Task, Workload};
pub use never::{NEVER, NeverCause, NeverRuns};
pub use run::{Done, Plan, Stopped, run, run_with};
