//! Orders: a change of a running scheduler, and its actor.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::rights::ClusterRights;
use config::AllowedRemoval;
use model::{AppId, AskId, Identity, NodeId, QueuePath, Resource};
use scheduler::{AskSpec, NodeSpec, Submission};

/// The longest accepted reason, in characters (REST E2).
pub const LONGEST_REASON: usize = 500;
/// The most requests in one order.
pub const MOST_ASKS: usize = 10_000;

/// A change of a running scheduler.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Act {
    /// Apply a queue configuration (REST E5).
    Configure {
        /// The configuration as it is to be stored.
        text: String,
        /// The checksum of the configuration to replace; required.
        base: Option<String>,
        /// Only report the effects.
        dry_run: bool,
    },
    /// Restore an earlier configuration as a new revision (REST E5).
    Rollback {
        /// The revision number in the audit.
        revision: u64,
        /// The checksum of the configuration to replace; required.
        base: Option<String>,
        /// Only report the effects.
        dry_run: bool,
    },
    /// Pause the scheduler: no cycles, no timers, and its clock stops.
    Pause,
    /// Resume the scheduler.
    Resume,
    /// Silence alerts for a time. The scheduler stores no alerts: it checks the right and records the audit entry.
    Silence {
        /// Only alerts of this rule; empty for all.
        rule: String,
        /// Only alerts about this subject, for example `node n1`; empty for all.
        subject: String,
        /// For how long.
        lasts: Duration,
    },
    /// End a silence before its time.
    EndSilence {
        /// The number of the silence on its board.
        silence: u64,
        /// A description of the silenced alerts.
        of: String,
    },
    /// A change within one partition.
    In {
        /// The partition's name.
        #[serde(with = "model::saved::text")]
        partition: Arc<str>,
        /// What is done there.
        act: PartitionAct,
    },
}

/// A change within one partition.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum PartitionAct {
    /// Kill an application (SCH-202, REST E4).
    Kill {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The expected queue; the order is rejected if the application is in another one.
        expect_queue: Option<QueuePath>,
    },
    /// Move an application to another leaf (SCH-203, REST E4).
    Move {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The target leaf.
        to: QueuePath,
        /// The expected queue; the order is rejected if the application is in another one.
        expect_queue: Option<QueuePath>,
        /// Only report the effects.
        dry_run: bool,
    },
    /// Run one pass of the cleaner (SCH-182, REST E9).
    Clean {
        /// Remove empty queues that drain or are dynamic.
        queues: bool,
        /// Forget applications that ended long ago.
        applications: bool,
        /// Only report the effects.
        dry_run: bool,
    },
    /// Submit an application in the actor's own name (REST E8).
    Submit(Submission),
    /// Add requests: all or none.
    Ask {
        /// For which application.
        app: AppId,
        /// The asks; whose they are is reported above, not in them.
        asks: Vec<AskSpec>,
    },
    /// End an allocation, or withdraw a pending request.
    Release {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The id of the request, unique within its application.
        ask: AskId,
    },
    /// Remove an application, as its submitter (SCH-173).
    Remove {
        /// The id of the application, unique in its partition.
        app: AppId,
    },
    /// Register a node (SCH-190).
    AddNode(NodeSpec),
    /// Change a node (SCH-191); `None` keeps a value.
    UpdateNode {
        /// The id of the node.
        id: NodeId,
        /// The new capacity.
        capacity: Option<Resource>,
        /// The new resources used by foreign pods.
        occupied: Option<Resource>,
    },
    /// Stop new allocations on a node (SCH-192).
    DrainNode(NodeId),
    /// Allow new allocations on a node again (SCH-192).
    ResumeNode(NodeId),
    /// Remove a node (SCH-193).
    RemoveNode {
        /// The id of the node.
        id: NodeId,
        /// Also remove a node with allocations, which are released.
        force: bool,
    },
}

