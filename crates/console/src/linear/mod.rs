//! Linear mode: the console as lines of plain text, and its commands as words. For screen readers, and for terminals
//! without cursor positioning.
//!
//! ```text
//!  a line ── words ──> Step (a command, a row, a text) ──> session ──> State
//!  State ── page, layers, news ──> lines
//! ```
//!
//! [`reader`] runs a conversation, [`words`] parses a line, [`page`] prints a page, [`news`] makes announcements.
//!
//! Invariants:
//! - no state changes, IO, or clock: the session runs [`Step`]s like keys;
//! - pages are printed from the values and lines of drawing, copying, and exporting, never from a drawn screen;
//! - a line contains no control character and no drawing symbol ([`plain`]).

mod config;
mod help;
mod layers;
mod news;
mod page;
mod place;
pub mod plain;
pub mod reader;
mod rows;
mod steps;
mod trends;
mod words;

pub use reader::Reader;
pub use steps::{Received, Step, Then};

use crate::state::State;

const ROWS: usize = 80;

/// The whole state; of a long list its start and its visible part.
pub fn all(state: &State) -> Vec<String> {
    let mut lines = place::lines(state);
    lines.extend(layers::lines(state));
    let page = page::of(state);
    let len = page.len();
    let (first, shown) = match &page {
        page::Spoken::Lines(..) => (0..0, 0..len),
        page::Spoken::Rows(_) => {
            let top = state.page().list().map_or(0, |list| list.top()).min(len);
            (0..ROWS.min(top), top..(top + ROWS).min(len))
        }
    };
    lines.extend(first.chain(shown).map(|at| page.line(at)));
    lines.extend(news::recent(state));
    lines
}
