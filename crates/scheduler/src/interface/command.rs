//! Everything that can be done to a scheduler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use config::Config;
use model::{AppId, AskId, Identity, NodeId, Priority, QueuePath, Resource, Tags, Time};

/// One command. Applying the same commands at the same times gives the same state, on every machine.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Command {
    /// A queue configuration, the first one or a reload (SCH-177): all of it or nothing.
    Configure(#[serde(with = "model::saved::arc")] Arc<Config>),
    /// One scheduling cycle over all partitions (SCH-041).
    Cycle,
    /// One pass of the queue cleaner over all partitions (SCH-182).
    Clean,
    /// Nothing but what is due at this time: timers.
    Tick,
    /// Continues with what earlier commands left unfinished, so far as one command does ([`Scheduler::is_unfinished`]).
    ///
    /// [`Scheduler::is_unfinished`]: crate::state::scheduler::Scheduler::is_unfinished
    Continue,
    /// Something within one partition.
    In {
        /// The partition's name; `None` is the first one of the configuration.
        #[serde(default, with = "model::saved::text_option")]
        partition: Option<Arc<str>>,
        /// What to do there.
        command: PartitionCommand,
    },
}

impl From<PartitionCommand> for Command {
    /// For the first partition.
    fn from(command: PartitionCommand) -> Self {
        Self::In { partition: None, command }
    }
}

/// What can be done within one partition.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum PartitionCommand {
    /// Register a node (SCH-190).
    AddNode(NodeSpec),
    /// Change a node's capacity or what others use of it (SCH-191); `None` leaves it.
    UpdateNode {
        /// The id of the node.
        id: NodeId,
        /// The new capacity.
        capacity: Option<Resource>,
        /// The new amount used by others.
        occupied: Option<Resource>,
    },
    /// Decommission a node: its allocations are released (SCH-193).
    RemoveNode(NodeId),
    /// No new allocations on a node (SCH-192).
    DrainNode(NodeId),
    /// New allocations on a node again (SCH-192).
    ResumeNode(NodeId),
    /// A new application (`placement.md` section 8).
    Submit(Submission),
    /// An application requests something (SCH-013).
    Ask(AskSpec),
    /// An ask runs on a node already, as its resource manager says: it is allocated there, whether or not there is room (K8S-201).
    Adopt {
        /// The application of the ask.
        app: AppId,
        /// The id of the pending ask.
        ask: AskId,
        /// The node that it is on.
        node: NodeId,
    },
    /// An allocation has ended, or a pending ask is withdrawn.
    Release {
        /// The application of the allocation or ask.
        app: AppId,
        /// The id of the ask.
        ask: AskId,
    },
    /// The submitter says that the application is over (SCH-173).
    Remove {
        /// The id of the application.
        app: AppId,
    },
    /// Kill an application (SCH-202).
    Kill {
        /// The id of the application.
        app: AppId,
        /// Who needs it; needs admin access on its queue.
        by: Identity,
        /// Why, for the record; may be empty.
        reason: String,
    },
    /// One pass of the queue cleaner over this partition (SCH-182), for the kinds that are set.
    Clean {
        /// Empty queues that drain or are dynamic.
        queues: bool,
        /// Applications that ended so long ago that they may be forgotten (SCH-172).
        applications: bool,
    },
    /// Move an application to another leaf (SCH-203).
    Move {
        /// The id of the application.
        app: AppId,
        /// The leaf it is to go to.
        to: QueuePath,
        /// Who needs it; needs admin access on its queue, and submit or admin access on the target.
        by: Identity,
    },
    /// What others run on a node, all of it one by one (K8S-155). It is shown and decides nothing: what it uses of the node comes with
    /// [`Self::UpdateNode`].
    SetForeign {
        /// The id of the node.
        node: NodeId,
        /// All that others run there; what is not in it no longer exists.
        foreign: Vec<ForeignAllocation>,
    },
}

