//! What the scheduler decides: recorded traces of real cores, the worked examples of its rules, a slow reading of the specification, and
//! random commands against its invariants; and what a view says of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod choice;
mod conformance;
mod followed;
mod ledger;
mod multitenancy;
mod placement_preview;
mod properties;
mod view_rows;
mod view_sharing;
mod worked;
