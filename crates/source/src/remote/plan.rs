//! Schedules the HTTP requests: data on the screen first, everything else at a slower pace (`rest.md` section 9, rule
//! 18).
//!
//! Invariants:
//! - at most one request of each kind is in progress;
//! - slow or costly answers stretch an interval;
//! - no clock: the time since the start of the source is a parameter.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::{Focus, FocusKind};
use model::{AppId, NodeId, QueuePath};

const AT_ONCE: usize = 4;
/// An interval is at least this factor of the answer time.
const STRETCH: u32 = 10;
/// An interval is at least this factor of the processor time for the answer: 2% of a core for each kind.
const COST: u32 = 50;
/// The same while events report every change, without news: 0.1% of a core.
const COST_IDLE: u32 = 1000;
/// The longest interval because of processor time.
const LONGEST_IDLE: Duration = Duration::from_secs(120);
/// Events are read at every interval: after this many without them, they are missing.
const FED_FOR: u32 = 5;
const LONGEST: Duration = Duration::from_secs(10 * 60);
/// News make a query due at once, but at most once per this fraction of the interval.
const NEWS: u32 = 4;

/// A query, ordered by importance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Query {
    /// The counters of all partitions.
    Partitions,
    /// The queues of a partition.
    Queues(Arc<str>),
    /// One application, of a partition.
    App(Arc<str>, AppId),
    /// One node, of a partition.
    Node(Arc<str>, NodeId),
    /// The applications of a leaf.
    QueueApps(Arc<str>, QueuePath),
    /// The active configuration.
    Config,
    /// The user of a kornsole server.
    WhoAmI,
    /// Whether the scheduler of a kornsole server is paused.
    Resting,
    /// The draining queues of a kornsole server.
    Draining(Arc<str>),
    /// The queues of a kornsole server above their maxima.
    Quotas(Arc<str>),
    /// The permissions in the queues of a kornsole server.
    Permissions(Arc<str>),
    /// Whether an application of a kornsole server may be killed.
    MayKill(Arc<str>, AppId),
    /// All active applications.
    Apps(Arc<str>),
    /// The usage of users.
    Users(Arc<str>),
    /// The usage of groups.
    Groups(Arc<str>),
    /// All nodes of a partition.
    Nodes(Arc<str>),
    /// Applications that ended.
    Completed(Arc<str>),
    /// Applications that were rejected.
    Rejected(Arc<str>),
    /// The events, if they are not read separately.
    Events,
    /// The audit of a kornsole server.
    Audit,
    /// The revisions of a kornsole server.
    History,
    /// The reported health.
    Health,
    /// The metrics, for the duration of cycles.
    Metrics,
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    due: Duration,
    asked: Option<Duration>,
    under_way: bool,
    took: Duration,
    cost: Duration,
}

/// The schedule of queries.
#[derive(Clone, Debug)]
pub struct Plan {
    every: Duration,
    at_once: usize,
    fed: Option<Duration>,
    focus: Focus,
    entries: BTreeMap<Query, Entry>,
}

impl Plan {
    /// Creates a plan that refreshes the screen at an interval. It starts with the partitions.
    pub fn new(every: Duration) -> Self {
        let entries = BTreeMap::from([(Query::Partitions, Entry::default())]);
        Self { every, at_once: AT_ONCE, fed: None, focus: Focus::default(), entries }
    }

    /// Allows one request at a time, so that the schedule depends only on the clock.
    #[must_use]
    pub fn one_by_one(self) -> Self {
        Self { at_once: 1, ..self }
    }

    /// Events report every change up to now: costly lists are read less often without news.
    pub const fn fed(&mut self, now: Duration) {
        self.fed = Some(now);
    }

    /// Adds a query.
    pub fn add(&mut self, query: Query, now: Duration) {
        self.entries.entry(query).or_insert(Entry { due: now, ..Entry::default() });
    }

