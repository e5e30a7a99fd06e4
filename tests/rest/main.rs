//! The REST API and the client, compared with real 1.5.1 and 1.8.0 (`tests/conformance/rest`).

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod config;
mod examples;
mod hostile;
mod metrics;
mod more;
mod occupied;
mod panics;
mod process;
mod recorded;
mod remote;
mod secured;
mod served;
mod silences;
mod stage;
mod what_if;
mod wire;
