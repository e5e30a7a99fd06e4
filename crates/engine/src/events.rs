//! The event log (SCH-220, `rest.md` sections 5.10 to 5.12 and E10).
//!
//! The scheduler's owner adds chunks of whole commands. The first reader converts them to records, so that a cycle pays
//! only for counters and a move.
//!
//! Invariants:
//! - readers and cycles do not block each other: no lock is held during a conversion;
//! - records have two numberings, one of all and one of upstream's records; both start at 0 without gaps;
//! - each numbering keeps the last records up to the capacity; numbers survive a change of the capacity;
//! - important records are few, converted at once, and stored separately with a limit in bytes: more than a day on a
//!   busy cluster.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use config::settings::EventConfig;
use model::{Profile, Time};
use scheduler::Event;
use view::record::{EventPage, Record, Tally, is_important, records, tally};

/// The maximum number of events per chunk, which a reader converts at once.
pub(super) const CHUNK: usize = 512;

/// The size limit of important events, in bytes.
pub const IMPORTANT_BYTES: usize = 20 << 20;

/// The size limit of preemption grounds, in bytes. The oldest grounds are dropped first; their events remain.
const GROUNDS_BYTES: usize = 4 << 20;

/// A record that a user or group limit blocks an application is stored again after this time without one.
const BLOCKED_AGAIN: Duration = Duration::from_secs(10 * 60);
const MOST_BLOCKED: usize = 10_000;

/// A numbering of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// All records (`rest.md` section E10).
    All,
    /// Only upstream's records, for its endpoints.
    Upstream,
}

impl Numbering {
    const fn of(self, tally: Tally) -> u64 {
        match self {
            Self::All => tally.all,
            Self::Upstream => tally.upstream,
        }
    }

    fn counts(self, record: &Record) -> bool {
        self == Self::All || !record.is_own()
    }
}

/// The numbered events, shared by the owner of the scheduler and all readers.
#[derive(Debug)]
pub struct EventLog {
    instance: Arc<str>,
    profile: Profile,
    capacity: AtomicU64,
    tracking: AtomicBool,
    retained: Mutex<Retained>,
    next: watch::Sender<Tally>,
}

#[derive(Debug, Default)]
struct Retained {
    chunks: VecDeque<Arc<Chunk>>,
    /// The numbers of the next record.
    next: Tally,
    important: VecDeque<(u64, Arc<Record>)>,
    important_bytes: usize,
    /// The numbers of records with preemption grounds, the oldest first.
    with_grounds: VecDeque<u64>,
    grounds_bytes: usize,
    /// The last time that a limit blocked a request, by application.
    blocked_by_limits: BTreeMap<Arc<str>, Time>,
}

impl Retained {
    fn keep_important(&mut self, mut records: Vec<(u64, Arc<Record>)>) {
        records.retain(|(_, record)| !record.is_blocked_by_limits() || self.is_first_of_limit(record));
        self.important_bytes += records.iter().map(|(_, record)| record.bytes()).sum::<usize>();
        self.grounds_bytes += records.iter().map(|(_, record)| record.grounds_bytes()).sum::<usize>();
        self.with_grounds
            .extend(records.iter().filter(|(_, record)| record.grounds.is_some()).map(|(number, _)| *number));
        self.important.extend(records);
        while self.grounds_bytes > GROUNDS_BYTES
            && let Some(number) = self.with_grounds.pop_front()
        {
            self.drop_grounds(number);
        }
        while self.important_bytes > IMPORTANT_BYTES
            && let Some((number, oldest)) = self.important.pop_front()
        {
            self.with_grounds.pop_front_if(|first| *first == number);
            self.important_bytes -= oldest.bytes();
            self.grounds_bytes -= oldest.grounds_bytes();
        }
    }

    fn drop_grounds(&mut self, number: u64) {
        let at = self.important.partition_point(|(other, _)| *other < number);
        if let Some((_, record)) = self.important.get_mut(at).filter(|(other, _)| *other == number) {
            self.grounds_bytes -= record.grounds_bytes();
            *record = Arc::new(record.without_grounds());
        }
    }

    /// Whether no limit blocked the application for a while: a limit blocks each of its requests one by one.
    fn is_first_of_limit(&mut self, record: &Record) -> bool {
        let last = self.blocked_by_limits.insert(Arc::clone(&record.reference), record.at);
        if self.blocked_by_limits.len() > MOST_BLOCKED {
            self.blocked_by_limits.retain(|_, at| record.at.since(*at) < BLOCKED_AGAIN);
        }
        last.is_none_or(|last| record.at.since(last) >= BLOCKED_AGAIN)
    }
}

#[derive(Debug)]
struct Chunk {
    /// The numbers of its first record.
    first: Tally,
    /// The numbers after its last record.
    end: Tally,
    /// Empty after conversion.
    events: Mutex<Box<[Event]>>,
    records: OnceLock<Vec<Arc<Record>>>,
}

