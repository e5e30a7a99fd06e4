//! The rows of a view: one queue, one application, one ask, one node, each as it was at that time.

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

/// Where a queue's row is in its partition's view; the root's is 0.
pub use scheduler::index::QueueKey as QueueSlot;

/// Why asks were not allocated, and what applications have used.
pub use scheduler::state::ask_log::{AskLog, Failure, FailureCount, FoundSince, TryResult};
pub use scheduler::usage::tracked_resources::{ByInstance, TrackedResources};

/// What another scheduler runs on a node.
pub use scheduler::ForeignAllocation;

/// Where a live application's row is in its partition's view.
pub use scheduler::index::AppKey as AppSlot;

/// One queue with all that pages show of it.
#[derive(Clone, Debug, Default)]
pub struct QueueRow {
    /// The row's own slot.
    pub slot: QueueSlot,
    /// The full path.
    pub path: QueuePath,
    /// The parent's slot; `None` for the root.
    pub parent: Option<QueueSlot>,
    /// The children by name.
    pub children: Arc<[QueueSlot]>,
    /// Takes applications; otherwise it takes queues.
    pub leaf: bool,
    /// Stands in the configuration; otherwise it is dynamic.
    pub managed: bool,
    /// Active, draining or stopped.
    pub state: QueueState,
    /// When it entered the state.
    pub state_since: Time,
    /// It was in the state already when it was first seen, at `state_since`: its age is at least that.
    pub state_before: bool,
    /// Its priority and how it came about.
    pub priority: PriorityRow,
    /// Running applications, here and below.
    pub running: u64,
    /// The most that may run, here and below.
    pub max_running: Option<u64>,
    /// Accepted applications that already hold a placeholder or a reservation; they count towards the maximum (SCH-110).
    pub allocating_accepted: u64,
    /// Which those are, by id.
    pub allocating_apps: Arc<[AppId]>,
    /// All live applications, here and below, in any state.
    pub app_count: u64,
    /// The applications of a leaf.
    pub apps: OrdSet<AppSlot>,
    /// In use, here and below.
    pub allocated: Resource,
    /// Asked for and not yet allocated, here and below.
    pub pending: Resource,
    /// Being preempted, here and below; still part of `allocated`.
    pub preempting: Resource,
    /// When its maximum is enforced, if it is still exceeded then (N-01); `None` also where a remote does not report.
    pub quota_due: Option<Time>,
    /// The queue's own guarantee.
    pub guaranteed: Option<Resource>,
    /// The queue's own maximum; for the root the sum of the nodes.
    pub max: Option<Resource>,
    /// What only a reload changes.
    pub settings: Arc<QueueSettings>,
}

/// The priority of a queue, and how it came about (SCH-062, SCH-063).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriorityRow {
    /// The highest priority inside the queue.
    pub raw: Priority,
    /// What its parent sees.
    pub current: Priority,
    /// `priority.offset`, its own.
    pub offset: i32,
    /// `priority.policy`, its own: a fence or not.
    pub policy: PriorityPolicy,
}

/// The settings of a queue: what only a reload changes.
#[derive(Clone, Debug, Default)]
pub struct QueueSettings {
    /// Where the queue is in the configuration; `None` for a dynamic one.
    pub at: Option<Place>,
    /// The effective properties, by key.
    pub properties: Vec<PropertyRow>,
    /// How applications are sorted in a leaf.
    pub app_sort: AppSortPolicy,
    /// Whether priority comes first when sorting (`application.sort.priority`).
    pub sort_by_priority: bool,
    /// What preemption may do here (`preemption.policy`).
    pub preemption_policy: PreemptionPolicy,
    /// How long an ask waits before it may preempt (`preemption.delay`).
    pub preemption_delay: Duration,
    /// How long it may be above its maximum (`quota.preemption.delay`); 0 is for ever.
    pub quota_preemption_delay: Duration,
    /// The queue's own admin ACL.
    pub admin_acl: Acl,
    /// The queue's own submit ACL.
    pub submit_acl: Acl,
    /// What dynamic leaves below it get, with the queue it is from.
    pub template: Option<(QueuePath, Arc<config::TemplateConfig>)>,
    /// The limits of users and groups active that are written on the queue.
    pub limits: Arc<scheduler::usage::QueueLimits>,
}

