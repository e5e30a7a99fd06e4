//! What-if: forks, changes, and differences.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

mod changes;
mod command;
#[path = "../common/mod.rs"]
mod common;
mod forks;
mod recorded;
mod remedies;
mod runs;
mod stage;
mod twin;
mod words;
