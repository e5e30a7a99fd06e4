//! The engine around the scheduler: clock, operations, configuration reload, hooks, and demo.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod demo;
mod drain_hooks;
mod orders;
mod reload;
mod running;
mod soak;
