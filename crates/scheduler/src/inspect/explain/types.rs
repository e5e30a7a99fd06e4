//! An explanation as data: plain values without keys of the scheduler.

use std::sync::Arc;

pub use super::place::Place;
pub use super::remedy_types::{Remedy, RemedyEffect, RemedyKind};
pub use super::resolution::Resolution;
pub use crate::preemption::verdict::{PreemptionOutcome, PreemptionVerdict};
use crate::state::ask_log::{FailureCount, FoundSince};
use model::{AppId, AppState, AskId, NodeId, Priority, QueuePath, Resource, Time};

/// Why an application is pending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The time of the explanation.
    pub at: Time,
    /// The name of its partition.
    pub partition: Arc<str>,
    /// The application ID, unique in its partition.
    pub app: AppId,
    /// Its leaf; empty if it was rejected.
    pub queue: QueuePath,
    /// The state of the application.
    pub state: AppState,
    /// When it was submitted.
    pub submitted: Time,
    /// When it ended, if it did.
    pub finished: Option<Time>,
    /// The number of its allocations.
    pub allocations: u64,
    /// Its usage, including placeholders.
    pub total_allocated: Resource,
    /// The number of its pending requests.
    pub pending: u64,
    /// Its earliest allocations.
    pub runs: Vec<Allocated>,
    /// Of an ended application: how it ended.
    pub blockers: Vec<Blocker>,
    /// Of a rejected application, or one in the recovery queue: the results of the placement rules.
    pub submission: Vec<Blocker>,
    /// The first request of each kind, in the order of a cycle.
    pub asks: Vec<AskExplanation>,
    /// The number of requests of other kinds.
    pub left_out: u64,
}

/// An allocation of an application.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocated {
    /// The id of its request.
    pub id: AskId,
    /// `namespace/pod` in Kubernetes.
    pub pod: Option<String>,
    /// On which node.
    pub node: NodeId,
    /// When it was allocated.
    pub since: Time,
    /// What the allocation holds.
    pub resource: Resource,
    /// Whether it is a placeholder.
    pub placeholder: bool,
}

/// Why a request, and all equal ones, are pending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskExplanation {
    /// The first of the equal requests.
    pub id: AskId,
    /// `namespace/pod` in Kubernetes.
    pub pod: Option<String>,
    /// The number of equal requests, including this one.
    pub identical: u64,
    /// What it needs.
    pub resource: Resource,
    /// Its priority, before fences and offsets.
    pub priority: Priority,
    /// When it was created.
    pub created: Time,
    /// Whether it is pending.
    pub status: AskStatus,
    /// All blockers by [`Resolution`], then in the order of a cycle. Empty if the next cycle allocates it.
    pub blockers: Vec<Blocker>,
    /// The nodes for this request.
    pub nodes: NodeTally,
    /// The reserved node.
    pub reserved: Option<NodeId>,
    /// The start of the reservation.
    pub reserved_since: Option<Time>,
    /// When the unused reservation is canceled (N-04).
    pub reserved_until: Option<Time>,
    /// Until when cycles skip the application.
    pub passed_by_until: Option<Time>,
    /// The decision of the next cycle, if it concerns this request.
    pub next: Option<Decision>,
    /// The requests that are tried first.
    pub ahead: Ahead,
    /// Whether others would be preempted for it.
    pub preemption: PreemptionVerdict,
    /// Remedies: derived from the blockers, or verified in forks.
    pub remedies: Vec<Remedy>,
    /// The reasons from past cycles in the order of their first occurrence, perhaps some seconds old.
    pub causes: Vec<FailureCount>,
    /// The changes of the result of cycles, the oldest first.
    pub found: Vec<FoundSince>,
}

/// The status of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AskStatus {
    /// It has no node, and is not replacing a placeholder.
    #[default]
    Waits,
    /// It is allocated.
    Runs {
        /// The node of the allocation.
        node: NodeId,
        /// When it was allocated.
        since: Time,
    },
    /// It replaces a placeholder as soon as that is removed.
    TakesOver {
        /// The placeholder, if it still exists.
        placeholder: Option<AskId>,
        /// The node of the request.
        node: NodeId,
    },
}

/// The failed check, in the order of the checks of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockLevel {
    /// The pod has scheduling gates or an unbound claim.
    Pod,
    /// A placement rule did not accept the application, or selected another queue.
    Submission,
    /// The application ended or was rejected.
    #[default]
    Ended,
    /// The partition is stopped or has no nodes.
    Partition,
    /// A queue of its path is stopped.
    Draining,
    /// A queue on its path, or the application, has no pending resources in total.
    Nothing,
    /// Cycles skip the application for some time (D-19).
    Backoff,
    /// `stateaware`: another application of its leaf starts first.
    State,
    /// `maxapplications` of a queue was reached.
    QueueApps,
    /// The application limit of its user was reached.
    UserApps,
    /// The application limit of its group was reached.
    GroupApps,
    /// An earlier request ends every cycle.
    Stalled,
    /// It waits for a placeholder of its task group.
    Gang,
    /// A limit of its user has too little headroom.
    User,
    /// A limit of its group has too little headroom.
    Group,
    /// A maximum of a queue has too little headroom.
    Queue,
    /// No node has enough free resources.
    Node,
    /// An earlier request is allocated first.
    Priority,
}