impl EventLog {
    /// Creates an empty log. `instance` names the run of the scheduler for clients.
    pub fn new(instance: Arc<str>, profile: Profile, config: &EventConfig) -> Self {
        let log = Self {
            instance,
            profile,
            capacity: AtomicU64::new(0),
            tracking: AtomicBool::new(true),
            retained: Mutex::default(),
            next: watch::channel(Tally::default()).0,
        };
        log.configure(config);
        log
    }

    /// Changes the settings. Numbers stay; a smaller capacity applies with the next events.
    pub fn configure(&self, config: &EventConfig) {
        self.capacity.store(u64::from(config.ring_buffer_capacity.max(1)), Ordering::Release);
        self.tracking.store(config.tracking_enabled, Ordering::Release);
    }

    /// The run of the scheduler.
    pub fn instance(&self) -> &Arc<str> {
        &self.instance
    }

    /// Whether events are recorded. Otherwise they are lost and get no numbers.
    pub fn is_tracking(&self) -> bool {
        self.tracking.load(Ordering::Acquire)
    }

    /// Watches the numbers of the next record.
    pub fn follow(&self) -> watch::Receiver<Tally> {
        self.next.subscribe()
    }

    /// Returns the records from number `since`, at most `limit`. Dropped records are omitted: see the page's `lowest`.
    pub fn page(&self, numbering: Numbering, since: u64, limit: usize) -> EventPage {
        let (lowest, next, chunks) = self.chunks(numbering, since, limit);
        let since = since.max(lowest);
        let mut found = Vec::new();
        for chunk in chunks {
            let counted = chunk.records(self.profile).iter().filter(|record| numbering.counts(record));
            let numbered = (numbering.of(chunk.first)..).zip(counted).filter(|(number, _)| *number >= since);
            found.extend(numbered.map(|(number, record)| (number, Arc::clone(record))).take(limit - found.len()));
        }
        EventPage { instance: Arc::clone(&self.instance), tracking: self.is_tracking(), lowest, next, records: found }
    }

    /// Returns the last `limit` important records up to a time with their numbers, the oldest first.
    pub fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        let retained = self.retained();
        let end = retained.important.partition_point(|(_, record)| record.at <= until);
        retained.important.range(end.saturating_sub(limit)..end).cloned().collect()
    }

    /// The size of the important records in bytes.
    pub fn important_bytes(&self) -> usize {
        self.retained().important_bytes
    }

    /// The stored numbers, and the chunks that contain the requested records.
    fn chunks(&self, numbering: Numbering, since: u64, limit: usize) -> (u64, u64, Vec<Arc<Chunk>>) {
        let retained = self.retained();
        let next = numbering.of(retained.next);
        let lowest = next.saturating_sub(self.capacity.load(Ordering::Acquire));
        let lowest = lowest.max(retained.chunks.front().map_or(next, |chunk| numbering.of(chunk.first)));
        let since = since.max(lowest);
        let until = since.saturating_add(u64::try_from(limit).unwrap_or(u64::MAX));
        let from = retained.chunks.partition_point(|chunk| numbering.of(chunk.end) <= since);
        let wanted = retained.chunks.range(from..).take_while(|chunk| numbering.of(chunk.first) < until);
        (lowest, next, wanted.cloned().collect())
    }

    pub(super) fn append(&self, events: Vec<Event>) {
        let (mut count, mut important) = (Tally::default(), Vec::new());
        for event in &events {
            let before = count.all;
            count += tally(&event.kind);
            if count.all > before && is_important(&event.kind) {
                let last = records(std::slice::from_ref(event), self.profile).pop();
                important.extend(last.map(|record| (count.all - 1, Arc::new(record))));
            }
        }
        if count == Tally::default() || !self.is_tracking() {
            return;
        }
        let (mut gone, events) = (Vec::new(), events.into_boxed_slice());
        let next = {
            let mut retained = self.retained();
            let first = retained.next;
            retained.next += count;
            retained
                .keep_important(important.into_iter().map(|(number, record)| (first.all + number, record)).collect());
            let next = retained.next;
            let events = Mutex::new(events);
            retained.chunks.push_back(Arc::new(Chunk { first, end: next, events, records: OnceLock::new() }));
            let capacity = self.capacity.load(Ordering::Acquire);
            let passed = |end: u64, next: u64| end <= next.saturating_sub(capacity);
            while let Some(oldest) = retained.chunks.front()
                && passed(oldest.end.all, next.all)
                && passed(oldest.end.upstream, next.upstream)
            {
                gone.extend(retained.chunks.pop_front());
            }
            next
        };
        // Freed outside the lock.
        drop(gone);
        self.next.send_replace(next);
    }

    fn retained(&self) -> MutexGuard<'_, Retained> {
        self.retained.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Chunk {
    fn records(&self, profile: Profile) -> &[Arc<Record>] {
        self.records.get_or_init(|| {
            let events = std::mem::take(&mut *self.events.lock().unwrap_or_else(PoisonError::into_inner));
            records(&events, profile).into_iter().map(Arc::new).collect()
        })
    }
}
