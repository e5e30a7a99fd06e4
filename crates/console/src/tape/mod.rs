//! Tapes: scripted keystrokes, played against a console without a terminal, in virtual time.
//!
//! ```text
//!  text ── read ──> Tape ── play (console::Driver on source::Stepped) ──> PlayResult ── compare ── snapshots
//!                                                                            └──> svg, text
//! ```
//!
//! Where to look: [`file`] is the language (`recordings/README.md` describes it), [`words`] its tables, [`play`] carries a tape
//! out, [`screen`] is what it sees, [`snapshot`] keeps and compares screens, [`svg`] draws one.
//!
//! Invariants:
//! - no IO, no clock, no thread: texts and a scheduler (or a [`Rig`] with one) arrive, outcomes go out as data;
//! - the same tape on the same scheduler gives the same screens, byte for byte;
//! - no tape can hang: keys, virtual time and the scheduler's work are all bounded, and a bound that is hit is reported with its line.

mod arguments;
pub mod cast;
pub mod file;
pub mod heard;
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
pub use snapshot::{Picture, Shot, Shots};