    /// Keeps only the queries that `keep` accepts.
    pub fn retain(&mut self, keep: impl Fn(&Query) -> bool) {
        self.entries.retain(|query, _| *query == Query::Partitions || keep(query));
    }

    /// Whether a query is scheduled.
    pub fn has(&self, query: &Query) -> bool {
        self.entries.contains_key(query)
    }

    /// Changes the content of the screen: it is due at once, unless it was just requested.
    pub fn set_focus(&mut self, focus: Focus, now: Duration) {
        self.focus = focus;
        let details = self.details();
        self.entries.retain(|query, entry| !query.is_detail() || details.contains(query) || entry.under_way);
        details.into_iter().for_each(|detail| self.add(detail, now));
        let (pace, focus) = ((self.every, self.fed), self.focus.clone());
        for (query, entry) in &mut self.entries {
            if query.is_on(&focus) {
                entry.due = entry.due.min(interval(query, entry, pace, true).map_or(now, |due| due.max(now)));
            }
        }
    }

    /// Makes the queries that `of` selects due soon, because of news.
    pub fn expedite(&mut self, of: impl Fn(&Query) -> bool, now: Duration) {
        let soon = self.every / NEWS;
        for (_, entry) in self.entries.iter_mut().filter(|(query, _)| of(query)) {
            let stretched = entry.took * STRETCH + entry.cost * COST;
            let earliest = entry.asked.map_or(now, |asked| asked + soon.max(stretched));
            entry.due = entry.due.min(earliest.max(now));
        }
    }

    /// Makes everything due, after a reconnect or a change of the scheduler.
    pub fn all_due(&mut self, now: Duration) {
        for entry in self.entries.values_mut() {
            entry.due = now;
        }
    }

    /// Returns the due queries and marks them as in progress.
    pub fn take_due(&mut self, now: Duration) -> Vec<Query> {
        let under_way = self.entries.values().filter(|entry| entry.under_way).count();
        let mut due: Vec<(bool, Query)> = self
            .entries
            .iter()
            .filter(|(_, entry)| !entry.under_way && entry.due <= now)
            .map(|(query, _)| (!(query.is_basic() || query.is_on(&self.focus)), query.clone()))
            .collect();
        due.sort();
        due.truncate(self.at_once.saturating_sub(under_way));
        for (_, query) in &due {
            if let Some(entry) = self.entries.get_mut(query) {
                (entry.under_way, entry.asked) = (true, Some(now));
            }
        }
        due.into_iter().map(|(_, query)| query).collect()
    }

    /// `None` if the maximum is in progress or nothing is left.
    pub fn next_due(&self) -> Option<Duration> {
        let under_way = self.entries.values().filter(|entry| entry.under_way).count();
        let waiting = self.entries.values().filter(|entry| !entry.under_way).map(|entry| entry.due);
        (under_way < self.at_once).then(|| waiting.min()).flatten()
    }

    /// Records an answer: its duration, and the processor time for reading it.
    pub fn done(&mut self, query: &Query, took: Duration, cost: Duration) {
        let (pace, on_screen) = ((self.every, self.fed), query.is_on(&self.focus));
        if let Some(entry) = self.entries.get_mut(query) {
            (entry.under_way, entry.took, entry.cost) = (false, took, cost);
            entry.due = interval(query, entry, pace, on_screen).unwrap_or_default();
        }
    }

    /// `retry` is the next try.
    pub fn failed(&mut self, query: &Query, retry: Duration) {
        if let Some(entry) = self.entries.get_mut(query) {
            (entry.under_way, entry.due) = (false, retry);
        }
    }

    /// Removes a query whose object does not exist.
    pub fn drop(&mut self, query: &Query) {
        self.entries.remove(query);
    }

    /// Whether a request is in progress.
    pub fn is_asking(&self) -> bool {
        self.entries.values().any(|entry| entry.under_way)
    }

