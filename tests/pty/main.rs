//! The real binary in a pseudoterminal, with a terminal emulator that looks on: it starts, listens, and leaves the terminal whole.
//!
//! Method: nothing waits for a fixed time. A test waits until the emulated screen shows what it looks for, and fails with that screen
//! when it does not come within a deadline that is far beyond anything that is normal.

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
