//! The real binary in a pseudoterminal. A test waits for text on the emulated screen, up to a generous deadline.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod apply;
mod attach;
#[cfg(target_os = "linux")]
mod gone;
#[cfg(target_os = "linux")]
mod interactive;
#[cfg(target_os = "linux")]
mod linear;
mod local;
mod panics;
mod round;
mod session;
mod simulate;
mod tapes;
mod terminal;
