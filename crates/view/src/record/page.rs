//! A page of events, by their numbers.

use std::sync::Arc;

use super::types::Record;

/// A range of events, and the available numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventPage {
    /// The run of the scheduler; a new run starts at 0.
    pub instance: Arc<str>,
    /// Whether new events are recorded; old ones remain available.
    pub tracking: bool,
    /// The lowest stored number.
    pub lowest: u64,
    /// The number of the next event; equals `lowest` if none is stored.
    pub next: u64,
    /// The requested events with their numbers, without gaps; lost events are one [`Record::hole`] with the first lost
    /// number.
    pub records: Vec<(u64, Arc<Record>)>,
}

impl EventPage {
    /// The highest stored number, if any.
    pub fn highest(&self) -> Option<u64> {
        (self.next > self.lowest).then(|| self.next - 1)
    }
}
