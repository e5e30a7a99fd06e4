//! The behavior of every page: making its rows, the meaning of the cursor and of `enter`, and what remains when it is left.
//!
//! [`PageUpdate`] is implemented next to the functions of each page; `each_page!` asks the one on the screen.

use crate::state::cursor::Move;
use crate::state::marks::{Facet, Marked};
use crate::state::{Cluster, State};
use view::PartitionView;

/// Marks what changed in a row.
pub(super) type Mark<'a> = dyn FnMut(Marked, Vec<Facet>) + 'a;

/// What is done with the content of a page.
pub(super) trait PageUpdate {
    /// Moves or scrolls a page that has no list.
    fn go(&mut self, _by: Move, _height: usize) {}

    /// Puts the cursor of a page that has no list on a line of the screen. Whether there is one.
    fn select_at(&mut self, _line: usize) -> bool {
        false
    }

    /// Searches a page that has no list for what takes the place of a filter there.
    fn search(&mut self, _text: &str) {}

    /// Puts the cursor of its list on a row.
    fn select(&mut self, _part: &PartitionView, _index: usize) {}

    /// Finds the thing that the page is about in the view; `opened` when the page is opened or the person chose something.
    fn resolve(&mut self, _part: &PartitionView, _opened: bool) {}

    /// Makes its rows from a partition alone; long ones next to the draw loop.
    fn make(&mut self, _part: &PartitionView) {}

    /// Makes its rows.
    fn rebuild(&mut self, _cluster: &Cluster, part: &PartitionView) {
        self.make(part);
    }

    /// Puts the cursor back on its thing, where [`PageUpdate::rebuild`] does not.
    fn find_cursor(&mut self) {}

    /// How many things are examined for its rows, where that can be this many that frames would wait.
    fn looked_at(&self, _part: &PartitionView) -> usize {
        0
    }

    /// Whether its rows are all that the view has. If not, they are made again without the pause of a list whose order changes.
    fn is_complete(&self, _part: &PartitionView) -> bool {
        true
    }

    /// What counts up when its rows may be others.
    fn generation(&self, cluster: &Cluster, _part: &PartitionView) -> u64 {
        cluster.view.generation
    }

    /// Whether its rows are made again at once when their set changed, however many there are.
    fn at_once(&self) -> bool {
        false
    }

    /// Whether it says how long something has been so.
    fn has_ages(&self) -> bool {
        false
    }

    /// Marks what differs between two views in the rows on the screen.
    fn mark_changes(&self, _old: &PartitionView, _new: &PartitionView, _height: usize, _mark: &mut Mark<'_>) {}

    /// What `enter` does on it.
    fn opener(&self) -> fn(&mut State) {
        |_| {}
    }

    /// Keeps it for when one returns to it.
    fn park(self, _state: &mut State)
    where
        Self: Sized,
    {
    }
}
