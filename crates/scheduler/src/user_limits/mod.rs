//! Limits of users and groups at work.

pub(super) mod change;
pub(super) mod check;
pub(super) mod membership;
pub(super) mod report;

pub use check::{bounds_of, group_of};
