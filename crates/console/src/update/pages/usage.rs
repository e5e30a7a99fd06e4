//! The usage page.

use crate::state::State;
use crate::state::usage::UsagePage;
use crate::update::page::PageUpdate;
use crate::update::usage;
use view::PartitionView;

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