/// What another scheduler runs on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ForeignAllocation {
    /// The id that the resource manager gave it: the UID of a pod.
    pub id: String,
    /// What people call it: `namespace/pod`, or its id.
    pub name: String,
    /// What it uses: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// Its priority, by which nothing is decided here.
    pub priority: i32,
    /// Since when it is there, where that is known.
    pub since: Option<Time>,
    /// It is there as long as its node: a pod that a kubelet reads from a file.
    pub is_static: bool,
}

/// A node as its resource manager registers it (SCH-015).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct NodeSpec {
    /// The id; a second node of the same id is refused.
    pub id: NodeId,
    /// All that it has: memory in bytes, vcore in millicores, others unchanged.
    pub capacity: Resource,
    /// What is used by others than this scheduler; it is not available.
    pub occupied: Resource,
    /// Attributes, such as `si/instance-type`, by which usage is summed.
    pub attributes: BTreeMap<String, String>,
    /// It is registered, and takes no allocations yet.
    pub drained: bool,
}

/// An application as it is submitted.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Submission {
    /// The id; one that a live application has is refused.
    pub app: AppId,
    /// The queue requested; may be empty.
    pub queue: String,
    /// Who submits; without groups the list is `[user]` (USR-004).
    pub who: Identity,
    /// Tags; placement rules and gangs read some of them.
    pub tags: BTreeMap<String, String>,
    /// What a gang does when it does not come together in time.
    pub gang_style: GangStyle,
    /// How long a gang may take; `None` is 15 minutes.
    pub placeholder_timeout: Option<Duration>,
    /// Total of all task groups; empty for an application that is no gang (SCH-140).
    pub placeholder_ask: Resource,
    /// When it was submitted, where that was before now.
    #[serde(default)]
    pub created: Option<Time>,
}

/// What a gang does when it does not come together in time (SCH-146).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum GangStyle {
    /// Continues without its placeholders.
    #[default]
    Soft,
    /// The application fails when its gang is not complete in time.
    Hard,
}

/// An ask as an application makes it (SCH-013).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct AskSpec {
    /// The application that asks.
    pub app: AppId,
    /// The id; with a count above 1 the asks are `id-1`, `id-2` and so on.
    pub id: AskId,
    /// How often it stands, at least once; created 1 µs apart.
    pub count: u32,
    /// The amounts wanted: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// The priority; a higher one is tried first (SCH-080).
    pub priority: Priority,
    /// The only node that will do.
    pub required_node: Option<NodeId>,
    /// May be preempted (SCH-158).
    pub allow_preempt_self: bool,
    /// May preempt others (SCH-151).
    pub allow_preempt_other: bool,
    /// Began its application, as a driver does: the last one to be preempted (SCH-158).
    pub originator: bool,
    /// Holds room for a gang (SCH-141).
    pub placeholder: bool,
    /// The task group of a gang: of a placeholder, or of an ask that may replace one (SCH-141).
    #[serde(default, with = "model::saved::text_option")]
    pub task_group: Option<Arc<str>>,
    /// What the resource manager says of it. Nothing is decided by them.
    #[serde(default)]
    pub tags: Tags,
    /// When it was requested, where that was before now.
    #[serde(default)]
    pub created: Option<Time>,
    /// How long it runs at most once it is allocated. Only [`Tuning::turns`](crate::Tuning::turns) reads it.
    #[serde(default)]
    pub limit: Option<Duration>,
}

impl AskSpec {
    /// Whether it is a placeholder that names no task group: there is nothing that it could hold room for.
    pub fn holds_for_no_group(&self) -> bool {
        self.placeholder && self.task_group.is_none()
    }

    /// The ids of the asks that it represents: its own, or one for each of several.
    pub fn ids(&self) -> impl Iterator<Item = AskId> {
        let count = self.count.max(1);
        let mut text = if count == 1 { String::new() } else { format!("{}-", self.id) };
        let base = text.len();
        (1..=count).map(move |number| {
            if count == 1 {
                return self.id.clone();
            }
            text.truncate(base);
            let _written = write!(text, "{number}");
            AskId::from(text.as_str())
        })
    }
}
