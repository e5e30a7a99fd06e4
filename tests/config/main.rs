//! Each rule of configurations by ID, the recorded verdicts of real cores, and arbitrary texts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod fuzz;
mod inputs;
mod readers;
mod rules;
mod verdicts;
