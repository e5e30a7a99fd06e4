//! The console: state, update, draw, on a terminal or without one.
//!
//! ```text
//!  key ── keymap ── command ── Action ──> update ──> State ──> draw ──> buffer
//!         (registry: command)                 └──> Effects ──> shell (source, workers, terminal)
//!  news of the source, time ── Action ──┘
//! ```
//!
//! Where to look: [`state`] is all that is on the screen, as data; [`present`] what is derived from it; [`input`] the keys and the table of
//! all commands; [`update`] how the state changes; [`draw`] how it looks; [`linear`] how it is reported in lines; [`shell`] the terminal,
//! threads and files.
//!
//! Invariants:
//! - only [`shell`] does IO, knows the clock and starts threads;
//! - the console knows a cluster only through [`source::Source`] and [`view`];
//! - every text that comes from outside is escaped where it is written into the buffer.

pub mod draw;
pub mod input;
pub mod linear;
pub mod present;
pub mod shell;
pub(crate) mod spelling;
pub mod state;
pub mod tape;
pub mod theme;
pub mod update;

pub use crate::shell::driver::Driver;
pub use crate::shell::personal::Personal;
pub use crate::shell::runtime::{run, run_tapped};
pub use crate::state::Options;
pub use crate::state::opener::Opener;
pub use crate::state::simulate::{SimulateJob, Simulator};
