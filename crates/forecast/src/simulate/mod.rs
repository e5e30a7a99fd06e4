//! Simulation: a workload runs through the scheduler in virtual time. Start with [`job`] and [`metrics`].
//!
//! Invariants:
//! - no IO, clock, thread, or randomness;
//! - the same workload, configuration, profile, and seed give the same result;
//! - waits and resource times are exact; only the series over time has bins.

pub mod arrange;
pub mod backtest;
mod bins;
pub mod draw;
pub mod guest;
pub mod input;
pub mod job;
pub mod meter;
pub mod metrics;
pub mod never;
pub mod node_groups;
pub mod queues;
pub mod run;
pub mod search;
pub mod target;

pub use guest::Guest;
pub use job::{Gang, Job, LeftOut, Task, Workload};
pub use metrics::{Group, Longest, Metrics, Waits};
pub use never::{NEVER, NeverCause, NeverRuns};
pub use run::{Done, Plan, Stopped, run, run_with};
