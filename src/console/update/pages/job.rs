//! The job that an application is.

use crate::console::state::cursor::Move;
use crate::console::state::job::JobPage;
use crate::console::update::page::PageUpdate;

impl PageUpdate for JobPage {
    /// Scrolls the output. Who goes up looks at something, so its end is not followed any more; who goes to its end follows it.
    fn go(&mut self, by: Move, _height: usize) {
        let before = self.top;
        self.top = by.from(self.top, usize::MAX, self.room);
        self.follow = by == Move::Bottom || (self.follow && self.top >= before);
    }
}
