//! Simulations: traces, metrics, and the command line.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod backtest;
mod browser;
mod command;
mod inputs;
mod interrupted;
mod node_groups;
mod recount;
mod runs;
