//! An explanation as data: plain values, ids and amounts, no keys of the scheduler.

use std::sync::Arc;

pub use super::mending::Mending;
pub use super::place::Place;
pub use super::remedy_types::{Remedy, RemedyEffect, RemedyKind};
pub use crate::preemption::verdict::{PreemptionOutcome, PreemptionVerdict};
use crate::state::ask_log::{FailureCount, FoundSince};
use model::{AppId, AppState, AskId, NodeId, Priority, QueuePath, Resource, Time};

/// Why an application waits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Explanation {
    /// The moment for which it holds.
    pub at: Time,
    /// The name of its partition.
    pub partition: Arc<str>,
    /// The id of the application, unique in its partition.
    pub app: AppId,
    /// Its leaf; empty for one that was rejected.
    pub queue: QueuePath,
    /// The state of the application.
    pub state: AppState,
    /// When it was submitted.
    pub submitted: Time,
    /// When it ended.
    pub finished: Option<Time>,
    /// How many allocations it has.
    pub allocations: u64,
    /// What they hold, placeholders included.
    pub holds: Resource,
    /// How many asks wait.
    pub pending: u64,
    /// Its allocations, the first ones made.
    pub runs: Vec<Held>,
    /// Of an application that ended: how.
    pub blockers: Vec<Blocker>,
    /// Of one that was rejected, or is in the recovery queue: what each placement rule came to, in their order.
    pub submission: Vec<Blocker>,
    /// Its asks, in the order in which a cycle tries them; the first of each kind.
    pub asks: Vec<AskExplanation>,
    /// How many asks are not among `asks` and like none of them.
    pub left_out: u64,
}

/// What an application got.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The id of the ask that became the allocation.
    pub id: AskId,
    /// The namespace and name of the pod that it represents, in Kubernetes.
    pub pod: Option<String>,
    /// On which node.
    pub node: NodeId,
    /// When it was allocated.
    pub since: Time,
    /// What the allocation holds.
    pub resource: Resource,
    /// It only holds the place of a task.
    pub placeholder: bool,
}

/// Why one ask waits, and so all that are like it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskExplanation {
    /// The ask; the first of those that are alike.
    pub id: AskId,
    /// The namespace and name of the pod that it represents, in Kubernetes.
    pub pod: Option<String>,
    /// How many are alike, this one included.
    pub identical: u64,
    /// What it needs.
    pub resource: Resource,
    /// The priority of the ask, before fences and offsets.
    pub priority: Priority,
    /// When it was asked: it has waited since.
    pub created: Time,
    /// Whether it waits at all.
    pub status: AskStatus,
    /// Everything that keeps it from being allocated, ordered by [`Mending`], then as a cycle finds it. Empty: the next cycle serves it.
    pub blockers: Vec<Blocker>,
    /// What the nodes have for it.
    pub nodes: NodeTally,
    /// The node that is reserved for it.
    pub reserved: Option<NodeId>,
    /// Since when it is.
    pub reserved_since: Option<Time>,
    /// When that reservation is given up, if it is not used before (N-04).
    pub reserved_until: Option<Time>,
    /// Until when cycles pass the application by, because they would find the same as before: nothing that it waits for has changed.
    pub passed_by_until: Option<Time>,
    /// What the next cycle does, if it does that for this ask.
    pub next: Option<Decision>,
    /// What precedes it.
    pub ahead: Ahead,
    /// Whether others would be preempted for it.
    pub preemption: PreemptionVerdict,
    /// Remedies: worked out from the blockers, or, where forks are tried, those that let it run in one.
    pub remedies: Vec<Remedy>,
    /// What cycles found so far, in the order in which each was found first. Counts may be some seconds behind.
    pub causes: Vec<FailureCount>,
    /// How what cycles found has changed, the oldest first.
    pub found: Vec<FoundSince>,
}

/// What became of an ask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AskStatus {
    /// It has no node, and none is promised.
    #[default]
    Waits,
    /// It has a node.
    Runs {
        /// The node of the allocation.
        node: NodeId,
        /// When it was allocated.
        since: Time,
    },
    /// It takes over from a placeholder, as soon as that no longer exists.
    TakesOver {
        /// The placeholder, if it is still there.
        placeholder: Option<AskId>,
        /// Where it goes.
        node: NodeId,
    },
}

/// The check of a cycle that an ask fails, in the order of the checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockLevel {
    /// The pod of the ask is not requested yet: it has scheduling gates, or a claim of it is not bound.
    Pod,
    /// A placement rule did not let the application in, or not into the queue that it wanted.
    Submission,
    /// The application ended, or was never let in.
    #[default]
    Ended,
    /// The partition is stopped, or has no node at all.
    Partition,
    /// A queue of its path is stopped.
    Draining,
    /// A queue of its path, or the application, requests nothing on balance: a cycle does not look at it.
    Nothing,
    /// Too many asks of its application found no node, so cycles do not try the application for a while (D-19).
    Backoff,
    /// `stateaware`: another application of its leaf starts first.
    State,
    /// `maxapplications` of a queue is reached.
    QueueApps,
    /// The application limit of its user is.
    UserApps,
    /// The application limit of its group is.
    GroupApps,
    /// An ask before it stops the cycle, every time.
    Stalled,
    /// It waits for a placeholder of its task group.
    Gang,
    /// A limit of its user has too little left.
    User,
    /// A limit of its group has.
    Group,
    /// A maximum of a queue has.
    Queue,
    /// No node has room for it.
    Node,
    /// Something that can be served precedes it.
    Priority,
}