/// One effective property of a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PropertyRow {
    /// The key as the configuration writes it.
    pub key: String,
    /// The value as written.
    pub value: String,
    /// Where it comes from.
    pub from: Origin,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Written on a queue in the configuration.
    Queue(QueuePath, Place),
    /// Taken from the child template of a queue.
    Template(QueuePath),
}

/// One application with all that pages show of it.
#[derive(Clone, Debug, Default)]
pub struct AppRow {
    /// Until when the cycles of a remote scheduler skip it, since too many of its asks found no node (D-19); that may be over.
    pub backoff_until: Option<Time>,
    /// The row's own slot; of no meaning for an application that ended.
    pub slot: AppSlot,
    /// The id that it was submitted with, unique in its partition.
    pub id: AppId,
    /// The leaf it is or was in; empty text for a rejected one.
    pub queue: QueuePath,
    /// Who submitted it.
    pub who: Identity,
    /// The group whose limits apply to it.
    pub group: AppGroup,
    /// `maxapplications` of a queue keeps it from starting to run (SCH-114).
    pub blocked_by_queue: bool,
    /// A limit of its user or group does.
    pub blocked_by_limits: bool,
    /// Where it is in its life.
    pub state: AppState,
    /// When it was submitted.
    pub submitted: Time,
    /// When it first ran.
    pub started: Option<Time>,
    /// When it ended.
    pub finished: Option<Time>,
    /// The highest priority of its pending asks (SCH-061).
    pub priority: Priority,
    /// What its allocations hold, placeholders omitted.
    pub allocated: Resource,
    /// What its placeholders hold.
    pub placeholder: Resource,
    /// Asked for and not yet allocated.
    pub pending: Resource,
    /// Task groups that placeholders were requested, by name (SCH-141).
    pub task_groups: Vector<TaskGroupRow>,
    /// What the submitter wrote next to it, as `namespace`.
    pub tags: Arc<BTreeMap<String, String>>,
    /// Pending asks and allocations, in order of arrival.
    pub asks: OrdMap<u64, Arc<AskRow>>,
    /// What there is to say about asks next to their rows, by arrival; only asks of which there is something.
    pub notes: OrdMap<u64, Arc<AskNotes>>,
    /// The most that it had allocated at one time, name by name.
    pub max_allocated: Resource,
    /// What it has used that has ended.
    pub past: Arc<TrackedResources>,
    /// Number of pending asks among them.
    pub pending_asks: u32,
    /// Every state entered, the oldest first.
    pub log: Vector<StateChange>,
    /// Why it was rejected, failed or killed.
    pub message: Option<Arc<str>>,
    /// The queue that was requested; may be empty.
    pub requested: Arc<str>,
    /// How it got into its first queue, or why to none; `None` where that is unknown.
    pub placement: Option<Arc<scheduler::placement::Record>>,
}

/// The group that an application counts under (LIM-030).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AppGroup {
    /// Not decided: it has not been tried yet, or has nothing left.
    #[default]
    Undecided,
    /// None: no limit matched when it was decided.
    Ungrouped,
    /// This one; `*` is the shared pot of those whom no limit names.
    Group(Arc<str>),
}

/// A state entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateChange {
    /// When the state was entered.
    pub at: Time,
    /// The state that was entered.
    pub state: AppState,
}

/// One task group of a gang.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskGroupRow {
    /// The name as the application gives it.
    pub name: Arc<str>,
    /// The number of requested placeholders.
    pub count: u64,
    /// Placeholders that gave way to a real ask.
    pub replaced: u64,
    /// Placeholders that ended, or never came, without giving way.
    pub timed_out: u64,
    /// The size of the first placeholder.
    pub min_resource: Resource,
}

