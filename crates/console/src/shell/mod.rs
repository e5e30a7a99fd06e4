//! All IO: terminal, threads, files, other programs, and the session.
//!
//! Invariants: only this module does IO, reads a clock, and starts threads; it decides nothing that `update` can
//! decide.

pub mod driver;
pub(crate) mod external_editor;
mod frame_rate;
pub(crate) mod input_gate;
mod linear;
mod news;
mod own_command;
pub(crate) mod perform;
pub mod personal;
pub mod runtime;
pub mod session;
pub mod settings;
pub mod start;
pub mod tap;
pub mod terminal;
pub mod workers;
