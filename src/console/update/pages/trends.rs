//! Values over time.

use crate::console::state::State;
use crate::console::state::command::TrendCommand;
use crate::console::state::trends::TrendsPage;
use crate::console::update::page::PageUpdate;
use crate::console::update::trends;

impl PageUpdate for TrendsPage {
    fn has_ages(&self) -> bool {
        // Its right end is the present.
        self.end.is_none()
    }

    fn opener(&self) -> fn(&mut State) {
        |state| trends::run(state, TrendCommand::TrendMoment)
    }
}
