//! Converts the answers of a remote scheduler to the [`View`] that an engine builds of its own.
//!
//! Every answer is merged into a [`RemoteState`]. Unchanged rows share their memory in old and new views. Values that
//! belong to the row of another answer (the group of an application, the applications of a queue) are combined here.
//!
//! Invariants:
//! - no IO and no clock: the cluster's time is passed in;
//! - a value that cannot be understood is omitted or shown unchanged, and does not affect others;
//! - percentages above 100, negative quantities, and unknown words are kept (`rest.md` section 9);
//! - the last known value remains until a newer one arrives.
//!
//! Known limit: the reason of a blocked application is an estimate from its queues and limits.

mod apps;
mod config;
mod dump;
mod elements;
mod ended;
mod events;
pub mod explain;
mod nodes;
mod queues;
mod quota;
mod rows;
mod used;
mod users;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use self::apps::{AppReader, Scope};
pub use self::config::plain;
pub use self::elements::{Element, ListReader};
pub use self::ended::Ended;
pub use self::events::record;
pub use self::nodes::{NodeMarks, NodeReader};
pub use self::quota::quota_forecast;
pub use self::rows::{app_state, time};
pub use self::used::used;
use crate::dto;
use elements::Seen;
use model::{AppId, AskId, NodeId, Profile, QueuePath, Time};
use view::act::{Granted, KillPermission, ServerPermissions};
use view::kubernetes::{Kubernetes, ListState, ObjectKind};
use view::{AppRow, AppSlot, History, Notice, NoticeWeight, PartitionView, QueueSlot, View};

/// Differences between releases in the meaning of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// `allocationTime` is the allocation time, not the request time (up to 1.5, and a kornsole server).
    pub has_allocation_time: bool,
}

/// Copies share their rows.
#[derive(Clone, Debug)]
pub struct RemoteState {
    view: View,
    parts: Vec<Part>,
    shapes: Shapes,
    profile: Profile,
    /// Source of limits, access lists, templates, and rules.
    configured: Option<Arc<View>>,
    configured_checksum: Option<String>,
    configured_text: Option<Arc<str>>,
    closed: NodeMarks,
    notice_count: u64,
    changed: bool,
    seen_allocations: events::Rate,
    history: History,
}

#[derive(Clone, Debug, Default)]
struct Part {
    queue_slots: FxHashMap<QueuePath, QueueSlot>,
    free_queues: Vec<u32>,
    app_slots: FxHashMap<AppId, AppSlot>,
    free_apps: Vec<u32>,
    seen_apps: Seen<AppId>,
    seen_nodes: Seen<NodeId>,
    /// Whether a complete list of applications was read since the scheduler's start.
    complete: bool,
    ended: [ended::EndedList; 2],
    gone: Vec<Arc<AppRow>>,
    groups: FxHashMap<AppId, Arc<str>>,
    /// `None` before the first.
    users: Option<users::UsageByName>,
    group_usage: Option<users::UsageByName>,
    retained: FxHashMap<AskId, NodeId>,
    since: FxHashMap<(AppId, AskId), Time>,
}

impl RemoteState {
    /// Creates an empty state.
    pub fn new(profile: Profile, shapes: Shapes) -> Self {
        Self {
            view: View::default(),
            parts: Vec::new(),
            shapes,
            profile,
            configured: None,
            configured_checksum: None,
            configured_text: None,
            closed: NodeMarks::default(),
            notice_count: 0,
            changed: true,
            seen_allocations: events::Rate::default(),
            history: History::default(),
        }
    }

    /// Switches to another release.
    pub fn read_as(&mut self, profile: Profile, shapes: Shapes) {
        if (self.profile, self.shapes) != (profile, shapes) {
            (self.profile, self.shapes) = (profile, shapes);
            self.start_over();
        }
    }

    /// After a restart of the scheduler, missing objects do not count as removed.
    pub fn start_over(&mut self) {
        self.seen_allocations = events::Rate::default();
        self.history = History::default();
        self.view.history.clear();
        for part in &mut self.parts {
            part.seen_apps.clear();
            part.seen_nodes.clear();
            part.since.clear();
            part.complete = false;
            part.ended.iter_mut().for_each(ended::EndedList::forget);
        }
        self.view.partitions.iter_mut().for_each(|part| part.decided = None);
    }

    /// Sets the partitions, sorted by name with `default` first.
    pub fn partitions(&mut self, mut list: Vec<dto::Partition>) {
        list.sort_by(|one, other| (one.name != "default", &one.name).cmp(&(other.name != "default", &other.name)));
        let names = |view: &View| view.partitions.iter().map(|part| part.name.to_string()).collect::<Vec<_>>();
        let wanted: Vec<String> = list.iter().map(|partition| partition.name.clone()).collect();
        if names(&self.view) != wanted {
            self.arrange(&wanted);
        }
        for (partition, view) in list.into_iter().zip(&mut self.view.partitions) {
            let state = rows::queue_state(&partition.state);
            let enforces = partition.quota_preemption_enabled.unwrap_or(false);
            if std::mem::replace(&mut view.quota_preemption, enforces) != enforces {
                self.changed = true;
            }
            let (capacity, allocated) = (partition.capacity.capacity.0, partition.capacity.used_capacity.0);
            if (view.state, &view.capacity, &view.allocated) != (state, &capacity, &allocated) {
                (view.state, view.capacity, view.allocated) = (state, capacity, allocated);
                self.changed = true;
            }
        }
    }

