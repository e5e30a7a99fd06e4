//! Saved views, and the jump history.

use crate::state::column::ColumnChoice;
use crate::state::command::GoCommand;
use crate::state::page::Page;

/// The filter, sort, and columns of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedView {
    /// The page name.
    pub page: String,
    /// The filter; may be empty.
    pub filter: String,
    /// The sort column; empty: the default of the page.
    pub sort: String,
    /// The largest first.
    pub descending: bool,
    /// The columns; empty: the default of the page.
    pub columns: Vec<ColumnChoice>,
}

/// A page of a location in the jump history.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The page, without its rows.
    Page(Box<Page>),
    /// A page stored elsewhere with its input, by opening command.
    Retained(GoCommand),
}

/// The jump history, as stacks of pages.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    /// Earlier locations, the nearest last.
    pub back: Vec<Vec<Stop>>,
    /// Locations that the user returned from, the nearest last.
    pub forward: Vec<Vec<Stop>>,
    /// The last recorded user action.
    pub turn: Option<u64>,
    /// A jump is running; nothing is recorded.
    pub moving: bool,
}
