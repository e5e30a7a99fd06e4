//! Queries that change nothing: invariants, dry runs, and explanations. `relax` changes forks to try remedies.

pub mod dry_run;
pub mod explain;
mod fork;
pub mod invariants;
mod relax;
mod task_groups;
