//! Tapes: scripted keys, played without a terminal, in virtual time.
//!
//! ```text
//!  text ── read ──> Tape ── play (console::Driver on source::Stepped) ──> PlayResult ── compare ── snapshots
//!                                                                            └──> svg, text
//! ```
//!
//! The language is in [`file`] (`recordings/README.md` describes it) and [`words`]; [`play`] plays, [`snapshot`]
//! compares screens, [`svg`] draws one.
//!
//! Invariants:
//! - no IO, clock, or thread: texts and a scheduler (or a [`Rig`]) are inputs, results are data;
//! - the same tape on the same scheduler gives the same screens, byte for byte;
//! - a tape cannot hang: keys, virtual time, and scheduler work have limits.

pub mod announced;
mod arguments;
pub mod cast;
pub mod file;
mod line;
pub mod linear;
pub mod play;
mod player;
mod read;
pub mod record;
pub mod rig;
pub mod screen;
mod settings;
pub mod snapshot;
mod stage;
pub mod svg;
mod svg_color;
pub mod watch;
pub mod words;

pub use file::{Act, Against, Head, Pattern, Reading, Step, Tape};
pub use play::{Failure, Limits, PlayResult, Stage, play, play_on};
pub use read::read;
pub use rig::Rig;
pub use screen::Screen;
pub use snapshot::{Image, Shot, Shots};
