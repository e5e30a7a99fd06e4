//! The behavior of every page: rows, cursor, `enter`, and parking.
//!
//! The file of each page implements [`PageUpdate`]; `each_page!` calls the page on the screen.

use crate::state::cursor::Move;
use crate::state::marks::{Facet, Marked};
use crate::state::{Cluster, State};
use view::PartitionView;

/// Highlights changes of a row.
pub(super) type Mark<'a> = dyn FnMut(Marked, Vec<Facet>) + 'a;

/// The behavior of a page.
pub(super) trait PageUpdate {
    /// Moves or scrolls a page without a list.
    fn go(&mut self, _by: Move, _height: usize) {}

    /// Moves the cursor of a page without a list to a screen line. Returns whether it exists.
    fn select_at(&mut self, _line: usize) -> bool {
        false
    }

    /// Searches a page without a list.
    fn search(&mut self, _text: &str) {}

    /// Moves the cursor of its list to a row.
    fn select(&mut self, _part: &PartitionView, _index: usize) {}

    /// Finds its subject in the view; `opened` after opening or a user's choice.
    fn resolve(&mut self, _part: &PartitionView, _opened: bool) {}

    /// Makes its rows from a partition; long ones outside of the draw loop.
    fn make(&mut self, _part: &PartitionView) {}

    fn rebuild(&mut self, _cluster: &Cluster, part: &PartitionView) {
        self.make(part);
    }

    /// Moves the cursor to its item, unless [`PageUpdate::rebuild`] does.
    fn find_cursor(&mut self) {}

    /// The number of objects examined for its rows, if that can delay frames.
    fn looked_at(&self, _part: &PartitionView) -> usize {
        0
    }

    /// Whether its rows are complete. If not, they are rebuilt without the usual delay.
    fn is_complete(&self, _part: &PartitionView) -> bool {
        true
    }

    /// A counter that changes when its rows may change.
    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.view.generation
    }

    /// Whether its rows are rebuilt immediately after a change of their set, even if long.
    fn at_once(&self) -> bool {
        false
    }

    /// Whether it shows ages.
    fn has_ages(&self) -> bool {
        false
    }

    /// Highlights the differences of two views in the visible rows.
    fn mark_changes(&self, _old: &PartitionView, _new: &PartitionView, _height: usize, _mark: &mut Mark<'_>) {}

    /// The function of `enter`.
    fn opener(&self) -> fn(&mut State) {
        |_| {}
    }

    /// Stores it for a later return.
    fn park(self, _state: &mut State)
    where
        Self: Sized,
    {
    }
}
