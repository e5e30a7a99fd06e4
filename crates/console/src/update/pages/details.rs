//! The details page.

use crate::state::cursor::Move;
use crate::state::page::{DetailsPage, Subject};
use crate::update::page::PageUpdate;

impl PageUpdate for DetailsPage {
    fn go(&mut self, by: Move, height: usize) {
        self.top = by.from(self.top, usize::MAX, height);
    }

    fn has_ages(&self) -> bool {
        !matches!(
            self.subject,
            Subject::Access(_)
                | Subject::Health(_)
                | Subject::Entry(_)
                | Subject::Revision(_)
                | Subject::Compare(..)
                | Subject::Simulated(_)
                | Subject::Sides
        )
    }
}
