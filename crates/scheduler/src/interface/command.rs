//! The commands of a scheduler.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use config::Config;
use model::{AppId, AskId, Identity, NodeId, Priority, QueuePath, Resource, Tags, Time};

/// A command. The same commands at the same times give the same state on every machine.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Command {
    /// Applies a configuration completely or not at all (SCH-177).
    Configure(#[serde(with = "model::saved::arc")] Arc<Config>),
    /// Runs one scheduling cycle over all partitions (SCH-041).
    Cycle,
    /// Runs one pass of the queue cleaner over all partitions (SCH-182).
    Clean,
    /// Runs only due timers.
    Tick,
    /// Continues unfinished commands ([`Scheduler::is_unfinished`]).
    ///
    /// [`Scheduler::is_unfinished`]: crate::state::scheduler::Scheduler::is_unfinished
    Continue,
    /// A command for one partition.
    In {
        /// The partition; `None` is the first one of the configuration.
        #[serde(default, with = "model::saved::text_option")]
        partition: Option<Arc<str>>,
        /// What to do there.
        command: PartitionCommand,
    },
}

impl From<PartitionCommand> for Command {
    fn from(command: PartitionCommand) -> Self {
        Self::In { partition: None, command }
    }
}

/// A command for one partition.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum PartitionCommand {
    /// Register a node (SCH-190).
    AddNode(NodeSpec),
    /// Change a node's capacity or occupied resources (SCH-191); `None` keeps the value.
    UpdateNode {
        /// The id of the node.
        id: NodeId,
        /// The new capacity.
        capacity: Option<Resource>,
        /// The new occupied resources.
        occupied: Option<Resource>,
    },
    /// Remove a node and release its allocations (SCH-193).
    RemoveNode(NodeId),
    /// Make a node unschedulable (SCH-192).
    DrainNode(NodeId),
    /// Make a node schedulable (SCH-192).
    ResumeNode(NodeId),
    /// Submit an application (`placement.md` section 8).
    Submit(Submission),
    /// Add a request of an application (SCH-013).
    Ask(AskSpec),
    /// Allocate a request that already runs on a node, even if it does not fit (K8S-201).
    Adopt {
        /// The application of the request.
        app: AppId,
        /// The pending request.
        ask: AskId,
        /// The node that it is on.
        node: NodeId,
    },
    /// Release an ended allocation or withdraw a pending request.
    Release {
        /// The application of the allocation or ask.
        app: AppId,
        /// The id of the ask.
        ask: AskId,
    },
    /// The submitter reports that the application ended (SCH-173).
    Remove {
        /// The id of the application.
        app: AppId,
    },
    /// Kill an application (SCH-202).
    Kill {
        /// The id of the application.
        app: AppId,
        /// The user, who needs admin access to its queue.
        by: Identity,
        /// The recorded reason; may be empty.
        reason: String,
    },
    /// Run one pass of the cleaner for the selected kinds (SCH-182).
    Clean {
        /// Empty queues that drain or are dynamic.
        queues: bool,
        /// Applications that ended so long ago that they are forgotten (SCH-172).
        applications: bool,
    },
    /// Move an application to another leaf (SCH-203).
    Move {
        /// The id of the application.
        app: AppId,
        /// The target leaf.
        to: QueuePath,
        /// The user, who needs admin access to its queue, and submit or admin access to the target.
        by: Identity,
    },
    /// Set the foreign pods of a node (K8S-155), which are only shown: their usage comes with [`Self::UpdateNode`].
    SetForeign {
        /// The id of the node.
        node: NodeId,
        /// The complete list; missing entries are removed.
        foreign: Vec<ForeignAllocation>,
    },
}

/// A foreign pod on a node.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ForeignAllocation {
    /// The ID from the resource manager: the UID of a pod.
    pub id: String,
    /// `namespace/pod`, or the ID.
    pub name: String,
    /// Its usage: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// Its priority, which decides nothing.
    pub priority: i32,
    /// When it started, if known.
    pub since: Option<Time>,
    /// A static pod, which lasts as long as its node.
    pub is_static: bool,
}

/// A node registration (SCH-015).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct NodeSpec {
    /// The ID; a duplicate is rejected.
    pub id: NodeId,
    /// The capacity: memory in bytes, vcore in millicores, others unchanged.
    pub capacity: Resource,
    /// The occupied resources, which are not available.
    pub occupied: Resource,
    /// Attributes, for example `si/instance-type`, by which usage is summed.
    pub attributes: BTreeMap<String, String>,
    /// Whether it is registered as unschedulable.
    pub drained: bool,
}

/// An application submission.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Submission {
    /// The ID; that of an active application is rejected.
    pub app: AppId,
    /// The requested queue; may be empty.
    pub queue: String,
    /// The submitter; without groups the list is `[user]` (USR-004).
    pub who: Identity,
    /// Tags; placement rules and gangs read some of them.
    pub tags: BTreeMap<String, String>,
    /// What happens if the gang does not complete in time.
    pub gang_style: GangStyle,
    /// `None` is 15 minutes.
    pub placeholder_timeout: Option<Duration>,
    /// The total of all task groups; empty without a gang (SCH-140).
    pub placeholder_ask: Resource,
    /// When it was submitted, if earlier than now.
    #[serde(default)]
    pub created: Option<Time>,
}

/// What happens if a gang does not complete in time (SCH-146).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum GangStyle {
    /// The application continues without placeholders.
    #[default]
    Soft,
    /// The application fails.
    Hard,
}

/// A request of an application (SCH-013).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct AskSpec {
    /// The application that asks.
    pub app: AppId,
    /// The ID; with a count above 1 the requests are `id-1`, `id-2`, and so on.
    pub id: AskId,
    /// The number of requests, at least 1; created 1 µs apart.
    pub count: u32,
    /// The resources: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// The priority; a higher one is tried first (SCH-080).
    pub priority: Priority,
    /// The required node.
    pub required_node: Option<NodeId>,
    /// May be preempted (SCH-158).
    pub allow_preempt_self: bool,
    /// May preempt others (SCH-151).
    pub allow_preempt_other: bool,
    /// Starts its application: preempted last (SCH-158).
    pub originator: bool,
    /// Reserves resources for a gang (SCH-141).
    pub placeholder: bool,
    /// The task group: of a placeholder, or of a request that may replace one (SCH-141).
    #[serde(default, with = "model::saved::text_option")]
    pub task_group: Option<Arc<str>>,
    /// Tags from the resource manager, which decide nothing.
    #[serde(default)]
    pub tags: Tags,
    /// When it was requested, if earlier than now.
    #[serde(default)]
    pub created: Option<Time>,
    /// How long it runs at most once it is allocated. Only [`Tuning::turns`](crate::Tuning::turns) reads it.
    #[serde(default)]
    pub limit: Option<Duration>,
}

impl AskSpec {
    /// Whether it is a placeholder without a task group, which is invalid.
    pub fn has_no_group(&self) -> bool {
        self.placeholder && self.task_group.is_none()
    }

    /// The IDs of its requests: its own, or one for each of several.
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
