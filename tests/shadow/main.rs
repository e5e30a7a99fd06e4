//! The shadow of another scheduler: what it says of each decision.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

mod doubts;
mod free;
mod mutated;
mod play;
mod preemption;
mod recorded;