    fn details(&self) -> Vec<Query> {
        let Focus { partition, kind } = &self.focus;
        let partition = || Arc::clone(partition);
        match kind {
            FocusKind::App(id) => vec![Query::App(partition(), id.clone()), Query::MayKill(partition(), id.clone())],
            FocusKind::Node(id) => vec![Query::Node(partition(), id.clone())],
            FocusKind::Apps(Some(leaf)) => vec![Query::QueueApps(partition(), leaf.clone())],
            _ => Vec::new(),
        }
    }
}

/// `None` if it was never sent.
fn interval(
    query: &Query,
    entry: &Entry,
    (every, fed): (Duration, Option<Duration>),
    on_screen: bool,
) -> Option<Duration> {
    let wanted = if on_screen || query.is_basic() { every } else { every * query.pace() };
    let asked = entry.asked?;
    // The partitions are small, and show whether the server answers.
    let is_fed = *query != Query::Partitions && fed.is_some_and(|fed| asked < fed + FED_FOR * every);
    let idle = if is_fed { (entry.cost * COST_IDLE).min(LONGEST_IDLE) } else { Duration::ZERO };
    let stretched = (entry.took * STRETCH).max(entry.cost * COST).min(LONGEST).max(idle);
    Some(asked + wanted.max(stretched))
}

impl Query {
    const fn is_basic(&self) -> bool {
        matches!(self, Self::Partitions | Self::Queues(_))
    }

    /// Whether it is about a single object, only while that is on the screen.
    const fn is_detail(&self) -> bool {
        matches!(self, Self::App(..) | Self::MayKill(..) | Self::Node(..) | Self::QueueApps(..))
    }

    const fn pace(&self) -> u32 {
        match self {
            Self::Partitions | Self::Queues(_) | Self::Events => 1,
            Self::App(..) | Self::MayKill(..) | Self::Node(..) | Self::QueueApps(..) => 1,
            Self::Draining(_) | Self::Quotas(_) | Self::Config | Self::Resting => 5,
            Self::Users(_) | Self::Groups(_) | Self::Apps(_) => 8,
            Self::Nodes(_) | Self::WhoAmI => 10,
            Self::Completed(_) | Self::Rejected(_) | Self::Permissions(_) | Self::Health | Self::Metrics => 15,
            Self::Audit | Self::History => 30,
        }
    }

    /// Whether it is for the content of the screen.
    pub fn is_on(&self, focus: &Focus) -> bool {
        let here = |partition: &Arc<str>| *partition == focus.partition;
        match (self, &focus.kind) {
            (Self::Apps(partition), FocusKind::Apps(None)) => here(partition),
            (Self::QueueApps(partition, queue), FocusKind::Apps(Some(leaf))) => here(partition) && queue == leaf,
            (Self::App(partition, app) | Self::MayKill(partition, app), FocusKind::App(id)) => {
                here(partition) && app == id
            }
            (Self::Nodes(partition), FocusKind::Nodes) => here(partition),
            (Self::Node(partition, node), FocusKind::Node(id)) => here(partition) && node == id,
            (Self::Users(partition) | Self::Groups(partition), FocusKind::Users) => here(partition),
            (Self::Audit | Self::History, FocusKind::Records) | (Self::Health, FocusKind::Health) => true,
            _ => false,
        }
    }

    /// The partition of the query.
    pub fn partition(&self) -> Option<&Arc<str>> {
        match self {
            Self::Partitions | Self::Config | Self::WhoAmI | Self::Resting => None,
            Self::Events | Self::Audit | Self::History | Self::Health | Self::Metrics => None,
            Self::Queues(partition)
            | Self::App(partition, _)
            | Self::MayKill(partition, _)
            | Self::Permissions(partition)
            | Self::Node(partition, _)
            | Self::QueueApps(partition, _)
            | Self::Draining(partition)
            | Self::Quotas(partition)
            | Self::Apps(partition)
            | Self::Users(partition)
            | Self::Groups(partition)
            | Self::Nodes(partition)
            | Self::Completed(partition)
            | Self::Rejected(partition) => Some(partition),
        }
    }
}

#[cfg(test)]
mod tests;
