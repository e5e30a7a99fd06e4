//! Simulations: a scenario gives its own trace, the figures are those of a recount, and the command is what a person meets.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod backtest;
mod browser;
mod command;
mod interrupted;
mod node_groups;
mod recount;
mod runs;
