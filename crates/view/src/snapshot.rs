//! One moment of a cluster as data: [`View`], and its partitions.

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

/// One consistent moment of a cluster.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Counts up with every published change.
    pub generation: u64,
    /// The cluster's own time.
    pub at: Time,
    /// The partitions in the order of the configuration.
    pub partitions: Vec<PartitionView>,
    /// Allocations since the start, over all partitions.
    pub allocations_made: u64,
    /// Allocations per second of cluster time over the last seconds.
    pub allocation_rate: f64,
    /// The active configuration, as it was written; `None` where that is unknown.
    pub configuration: Option<Arc<Configuration>>,
    /// From when on a queue has been draining for long (SCH-211); zero: never.
    pub stuck_after: Duration,
    /// The scheduler is paused: nothing happens by itself, and its time stands.
    pub paused: bool,
    /// Notices, the oldest first; only the last ones are kept.
    pub notices: Vector<Arc<Notice>>,
    /// What the cluster looked like, the oldest sample first: those of the last hour, and one a minute of the day before (SCH-230).
    pub history: Vector<Arc<Sample>>,
    /// What Kubernetes says of the objects behind all this; `None` where no cluster is asked.
    pub kubernetes: Option<Arc<Kubernetes>>,
}

/// How many notices a view has at most.
const NOTICES: usize = 200;

impl View {
    /// Adds a notice behind the others; the oldest goes where there are too many.
    pub fn add_notice(&mut self, notice: Notice) {
        self.notices.push_back(Arc::new(notice));
        if self.notices.len() > NOTICES {
            self.notices.pop_front();
        }
    }
}

/// One partition at one time. Cheap to clone: the maps share their content.
#[derive(Clone, Debug, Default)]
pub struct PartitionView {
    /// The partition's name.
    pub name: Arc<str>,
    /// The partition's state.
    pub state: QueueState,
    /// Sum of the nodes' capacities.
    pub capacity: Resource,
    /// Sum of the allocations on the nodes.
    pub allocated: Resource,
    /// Counts up when a queue is added or removed; the same number means the same tree.
    pub tree_generation: u64,
    /// Counts up when an application comes, goes or moves; the same number means the same set in the same queues.
    pub app_generation: u64,
    /// Whether asks may preempt here (SCH-150).
    pub preemption: bool,
    /// Whether maxima that are exceeded are enforced (N-01).
    pub quota_preemption: bool,
    /// By which switches they are; `None` where what is shown does not suffice to say what goes.
    pub quota_law: Option<QuotaLaw>,
    /// What the server that this was read from says will be preempted; `None` where there is no such server.
    pub quota_reported: Option<Arc<[QuotaForecast]>>,
    /// How nodes are sorted (SCH-090).
    pub node_sort: Arc<NodeSortConfig>,
    /// The active placement rules.
    pub rules: Arc<placement::Rules>,
    /// How often they decided since they are active.
    pub hits: Arc<placement::Hits>,
    /// The queues by slot; the root is in slot 0. A slot is empty after its queue no longer exists, and may be filled again.
    pub queues: Vector<Option<Arc<QueueRow>>>,
    /// The live applications by slot. A slot is empty after its application ended, and may be filled again.
    pub apps: Vector<Option<Arc<AppRow>>>,
    /// Number of live applications.
    pub live_apps: usize,
    /// Applications that ended, the oldest first: completed, failed, killed, rejected.
    pub ended: Vector<Arc<AppRow>>,
    /// The nodes by id.
    pub nodes: OrdMap<NodeId, Arc<NodeRow>>,
    /// The users with a live application, by name.
    pub users: UsageRows,
    /// The groups that live applications count under, by name.
    pub groups: UsageRows,
    /// The users that a active limit names, by name, with the queues of these limits and those above, and nothing in use.
    pub limited_users: UsageRows,
    /// The groups that a active limit names, the shared pot `*` too, likewise.
    pub limited_groups: UsageRows,
    /// What the server that this was read from says that its reader may do; `None` where there is no such server.
    pub decided: Option<Arc<ServerPermissions>>,
    /// As the view has it, for what sees one partition only.
    pub kubernetes: Option<Arc<Kubernetes>>,
    /// The values that a remote gave and that could not be read. In the rows they are 0 or absent.
    pub unknown: Arc<[Unknown]>,
}

impl PartitionView {
    /// The root queue. `None` only before the first configuration is loaded.
    pub fn root(&self) -> Option<&Arc<QueueRow>> {
        self.queue(QueueSlot(0))
    }

    /// The queue in a slot.
    pub fn queue(&self, slot: QueueSlot) -> Option<&Arc<QueueRow>> {
        self.queues.get(slot.0 as usize)?.as_ref()
    }

    /// The queue of a path, found by walking down from the root.
    pub fn queue_at(&self, path: &QueuePath) -> Option<&Arc<QueueRow>> {
        self.queue_at_text(path.as_str())
    }

    /// The same for a text in lower case, which may be anything else.
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

    /// The live application in a slot.
    pub fn app(&self, slot: AppSlot) -> Option<&Arc<AppRow>> {
        self.apps.get(slot.0 as usize)?.as_ref()
    }

    /// An application by its id: the live one, else the one that ended last under this id. Looks at all of them; meant for
    /// a question of a person, not for every frame.
    pub fn app_by_id(&self, id: &AppId) -> Option<&Arc<AppRow>> {
        let live = self.apps.iter().flatten().find(|app| app.id == *id);
        live.or_else(|| self.ended.iter().rev().find(|app| app.id == *id))
    }

    /// The live applications in a queue and below, in the order of their ids. Looks at all of them; meant for a question of a
    /// person, not for every frame.
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
