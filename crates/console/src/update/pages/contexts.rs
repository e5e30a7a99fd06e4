//! The page of the contexts.

use crate::state::State;
use crate::state::contexts::ContextsPage;
use crate::state::cursor::Move;
use crate::update::contexts;
use crate::update::page::PageUpdate;

impl PageUpdate for ContextsPage {
    fn go(&mut self, by: Move, height: usize) {
        self.index = by.from(self.index, usize::MAX, height);
    }

    fn opener(&self) -> fn(&mut State) {
        contexts::go
    }
}
