//! Simulate: a workload from elsewhere, run through the scheduler in virtual time, and the result in figures.
//!
//! Where to read: [`job`] is a workload as data, and [`input`] makes it from known formats; [`arrange`] fits it to a question: more nodes,
//! more load, a fill; [`run`] drives one scheduler through it, [`meter`] counts its events, and [`figures`] is the result of one run;
//! [`node_groups`] adds and removes nodes as an autoscaler does; [`backtest`] compares a forecast with the record; [`target`] is a condition, and [`search`] finds the fewest nodes that meet it.
//!
//! Invariants:
//! - no IO, clock, thread or randomness: time is virtual, and draws come from a seed;
//! - the same workload, configuration, profile and seed give the same figures;
//! - waits, and resources times time, are counted from the scheduler's events, exactly; only the series over time has bins.

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
pub use job::{Gang, Job, LeftOut, Task, Workload};
pub use never::{NEVER, NeverCause, NeverRuns};
pub use run::{Done, Plan, Stopped, run, run_with};
