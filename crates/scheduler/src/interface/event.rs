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
    /// What happened, with its figures.
    pub kind: EventKind,
}

impl Event {
    /// Something that happened at a time.
    pub const fn new(at: Time, kind: EventKind) -> Self {
        Self { at, kind }
    }

    /// Whether a cycle that reports this found something to do, so that another may find more: an allocation, or a placeholder that
    /// starts to give way (SCH-043).
    pub const fn is_activity(&self) -> bool {
        matches!(self.kind, EventKind::Allocated { .. } | EventKind::Replacing { .. })
    }
}

/// What happened. The first group answers commands and is what a trace prints; the others are the record.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The configuration is active.
    ConfigAccepted,
    /// The configuration was refused; the one before is active.
    ConfigRejected {
        /// The reason, as the user reads it.
        message: String,
    },
    /// The node is registered, changed, drained, resumed.
    NodeAccepted {
        /// The id of the node.
        node: NodeId,
    },
    /// The node command was refused.
    NodeRejected {
        /// The id of the node.
        node: NodeId,
        /// The reason, as the user reads it.
        message: String,
    },
    /// The application was placed.
    AppAccepted {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the queue.
        queue: QueuePath,
    },
    /// The application was refused.
    AppRejected {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The reason, as the user reads it.
        message: String,
    },
    /// The ask was refused.
    AskRejected {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The reason, as the user reads it.
        message: String,
    },
    /// An ask became an allocation.
    Allocated {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The node that it is on.
        node: NodeId,
        /// The amounts of the ask.
        resource: Resource,
        /// Under whom it counts.
        holder: Holder,
        /// It holds room for a gang.
        placeholder: bool,
        /// It takes the room of a placeholder on the same node: for the node nothing changes but what is released of the rest.
        in_place: bool,
    },
    /// An allocation no longer exists.
    Released {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The node that it ran on.
        node: NodeId,
        /// Why it went.
        reason: ReleaseReason,
        /// The amounts of the ask.
        resource: Resource,
        /// Under whom it counted.
        holder: Holder,
        /// Its room goes to the ask that takes over on the same node.
        in_place: bool,
    },
    /// A kill or move was refused.
    Denied {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// Which check refused, and why, in words.
        message: String,
        /// The same as data.
        why: Denial,
    },
    /// The application was moved.
    Moved {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the leaf that it was in.
        from: QueuePath,
        /// Where it is.
        queue: QueuePath,
        /// The user who gave the command.
        by: Arc<str>,
    },
    /// The application was killed.
    Killed {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The full path of the leaf that it was in.
        queue: QueuePath,
        /// The user who gave the command.
        by: Arc<str>,
        /// Why; may be empty.
        reason: Arc<str>,
    },
    /// Any other command that could not be carried out, because what it names is not there.
    Refused {
        /// The reason, as the user reads it.
        message: String,
    },

    /// A node is reserved for an ask.
    Reserved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// How much is reserved for it.
        resource: Resource,
    },
    /// A node is no longer reserved for an ask.
    Unreserved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// How much is reserved for it.
        resource: Resource,
    },
    /// An ask is pending.
    AskAdded {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How much it needs.
        resource: Resource,
    },
    /// A pending ask no longer exists without an allocation.
    AskRemoved {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Why it went: stopped, or timeout.
        reason: ReleaseReason,
        /// How much it wanted.
        resource: Resource,
    },
    /// An ask was made again with another size, which it has from now on (switches `ask_again_pending`, `ask_again_allocated`).
    AskResized {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How much it is now.
        resource: Resource,
        /// How much it was.
        before: Resource,
        /// It is allocated.
        allocated: bool,
    },
    /// The ask of an allocation that has ended is taken away with it (P-06).
    AskSpent {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How much it was.
        resource: Resource,
    },
    /// A placeholder is about to be replaced by an ask of its task group: the resource manager was asked to stop it, and the ask
    /// is not pending any more (SCH-144).
    Replacing {
        /// The application of the ask.
        app: AppId,
        /// The ask that takes over.
        ask: AskId,
        /// The placeholder that gives way.
        placeholder: AskId,
        /// Where the ask goes.
        node: NodeId,
    },
    /// A placeholder is released because an ask of its task group is larger (SCH-143, SCH-222).
    PlaceholderTooSmall {
        /// The application of the ask.
        app: AppId,
        /// The ask that does not fit in.
        ask: AskId,
        /// The id of the placeholder's ask, in the same application.
        placeholder: AskId,
        /// What the ask needs.
        resource: Resource,
    },
    /// An allocation was chosen to be preempted for an ask of someone else; it is released once the resource manager has stopped it
    /// (SCH-161, SCH-222).
    Preempted {
        /// Whose it is.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Who needs the room.
        by_app: AppId,
        /// For which ask.
        by_ask: AskId,
        /// The queue that it is for.
        by_queue: QueuePath,
        /// How much goes.
        resource: Resource,
        /// What the choice went by; one for all that go for the same ask.
        grounds: Arc<PreemptionGrounds>,
    },
    /// An allocation was chosen because its queue, or one above it, has been above its maximum for too long; it is released once the
    /// resource manager has stopped it (N-01).
    QuotaPreempted {
        /// Whose it is.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The queue whose maximum is enforced.
        queue: QueuePath,
        /// How much goes.
        resource: Resource,
        /// What the choice went by; one for all that go of the same queue.
        grounds: Option<Arc<PreemptionGrounds>>,
    },
    /// The maximum of a queue was enforced, as far as that could be (N-09).
    QuotaEnforced {
        /// The full path of the queue.
        queue: QueuePath,
        /// The maximum that is enforced.
        max: Resource,
        /// How much had to go.
        excess: Resource,
        /// How much goes.
        preempted: Resource,
        /// How many allocations that are.
        victims: u64,
    },
    /// The resource manager is asked to stop an allocation, and confirms it by a release of that. Reported only where it takes its time
    /// (`Tuning::awaits_stops`).
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
    /// Nothing on the node that an ask requires may be preempted for it (SCH-167, SCH-222); reported at most once in 15 seconds.
    NoVictim {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// The id of the node.
        node: NodeId,
        /// How much it needs.
        resource: Resource,
    },
    /// The resource manager's own conditions keep an ask from nodes that have room (SCH-094, SCH-222); reported at most once in 15
    /// seconds.
    PredicatesFailed {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// How many nodes they keep it from.
        nodes: u64,
        /// How much it needs.
        resource: Resource,
    },
    /// The application was submitted; it may still be refused (SCH-221).
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
        /// The state that was entered.
        state: AppState,
        /// Why, where there is a reason to report.
        message: Option<Arc<str>>,
        /// What it has in use, placeholders omitted.
        allocated: Resource,
    },
    /// The application may not start to run, or may again (SCH-114).
    AppRunnable {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// What keeps it from running, or kept it.
        cause: RunnableCause,
        /// Whether it may.
        runnable: bool,
    },
    /// An ask does not fit its queues any more, or fits again (SCH-222).
    AskFitsQueue {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Whether it fits now; otherwise than last reported.
        fits: bool,
        /// The full path of the leaf.
        queue: QueuePath,
        /// How much it needs.
        resource: Resource,
        /// What the queues on the path leave; names that nothing limits are omitted.
        headroom: Resource,
    },
    /// An ask does not fit the limits of its user or group any more, or fits again (SCH-222).
    AskFitsLimits {
        /// The application of the ask.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
        /// Whether it fits now; otherwise than last reported.
        fits: bool,
        /// How much it needs.
        resource: Resource,
        /// What the limits leave; names that nothing limits are omitted.
        headroom: Resource,
    },
    /// A queue is there.
    QueueAdded {
        /// The full path of the queue.
        queue: QueuePath,
        /// From the configuration.
        managed: bool,
    },
    /// A queue no longer exists.
    QueueRemoved {
        /// The full path of the queue.
        queue: QueuePath,
        /// From the configuration.
        managed: bool,
    },
    /// A queue entered a state.
    QueueState {
        /// The full path of the queue.
        queue: QueuePath,
        /// The state before.
        from: QueueState,
        /// The state now.
        to: QueueState,
    },
    /// A queue starts to drain, with everything below it. Each queue enters its state by itself; this is reported of the topmost of them
    /// only.
    QueueDrains {
        /// The name of the partition.
        partition: Arc<str>,
        /// The full path of the queue.
        queue: QueuePath,
        /// Who administers it.
        admins: Acl,
    },
    /// A queue has been draining for long: for the threshold, or for another one since this was last reported (SCH-211).
    QueueDrainAlert {
        /// The name of the partition.
        partition: Arc<str>,
        /// The full path of the queue.
        queue: QueuePath,
        /// For how long.
        draining_for: Duration,
        /// Who administers it.
        admins: Acl,
    },
    /// The queue of an application, or one above it, starts to drain (SCH-212).
    AppQueueDraining {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The topmost queue that drains.
        queue: QueuePath,
    },
    /// A partition is not in the configuration any more, and gone (SCH-181).
    PartitionRemoved {
        /// The name that the partition had.
        partition: Arc<str>,
        /// How many live applications failed by it.
        applications: u64,
    },
    /// A queue became a leaf or a parent (SCH-223).
    QueueType {
        /// The full path of the queue.
        queue: QueuePath,
        /// It is a leaf.
        leaf: bool,
    },
    /// A queue has another maximum (SCH-223).
    QueueMax {
        /// The full path of the queue.
        queue: QueuePath,
        /// The new one; empty when it is unset.
        max: Resource,
    },
    /// A queue has another guarantee (SCH-223).
    QueueGuaranteed {
        /// The full path of the queue.
        queue: QueuePath,
        /// The new one; empty when it is unset.
        guaranteed: Resource,
    },
    /// A node is there.
    NodeAdded {
        /// The id of the node.
        node: NodeId,
        /// What it has.
        capacity: Resource,
    },
    /// A node takes allocations from now on, or takes none (SCH-192).
    NodeSchedulable {
        /// The id of the node.
        node: NodeId,
        /// It takes them.
        schedulable: bool,
    },
    /// A node has another capacity (SCH-191).
    NodeCapacity {
        /// The id of the node.
        node: NodeId,
        /// The new one.
        capacity: Resource,
    },
    /// Others use another amount of a node (SCH-191).
    NodeOccupied {
        /// The id of the node.
        node: NodeId,
        /// The new amount.
        occupied: Resource,
    },
    /// A node no longer exists.
    NodeRemoved {
        /// The id of the node.
        node: NodeId,
    },
    /// What a user or group has in use changes without an allocation that comes or goes: its application moves, or counts under
    /// another group (SCH-204, SCH-127).
    Usage {
        /// Whether a user or a group is limited.
        side: Side,
        /// The name of the user or group.
        name: Arc<str>,
        /// The full path of the leaf.
        queue: QueuePath,
        /// By how much.
        resource: Resource,
        /// It grows; else it shrinks.
        more: bool,
    },
    /// An application counts under a group from now on, or not any more (SCH-124).
    GroupLink {
        /// The name of the group.
        group: Arc<str>,
        /// The id of the application, unique in its partition.
        app: AppId,
        /// It counts there.
        linked: bool,
    },
    /// A limit applies to a user or group from now on, or does not any more (SCH-127).
    Limit {
        /// Whether a user or a group is limited.
        side: Side,
        /// The name of the user or group.
        name: Arc<str>,
        /// Where the limit stands.
        queue: QueuePath,
        /// Whether it holds from now on.
        set: bool,
    },
    /// An older configuration was brought back; the engine's own, no command of the scheduler emits it (SCH-224).
    ConfigRolledBack {
        /// Which one, and by whom.
        message: String,
    },
}

/// Under whom an allocation counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The leaf of its application.
    pub queue: QueuePath,
    /// Who submitted the application.
    pub user: Arc<str>,
    /// The group that its application counts under.
    pub group: Option<Arc<str>>,
}

/// What decides whether an application may start to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunnableCause {
    /// `maxapplications` of a queue on its path (SCH-110).
    Queue,
    /// The application maxima of its user and group (LIM-044).
    Limits,
}

/// Why an allocation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ReleaseReason {
    /// The resource manager or an administrator ended it.
    Stopped,
    /// A timer ended it.
    Timeout,
    /// It made room for something more important.
    Preempted,
    /// Its placeholder gave way to the real thing.
    Replaced,
    /// Its node went away.
    NodeRemoved,
}
