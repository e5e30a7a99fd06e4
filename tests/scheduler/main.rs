//! Decisions of the scheduler: traces, examples, a slow model, random commands.

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
