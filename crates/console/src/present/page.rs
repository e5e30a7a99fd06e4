//! The parts of every page: breadcrumbs, figures of the second line, the subject under the cursor, its list, the source's first request.
//!
//! [`Present`] is implemented in [`pages`](super::pages), one file for each kind of page; `each_page!` asks the one on the screen.

use crate::present::pieces::Piece;
use crate::present::table::Table;
use crate::present::value::Fields;
use crate::state::State;
use crate::state::layer::Figure;
use crate::state::page::{Page, Subject};
use crate::theme::Signs;
use source::FocusKind;
use view::PartitionView;

/// What is derived from the content of a page.
pub trait Present {
    /// How breadcrumbs call it, from the widest to the nearest; `before` is the page from which it was opened, `title` its row's.
    fn crumbs(&self, title: &str, _before: Option<&Page>) -> Vec<String> {
        vec![title.to_owned()]
    }

    /// Whether breadcrumbs start with it: it represents itself, not behind the queues.
    fn stands_alone(&self) -> bool {
        false
    }

    /// What the second line says at its right, the least important first.
    fn facts(&self, _state: &State, _signs: &'static Signs) -> Vec<Vec<Piece>> {
        Vec::new()
    }

    /// What the row under the cursor is about; on a page about one thing, that thing.
    fn subject(&self, _state: &State, _part: &PartitionView) -> Option<Subject> {
        None
    }

    /// What the source fetches first.
    fn focus(&self, _state: &State) -> FocusKind {
        FocusKind::Queues
    }

    /// Its list in this many columns.
    fn table<'a>(&'a self, _state: &'a State, _width: u16) -> Option<Table<'a>> {
        None
    }

    /// Its list as typed values: all of its columns, also those that the screen has no room for.
    fn fields<'a>(&'a self, _state: &'a State) -> Option<Fields<'a>> {
        None
    }

    /// How many rows pass the filter themselves, where others are shown too; `None` where all that are shown do.
    fn passed(&self) -> Option<usize> {
        None
    }

    /// How the figure of a column is computed, for the row under the cursor; columns count as in [`Self::fields`].
    fn why(&self, _state: &State, _part: &PartitionView, _column: usize) -> Option<String> {
        None
    }

    /// The subject of its figures, and how they are computed; `None` on a list, where the row under the cursor is explained.
    fn figures(&self, _state: &State) -> Option<(String, Vec<Figure>)> {
        None
    }

    /// Its lines as they are copied and exported; `None` on a list.
    fn sheet(&self, _state: &State, _width: usize) -> Option<Vec<Vec<Piece>>> {
        None
    }
}
