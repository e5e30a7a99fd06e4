//! The contexts.

use crate::console::state::State;
use crate::console::state::contexts::ContextsPage;
use crate::console::state::cursor::Move;
use crate::console::update::contexts;
use crate::console::update::page::PageUpdate;

impl PageUpdate for ContextsPage {
    fn go(&mut self, by: Move, height: usize) {
        self.index = by.from(self.index, usize::MAX, height);
    }

    fn opener(&self) -> fn(&mut State) {
        contexts::go
    }
}
