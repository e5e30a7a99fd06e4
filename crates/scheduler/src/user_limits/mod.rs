//! Limits of users and groups: the checks of a cycle and of a move, and the consequences of changed limits.

pub(super) mod change;
pub(super) mod check;
pub(super) mod membership;
pub(super) mod report;

pub use check::{bounds_of, group_of};
