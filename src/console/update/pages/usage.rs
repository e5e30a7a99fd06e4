//! What was used over time.

use crate::console::state::State;
use crate::console::state::usage::UsagePage;
use crate::console::update::page::PageUpdate;
use crate::console::update::usage;
use crate::view::PartitionView;

impl PageUpdate for UsagePage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        usage::select(self, index);
    }

    fn make(&mut self, _part: &PartitionView) {
        usage::rebuild(self);
    }

    fn opener(&self) -> fn(&mut State) {
        usage::enter
    }
}
