//! What a shadow found.

use crate::console::state::State;
use crate::console::state::shadow::ShadowPage;
use crate::console::update::page::PageUpdate;
use crate::console::update::shadow;
use crate::view::PartitionView;

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