/// One failed check. Amounts are those of `resource` (memory in bytes, vcore in thousandths), or numbers of
/// applications or placeholders where that is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocker {
    /// At which check.
    pub level: BlockLevel,
    /// What the check is about: a queue, a limit, a node.
    pub place: Place,
    /// Where it is written in the configuration.
    pub line: Option<config::Place>,
    /// The resource of which too little is left.
    pub resource: Option<Arc<str>>,
    /// How much there may be.
    pub limit: i64,
    /// How much of it is in use.
    pub used: i64,
    /// How much the ask needs.
    pub wanted: i64,
    /// How much more there would have to be.
    pub missing: i64,
    /// Who has most of it, the largest first.
    pub holders: Vec<Holder>,
    /// More details: why it was rejected, or the state of the ask before it.
    pub detail: String,
    /// At the levels `Node` and `Partition`: what takes it away.
    pub of_nodes: Mending,
    /// Since when it is in the way, where that is known; else since an unknown moment after the ask was made.
    pub since: Option<Time>,
    /// When it ends by time alone.
    pub until: Option<Time>,
}

impl Blocker {
    /// A blocker without figures.
    pub(super) fn of(level: BlockLevel, place: Place) -> Self {
        Self { level, place, ..Self::default() }
    }
}

/// An application that has some of the missing resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The id of the application.
    pub app: AppId,
    /// The full path of its leaf.
    pub queue: QueuePath,
    /// How much; 1 where applications are counted.
    pub amount: i64,
}

/// Why nodes do not take an ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTally {
    /// How many nodes there are.
    pub total: u64,
    /// How many have room for it now.
    pub fit: u64,
    /// How many are large enough for it when they are empty.
    pub large: u64,
    /// How many of these its conditions let it go to, once there is room.
    pub could: u64,
    /// How many of these are unschedulable.
    pub closed: u64,
    /// The largest total amount of each resource that it needs on one node, and how many nodes have any of it.
    pub largest: Vec<(Arc<str>, i64, u64)>,
    /// The others by the first check that they fail, most first.
    pub failures: Vec<NodeFailures>,
    /// The nodes that lack least, of the open nodes that are large enough; else of all open nodes.
    pub closest: Vec<CloseNode>,
    /// For whom nodes are reserved, the first few: pods, else `application/ask`.
    pub holders: Vec<String>,
    /// The words of the resource manager's conditions that keep it from nodes, each with how many nodes, most first.
    pub refusals: Vec<(String, u64)>,
}

/// Nodes that fail the same check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeFailures {
    /// The first check that they fail.
    pub reason: NodeReason,
    /// How many nodes fail it first.
    pub count: u64,
    /// The first few of them, in the order in which they are tried.
    pub examples: Vec<NodeId>,
}

/// Why a node does not take an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeReason {
    /// The ask requires another one.
    Required,
    /// It is drained.
    Unschedulable,
    /// It is reserved for another ask.
    Reserved,
    /// It is too small even when empty.
    Capacity,
    /// Too little of it is free.
    Free,
    /// The resource manager's conditions keep the ask away.
    Predicate,
}

/// A node, and what it lacks for an ask.
#[derive(Clone, Debug, PartialEq)]
pub struct CloseNode {
    /// The id of the node.
    pub node: NodeId,
    /// What is missing, name by name; nothing else is in it.
    pub shortfall: Resource,
    /// What of that it lacks even when empty.
    pub too_small: Resource,
}

/// What a cycle does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// For which application.
    pub app: AppId,
    /// For which ask.
    pub ask: AskId,
    /// What the cycle does for the ask.
    pub kind: DecisionKind,
    /// On which node.
    pub node: Option<NodeId>,
}

/// What a cycle does for an ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// The ask gets its node.
    Allocate,
    /// Reserves a node for it.
    Reserve,
    /// Does away with the reservations of others on the node that it requires, then allocates or reserves.
    Claim,
    /// Has it take over from a placeholder.
    Replace,
    /// Preempts others for it.
    Preempt,
    /// Nothing, and ends there: it is too large for the node that it requires.
    Stall,
}

/// What is tried before an ask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ahead {
    /// The queues of its path that have siblings with pending asks, from the root down, each with where it stands.
    pub queues: Vec<QueueTurn>,
    /// How many applications of its leaf precede its own.
    pub apps: u64,
    /// The first few of these.
    pub first_apps: Vec<AppId>,
    /// How many asks of its application precede it.
    pub asks: u64,
    /// What all that precedes it requests.
    pub pending: Resource,
}

/// Where a queue is among its siblings.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueTurn {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// Its place among its siblings, from 1.
    pub place: u64,
    /// How many siblings request something, itself included.
    pub of: u64,
    /// Its priority among them.
    pub priority: Priority,
    /// Its fair share: usage over guarantee, the largest first.
    pub share: Vec<f64>,
    /// The sibling right before it.
    pub before: Option<(QueuePath, Priority, Vec<f64>)>,
}
