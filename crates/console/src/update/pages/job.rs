//! The page of a local job.

use crate::state::cursor::Move;
use crate::state::job::JobPage;
use crate::update::page::PageUpdate;

impl PageUpdate for JobPage {
    /// Going up stops following; the end starts it.
    fn go(&mut self, by: Move, _height: usize) {
        let before = self.top;
        self.top = by.from(self.top, usize::MAX, self.space);
        self.follow = by == Move::Bottom || (self.follow && self.top >= before);
    }
}
