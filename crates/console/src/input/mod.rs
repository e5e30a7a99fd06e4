//! Keys, their meanings, and the registry of commands.
//!
//! Invariants: every command is one row of [`command`]; a key is found by its context, not by the drawn page.

pub mod command;
pub mod editing;
pub mod keymap;
pub mod terminal_events;
