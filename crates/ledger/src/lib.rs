//! Usage over time: quantities times time, by application, queue, user, group, and priority, per hour.
//!
//! Each active application and each queue with guaranteed resources has a meter: its current quantities and their
//! start. An event that changes them adds the elapsed part to the hours, so sums are integrals, not samples. [`report`]
//! answers questions, [`followed`] is for a remote scheduler.
//!
//! Invariants:
//! - pure: time is an argument; the same events give the same ledger, so a journal replay reproduces it;
//! - exact: a sum is a whole number of base units times microseconds;
//! - time never goes back for a meter: readings from before its last one add nothing;
//! - a clone shares everything, so a report blocks no one.

mod borrowed;
pub mod followed;
mod gap;
mod hours;
mod integral;
mod meter;
pub mod report;
mod saved;

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::{OrdMap, Vector};

use self::hours::Hours;
use self::meter::{AppMeter, QueueMeter, Rates};
use model::{AppId, QueuePath, Resource, Time};
use scheduler::index::QueueKey;
use scheduler::{Event, EventKind, Partition, Scheduler};

pub use self::followed::Followed;
pub use self::gap::Gap;
pub use self::hours::MOST_ROWS;
pub use self::integral::Integral;
pub use self::report::{Dimension, Question, Report, ReportRow};

const MOST_GAPS: usize = 1_000;

/// A partition name, and something in that partition.
type In<T> = (Arc<str>, T);

/// The ledger of one scheduler.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    apps: OrdMap<In<AppId>, AppMeter>,
    queues: OrdMap<In<QueuePath>, QueueMeter>,
    hours: Hours,
    /// `None` for any time.
    whole_until: Option<Time>,
    /// Everything before this time is already counted.
    counted_until: Time,
    /// Empty with a journal: its clock stops with the scheduler.
    gaps: Vector<Gap>,
}

impl Ledger {
    /// Limits the ledger to a time up to which it is complete: the scheduler has not decided later usage yet.
    #[must_use]
    pub fn whole_until(self, until: Option<Time>) -> Self {
        Self { whole_until: until, ..self }
    }

    /// Limits the rows of applications; above the limit, the oldest hours sum up the applications of a user in a queue.
    #[must_use]
    pub fn with_most_rows(mut self, most: usize) -> Self {
        self.hours.most_rows = most;
        self
    }

    /// Usage before this time is no longer counted: zero, or the end of a saved ledger.
    pub const fn counted_until(&self) -> Time {
        self.counted_until
    }

    /// Starts with the current usage of a scheduler, without its past.
    pub fn initial(now: Time, scheduler: &Scheduler) -> Self {
        let mut ledger = Self::default();
        ledger.hours.start(now);
        for partition in scheduler.partitions() {
            let ids: Vec<AppId> = partition.apps.iter().map(|(_, app)| app.id.clone()).collect();
            for id in &ids {
                ledger.read_app(now, partition, id);
            }
        }
        ledger.read_queues(now, scheduler);
        ledger
    }

    /// Observes one command at its time; `scheduler` is the state after it.
    pub fn observe(&mut self, now: Time, events: &[Event], scheduler: &Scheduler) {
        let now = now.max(self.counted_until);
        let touched: BTreeSet<&AppId> = events.iter().filter_map(|event| app_of(&event.kind)).collect();
        for partition in scheduler.partitions() {
            let mut leaves: BTreeSet<QueueKey> = BTreeSet::new();
            // An id can exist in several partitions: reading an unchanged meter does not change sums.
            touched.iter().for_each(|app| leaves.extend(self.read_app(now, partition, app).into_iter().flatten()));
            let paths = leaves.iter().flat_map(|leaf| partition.queues.path_up(*leaf));
            let queues: BTreeSet<QueueKey> = paths.collect();
            for queue in queues.into_iter().filter_map(|key| partition.queues.get(key)) {
                // A removed guarantee was reported as a change.
                if queue.guaranteed.is_some() {
                    self.read_queue(now, partition, &queue.path);
                }
            }
            let queues = events.iter().filter_map(|event| queue_of(&event.kind));
            queues.for_each(|queue| self.read_queue(now, partition, queue));
        }
        if events.iter().any(|event| changes_all(&event.kind)) {
            self.read_queues(now, scheduler);
        }
    }

    /// Reads the meter of an application. Returns the leaves with changed usage: old and new.
    fn read_app(&mut self, now: Time, partition: &Partition, id: &AppId) -> [Option<QueueKey>; 2] {
        let key = (Arc::clone(&partition.name), id.clone());
        let rates = partition.app_key(id).map(|app| Rates::of(partition, app));
        let leaf = rates.as_ref().and_then(|rates| nearest(partition, &rates.queue));
        match self.set_app(now, key, rates) {
            Read::New => [None, leaf],
            Read::Same => [None, None],
            Read::Changed(left) => [nearest(partition, &left), leaf],
        }
    }

