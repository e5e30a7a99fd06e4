//! A stretch of the events, by their numbers.

use std::sync::Arc;

use super::types::Record;

/// Events from a number on, and which numbers there are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPage {
    /// Which run of a scheduler numbered them; another one starts at 0 again.
    pub instance: Arc<str>,
    /// Whether events are taken in; what was taken in before is there all the same.
    pub tracking: bool,
    /// The lowest number that is kept.
    pub lowest: u64,
    /// The number that the next event will have, one above the highest that is kept; as `lowest` when none is.
    pub next: u64,
    /// Those that were requested and are kept, each with its number, without gaps; where some were lost on their way here, a
    /// [`Record::hole`] with the number of the first represents them.
    pub records: Vec<(u64, Arc<Record>)>,
}

impl EventPage {
    /// The highest number that is kept, if any is.
    pub fn highest(&self) -> Option<u64> {
        (self.next > self.lowest).then(|| self.next - 1)
    }
}
