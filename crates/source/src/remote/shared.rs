//! The state that the worker publishes.

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

const EVENTS: usize = 10_000;
const IMPORTANT_BYTES: usize = 8 << 20;

pub(super) type Numbered = VecDeque<(u64, Arc<Record>)>;

pub(super) struct Shared {
    pub view: ArcSwap<View>,
    pub link: Mutex<LinkState>,
    /// The product and release, once known.
    pub remote: ArcSwapOption<client::Remote>,
    pub who: ArcSwapOption<WhoAmI>,
    pub wake: Mutex<Option<Box<dyn Fn() + Send + Sync>>>,
    pub clock: Clock,
    /// The offset of the remote clock in microseconds.
    pub ahead: AtomicI64,
    /// The last observed events by number, with holes for lost ones, and the number of restarts.
    pub events: Mutex<(u64, Numbered)>,
    /// The important ones, stored longer, with their bytes.
    pub important: Mutex<(usize, Numbered)>,
    /// The audit and revisions of the remote.
    pub records: Mutex<Records>,
    /// The reported health.
    pub health: Mutex<OwnHealth>,
    /// The local ledger of the remote.
    pub book: OnceLock<Arc<Book>>,
    /// The duration of cycles.
    pub cycles: Cycles,
}

impl Shared {
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The cluster time: the local clock plus the offset.
    pub fn cluster_time(&self) -> Time {
        let own = i64::try_from(self.clock.wall().as_micros()).unwrap_or(i64::MAX);
        Time(u64::try_from(own.saturating_add(self.ahead.load(Ordering::Relaxed))).unwrap_or(0))
    }

    /// Measures the clock offset. HTTP dates have whole seconds, so less than two seconds count as zero.
    pub fn compare_clocks(&self, remote_clock: Option<SystemTime>) {
        // The remote wall clock is meaningless for a manual clock.
        let Some(remote_clock) = remote_clock.filter(|_| !self.clock.is_stepped()) else { return };
        let now = SystemTime::now();
        let ahead = match remote_clock.duration_since(now) {
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

    /// The observed events from a number on.
    pub fn event_page(&self, since: u64, limit: usize) -> EventPage {
        let (started, retained) = &*self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let first = retained.front().map_or(0, |(number, _)| *number);
        // Numbers are missing where events were lost.
        let skip = retained.partition_point(|(number, _)| *number < since);
        EventPage {
            instance: Arc::from(started.to_string()),
            tracking: !retained.is_empty(),
            lowest: first,
            next: retained.back().map_or(0, |(number, _)| number + 1),
            records: retained.iter().skip(skip).take(limit).cloned().collect(),
        }
    }

    /// The last `limit` important events up to a time.
    pub fn important(&self, until: Time, limit: usize) -> Vec<(u64, Arc<Record>)> {
        let (_, retained) = &*self.important.lock().unwrap_or_else(PoisonError::into_inner);
        let end = retained.partition_point(|(_, record)| record.at <= until);
        retained.range(end.saturating_sub(limit)..end).cloned().collect()
    }

    /// Stores the reported health.
    pub fn keep_health(&self, health: OwnHealth) {
        *self.health.lock().unwrap_or_else(PoisonError::into_inner) = health;
        self.wake();
    }

    /// Changes the audit and revisions.
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

    /// Replaces lost events by a hole.
    pub fn keep_hole(&self, from: u64, to: u64) {
        let (_, retained) = &mut *self.events.lock().unwrap_or_else(PoisonError::into_inner);
        retained.push_back((from, Arc::new(Record::hole(from, to, self.cluster_time()))));
    }

    /// Drops all events: another run counts from the start.
    pub fn forget_events(&self) {
        let (started, retained) = &mut *self.events.lock().unwrap_or_else(PoisonError::into_inner);
        *started += 1;
        retained.clear();
        *self.important.lock().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }

    /// Locks the connection state.
    pub fn link_state(&self) -> MutexGuard<'_, LinkState> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn link(&self) -> Link {
        self.link_state().link(self.now())
    }

    /// The lists that are not in the view.
    pub fn unread(&self) -> Unread {
        let (mut unread, view) = (self.link_state().unread(), self.view.load());
        for part in &view.partitions {
            unread.nodes |= part.nodes.is_empty() && part.capacity.iter().any(|(_, amount)| amount > 0);
        }
        unread
    }

    /// The outdated parts: lists of the scheduler and Kubernetes objects.
    pub fn stale_parts(&self) -> Vec<StalePart> {
        let mut parts = self.link_state().stale_parts(self.now());
        if let Some(kubernetes) = &self.view.load().kubernetes {
            parts.extend(objects::stale_parts(kubernetes, self.cluster_time()));
        }
        parts
    }

    /// Wakes the console.
    pub fn wake(&self) {
        if let Some(wake) = &*self.wake.lock().unwrap_or_else(PoisonError::into_inner) {
            wake();
        }
    }
}
