//! The trends page.

use crate::state::State;
use crate::state::command::TrendCommand;
use crate::state::trends::TrendsPage;
use crate::update::page::PageUpdate;
use crate::update::trends;

impl PageUpdate for TrendsPage {
    fn has_ages(&self) -> bool {
        self.end.is_none()
    }

    fn opener(&self) -> fn(&mut State) {
        |state| trends::run(state, TrendCommand::TrendMoment)
    }
}
