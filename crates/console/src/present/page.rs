//! The parts of every page.
//!
//! The files in [`pages`](super::pages) implement [`Present`]; `each_page!` calls the page on the screen.

use crate::present::pieces::Piece;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::layer::Metric;
use crate::state::page::{Page, Subject};
use crate::theme::Symbols;
use source::FocusKind;
use view::PartitionView;

/// Data derived from a page.
pub trait Present {
    /// Breadcrumbs from the widest to the nearest; `before` is the page that opened it.
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![title.to_owned()]
    }

    /// Whether breadcrumbs start with it.
    fn is_standalone(&self) -> bool {
        false
    }

    /// The least important first.
    fn facts(&self, _state: &State, _symbols: &'static Symbols) -> Vec<Vec<Piece>> {
        Vec::new()
    }

    /// The subject of the selected row or the page.
    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        None
    }

    /// The source's first request.
    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Queues
    }

    /// Its list for a width.
    fn table<'a>(&'a self, _state: &'a State, _width: u16) -> Option<Table<'a>> {
        None
    }

    /// Its list as typed values, with all columns.
    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        None
    }

    /// Rows that match themselves, if others are shown too.
    fn passed(&self) -> Option<usize> {
        None
    }

    /// The explanation of a column for the selected row; columns as in [`Self::fields`].
    fn why(&self, _state: &State, _part: &PartitionView, _column: usize) -> Option<String> {
        None
    }

    /// Subject and explanations; `None` on a list.
    fn metrics(&self, _state: &State) -> Option<(String, Vec<Metric>)> {
        None
    }

    /// Its lines for copy and export; `None` on a list.
    fn sheet(&self, _state: &State, _width: usize) -> Option<Vec<Vec<Piece>>> {
        None
    }
}
