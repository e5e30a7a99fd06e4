//! The console: state, update, and draw, with or without a terminal.
//!
//! ```text
//!  key ── keymap ── command ── Action ──> update ──> State ──> draw ──> buffer
//!         (registry: command)                 └──> Effects ──> shell (source, workers, terminal)
//!  news of the source, time ── Action ──┘
//! ```
//!
//! Modules: [`state`] is the screen as data, [`present`] derives data from it, [`input`] has keys and commands,
//! [`update`] changes the state, [`draw`] draws it, [`linear`] prints it as text, [`shell`] does the IO.
//!
//! Invariants:
//! - only [`shell`] does IO, reads a clock, and starts threads;
//! - the console accesses a cluster only through [`source::Source`] and [`view`];
//! - external text is escaped when it is written into the buffer.

pub mod draw;
pub mod input;
pub mod linear;
pub mod present;
pub mod shell;
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
