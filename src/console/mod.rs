//! The console: model, update, draw, on a terminal or without one.
//!
//! ```text
//!  key ── keymap ── command ── Action ──> update ──> Model ──> draw ──> buffer
//!         (registry: command)                 └──> Effects (quit, suspend)
//!  news of the source, time ── Action ──┘
//! ```
//!
//! Where to look: [`command`] is the table of all commands and keys, [`model`] all state of the screen, [`update`] how it changes,
//! [`draw`] how it looks, [`layout`] what stands where, [`session`] all of it together. [`runtime`] is the terminal, [`driver`]
//! the same console without one.
//!
//! Invariants:
//! - only [`runtime`], [`terminal`] and `files` do IO; only the first two know the clock, and besides them only [`hands`] a thread;
//! - the console knows a cluster only through [`crate::source::Source`] and [`crate::view`];
//! - every text that comes from outside is escaped where it is written into the buffer.

pub mod action;
pub mod change;
pub mod command;
mod complete;
pub mod draw;
pub mod driver;
pub mod editor;
mod files;
pub mod filter;
pub mod format;
mod gate;
mod glance;
pub mod hands;
mod input;
pub mod key;
pub mod keymap;
pub mod layout;
pub mod line_edit;
pub mod model;
mod opener;
mod outside;
pub mod runtime;
pub mod session;
pub mod settings;
mod subject;
mod suggest;
pub mod terminal;
pub mod text;
pub mod theme;
pub mod update;
pub mod work;

pub use driver::Driver;
pub use model::{Options, Personal};
pub use opener::Opener;
pub use runtime::{run, run_tapped};