impl PartitionAct {
    fn without_body(self) -> Self {
        match self {
            Self::Kill { app, .. } => Self::Kill { app, expect_queue: None },
            Self::Move { app, dry_run, .. } => {
                Self::Move { app, to: QueuePath::default(), expect_queue: None, dry_run }
            }
            Self::Submit(Submission { app, .. }) => Self::Submit(Submission { app, ..Submission::default() }),
            Self::Ask { app, .. } => Self::Ask { app, asks: Vec::new() },
            Self::AddNode(NodeSpec { id, .. }) => Self::AddNode(NodeSpec { id, ..NodeSpec::default() }),
            Self::UpdateNode { id, .. } => Self::UpdateNode { id, capacity: None, occupied: None },
            act => act,
        }
    }
}

impl Act {
    /// Returns an act within a partition.
    pub fn within(partition: &Arc<str>, act: PartitionAct) -> Self {
        Self::In { partition: Arc::clone(partition), act }
    }

    /// `None` for the scheduler as a whole.
    pub fn partition(&self) -> Option<&Arc<str>> {
        match self {
            Self::In { partition, .. } => Some(partition),
            Self::Configure { .. } | Self::Rollback { .. } | Self::Pause | Self::Resume => None,
            Self::Silence { .. } | Self::EndSilence { .. } => None,
        }
    }

    /// The same act without parts that a client can make large. It must not be executed.
    #[must_use]
    pub fn without_body(self) -> Self {
        match self {
            Self::Configure { dry_run, .. } => Self::Configure { text: String::new(), base: None, dry_run },
            Self::In { partition, act } => Self::In { partition, act: act.without_body() },
            Self::Rollback { revision, dry_run, .. } => Self::Rollback { revision, base: None, dry_run },
            Self::Silence { lasts, .. } => Self::Silence { rule: String::new(), subject: String::new(), lasts },
            act @ (Self::Pause | Self::Resume | Self::EndSilence { .. }) => act,
        }
    }

    /// Whether the act changes nothing.
    pub fn is_dry_run(&self) -> bool {
        match self {
            Self::Configure { dry_run, .. } | Self::Rollback { dry_run, .. } => *dry_run,
            Self::In { act: PartitionAct::Move { dry_run, .. } | PartitionAct::Clean { dry_run, .. }, .. } => *dry_run,
            _ => false,
        }
    }

    /// The same act without dry run.
    #[must_use]
    pub fn for_real(mut self) -> Self {
        match &mut self {
            Self::Configure { dry_run, .. } | Self::Rollback { dry_run, .. } => *dry_run = false,
            Self::In { act: PartitionAct::Move { dry_run, .. } | PartitionAct::Clean { dry_run, .. }, .. } => {
                *dry_run = false;
            }
            _ => {}
        }
        self
    }

    /// The verb in rejections; [`crate::audit::action`] returns the short name for the audit.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Configure { .. } => "change the configuration",
            Self::Rollback { .. } => "roll the configuration back",
            Self::Pause => "pause the scheduler",
            Self::Resume => "resume the scheduler",
            Self::Silence { .. } => "silence",
            Self::EndSilence { .. } => "end the silence of",
            Self::In { act, .. } => match act {
                PartitionAct::Kill { .. } => "kill",
                PartitionAct::Move { .. } => "move",
                PartitionAct::Clean { .. } => "clean up",
                PartitionAct::Submit(_) => "submit",
                PartitionAct::Ask { .. } => "add requests to",
                PartitionAct::Release { .. } => "cancel requests of",
                PartitionAct::Remove { .. } => "remove",
                PartitionAct::AddNode(_) => "add node",
                PartitionAct::UpdateNode { .. } => "change node",
                PartitionAct::DrainNode(_) => "drain node",
                PartitionAct::ResumeNode(_) => "resume node",
                PartitionAct::RemoveNode { .. } => "remove node",
            },
        }
    }

    /// The object: an application, a node, the silenced alerts; empty for the scheduler as a whole.
    pub fn object(&self) -> &str {
        let act = match self {
            Self::In { act, .. } => act,
            Self::Silence { rule, subject, .. } if subject.is_empty() => return rule,
            Self::Silence { subject, .. } => return subject,
            Self::EndSilence { of, .. } => return of,
            Self::Configure { .. } | Self::Rollback { .. } | Self::Pause | Self::Resume => return "",
        };
        match act {
            PartitionAct::Kill { app, .. }
            | PartitionAct::Move { app, .. }
            | PartitionAct::Ask { app, .. }
            | PartitionAct::Release { app, .. }
            | PartitionAct::Remove { app } => app.as_str(),
            PartitionAct::Submit(submission) => submission.app.as_str(),
            PartitionAct::AddNode(spec) => spec.id.as_str(),
            PartitionAct::UpdateNode { id, .. } | PartitionAct::RemoveNode { id, .. } => id.as_str(),
            PartitionAct::DrainNode(id) | PartitionAct::ResumeNode(id) => id.as_str(),
            PartitionAct::Clean { .. } => "",
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb())?;
        match self.object() {
            "" => Ok(()),
            object => write!(f, " {object}"),
        }
    }
}

