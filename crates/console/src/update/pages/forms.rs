//! The pages of placement, configuration, and queue forms.

use crate::state::change::ChangePage;
use crate::state::config::ConfigPage;
use crate::state::cursor::Move;
use crate::state::placement::PlacementPage;
use crate::state::{Grade, State};
use crate::update::page::PageUpdate;
use crate::update::{change, config};

impl PageUpdate for PlacementPage {
    fn go(&mut self, by: Move, height: usize) {
        self.top = by.from(self.top, usize::MAX, height);
    }

    fn park(self, state: &mut State) {
        state.parked.placement = Some(Box::new(self));
    }
}

impl PageUpdate for ConfigPage {
    fn go(&mut self, by: Move, height: usize) {
        config::go(self, by, height);
    }

    fn select_at(&mut self, line: usize) -> bool {
        config::select_at(self, line)
    }

    fn search(&mut self, text: &str) {
        config::find(self, text);
    }

    fn park(self, state: &mut State) {
        if self.modified {
            state.report(Grade::Info, "the edit is saved; :config reopens it");
        }
        state.parked.config = Some(Box::new(self));
    }
}

impl PageUpdate for ChangePage {
    fn go(&mut self, by: Move, height: usize) {
        self.top = by.from(self.top, usize::MAX, height);
    }

    fn park(self, state: &mut State) {
        change::park(state, Box::new(self));
    }
}