/// One ask, pending or allocated.
#[derive(Clone, Debug)]
pub struct AskRow {
    /// The id, which is also the allocation's.
    pub id: AskId,
    /// What is wanted.
    pub resource: Resource,
    /// The priority that it asks with, before fences and offsets.
    pub priority: Priority,
    /// When it was asked.
    pub created: Time,
    /// Pending or allocated.
    pub state: AskState,
    /// Holds room for a gang.
    pub placeholder: bool,
    /// The task group, if any.
    pub task_group: Option<Arc<str>>,
    /// The only node that will do, if any.
    pub required_node: Option<NodeId>,
    /// What the resource manager says of it.
    pub tags: Tags,
    /// Why it waits, in the words of a scheduler elsewhere.
    pub said: Option<Arc<str>>,
}

impl AskRow {
    /// What people call it: the pod that it represents, else its id.
    pub fn name(&self) -> Cow<'_, str> {
        self.tags.pod().map_or(Cow::Borrowed(self.id.as_str()), Cow::Owned)
    }
}

/// What there is to say about an ask next to its row: what a person seldom examines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AskNotes {
    /// Why it was not allocated so far; its counts may be behind by some seconds.
    pub log: AskLog,
    /// When the placeholder was requested that it took over from.
    pub replaced: Option<Time>,
    /// It started its application (SCH-158).
    pub originator: bool,
    /// It offers itself as a victim (SCH-158).
    pub offers_itself: bool,
    /// It is being preempted (SCH-161).
    pub preempted: bool,
    /// The resource manager was asked to stop it.
    pub released: bool,
    /// Others were preempted for it.
    pub preempted_others: bool,
    /// The application that has its turn first, for [`PendingReason::Turn`].
    pub behind: Option<AppId>,
}

/// What became of an ask so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskState {
    /// It has no node.
    Pending {
        /// Why, as far as a cycle has examined it.
        reason: PendingReason,
        /// The node that is kept for it (SCH-084).
        reserved: Option<NodeId>,
    },
    /// Has been given a node.
    Allocated {
        /// Where it runs.
        node: NodeId,
        /// Since when; `None` where a remote does not report.
        since: Option<Time>,
        /// The count of the partition's allocations when it was made; 0 where a remote does not report.
        number: u64,
    },
}

/// Why an ask waits: what the last cycle that tried it found (SCH-082).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PendingReason {
    /// No cycle has tried it yet: others are before it.
    #[default]
    NotTried,
    /// A queue of its path has no room (SCH-082.5).
    QueueQuota,
    /// A user or group limit has no room (SCH-082.3).
    UserQuota,
    /// It fits its queue, but no node has room (SCH-082.7).
    NoNode,
    /// It is to take over from a placeholder of its task group (SCH-082.2).
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
    /// What is allocated on it.
    pub allocated: Resource,
    /// What others use of it.
    pub occupied: Resource,
    /// Whether it takes new allocations.
    pub schedulable: bool,
    /// Why nothing is bound there, where the cluster says so and not the scheduler: `cordoned`, `not ready`.
    pub closed: Option<Arc<str>>,
    /// Attributes given by the resource manager.
    pub attributes: Arc<BTreeMap<String, String>>,
    /// Running allocations there, in order of allocation.
    pub allocations: OrdMap<u64, NodeAllocation>,
    /// What other schedulers run there, as far as that is reported.
    pub foreign: Arc<Vec<ForeignAllocation>>,
    /// The asks that it is kept for (SCH-084).
    pub reservations: Arc<[(AppId, AskId)]>,
}

impl NodeRow {
    /// Whether it takes new allocations, as far as the scheduler and the cluster say it.
    pub fn is_open(&self) -> bool {
        self.schedulable && self.closed.is_none()
    }

    /// What is left of it: capacity less allocated less occupied (SCH-015).
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
    /// The pod that it represents, as `namespace/pod`.
    pub pod: Option<Arc<str>>,
    /// What it uses.
    pub resource: Resource,
    /// Since when; `None` where a remote does not report.
    pub since: Option<Time>,
}

impl NodeAllocation {
    /// What people call it: the pod that it represents, else the id of its ask.
    pub fn name(&self) -> &str {
        self.pod.as_deref().unwrap_or(self.ask.as_str())
    }
}
