//! Saved arrangements of a person: views under a name, and the visited places.

use crate::state::column::ColumnChoice;
use crate::state::command::GoCommand;
use crate::state::page::Page;

/// The filter, sort and columns of a list, under a name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedView {
    /// The name of its page.
    pub page: String,
    /// The filter; empty lets everything through.
    pub filter: String,
    /// The column that it is sorted by; empty: as the page sorts by itself.
    pub sort: String,
    /// The largest first.
    pub descending: bool,
    /// The columns; empty: as the page chooses them by itself.
    pub columns: Vec<ColumnChoice>,
}

/// A page of a place that one came through.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The page, without its rows.
    Page(Box<Page>),
    /// A page that is kept elsewhere with its written text, by the command that opens it.
    Retained(GoCommand),
}

/// The places that one came through, as stacks of pages.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// Those before this one, the nearest last.
    pub back: Vec<Vec<Stop>>,
    /// Those that one returned from, the nearest last.
    pub forward: Vec<Vec<Stop>>,
    /// What the person did when a place was noted last: one thing leads through one place.
    pub turn: Option<u64>,
    /// One is going to a place of these; nothing is noted.
    pub going: bool,
}
