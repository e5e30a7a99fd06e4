//! The rows of a view: queues, applications, requests, and nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use imbl::{OrdMap, OrdSet, Vector};

use config::Place;
use config::{AppSortPolicy, PreemptionPolicy};
use model::{
    Acl, AppId, AppState, AskId, Identity, NodeId, Priority, PriorityPolicy, QueuePath, QueueState, Resource, Tags,
    Time,
};

/// The slot of a queue in its partition's view; the root is in slot 0.
pub use scheduler::index::QueueKey as QueueSlot;

/// Why requests were not allocated, and what applications have used.
pub use scheduler::state::ask_log::{AskLog, Failure, FailureCount, FoundSince, TryResult};
pub use scheduler::usage::tracked_resources::{ByInstance, TrackedResources};

/// A foreign pod on a node.
pub use scheduler::ForeignAllocation;

/// The slot of an active application in its partition's view.
pub use scheduler::index::AppKey as AppSlot;

/// One queue with all that pages show of it.
#[derive(Clone, Debug, Default)]
pub struct QueueRow {
    /// The queue's slot.
    pub slot: QueueSlot,
    /// The full path.
    pub path: QueuePath,
    /// `None` for the root.
    pub parent: Option<QueueSlot>,
    /// The children by name.
    pub children: Arc<[QueueSlot]>,
    /// Whether it is a leaf; otherwise it is a parent.
    pub leaf: bool,
    /// Whether it is in the configuration; otherwise it is dynamic.
    pub managed: bool,
    /// Active, draining or stopped.
    pub state: QueueState,
    /// When it entered the state.
    pub state_since: Time,
    /// It was already in the state when first observed at `state_since`: the age is a minimum.
    pub state_before: bool,
    /// The priority and its derivation.
    pub priority: PriorityRow,
    /// Running applications in the subtree.
    pub running: u64,
    /// The maximum of running applications in the subtree.
    pub max_running: Option<u64>,
    /// Accepted applications with a placeholder or a reservation; they count toward the maximum (SCH-110).
    pub allocating_accepted: u64,
    /// The ids of those applications.
    pub allocating_apps: Arc<[AppId]>,
    /// All active applications in the subtree.
    pub app_count: u64,
    /// The applications of a leaf.
    pub apps: OrdSet<AppSlot>,
    /// The usage of the subtree.
    pub allocated: Resource,
    /// The pending resources of the subtree.
    pub pending: Resource,
    /// Resources in preemption in the subtree; still part of `allocated`.
    pub preempting: Resource,
    /// When its maximum will be enforced (N-01), if known.
    pub quota_due: Option<Time>,
    /// The queue's own guaranteed resources.
    pub guaranteed: Option<Resource>,
    /// The queue's own maximum; for the root, the sum of the nodes.
    pub max: Option<Resource>,
    /// The settings, which only a reload changes.
    pub settings: Arc<QueueSettings>,
}

/// The priority of a queue and its derivation (SCH-062, SCH-063).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriorityRow {
    /// The highest priority inside the queue.
    pub raw: Priority,
    /// The priority that the parent sees.
    pub current: Priority,
    /// The queue's own `priority.offset`.
    pub offset: i32,
    /// The queue's own `priority.policy`.
    pub policy: PriorityPolicy,
}

/// The settings of a queue, which only a reload changes.
#[derive(Clone, Debug, Default)]
pub struct QueueSettings {
    /// The location in the configuration; `None` for a dynamic queue.
    pub at: Option<Place>,
    /// The effective properties, by key.
    pub properties: Vec<PropertyRow>,
    /// The sort policy for the applications of a leaf.
    pub app_sort: AppSortPolicy,
    /// Whether priority comes first when sorting (`application.sort.priority`).
    pub sort_by_priority: bool,
    /// What preemption may do here (`preemption.policy`).
    pub preemption_policy: PreemptionPolicy,
    /// The minimum wait before a request may preempt (`preemption.delay`).
    pub preemption_delay: Duration,
    /// The maximum time above the maximum (`quota.preemption.delay`); 0 disables quota preemption.
    pub quota_preemption_delay: Duration,
    /// The queue's own admin ACL.
    pub admin_acl: Acl,
    /// The queue's own submit ACL.
    pub submit_acl: Acl,
    /// The template for dynamic leaves in the subtree, with its queue.
    pub template: Option<(QueuePath, Arc<config::TemplateConfig>)>,
    /// The active user and group limits that are set on the queue.
    pub limits: Arc<scheduler::usage::QueueLimits>,
}

