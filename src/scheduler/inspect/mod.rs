//! Questions about a scheduler that change nothing: whether its invariants hold, and what a command would do.

pub mod dry_run;
mod fork;
pub mod invariants;
