//! A cluster at one time: [`View`] and its partitions.

use std::sync::Arc;
use std::time::Duration;

use imbl::{OrdMap, Vector};

use super::act::{Configuration, ServerPermissions};
use super::kubernetes::Kubernetes;
use super::notice::Notice;
use super::quota::QuotaForecast;
use super::rows::{AppRow, AppSlot, NodeRow, QueueRow, QueueSlot};
use super::sample::Sample;
use super::unread::Unknown;
use super::usage::UsageRows;
use config::NodeSortConfig;
use model::{AppId, NodeId, QueuePath, QueueState, Resource, Time};
use scheduler::placement;
use scheduler::quota::QuotaLaw;

/// A consistent cluster state.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Counts up with every published change.
    pub generation: u64,
    /// The cluster time.
    pub at: Time,
    /// The partitions in the order of the configuration.
    pub partitions: Vec<PartitionView>,
    /// Allocations since the start, in all partitions.
    pub allocations_made: u64,
    /// The recent allocations per second of cluster time.
    pub allocation_rate: f64,
    /// `None` if unknown.
    pub configuration: Option<Arc<Configuration>>,
    /// The time after which a draining queue is reported (SCH-211); 0 disables it.
    pub stuck_after: Duration,
    /// The scheduler and its clock are paused.
    pub paused: bool,
    /// The last notices, the oldest first.
    pub notices: Vector<Arc<Notice>>,
    /// The samples, the oldest first: those of the last hour, and one per minute of the day before (SCH-230).
    pub history: Vector<Arc<Sample>>,
    /// `None` without a cluster.
    pub kubernetes: Option<Arc<Kubernetes>>,
}

const NOTICES: usize = 200;

impl View {
    /// Adds a notice and drops the oldest above the maximum.
    pub fn add_notice(&mut self, notice: Notice) {
        self.notices.push_back(Arc::new(notice));
        if self.notices.len() > NOTICES {
            self.notices.pop_front();
        }
    }
}

/// A partition at one time. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct PartitionView {
    /// The partition's name.
    pub name: Arc<str>,
    /// The partition's state.
    pub state: QueueState,
    /// The capacity of all nodes.
    pub capacity: Resource,
    /// The allocations on all nodes.
    pub allocated: Resource,
    /// Counts up when a queue is added or removed.
    pub tree_generation: u64,
    /// Counts up when an application is added, removed, or moved.
    pub app_generation: u64,
    /// Whether preemption is enabled (SCH-150).
    pub preemption: bool,
    /// Whether quota preemption is enabled (N-01).
    pub quota_preemption: bool,
    /// The switches of quota preemption; `None` if the known data cannot predict the victims.
    pub quota_law: Option<QuotaLaw>,
    /// The forecasts of the remote kornsole server; `None` for other sources.
    pub quota_reported: Option<Arc<[QuotaForecast]>>,
    /// The sort policy of nodes (SCH-090).
    pub node_sort: Arc<NodeSortConfig>,
    /// The active placement rules.
    pub rules: Arc<placement::Rules>,
    /// The decisions of each rule since its activation.
    pub hits: Arc<placement::Hits>,
    /// The queues by slot; the root is in slot 0. Slots of removed queues are empty and can be reused.
    pub queues: Vector<Option<Arc<QueueRow>>>,
    /// The active applications by slot. Slots of ended applications are empty and can be reused.
    pub apps: Vector<Option<Arc<AppRow>>>,
    /// The number of active applications.
    pub live_apps: usize,
    /// Ended applications (completed, failed, killed, rejected), the oldest first.
    pub ended: Vector<Arc<AppRow>>,
    /// The nodes by id.
    pub nodes: OrdMap<NodeId, Arc<NodeRow>>,
    /// The users with an active application, by name.
    pub users: UsageRows,
    /// The groups with an active application, by name.
    pub groups: UsageRows,
    /// The users with an active limit, by name, with the queues of the limits and their parents, and without usage.
    pub limited_users: UsageRows,
    /// The same for groups, including the wildcard `*`.
    pub limited_groups: UsageRows,
    /// The permissions that the remote kornsole server reports for its user; `None` for other sources.
    pub decided: Option<Arc<ServerPermissions>>,
    /// The Kubernetes objects, as in [`View`].
    pub kubernetes: Option<Arc<Kubernetes>>,
    /// The invalid values of a remote. The rows contain 0 or nothing for them.
    pub unknown: Arc<[Unknown]>,
}

impl PartitionView {
    /// `None` only before the first configuration.
    pub fn root(&self) -> Option<&Arc<QueueRow>> {
        self.queue(QueueSlot(0))
    }

    /// The queue in a slot.
    pub fn queue(&self, slot: QueueSlot) -> Option<&Arc<QueueRow>> {
        self.queues.get(slot.0 as usize)?.as_ref()
    }

    /// The queue with a path.
    pub fn queue_at(&self, path: &QueuePath) -> Option<&Arc<QueueRow>> {
        self.queue_at_text(path.as_str())
    }

    /// The queue with a path as text in lower case; the text may be invalid.
    pub fn queue_at_text(&self, path: &str) -> Option<&Arc<QueueRow>> {
        let mut parts = path.split('.');
        let mut row = self.root().filter(|root| Some(root.path.as_str()) == parts.next())?;
        for part in parts {
            let at = row.children.binary_search_by(|slot| match self.queue(*slot) {
                Some(child) => child.path.name().cmp(part),
                None => std::cmp::Ordering::Less,
            });
            row = self.queue(row.children[at.ok()?])?;
        }
        Some(row)
    }

    /// The active application in a slot.
    pub fn app(&self, slot: AppSlot) -> Option<&Arc<AppRow>> {
        self.apps.get(slot.0 as usize)?.as_ref()
    }

    /// An application by its id: the active one, or else the last ended one. Linear: compute it on demand only, not per
    /// frame.
    pub fn app_by_id(&self, id: &AppId) -> Option<&Arc<AppRow>> {
        let live = self.apps.iter().flatten().find(|app| app.id == *id);
        live.or_else(|| self.ended.iter().rev().find(|app| app.id == *id))
    }

    /// The active applications in a subtree, by id. Linear: compute it on demand only, not per frame.
    pub fn apps_in(&self, queue: &QueuePath) -> Vec<&Arc<AppRow>> {
        let mut inside: Vec<_> = self.apps.iter().flatten().filter(|app| app.queue.is_within(queue)).collect();
        inside.sort_by(|a, b| a.id.cmp(&b.id));
        inside
    }

    /// All queues, a parent before its children, children by name.
    pub fn walk(&self) -> impl Iterator<Item = &Arc<QueueRow>> {
        let mut stack: Vec<QueueSlot> = vec![QueueSlot(0)];
        std::iter::from_fn(move || {
            loop {
                let Some(row) = self.queue(stack.pop()?) else { continue };
                stack.extend(row.children.iter().rev());
                return Some(row);
            }
        })
    }
}
