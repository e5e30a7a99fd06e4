//! The shadow of another scheduler: the verdict on each decision.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/as_pods.rs"]
mod as_pods;
mod doubts;
mod free;
mod mutated;
mod play;
mod pods;
mod preemption;
mod recorded;
