//! What is known of a cluster's events.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::view::{EventPage, Record};

/// The last events, by number.
#[derive(Clone, Debug, Default)]
pub struct Events {
    /// Which run of a scheduler numbered them.
    pub instance: Arc<str>,
    /// They have been asked for at least once.
    pub known: bool,
    /// The number that the next one has.
    pub next: u64,
    /// Those that are kept, the oldest first, each with its number.
    pub records: VecDeque<(u64, Arc<Record>)>,
    /// Counts up with every change.
    pub generation: u64,
}

impl Events {
    /// How many are kept.
    pub const KEPT: usize = 20_000;

    /// Takes what came. Whether there was anything new.
    pub fn take(&mut self, page: EventPage) -> bool {
        let first = !self.known;
        self.known = true;
        if page.instance != self.instance {
            self.instance = page.instance;
            self.records.clear();
            self.next = 0;
        }
        let Some((last, newest)) = page.records.last() else { return first };
        if !first && self.next < page.lowest && !self.records.is_empty() {
            // Nobody looked for so long that the first of them are not kept any more.
            let hole = Record::hole(self.next, page.lowest - 1, newest.at);
            self.records.push_back((self.next, Arc::new(hole)));
        }
        self.next = last + 1;
        self.records.extend(page.records);
        let over = self.records.len().saturating_sub(Self::KEPT);
        self.records.drain(..over);
        self.generation += 1;
        true
    }

    /// The event of a number, if it is kept.
    pub fn get(&self, number: u64) -> Option<&Arc<Record>> {
        // Numbers are missing where some are lost.
        let at = self.records.partition_point(|(known, _)| *known < number);
        self.records.get(at).filter(|(known, _)| *known == number).map(|(_, record)| record)
    }
}