    /// Keeps the data of remaining partitions.
    fn arrange(&mut self, names: &[String]) {
        let old: Vec<(PartitionView, Part)> = self.view.partitions.drain(..).zip(self.parts.drain(..)).collect();
        let mut old: FxHashMap<String, (PartitionView, Part)> =
            old.into_iter().map(|(view, part)| (view.name.to_string(), (view, part))).collect();
        for name in names {
            let (view, part) = old.remove(name).unwrap_or_else(|| {
                let view = PartitionView { name: Arc::from(name.as_str()), ..PartitionView::default() };
                (view, Part::default())
            });
            self.view.partitions.push(view);
            self.parts.push(part);
        }
        self.changed = true;
        self.bring_rules();
    }

    /// Sets the values of a partition that could not be parsed.
    pub fn unknown(&mut self, partition: &str, unknown: Vec<dto::Unknown>) {
        let Some(index) = self.index(partition) else { return };
        if *self.view.partitions[index].unknown != *unknown {
            self.view.partitions[index].unknown = unknown.into();
            self.changed = true;
        }
    }

    /// The names of the partitions.
    pub fn partition_names(&self) -> Vec<Arc<str>> {
        self.view.partitions.iter().map(|part| Arc::clone(&part.name)).collect()
    }

    /// The current view.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Adds a notice that is shown once.
    pub fn notice(&mut self, at: Time, weight: NoticeWeight, title: String, text: String) {
        self.notice_count += 1;
        self.changed = true;
        self.view.add_notice(Notice { number: self.notice_count, at, weight, title, text });
    }

    /// Sets whether the scheduler is paused.
    pub fn resting(&mut self, resting: bool) {
        self.changed |= self.view.paused != resting;
        self.view.paused = resting;
    }

    /// Sets the caller's permissions from the server.
    pub fn permissions(&mut self, partition: &str, permissions: dto::native::Permissions) {
        let granted = |one: dto::native::QueuePermission| {
            (QueuePath::new(&one.queue), Granted { submit: one.submit || one.admin, admin: one.admin })
        };
        let queues = permissions.queues.into_iter().map(granted).collect();
        self.decide(partition, |decided| decided.queues = queues);
    }

    /// Sets whether an application may be killed, from the server.
    pub fn may_kill(&mut self, partition: &str, app: &AppId, result: dto::native::CheckResult) {
        let Some(index) = self.index(partition) else { return };
        let Some(row) = self.view.partitions[index].app_by_id(app) else { return };
        let why_not = (!result.allowed).then_some(result.why);
        let kill = KillPermission { app: app.clone(), queue: row.queue.clone(), why_not };
        self.decide(partition, |decided| decided.kill = Some(kill));
    }

    fn decide(&mut self, partition: &str, change: impl FnOnce(&mut ServerPermissions)) {
        let Some(index) = self.index(partition) else { return };
        let known = &mut self.view.partitions[index].decided;
        let mut decided = known.as_deref().cloned().unwrap_or_default();
        change(&mut decided);
        if known.as_deref() != Some(&decided) {
            *known = Some(Arc::new(decided));
            self.changed = true;
        }
    }

    /// Takes a sample of the current state if it is due.
    pub fn sample(&mut self, now: Time) {
        if self.history.watch(now, &self.view) {
            self.view.history = self.history.samples().clone();
            self.changed = true;
        }
    }

    /// Sets the data from Kubernetes.
    pub fn set_kubernetes(&mut self, kubernetes: Arc<Kubernetes>) {
        let marks = kubernetes.nodes.iter().filter_map(|(id, node)| Some((id.clone(), Arc::from(node.closed()?))));
        if *kubernetes.lists.get(ObjectKind::Nodes) == ListState::Live {
            self.mark_nodes(marks.collect());
        }
        self.view.kubernetes = Some(kubernetes);
        self.changed = true;
    }

    /// Returns the current view, or `None` if it is unchanged.
    pub fn take_view(&mut self, now: Time) -> Option<Arc<View>> {
        if !std::mem::take(&mut self.changed) {
            return None;
        }
        for part in &mut self.view.partitions {
            part.kubernetes.clone_from(&self.view.kubernetes);
        }
        self.view.generation += 1;
        self.view.at = self.view.at.max(now);
        Some(Arc::new(self.view.clone()))
    }

    fn index(&self, partition: &str) -> Option<usize> {
        self.view.partitions.iter().position(|part| *part.name == *partition)
    }
}
