//! All clusters that can be opened.

use crate::console::state::State;
use crate::console::state::clusters::ClustersPage;
use crate::console::update::clusters;
use crate::console::update::page::PageUpdate;
use crate::view::PartitionView;

impl PageUpdate for ClustersPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        clusters::select(self, index);
    }

    fn make(&mut self, _part: &PartitionView) {
        clusters::rebuild(self);
    }

    fn has_ages(&self) -> bool {
        true
    }

    fn opener(&self) -> fn(&mut State) {
        clusters::jump
    }
}