    /// `None` if it no longer exists.
    fn set_app(&mut self, now: Time, key: In<AppId>, rates: Option<Rates>) -> Read {
        let Some(meter) = self.apps.get_mut(&key) else {
            if let Some(rates) = rates {
                self.apps.insert(key, AppMeter { since: now, rates });
            }
            return Read::New;
        };
        if Some(&meter.rates) == rates.as_ref() {
            return Read::Same;
        }
        self.hours.add_app(&key, meter, now);
        let left = meter.rates.queue.clone();
        match rates {
            Some(rates) => *meter = AppMeter { since: now, rates },
            None => drop(self.apps.remove(&key)),
        }
        Read::Changed(left)
    }

    fn read_queue(&mut self, now: Time, partition: &Partition, path: &QueuePath) {
        let key = (Arc::clone(&partition.name), path.clone());
        let queue = partition.queues.find(path).and_then(|queue| partition.queues.get(queue));
        self.set_queue(now, key, queue.and_then(|queue| Some((&queue.allocated, queue.guaranteed.as_ref()?))));
    }

    /// Reads the meter of a queue, and sets its new usage and guaranteed resources; `None` without the latter.
    fn set_queue(&mut self, now: Time, key: In<QueuePath>, has: Option<(&Resource, &Resource)>) {
        let Some(meter) = self.queues.get_mut(&key) else {
            if let Some((allocated, guaranteed)) = has {
                self.queues.insert(key, QueueMeter::new(allocated, guaranteed, now));
            }
            return;
        };
        if has == Some((&meter.allocated, &meter.guaranteed)) {
            return;
        }
        self.hours.add_queue(&key, meter, now);
        match has {
            Some((allocated, guaranteed)) => *meter = QueueMeter::new(allocated, guaranteed, now),
            None => drop(self.queues.remove(&key)),
        }
    }

    /// Reads the meters of all queues, and removes those of removed partitions.
    fn read_queues(&mut self, now: Time, scheduler: &Scheduler) {
        let mut known: BTreeSet<In<QueuePath>> = self.queues.keys().cloned().collect();
        for partition in scheduler.partitions() {
            let paths: Vec<QueuePath> = partition.queues.iter().map(|queue| queue.path.clone()).collect();
            for path in paths {
                known.remove(&(Arc::clone(&partition.name), path.clone()));
                self.read_queue(now, partition, &path);
            }
        }
        for gone in known {
            if let Some(meter) = self.queues.remove(&gone) {
                self.hours.add_queue(&gone, &meter, now);
            }
        }
        let there = |name: &Arc<str>| scheduler.partitions().iter().any(|partition| partition.name == *name);
        let lost: Vec<In<AppId>> = self.apps.keys().filter(|(name, _)| !there(name)).cloned().collect();
        for key in lost {
            if let Some(meter) = self.apps.remove(&key) {
                self.hours.add_app(&key, &meter, now);
            }
        }
    }

    /// Restarts all meters without adding the elapsed time.
    fn restart(&mut self, at: Time) {
        self.apps =
            self.apps.iter().map(|(key, meter)| (key.clone(), AppMeter { since: at, ..meter.clone() })).collect();
        self.queues =
            self.queues.iter().map(|(key, meter)| (key.clone(), QueueMeter { since: at, ..meter.clone() })).collect();
    }

    fn read_all(&mut self, now: Time) {
        for (key, meter) in &self.apps {
            self.hours.add_app(key, meter, now);
        }
        for (key, meter) in &self.queues {
            self.hours.add_queue(key, meter, now);
        }
        self.restart(now);
    }
}

enum Read {
    New,
    Same,
    /// Changed; with the old queue.
    Changed(QueuePath),
}

/// The queue with a path, or its nearest existing ancestor.
fn nearest(partition: &Partition, path: &QueuePath) -> Option<QueueKey> {
    std::iter::successors(Some(path.clone()), QueuePath::parent).find_map(|path| partition.queues.find(&path))
}

/// The application whose usage, demand, or keys an event changes.
fn app_of(kind: &EventKind) -> Option<&AppId> {
    match kind {
        EventKind::Allocated { app, .. }
        | EventKind::Released { app, .. }
        | EventKind::AskAdded { app, .. }
        | EventKind::AskRemoved { app, .. }
        | EventKind::AskResized { app, .. }
        | EventKind::Replacing { app, .. }
        | EventKind::Moved { app, .. }
        | EventKind::GroupLink { app, .. }
        | EventKind::AppLeft { app, .. } => Some(app),
        _ => None,
    }
}

fn queue_of(kind: &EventKind) -> Option<&QueuePath> {
    match kind {
        EventKind::QueueAdded { queue, .. }
        | EventKind::QueueRemoved { queue, .. }
        | EventKind::QueueGuaranteed { queue, .. } => Some(queue),
        _ => None,
    }
}

fn changes_all(kind: &EventKind) -> bool {
    matches!(kind, EventKind::ConfigAccepted | EventKind::ConfigRejected { .. } | EventKind::PartitionRemoved { .. })
}
