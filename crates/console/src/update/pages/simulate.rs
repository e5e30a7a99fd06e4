//! The page of simulation runs.

use crate::state::State;
use crate::state::simulate::SimulatePage;
use crate::update::page::PageUpdate;
use crate::update::simulate;
use view::PartitionView;

impl PageUpdate for SimulatePage {
    fn select(&mut self, _part: &PartitionView, index: usize) {
        simulate::select(self, index);
    }

    fn make(&mut self, _part: &PartitionView) {
        simulate::rebuild(self);
    }

    fn opener(&self) -> fn(&mut State) {
        simulate::show
    }

    fn park(self, state: &mut State) {
        simulate::park(self, state);
    }
}
