//! Alerts with scenarios, and with a real Alertmanager and Prometheus if installed.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]
#![allow(clippy::print_stdout, reason = "what is left out is printed")]

mod causes;
#[path = "../common/mod.rs"]
mod common;
mod console;
mod outside;
mod situations;
mod watch;
