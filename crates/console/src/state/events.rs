//! The known events of a cluster.

use std::collections::VecDeque;
use std::sync::Arc;

use model::Time;
use view::{EventPage, Record};

/// The last events, by number.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// The scheduler instance that numbered them.
    pub instance: Arc<str>,
    /// Events were requested at least once.
    pub known: bool,
    /// The number of the next event.
    pub next: u64,
    /// The stored events with their numbers, the oldest first.
    pub records: VecDeque<(u64, Arc<Record>)>,
    /// Important ones before `records`; routine ones are not stored.
    pub earlier: Earlier,
    /// Counts up with every change.
    pub generation: u64,
}

/// Important events before the last ones.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Requested for this time and below this number.
    pub of: Option<(Time, u64)>,
    /// With numbers, the oldest first.
    pub records: Vec<(u64, Arc<Record>)>,
}

impl Events {
    /// The maximum number of stored events.
    pub const RETAINED: usize = 20_000;

    /// Returns whether any event is new.
    pub fn take(&mut self, page: EventPage) -> bool {
        let first = !self.known;
        self.known = true;
        if page.instance != self.instance {
            self.instance = page.instance;
            self.records.clear();
            self.earlier = Earlier::default();
            self.next = 0;
        }
        let Some((last, newest)) = page.records.last() else { return first };
        if !first && self.next < page.lowest && !self.records.is_empty() {
            // The source dropped events.
            let hole = Record::hole(self.next, page.lowest - 1, newest.at);
            self.records.push_back((self.next, Arc::new(hole)));
        }
        self.next = last + 1;
        self.records.extend(page.records);
        let over = self.records.len().saturating_sub(Self::RETAINED);
        self.records.drain(..over);
        self.generation += 1;
        true
    }

    /// The maximum number of important earlier events.
    pub const EARLIER: usize = 5_000;

    /// `None` if the last events reach back.
    pub fn missing_before(&self, until: Time) -> Option<(Time, u64)> {
        let first = self.records.front().map(|(number, _)| *number).filter(|first| *first > 0)?;
        let step = Self::EARLIER as u64;
        Some((until, first / step * step))
    }

    /// Sets the important earlier events.
    pub fn take_earlier(&mut self, of: (Time, u64), mut records: Vec<(u64, Arc<Record>)>) {
        let first = self.records.front().map_or(u64::MAX, |(number, _)| *number);
        records.retain(|(number, _)| *number < first);
        self.earlier = Earlier { of: Some(of), records };
        self.generation += 1;
    }

    /// All events, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (u64, &Arc<Record>)> {
        let first = self.records.front().map_or(u64::MAX, |(number, _)| *number);
        let earlier = self.earlier.records.partition_point(|(number, _)| *number < first);
        self.earlier.records[..earlier].iter().chain(&self.records).map(|(number, record)| (*number, record))
    }

    /// The event with a number, if stored.
    pub fn get(&self, number: u64) -> Option<&Arc<Record>> {
        if let Ok(at) = self.earlier.records.binary_search_by_key(&number, |(known, _)| *known) {
            return Some(&self.earlier.records[at].1);
        }
        // Lost events leave gaps in the numbers.
        let at = self.records.partition_point(|(known, _)| *known < number);
        self.records.get(at).filter(|(known, _)| *known == number).map(|(_, record)| record)
    }
}