/// One failed check. Values are of `resource` (memory in bytes, vcore in thousandths), or numbers of applications or
/// placeholders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocker {
    /// At which check.
    pub level: BlockLevel,
    /// The queue, limit, or node of the check.
    pub place: Place,
    /// The location in the configuration.
    pub line: Option<config::Place>,
    /// The resource with too little headroom.
    pub resource: Option<Arc<str>>,
    /// How much there may be.
    pub limit: i64,
    /// How much of it is in use.
    pub used: i64,
    /// The requested value.
    pub wanted: i64,
    /// The missing value.
    pub missing: i64,
    /// The holders with the largest usage, the largest first.
    pub holders: Vec<Holder>,
    /// Details: the reason of a rejection, or the state of an earlier request.
    pub detail: String,
    /// At the levels `Node` and `Partition`: what removes it.
    pub of_nodes: Resolution,
    /// If known; otherwise after the request was created.
    pub since: Option<Time>,
    /// When it ends by time alone.
    pub until: Option<Time>,
}

impl Blocker {
    pub(super) fn of(level: BlockLevel, place: Place) -> Self {
        Self { level, place, ..Self::default() }
    }
}

/// An application that uses the missing resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The id of the application.
    pub app: AppId,
    /// The full path of its leaf.
    pub queue: QueuePath,
    /// Its usage; 1 if applications are counted.
    pub amount: i64,
}

/// Why nodes do not accept a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTally {
    /// The number of nodes.
    pub total: u64,
    /// The number that accept it now.
    pub fit: u64,
    /// The number that are large enough when empty.
    pub large: u64,
    /// Of these, the nodes that its conditions allow.
    pub could: u64,
    /// The number of these that are unschedulable.
    pub closed: u64,
    /// By requested resource: the largest total of one node, and the number of nodes with it.
    pub largest: Vec<(Arc<str>, i64, u64)>,
    /// The other nodes by the first failed check, most first.
    pub failures: Vec<NodeFailures>,
    /// Of the open nodes that are large enough, otherwise of all open nodes.
    pub closest: Vec<CloseNode>,
    /// The first holders of reservations: pods, otherwise `application/ask`.
    pub holders: Vec<String>,
    /// The texts of the conditions that exclude nodes, with the number of nodes.
    pub refusals: Vec<(String, u64)>,
}

/// Nodes with the same failed check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFailures {
    /// The first failed check.
    pub reason: NodeReason,
    /// The number of nodes.
    pub count: u64,
    /// The first nodes, in the order in which they are tried.
    pub examples: Vec<NodeId>,
}

/// Why a node does not accept a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeReason {
    /// The request requires another node.
    Required,
    /// The node is unschedulable.
    Unschedulable,
    /// The node is reserved for another request.
    Reserved,
    /// The node is too small even when empty.
    Capacity,
    /// Too little is free.
    Free,
    /// The resource manager's conditions exclude it.
    Predicate,
}

/// A node, and what it lacks for a request.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseNode {
    /// The id of the node.
    pub node: NodeId,
    /// The missing resources by name, without others.
    pub shortfall: Resource,
    /// Missing even when the node is empty.
    pub too_small: Resource,
}

/// The decision of a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// For which application.
    pub app: AppId,
    /// For which ask.
    pub ask: AskId,
    /// What the cycle does for the ask.
    pub kind: DecisionKind,
    /// The node, if any.
    pub node: Option<NodeId>,
}

/// The action of a cycle for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// The ask gets its node.
    Allocate,
    /// Reserves a node for it.
    Reserve,
    /// Cancels others' reservations on its required node, then allocates or reserves.
    Claim,
    /// Replaces a placeholder.
    Replace,
    /// Preempts others for it.
    Preempt,
    /// Ends the cycle: the required node is too small.
    Stall,
}

/// The requests that are tried before a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ahead {
    /// The queues of its path with siblings that have pending requests, from the root down.
    pub queues: Vec<QueueTurn>,
    /// The number of applications in its leaf that come first.
    pub apps: u64,
    /// The first of these.
    pub first_apps: Vec<AppId>,
    /// The number of requests of its application that come first.
    pub asks: u64,
    /// The pending resources of all that comes first.
    pub pending: Resource,
}

/// The position of a queue among its siblings.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueTurn {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// Its position, from 1.
    pub place: u64,
    /// The number of siblings with pending requests, including itself.
    pub of: u64,
    /// Its priority among them.
    pub priority: Priority,
    /// Its fair share: usage over guaranteed resources, the largest first.
    pub share: Vec<f64>,
    /// The sibling directly before it.
    pub before: Option<(QueuePath, Priority, Vec<f64>)>,
}
