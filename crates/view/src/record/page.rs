//! A page of events, by their numbers.

use std::sync::Arc;

use super::types::Record;

/// A range of events, and the available numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPage {
    /// A new run starts at 0.
    pub instance: Arc<str>,
    /// Whether new events are recorded; old ones remain available.
    pub tracking: bool,
    /// The lowest stored number.
    pub lowest: u64,
    /// Equals `lowest` if none is stored.
    pub next: u64,
    /// Without gaps; lost events are one [`Record::hole`].
    pub records: Vec<(u64, Arc<Record>)>,
}

impl EventPage {
    /// The highest stored number, if any.
    pub fn highest(&self) -> Option<u64> {
        (self.next > self.lowest).then(|| self.next - 1)
    }
}
