//! The page of a shadow's findings.

use crate::state::State;
use crate::state::shadow::ShadowPage;
use crate::update::page::PageUpdate;
use crate::update::shadow;
use view::PartitionView;

impl PageUpdate for ShadowPage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        shadow::select(self, index);
    }

    fn make(&mut self, _part: &PartitionView) {
        shadow::rebuild(self);
    }

    fn opener(&self) -> fn(&mut State) {
        shadow::enter
    }
}
