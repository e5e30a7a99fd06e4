//! What a remote answers → the same [`View`] that an engine builds of its own scheduler.
//!
//! A [`Picture`] is kept: every answer is merged into it, and a new view is taken when something changed. Rows that did not change are
//! the same allocation in both views, so a refresh costs what changed. Where one answer says what belongs into a row of another
//! (the group of an application, the applications of a queue), that is worked out here.
//!
//! Invariants:
//! - no IO and no clock: the cluster's time is passed in;
//! - what cannot be understood is omitted or shown unchanged, and spoils nothing else;
//! - percentages above 100, negative amounts and unknown words are kept as they came (`rest.md` section 9);
//! - the last that was seen stays until something newer is known.
//!
//! Known limits: why an application is blocked is worked out from what its queues and limits show, as an estimate.

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

/// Where releases mean different things by the same key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// `allocationTime` is when something was allocated, and not when it was requested (up to 1.5, and a kornsole server).
    pub has_allocation_time: bool,
}

/// What is known of a remote.
#[derive(Debug)]
pub struct RemoteState {
    view: View,
    parts: Vec<Part>,
    shapes: Shapes,
    profile: Profile,
    /// A cluster with the remote's active configuration: from where limits, access lists, templates and rules are taken.
    configured: Option<Arc<View>>,
    configured_checksum: Option<String>,
    configured_text: Option<Arc<str>>,
    /// Why nothing is bound to a node, where the cluster says so.
    closed: NodeMarks,
    notice_count: u64,
    changed: bool,
    seen_allocations: events::Rate,
    /// What the cluster looked like while it was seen from here.
    history: History,
}

/// What is kept of a partition next to its view.
#[derive(Debug, Default)]
struct Part {
    queue_slots: FxHashMap<QueuePath, QueueSlot>,
    free_queues: Vec<u32>,
    app_slots: FxHashMap<AppId, AppSlot>,
    free_apps: Vec<u32>,
    seen_apps: Seen<AppId>,
    seen_nodes: Seen<NodeId>,
    /// The whole list of applications has been seen since the scheduler started.
    complete: bool,
    ended: [ended::EndedList; 2],
    gone: Vec<Arc<AppRow>>,
    /// The group that an application counts under.
    groups: FxHashMap<AppId, Arc<str>>,
    /// What users and groups were last reported to use; `None` before they were.
    users: Option<users::UsageByName>,
    group_usage: Option<users::UsageByName>,
    /// The node that is kept for an ask.
    retained: FxHashMap<AskId, NodeId>,
    /// When something was allocated, by the events.
    since: FxHashMap<(AppId, AskId), Time>,
}

impl RemoteState {
    /// Nothing is known yet.
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

    /// Another release answers from now on.
    pub fn read_as(&mut self, profile: Profile, shapes: Shapes) {
        if (self.profile, self.shapes) != (profile, shapes) {
            (self.profile, self.shapes) = (profile, shapes);
            self.start_over();
        }
    }

    /// Another run of the scheduler answers: nothing that was read before is taken for read, and what is missing has not gone.
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

    /// The partitions, in the order of their names except for `default`, which comes first.
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

    /// Keeps what is known of the partitions that stay.
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

    /// The values of a partition that could not be read.
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

    /// What is known at the time.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Something worth a message once.
    pub fn notice(&mut self, at: Time, weight: NoticeWeight, title: String, text: String) {
        self.notice_count += 1;
        self.changed = true;
        self.view.add_notice(Notice { number: self.notice_count, at, weight, title, text });
    }

    /// Whether the scheduler is paused.
    pub fn resting(&mut self, resting: bool) {
        self.changed |= self.view.paused != resting;
        self.view.paused = resting;
    }

    /// What the caller may do in the queues of a partition, as the server has decided it.
    pub fn permissions(&mut self, partition: &str, permissions: dto::native::Permissions) {
        let granted = |one: dto::native::QueuePermission| {
            (QueuePath::new(&one.queue), Granted { submit: one.submit || one.admin, admin: one.admin })
        };
        let queues = permissions.queues.into_iter().map(granted).collect();
        self.decide(partition, |decided| decided.queues = queues);
    }

    /// Whether an application may be killed, as the server has decided it.
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

    /// The remote is there, and the state is as fresh as it gets: takes a sample of it for the history, if it is time for one.
    pub fn sample(&mut self, now: Time) {
        if self.history.watch(now, &self.view) {
            self.view.history = self.history.samples().clone();
            self.changed = true;
        }
    }

    /// What Kubernetes says of the objects behind all this.
    pub fn set_kubernetes(&mut self, kubernetes: Arc<Kubernetes>) {
        let marks = kubernetes.nodes.iter().filter_map(|(id, node)| Some((id.clone(), Arc::from(node.closed()?))));
        if *kubernetes.lists.get(ObjectKind::Nodes) == ListState::Live {
            self.mark_nodes(marks.collect());
        }
        self.view.kubernetes = Some(kubernetes);
        self.changed = true;
    }

    /// The view of now, or `None` when it would be the one before.
    pub fn take_view(&mut self, now: Time) -> Option<Arc<View>> {
        self.pass(now);
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

    /// The place of a partition in both lists.
    fn index(&self, partition: &str) -> Option<usize> {
        self.view.partitions.iter().position(|part| *part.name == *partition)
    }
}