/// A requested change with its reason.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Order {
    /// What is to be done.
    pub act: Act,
    /// The reason, for the record; may be empty, at most [`LONGEST_REASON`] characters.
    pub reason: String,
    /// The removal that a configuration may cause (CFG-120).
    #[serde(default)]
    pub allowed: AllowedRemoval,
}

impl Order {
    /// Returns an order that allows no large removal.
    pub fn new(act: Act, reason: impl Into<String>) -> Self {
        Self { act, reason: reason.into(), allowed: AllowedRemoval::default() }
    }

    /// Returns the same order with an allowed removal.
    #[must_use]
    pub fn allowing(self, allowed: AllowedRemoval) -> Self {
        Self { allowed, ..self }
    }
}

impl Order {
    /// The same order without parts that a client can make large. It must not be executed.
    #[must_use]
    pub fn without_body(self) -> Self {
        Self::new(self.act.without_body(), self.reason.chars().take(LONGEST_REASON).collect::<String>())
    }
}

impl From<Act> for Order {
    fn from(act: Act) -> Self {
        Self::new(act, "")
    }
}

/// The identity behind an order, with its rights.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Actor {
    /// The user and the groups.
    pub identity: Identity,
    /// Member of the scheduler ACL, which gives no right on any queue (REST E1).
    pub scheduler_admin: bool,
    /// The reason if the actor may change nothing.
    #[serde(default, with = "model::saved::text_option")]
    pub read_only: Option<Arc<str>>,
    /// The origin of the orders.
    pub from: ActsFrom,
    /// The access lists of queues are not checked: a Kubernetes API server decides.
    #[serde(skip)]
    pub judged_elsewhere: bool,
    /// The rights at the API server that executes the orders; `None` if a scheduler executes them.
    #[serde(skip)]
    pub cluster: Option<Arc<ClusterRights>>,
}

/// The origin of orders.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ActsFrom {
    /// The console in the process of the scheduler.
    Console,
    /// The REST API.
    Api {
        /// The client address.
        #[serde(with = "model::saved::text")]
        address: Arc<str>,
        /// The request ID, as in the response.
        #[serde(with = "model::saved::text")]
        request: Arc<str>,
    },
    /// A watched file.
    File(#[serde(with = "model::saved::text")] Arc<str>),
    /// The steps of a workload.
    Workload,
}

impl From<Identity> for Actor {
    /// A user at the console, with the rights from the access lists of queues.
    fn from(identity: Identity) -> Self {
        let from = ActsFrom::Console;
        Self { identity, scheduler_admin: false, read_only: None, from, judged_elsewhere: false, cluster: None }
    }
}

impl Actor {
    /// Sets the membership in the scheduler ACL.
    #[must_use]
    pub fn scheduler_admin(self, is: bool) -> Self {
        Self { scheduler_admin: is, ..self }
    }

    /// Makes the actor read-only, with the reason.
    #[must_use]
    pub fn read_only(self, why: &str) -> Self {
        Self { read_only: Some(Arc::from(why)), ..self }
    }

    /// The user name.
    pub fn user(&self) -> &str {
        &self.identity.user
    }
}
