//! What was used over time: resources times time, by application, queue, user, group and priority, for each hour.
//!
//! ```text
//! Scheduler --events--> Ledger::observe --settles--> hours --report--> rows
//! ```
//!
//! A meter runs for each live application: what it has now, and since when; and for each queue with a guarantee. When an event says that something
//! changed, the meter is read, what went by is added to its hours, and it restarts with what the scheduler says now. So the sums are
//! integrals, not samples.
//!
//! Of a scheduler elsewhere its events and lists say the same, as far as they do: [`followed`].
//!
//! Where to read: [`meter`] is running allocations, [`hours`] what was added up, [`borrowed`] what of it was beyond a guarantee, [`report`] what is asked of it, [`Integral`] the amounts.
//!
//! Invariants:
//! - pure: time arrives as an argument; the same events give the same ledger, so a replay of a journal gives it again;
//! - nothing is rounded: an amount is a whole number of base units times microseconds;
//! - time never goes back for a meter: what is older than its last reading adds nothing;
//! - a clone shares everything, so that a report takes no one's time.

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
pub use self::integral::Integral;
pub use self::report::{Dimension, Question, Report, ReportRow};

/// How many gaps are kept.
const MOST_GAPS: usize = 1_000;

/// The name of a partition, and of something in it.
type In<T> = (Arc<str>, T);

/// The ledger of one scheduler.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    apps: OrdMap<In<AppId>, AppMeter>,
    queues: OrdMap<In<QueuePath>, QueueMeter>,
    hours: Hours,
    /// Up to when it has everything; `None`: up to any time that is asked about.
    whole_until: Option<Time>,
    /// Everything before this time is already counted.
    counted_until: Time,
    /// Time ranges that were not counted, oldest first. Empty for a journal: its clock stops with the scheduler.
    gaps: Vector<Gap>,
}

impl Ledger {
    /// The same ledger, which has everything up to this time and is not read beyond it: the scheduler has not decided yet what comes then.
    #[must_use]
    pub fn whole_until(self, until: Option<Time>) -> Self {
        Self { whole_until: until, ..self }
    }

    /// Before this time nothing counts any more: zero, or where a ledger that was written down ends.
    pub const fn counted_until(&self) -> Time {
        self.counted_until
    }

    /// The ledger of a scheduler of whose past nothing is known: what it has now counts from now on.
    pub fn beginning(now: Time, scheduler: &Scheduler) -> Self {
        let mut ledger = Self::default();
        ledger.hours.begin(now);
        for partition in scheduler.partitions() {
            let ids: Vec<AppId> = partition.apps.iter().map(|(_, app)| app.id.clone()).collect();
            for id in &ids {
                ledger.read_app(now, partition, id);
            }
        }
        ledger.read_queues(now, scheduler);
        ledger
    }

    /// Takes what one command did, at the time of the command; `scheduler` is as it is after that.
    pub fn observe(&mut self, now: Time, events: &[Event], scheduler: &Scheduler) {
        let now = now.max(self.counted_until);
        let touched: BTreeSet<&AppId> = events.iter().filter_map(|event| app_of(&event.kind)).collect();
        for partition in scheduler.partitions() {
            let mut leaves: BTreeSet<QueueKey> = BTreeSet::new();
            // An id may be in several partitions: reading a meter that nothing touched changes no sum.
            touched.iter().for_each(|app| leaves.extend(self.read_app(now, partition, app).into_iter().flatten()));
            let paths = leaves.iter().flat_map(|leaf| partition.queues.path_up(*leaf));
            let queues: BTreeSet<QueueKey> = paths.collect();
            for queue in queues.into_iter().filter_map(|key| partition.queues.get(key)) {
                // One that has no guarantee any more was reported to have another one.
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

    /// Reads the meter of an application. Returns the leaves whose use it changed: where it was, where it is.
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

    /// Reads the meter of an application, which has this from now on; `None` when it no longer exists.
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

    /// Reads the meter of a queue; one without a guarantee has none.
    fn read_queue(&mut self, now: Time, partition: &Partition, path: &QueuePath) {
        let key = (Arc::clone(&partition.name), path.clone());
        let queue = partition.queues.find(path).and_then(|queue| partition.queues.get(queue));
        self.set_queue(now, key, queue.and_then(|queue| Some((&queue.allocated, queue.guaranteed.as_ref()?))));
    }

    /// Reads the meter of a queue, which has this in use and guaranteed from now on; `None` without a guarantee.
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

    /// Reads the meters of all queues, and ends those of partitions that no longer exist.
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

    /// All meters start at this time, without adding what went by.
    fn restart(&mut self, at: Time) {
        self.apps =
            self.apps.iter().map(|(key, meter)| (key.clone(), AppMeter { since: at, ..meter.clone() })).collect();
        self.queues =
            self.queues.iter().map(|(key, meter)| (key.clone(), QueueMeter { since: at, ..meter.clone() })).collect();
    }

    /// Reads every meter, so that the hours have everything up to now.
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

/// What became of the meter of an application that was read.
enum Read {
    /// There was none.
    New,
    /// It has what it had.
    Same,
    /// It has something else; the queue that it was in.
    Changed(QueuePath),
}

/// The queue of a path, or the lowest one above it that is still there.
fn nearest(partition: &Partition, path: &QueuePath) -> Option<QueueKey> {
    std::iter::successors(Some(path.clone()), QueuePath::parent).find_map(|path| partition.queues.find(&path))
}

/// The application of which an event changes what it has, needs, or where it counts.
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

/// The queue that came, went, or has another guarantee.
fn queue_of(kind: &EventKind) -> Option<&QueuePath> {
    match kind {
        EventKind::QueueAdded { queue, .. }
        | EventKind::QueueRemoved { queue, .. }
        | EventKind::QueueGuaranteed { queue, .. } => Some(queue),
        _ => None,
    }
}

/// Whether any queue may be another one.
fn changes_all(kind: &EventKind) -> bool {
    matches!(kind, EventKind::ConfigAccepted | EventKind::ConfigRejected { .. } | EventKind::PartitionRemoved { .. })
}
