//! Questions about a scheduler that change nothing: whether its invariants hold, what a command would do, and why an ask waits. `relax`
//! changes forks, to try what would help.

pub mod dry_run;
pub mod explain;
mod fork;
pub mod invariants;
mod relax;
