//! The known events of a cluster.

use std::collections::VecDeque;
use std::sync::Arc;

use model::Time;
use view::{EventPage, Record};

/// The last events, by number.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Which run of a scheduler numbered them.
    pub instance: Arc<str>,
    /// They have been requested at least once.
    pub known: bool,
    /// The number that the next one has.
    pub next: u64,
    /// Those that are kept, the oldest first, each with its number.
    pub records: VecDeque<(u64, Arc<Record>)>,
    /// Events that matter from before those, up to a time: routine ones of then are kept nowhere.
    pub earlier: Earlier,
    /// Counts up with every change.
    pub generation: u64,
}

/// Events that matter from before the last ones.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// Up to which time they were requested, and the number below which they are; `None` when they were not.
    pub of: Option<(Time, u64)>,
    /// Each with its number, the oldest first.
    pub records: Vec<(u64, Arc<Record>)>,
}

impl Events {
    /// How many are kept.
    pub const RETAINED: usize = 20_000;

    /// Takes what came. Whether there was anything new.
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
            // No one looked for so long that the first of them are not kept any more.
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

    /// How many events that matter are requested from before the last ones.
    pub const EARLIER: usize = 5_000;

    /// Which earlier ones belong to a moment on the screen; `None` where the last events reach back to the first.
    pub fn wants_earlier(&self, until: Time) -> Option<(Time, u64)> {
        let first = self.records.front().map(|(number, _)| *number).filter(|first| *first > 0)?;
        // They are read again after that many routine ones have left the last events.
        let step = Self::EARLIER as u64;
        Some((until, first / step * step))
    }

    /// Takes events that matter from before the last ones.
    pub fn take_earlier(&mut self, of: (Time, u64), mut records: Vec<(u64, Arc<Record>)>) {
        let first = self.records.front().map_or(u64::MAX, |(number, _)| *number);
        records.retain(|(number, _)| *number < first);
        self.earlier = Earlier { of: Some(of), records };
        self.generation += 1;
    }

    /// All that are known, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &Arc<Record>)> {
        let first = self.records.front().map_or(u64::MAX, |(number, _)| *number);
        let earlier = self.earlier.records.iter().take_while(move |(number, _)| *number < first);
        earlier.chain(&self.records).map(|(number, record)| (*number, record))
    }

    /// The event of a number, if it is kept.
    pub fn get(&self, number: u64) -> Option<&Arc<Record>> {
        if let Ok(at) = self.earlier.records.binary_search_by_key(&number, |(known, _)| *known) {
            return Some(&self.earlier.records[at].1);
        }
        // Numbers are missing where some are lost.
        let at = self.records.partition_point(|(known, _)| *known < number);
        self.records.get(at).filter(|(known, _)| *known == number).map(|(_, record)| record)
    }
}
