//! Limits of users and groups at work: what a cycle and a move ask of them, and what follows when they change.

pub(super) mod change;
pub(super) mod check;
pub(super) mod membership;
pub(super) mod report;

pub use check::{bounds_of, group_of};
