//! The behavior of every page.
//!
//! The files in `pages` implement [`PageUpdate`]; `each_page!` calls the page on the screen.

use crate::state::cursor::Move;
use crate::state::marks::{Facet, Marked};
use crate::state::{Cluster, State};
use view::PartitionView;

pub(super) type Mark<'a> = dyn FnMut(Marked, Vec<Facet>) + 'a;

pub(super) trait PageUpdate {
    /// Moves or scrolls without a list.
    fn go(&mut self, _by: Move, _height: usize) {}

    /// Selects a line without a list. Returns whether it exists.
    fn select_at(&mut self, _line: usize) -> bool {
        false
    }

    /// Searches without a list.
    fn search(&mut self, _text: &str) {}

    fn select(&mut self, _part: &PartitionView, _index: usize) {}

    /// `opened`: after opening or a user's choice.
    fn resolve(&mut self, _part: &PartitionView, _opened: bool) {}

    /// Long rows are made outside of the draw loop.
    fn make(&mut self, _part: &PartitionView) {}

    fn rebuild(&mut self, _cluster: &Cluster, part: &PartitionView) {
        self.make(part);
    }

    /// Finds the item unless [`PageUpdate::rebuild`] does.
    fn find_cursor(&mut self) {}

    /// The objects examined for its rows, if that can delay frames.
    fn examined(&self, _part: &PartitionView) -> usize {
        0
    }

    /// Incomplete rows are rebuilt without the usual delay.
    fn is_complete(&self, _part: &PartitionView) -> bool {
        true
    }

    /// A counter that changes when its rows may change.
    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.view.generation
    }

    /// Whether rows are rebuilt after each change of their set, even if long.
    fn at_once(&self) -> bool {
        false
    }

    fn has_ages(&self) -> bool {
        false
    }

    fn mark_changes(&self, _old: &PartitionView, _new: &PartitionView, _height: usize, _mark: &mut Mark<'_>) {}

    /// The function of `enter`.
    fn opener(&self) -> fn(&mut State) {
        |_| {}
    }

    fn park(self, _state: &mut State)
    where
        Self: Sized,
    {
    }
}