/// An effective property of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyRow {
    /// The key in the configuration.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// The origin of the value.
    pub from: Origin,
}

/// The origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Set on a queue in the configuration.
    Queue(QueuePath, Place),
    /// From the child template of a queue.
    Template(QueuePath),
}

/// One application with all that pages show of it.
#[derive(Clone, Debug, Default)]
pub struct AppRow {
    /// The end of the backoff of a remote scheduler for this application, because too many of its requests found no
    /// node (D-19); may be past.
    pub backoff_until: Option<Time>,
    /// The application's slot; meaningless after its end.
    pub slot: AppSlot,
    /// The id, unique in its partition.
    pub id: AppId,
    /// The current or last leaf; empty for a rejected application.
    pub queue: QueuePath,
    /// Who submitted it.
    pub who: Identity,
    /// The group with the limits of the application.
    pub group: AppGroup,
    /// `maxapplications` of a queue blocks its start (SCH-114).
    pub blocked_by_queue: bool,
    /// A user or group limit blocks its start.
    pub blocked_by_limits: bool,
    /// Where it is in its life.
    pub state: AppState,
    /// When it was submitted.
    pub submitted: Time,
    /// When it first ran.
    pub started: Option<Time>,
    /// When it ended.
    pub finished: Option<Time>,
    /// The highest priority of its pending requests (SCH-061).
    pub priority: Priority,
    /// The resources of its allocations without placeholders.
    pub allocated: Resource,
    /// The resources of its placeholders.
    pub placeholder: Resource,
    /// The pending resources.
    pub pending: Resource,
    /// The task groups with requested placeholders, by name (SCH-141).
    pub task_groups: Vector<TaskGroupRow>,
    /// The tags of the submission, for example `namespace`.
    pub tags: Arc<BTreeMap<String, String>>,
    /// Pending requests and allocations, by arrival.
    pub asks: OrdMap<u64, Arc<AskRow>>,
    /// The notes of requests, by arrival; most requests have none.
    pub notes: OrdMap<u64, Arc<AskNotes>>,
    /// The peak of its allocated resources, per resource.
    pub max_allocated: Resource,
    /// The tracked resources of its ended allocations.
    pub past: Arc<TrackedResources>,
    /// The number of pending requests.
    pub pending_asks: u32,
    /// The state changes, the oldest first.
    pub log: Vector<StateChange>,
    /// Why it was rejected, failed or killed.
    pub message: Option<Arc<str>>,
    /// The requested queue; may be empty.
    pub requested: Arc<str>,
    /// The placement into its first queue, or the rejection; `None` if unknown.
    pub placement: Option<Arc<scheduler::placement::Record>>,
}

/// The group that an application counts under (LIM-030).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AppGroup {
    /// Not decided: not tried yet, or nothing left.
    #[default]
    Undecided,
    /// No limit matched at the decision.
    Ungrouped,
    /// `*` is the shared wildcard limit.
    Group(Arc<str>),
}

/// A state change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChange {
    /// The time of the change.
    pub at: Time,
    /// The new state.
    pub state: AppState,
}

/// A task group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGroupRow {
    /// The name as the application gives it.
    pub name: Arc<str>,
    /// The number of requested placeholders.
    pub count: u64,
    /// The number of replaced placeholders.
    pub replaced: u64,
    /// The number of placeholders that ended or were never allocated, without replacement.
    pub timed_out: u64,
    /// The size of the first placeholder.
    pub min_resource: Resource,
}

/// A request, pending or allocated.
#[derive(Clone, Debug)]
pub struct AskRow {
    /// The id of the request and of its allocation.
    pub id: AskId,
    /// The requested resources.
    pub resource: Resource,
    /// The priority before fences and offsets.
    pub priority: Priority,
    /// The creation time.
    pub created: Time,
    /// Pending or allocated.
    pub state: AskState,
    /// Whether it is a placeholder.
    pub placeholder: bool,
    /// The task group, if any.
    pub task_group: Option<Arc<str>>,
    /// The required node, if any.
    pub required_node: Option<NodeId>,
    /// The tags from the resource manager.
    pub tags: Tags,
    /// The reason of a remote scheduler for the wait.
    pub reported: Option<Arc<str>>,
}

