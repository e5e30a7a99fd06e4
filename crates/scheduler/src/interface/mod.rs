//! The way in and out: commands, events, refusals, and the options that a scheduler is made with.

pub mod command;
pub mod denial;
pub mod event;
pub mod grounds;
pub mod switch_table;
pub mod switches;
pub mod tuning;
