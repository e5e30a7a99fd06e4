//! The page of all clusters.

use crate::state::State;
use crate::state::clusters::ClustersPage;
use crate::update::clusters;
use crate::update::page::PageUpdate;
use view::PartitionView;

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
