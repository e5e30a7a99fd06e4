//! A pod.

use crate::state::cursor::Move;
use crate::state::pod::{PodPage, PodPart};
use crate::update::page::PageUpdate;

impl PageUpdate for PodPage {
    /// In a log, going up stops following; the end starts it.
    fn go(&mut self, by: Move, height: usize) {
        let before = self.top;
        self.top = by.from(self.top, usize::MAX, height);
        self.follow = self.part == PodPart::Log && (by == Move::Bottom || (self.follow && self.top >= before));
    }

    fn search(&mut self, text: &str) {
        text.clone_into(&mut self.find);
        (self.found, self.seeks) = (None, !text.is_empty());
    }

    fn has_ages(&self) -> bool {
        self.part == PodPart::Sheet
    }
}
