//! The interface: commands, events, rejections, and the options of a scheduler.

pub mod command;
pub mod denial;
pub mod event;
pub mod grounds;
pub mod switch_table;
pub mod switches;
pub mod tuning;