impl AskRow {
    /// The display name: the pod, or else the id.
    pub fn name(&self) -> Cow<'_, str> {
        self.tags.pod().map_or(Cow::Borrowed(self.id.as_str()), Cow::Owned)
    }
}

/// Rarely needed details of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskNotes {
    /// Why it was not allocated; the counts can lag by seconds.
    pub log: AskLog,
    /// The creation time of the placeholder that it replaced.
    pub replaced: Option<Time>,
    /// It is the originator of its application (SCH-158).
    pub originator: bool,
    /// It opts in to preemption (SCH-158).
    pub offers_itself: bool,
    /// It is being preempted (SCH-161).
    pub preempted: bool,
    /// The resource manager was asked to stop it.
    pub released: bool,
    /// Allocations were preempted for it.
    pub preempted_others: bool,
    /// The application that has its turn first, for [`PendingReason::Turn`].
    pub behind: Option<AppId>,
}

/// The state of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskState {
    /// Without a node.
    Pending {
        /// The result of the last cycle.
        reason: PendingReason,
        /// The reserved node (SCH-084).
        reserved: Option<NodeId>,
    },
    /// With a node.
    Allocated {
        /// Where it runs.
        node: NodeId,
        /// The allocation time; `None` if a remote does not report it.
        since: Option<Time>,
        /// The partition's allocation counter at its creation; 0 if a remote does not report it.
        number: u64,
    },
}

/// Why a request waits: the result of the last cycle that tried it (SCH-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PendingReason {
    /// No cycle has tried it yet.
    #[default]
    NotTried,
    /// It does not fit a queue of its path (SCH-082.5).
    QueueQuota,
    /// It does not fit a user or group limit (SCH-082.3).
    UserQuota,
    /// It fits its queue, but no node (SCH-082.7).
    NoNode,
    /// It will replace a placeholder of its task group (SCH-082.2).
    Placeholder,
    /// It fits, but a blocked ask has its turn first; [`AskNotes::behind`] names it.
    Turn,
}

/// One node with all that pages show of it.
#[derive(Clone, Debug)]
pub struct NodeRow {
    /// The id that it was registered with.
    pub id: NodeId,
    /// What it has.
    pub capacity: Resource,
    /// The allocated resources.
    pub allocated: Resource,
    /// The resources of foreign pods.
    pub occupied: Resource,
    /// Whether the scheduler uses it for new allocations.
    pub schedulable: bool,
    /// Why the cluster binds no pods to it: `cordoned`, `not ready`.
    pub closed: Option<Arc<str>>,
    /// The attributes from the resource manager.
    pub attributes: Arc<BTreeMap<String, String>>,
    /// The allocations, in order of allocation.
    pub allocations: OrdMap<u64, NodeAllocation>,
    /// The reported foreign pods.
    pub foreign: Arc<Vec<ForeignAllocation>>,
    /// The reservations (SCH-084).
    pub reservations: Arc<[(AppId, AskId)]>,
}

impl NodeRow {
    /// Whether both the scheduler and the cluster allow new allocations.
    pub fn is_open(&self) -> bool {
        self.schedulable && self.closed.is_none()
    }

    /// Capacity minus allocated minus occupied (SCH-015).
    pub fn available(&self) -> Resource {
        self.capacity.sub(&self.allocated).sub(&self.occupied)
    }
}

/// An allocation on a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeAllocation {
    /// Whose it is.
    pub app: AppId,
    /// Which of its asks.
    pub ask: AskId,
    /// The pod, as `namespace/pod`.
    pub pod: Option<Arc<str>>,
    /// What it uses.
    pub resource: Resource,
    /// The allocation time; `None` if a remote does not report it.
    pub since: Option<Time>,
}

impl NodeAllocation {
    /// The display name: the pod, or else the id of the request.
    pub fn name(&self) -> &str {
        self.pod.as_deref().unwrap_or(self.ask.as_str())
    }
}
