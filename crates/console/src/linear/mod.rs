//! Linear mode: what the console shows, said in lines of plain text, and its commands as words. For screen readers and for terminals
//! that cannot place a cursor.
//!
//! ```text
//!  a line ── words ──> Step (a command, a row, a text) ──> session ──> State
//!  State ── page, layers, news ──> lines
//! ```
//!
//! Where to look: [`reader`] is one conversation: what a line requests, and what is reported then; [`words`] the words of a line; [`page`] a
//! page in lines; [`news`] what is announced.
//!
//! Invariants:
//! - nothing here changes the state of the console, does IO or requests the time: [`Step`]s are carried out by the session, as keys are;
//! - pages are reported from the values and lines that they are drawn, copied and exported from; nothing is read back from a drawn screen;
//! - a line has no control character and no drawing sign ([`plain`]).

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

/// So many rows of a list are in [`all`], from its start and from the first one on the screen.
const ROWS: usize = 80;

/// What there is to say of the state at once: where one is, what is over the page, the page, the last messages. Of a long list its
/// start, and the part that is on the screen.
pub fn all(state: &State) -> Vec<String> {
    let mut lines = place::lines(state);
    lines.extend(layers::lines(state));
    let page = page::of(state);
    let len = page.len();
    let (first, shown) = match &page {
        page::Said::Lines(..) => (0..0, 0..len),
        page::Said::Rows(_) => {
            let top = state.page().list().map_or(0, |list| list.top()).min(len);
            (0..ROWS.min(top), top..(top + ROWS).min(len))
        }
    };
    lines.extend(first.chain(shown).map(|at| page.line(at)));
    lines.extend(news::recent(state));
    lines
}
