//! Local jobs with the real program, and two real users if the tests run as root.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a failed test says so by a panic"
)]

#[path = "../common/mod.rs"]
mod common;

mod access;
mod accounting;
mod after;
mod bad;
mod changes;
mod clock;
mod completion;
mod console;
mod crash;
mod day;
mod disk;
mod field;
mod harm;
mod jobs;
mod limits;
mod lists;
mod machine;
mod options;
mod paths;
mod races;
mod reboot;
mod retention;
mod scripts;
mod supervisors;
mod surroundings;
mod unit;
mod users;
mod waiting;
