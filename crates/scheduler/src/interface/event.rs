//! The events of a scheduler.

use std::sync::Arc;
use std::time::Duration;

use crate::interface::denial::Denial;
use crate::interface::grounds::PreemptionGrounds;
use crate::usage::Side;
use model::{Acl, AppId, AppState, AskId, NodeId, QueuePath, QueueState, Resource, Time};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The time of the command or timer that caused it.
    pub at: Time,
    /// The event with its values.
    pub kind: EventKind,
}

impl Event {
    /// Creates an event.
    pub const fn new(at: Time, kind: EventKind) -> Self {
        Self { at, kind }
    }

    /// Whether another cycle may find more after this event (SCH-043).
    pub const fn is_activity(&self) -> bool {
        matches!(self.kind, EventKind::Allocated { .. } | EventKind::Replacing { .. })
    }
}

/// The kinds of events. The first group answers commands and is printed in traces.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The configuration was applied.
    ConfigAccepted,
    /// The configuration was rejected; the previous one is active.
    ConfigRejected {
        /// The reason for the user.
        message: String,
    },
    /// The node was registered, changed, drained, or resumed.
    NodeAccepted {
        /// The id of the node.
        node: NodeId,
    },
    /// The node command was rejected.
    NodeRejected {
        /// The id of the node.
        node: NodeId,
        /// The reason for the user.
        message: String,
    },
    /// The application was placed.
    AppAccepted {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the queue.
        queue: QueuePath,
    },
    /// The application was rejected.
    AppRejected {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The reason for the user.
        message: String,
    },
    /// The request was rejected.
    AskRejected {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The reason for the user.
        message: String,
    },
    /// A request was allocated.
    Allocated {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The node that it is on.
        node: NodeId,
        /// The resources of the request.
        resource: Resource,
        /// The queue, user, and group under which it counts.
        holder: Holder,
        /// Whether it is a placeholder.
        placeholder: bool,
        /// Whether it replaces a placeholder on this node, where only the difference is released.
        in_place: bool,
    },
    /// An allocation ended.
    Released {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The node that it ran on.
        node: NodeId,
        /// Why it went.
        reason: ReleaseReason,
        /// The resources of the request.
        resource: Resource,
        /// The queue, user, and group under which it counted.
        holder: Holder,
        /// Whether a replacement uses its node resources.
        in_place: bool,
    },
    /// A kill or move was rejected.
    Denied {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The failed check and the reason, as text.
        message: String,
        /// The same as data.
        why: Denial,
    },
    /// The application was moved.
    Moved {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The previous leaf.
        from: QueuePath,
        /// The new leaf.
        queue: QueuePath,
        /// The user of the command.
        by: Arc<str>,
    },
    /// The application was killed.
    Killed {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the leaf that it was in.
        queue: QueuePath,
        /// The user of the command.
        by: Arc<str>,
        /// The reason; may be empty.
        reason: Arc<str>,
    },
    /// Another command failed because an object that it names does not exist.
    Refused {
        /// The reason for the user.
        message: String,
    },

    /// A node was reserved for a request.
    Reserved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// The reserved resources.
        resource: Resource,
    },
    /// The reservation of a node for a request ended.
    Unreserved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// The resources that were reserved.
        resource: Resource,
    },
    /// A request is pending.
    AskAdded {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How much it needs.
        resource: Resource,
    },
    /// A pending request was removed.
    AskRemoved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The reason: stopped or timeout.
        reason: ReleaseReason,
        /// How much it wanted.
        resource: Resource,
    },
    /// A request was sent again with another size (switches `ask_again_pending`, `ask_again_allocated`).
    AskResized {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The new size.
        resource: Resource,
        /// The previous size.
        before: Resource,
        /// Whether it is allocated.
        allocated: bool,
    },
    /// The request of an ended allocation was removed with it (P-06).
    AskSpent {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How much it was.
        resource: Resource,
    },
    /// The replacement of a placeholder started (SCH-144).
    Replacing {
        /// The application of the ask.
        app: AppId,
        /// The replacing request.
        ask: AskId,
        /// The replaced placeholder.
        placeholder: AskId,
        /// The node of the request.
        node: NodeId,
    },
    /// A placeholder is released because a request is larger (SCH-143, SCH-222).
    PlaceholderTooSmall {
        /// The application of the ask.
        app: AppId,
        /// The request that does not fit.
        ask: AskId,
        /// The placeholder, in the same application.
        placeholder: AskId,
        /// The resources of the request.
        resource: Resource,
    },
    /// An allocation was selected as a victim, and is released when it has stopped (SCH-161, SCH-222).
    Preempted {
        /// The application of the victim.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The application of the preemptor.
        by_app: AppId,
        /// The request of the preemptor.
        by_ask: AskId,
        /// The queue of the preemptor.
        by_queue: QueuePath,
        /// The resources of the victim.
        resource: Resource,
        /// Shared by all victims of the preemptor.
        grounds: Arc<PreemptionGrounds>,
    },
    /// An allocation was selected because a queue was above its maximum for too long (N-01); it is released when it has
    /// stopped.
    QuotaPreempted {
        /// The application of the victim.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The queue whose maximum is enforced.
        queue: QueuePath,
        /// The resources of the victim.
        resource: Resource,
        /// Shared by all victims of the queue.
        grounds: Option<Arc<PreemptionGrounds>>,
    },
    /// The maximum of a queue was enforced, as far as possible (N-09).
    QuotaEnforced {
        /// The full path of the queue.
        queue: QueuePath,
        /// The maximum that is enforced.
        max: Resource,
        /// The resources to release.
        excess: Resource,
        /// The resources of the victims.
        preempted: Resource,
        /// The number of victims.
        victims: u64,
    },
    /// The resource manager was asked to stop an allocation and confirms by a release (only with
    /// `Tuning::awaits_stops`).
    Stopping {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The node that it is on.
        node: NodeId,
        /// Why it is to go.
        reason: ReleaseReason,
    },
    /// No allocation on the required node may be preempted (SCH-167, SCH-222); at most once in 15 s.
    NoVictim {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// The resources of the request.
        resource: Resource,
    },
    /// The resource manager's conditions exclude nodes with enough free resources (SCH-094, SCH-222); at most once in
    /// 15 s.
    PredicatesFailed {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The number of excluded nodes.
        nodes: u64,
        /// The resources of the request.
        resource: Resource,
    },
    /// The application was submitted; it may still be rejected (SCH-221).
    AppNew {
        /// The id of the application, unique in its partition.
        app: AppId,
    },
    /// The application left its queue permanently (SCH-172).
    AppLeft {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the leaf that it was in.
        queue: QueuePath,
    },
    /// The application entered a state.
    AppState {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The new state.
        state: AppState,
        /// The reason, if any.
        message: Option<Arc<str>>,
        /// Its usage without placeholders.
        allocated: Resource,
    },
    /// The application may no longer start, or may start again (SCH-114).
    AppRunnable {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// What keeps it from running, or kept it.
        cause: RunnableCause,
        /// Whether it may.
        runnable: bool,
    },
    /// A request no longer fits its queues, or fits again (SCH-222).
    AskFitsQueue {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Differs from the last report.
        fits: bool,
        /// The full path of the leaf.
        queue: QueuePath,
        /// The resources of the request.
        resource: Resource,
        /// Without unlimited names.
        headroom: Resource,
    },
    /// A request no longer fits its limits, or fits again (SCH-222).
    AskFitsLimits {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Differs from the last report.
        fits: bool,
        /// The resources of the request.
        resource: Resource,
        /// Without unlimited names.
        headroom: Resource,
    },
    /// A queue was added.
    QueueAdded {
        /// The full path of the queue.
        queue: QueuePath,
        /// Whether it is configured.
        managed: bool,
    },
    /// A queue was removed.
    QueueRemoved {
        /// The full path of the queue.
        queue: QueuePath,
        /// Whether it was configured.
        managed: bool,
    },
    /// A queue entered a state.
    QueueState {
        /// The full path of the queue.
        queue: QueuePath,
        /// The previous state.
        from: QueueState,
        /// The new state.
        to: QueueState,
    },
    /// A queue and its subtree start to drain; only for the topmost queue.
    QueueDrains {
        /// The name of the partition.
        partition: Arc<str>,
        /// The full path of the queue.
        queue: QueuePath,
        /// Who administers it.
        admins: Acl,
    },
    /// A queue has been draining for another threshold (SCH-211).
    QueueDrainAlert {
        /// The name of the partition.
        partition: Arc<str>,
        /// The full path of the queue.
        queue: QueuePath,
        /// The time since draining started.
        draining_for: Duration,
        /// Who administers it.
        admins: Acl,
    },
    /// The queue of an application, or a parent, starts to drain (SCH-212).
    AppQueueDraining {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The topmost draining queue.
        queue: QueuePath,
    },
    /// A partition was removed because it is not in the configuration (SCH-181).
    PartitionRemoved {
        /// The name that the partition had.
        partition: Arc<str>,
        /// The number of active applications that failed.
        applications: u64,
    },
    /// A queue became a leaf or a parent (SCH-223).
    QueueType {
        /// The full path of the queue.
        queue: QueuePath,
        /// Whether it is a leaf.
        leaf: bool,
    },
    /// The maximum of a queue changed (SCH-223).
    QueueMax {
        /// The full path of the queue.
        queue: QueuePath,
        /// The new maximum; empty if unset.
        max: Resource,
    },
    /// The guaranteed resources of a queue changed (SCH-223).
    QueueGuaranteed {
        /// The full path of the queue.
        queue: QueuePath,
        /// The new value; empty if unset.
        guaranteed: Resource,
    },
    /// A node was added.
    NodeAdded {
        /// The id of the node.
        node: NodeId,
        /// What it has.
        capacity: Resource,
    },
    /// A node became schedulable or unschedulable (SCH-192).
    NodeSchedulable {
        /// The id of the node.
        node: NodeId,
        /// Whether it is schedulable.
        schedulable: bool,
    },
    /// The capacity of a node changed (SCH-191).
    NodeCapacity {
        /// The id of the node.
        node: NodeId,
        /// The new capacity.
        capacity: Resource,
    },
    /// The occupied resources of a node changed (SCH-191).
    NodeOccupied {
        /// The id of the node.
        node: NodeId,
        /// The new value.
        occupied: Resource,
    },
    /// A node was removed.
    NodeRemoved {
        /// The id of the node.
        node: NodeId,
    },
    /// Usage changed without an allocation or release: an application moved or changed its group (SCH-204, SCH-127).
    Usage {
        /// User or group.
        side: Side,
        /// The user or group.
        name: Arc<str>,
        /// The full path of the leaf.
        queue: QueuePath,
        /// By how much.
        resource: Resource,
        /// Whether it increases.
        more: bool,
    },
    /// An application was added to a group or removed from it (SCH-124).
    GroupLink {
        /// The name of the group.
        group: Arc<str>,
        /// The id of the application, unique in its partition.
        app: AppId,
        /// Whether it was added.
        linked: bool,
    },
    /// A limit of a user or group was set or removed (SCH-127).
    Limit {
        /// User or group.
        side: Side,
        /// The user or group.
        name: Arc<str>,
        /// The queue of the limit.
        queue: QueuePath,
        /// Whether it was set.
        set: bool,
    },
    /// The engine restored an older configuration (SCH-224).
    ConfigRolledBack {
        /// The revision and the user.
        message: String,
    },
}

/// The queue, user, and group under which an allocation counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The leaf of the application.
    pub queue: QueuePath,
    /// Who submitted the application.
    pub user: Arc<str>,
    /// The group of the application.
    pub group: Option<Arc<str>>,
}

/// The cause of whether an application may start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnableCause {
    /// `maxapplications` of a queue on its path (SCH-110).
    Queue,
    /// The application maxima of its user and group (LIM-044).
    Limits,
}

/// Why an allocation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ReleaseReason {
    /// The resource manager or an administrator ended it.
    Stopped,
    /// A timer ended it.
    Timeout,
    /// It was preempted.
    Preempted,
    /// The placeholder was replaced.
    Replaced,
    /// Its node was removed.
    NodeRemoved,
}
