//! Questions about a scheduler that change nothing: whether its invariants hold, dry runs of commands, and why an ask waits. `relax`
//! changes forks, to try remedies.

pub mod dry_run;
pub mod explain;
mod fork;
pub mod invariants;
mod relax;
mod task_groups;
