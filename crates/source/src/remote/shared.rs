//! The state that the worker publishes, and all others read.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

use arc_swap::{ArcSwap, ArcSwapOption};

use super::clock::Clock;
use super::fetch::WhoAmI;
use super::link::LinkState;
use super::objects;
use crate::book::Book;
use crate::cycles::Cycles;
use crate::{Link, OwnHealth, Records, StalePart};
use model::Time;
use view::record::Record;
use view::unread::Unread;
use view::{EventPage, View};
use wire::convert::read::record;
use wire::dto;

/// How many events are kept for those who ask.
const EVENTS: usize = 10_000;
/// How many bytes of those that matter.
const IMPORTANT_BYTES: usize = 8 << 20;

/// Events by their numbers, the oldest first.
pub(super) type Numbered = VecDeque<(u64, Arc<Record>)>;

/// What the worker shows to everyone.
pub(super) struct Shared {
    pub view: ArcSwap<View>,
    pub link: Mutex<LinkState>,
    /// What is at the other end, once that is known.
    pub remote: ArcSwapOption<client::Remote>,
    pub who: ArcSwapOption<WhoAmI>,
    pub wake: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    pub clock: Clock,
    /// How far the other side's clock is ahead of kornsole, in microseconds.
    pub ahead: AtomicI64,
    /// The last events that were seen, each with its number, and in their place a record of those that are lost; and how often they
    /// restarted.
    pub events: Mutex<(u64, Numbered)>,
    /// The important ones of them, which are kept longer, with their bytes.
    pub important: Mutex<(usize, Numbered)>,
    /// What is known of the other side's ledger.
    pub records: Mutex<Records>,
    /// What the other side says of its own health.
    pub health: Mutex<OwnHealth>,
    /// The ledger that is followed of it.
    pub book: OnceLock<Arc<Book>>,
    /// How long its cycles take.
    pub cycles: Cycles,
}

impl Shared {
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The cluster's time: kornsole, by as much as its clock is ahead.
    pub fn cluster_time(&self) -> Time {
        let own = i64::try_from(self.clock.wall().as_micros()).unwrap_or(i64::MAX);
        Time(u64::try_from(own.saturating_add(self.ahead.load(Ordering::Relaxed))).unwrap_or(0))
    }

    /// Takes a look at the other side's clock. Headers say whole seconds, so less than two of them are no difference.
    pub fn compare_clocks(&self, theirs: Option<SystemTime>) {
        // By a clock that is moved by hand the other side's wall clock says nothing.
        let Some(theirs) = theirs.filter(|_| !self.clock.is_stepped()) else { return };
        let now = SystemTime::now();
        let ahead = match theirs.duration_since(now) {
            Ok(ahead) => i64::try_from(ahead.as_micros()).unwrap_or(i64::MAX),
            Err(behind) => -i64::try_from(behind.duration().as_micros()).unwrap_or(i64::MAX),
        };
        let difference = if ahead.abs() < 2_000_000 { 0 } else { ahead };
        self.ahead.store(difference, Ordering::Relaxed);
    }

    pub fn keep_events(&self, first: u64, records: &[dto::EventRecord]) {
        let new: Numbered = (first..).zip(records.iter().map(|event| Arc::new(record(event)))).collect();
        self.keep_important(&new);
        let (_, retained) = &mut *self.events.lock().unwrap_or_else(PoisonError::into_inner);
        retained.extend(new);
        let too_many = retained.len().saturating_sub(EVENTS);
        retained.drain(..too_many);
    }

    fn keep_important(&self, new: &Numbered) {
        let (bytes, retained) = &mut *self.important.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, record) in new.iter().filter(|(_, record)| record.is_important()) {
            *bytes += record.bytes();
            retained.push_back((*number, Arc::clone(record)));
        }
        while *bytes > IMPORTANT_BYTES
            && let Some((_, oldest)) = retained.pop_front()
        {
            *bytes -= oldest.bytes();
        }
    }

    /// The events that were seen, from a number on.
    pub fn event_page(&self, since: u64, limit: usize) -> EventPage {
        let (begun, retained) = &*self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let first = retained.front().map_or(0, |(number, _)| *number);
        // Where some are lost, numbers are missing.
        let skip = retained.partition_point(|(number, _)| *number < since);
        EventPage {
            instance: Arc::from(begun.to_string()),
            tracking: !retained.is_empty(),
            lowest: first,
            next: retained.back().map_or(0, |(number, _)| number + 1),
            records: retained.iter().skip(skip).take(limit).cloned().collect(),
        }
    }

    /// What mattered up to a time, the last `limit` of it.
    pub fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        let (_, retained) = &*self.important.lock().unwrap_or_else(PoisonError::into_inner);
        let end = retained.partition_point(|(_, record)| record.at <= until);
        retained.range(end.saturating_sub(limit)..end).cloned().collect()
    }

    /// The remote has reported its health.
    pub fn keep_health(&self, health: OwnHealth) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
        self.wake();
    }

    /// Something new is known of the other side's ledger.
    pub fn keep_records(&self, change: impl FnOnce(&mut Records)) {
        let records = &mut *self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let generation = records.generation;
        let before = records.clone();
        change(records);
        records.generation = generation;
        if *records != before {
            records.generation += 1;
            self.wake();
        }
    }

    /// Events from one number to another are lost: in their place stands a record that says so.
    pub fn keep_hole(&self, from: u64, to: u64) {
        let (_, retained) = &mut *self.events.lock().unwrap_or_else(PoisonError::into_inner);
        retained.push_back((from, Arc::new(Record::hole(from, to, self.cluster_time()))));
    }

    /// Another run counts from the start: what is kept is of no use.
    pub fn forget_events(&self) {
        let (begun, retained) = &mut *self.events.lock().unwrap_or_else(PoisonError::into_inner);
        *begun += 1;
        retained.clear();
        *self.important.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }

    /// The connection unchanged; no one else changes it while the guard lives.
    pub fn link_state(&self) -> MutexGuard<'_, LinkState> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn link(&self) -> Link {
        self.link_state().link(self.now())
    }

    /// The lists that are not in the view: they never came, or came and are not shown yet.
    pub fn unread(&self) -> Unread {
        let (mut unread, view) = (self.link_state().unread(), self.view.load());
        for part in &view.partitions {
            unread.nodes |= part.nodes.is_empty() && part.capacity.iter().any(|(_, amount)| amount > 0);
        }
        unread
    }

    /// What is older than it should be: lists of the scheduler, and objects of Kubernetes.
    pub fn stale_parts(&self) -> Vec<StalePart> {
        let mut parts = self.link_state().stale_parts(self.now());
        if let Some(kubernetes) = &self.view.load().kubernetes {
            parts.extend(objects::stale_parts(kubernetes, self.cluster_time()));
        }
        parts
    }

    /// Wakes the console for something new.
    pub fn wake(&self) {
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }
}
