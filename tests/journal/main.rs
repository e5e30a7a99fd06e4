//! Acknowledged changes survive failures of the process and of the disk.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "../common/mod.rs"]
mod common;

mod again;
mod clock;
mod config;
mod console;
mod crash;
mod cut;
mod damage;
mod disk;
mod faults;
mod flood;
mod kill;
mod last;
mod month;
mod older;
mod program;
mod stage;
mod underneath;
mod what_if;
mod words;
mod worst;
