//! Orders: what is to be done to a running scheduler, and who requests it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::rights::ClusterRights;
use config::AllowedRemoval;
use model::{AppId, AskId, Identity, NodeId, QueuePath, Resource};
use scheduler::{AskSpec, NodeSpec, Submission};

/// The longest reason that is taken, in characters (REST E2).
pub const LONGEST_REASON: usize = 500;
/// The most asks that one order may make.
pub const MOST_ASKS: usize = 10_000;

/// Something to be done to a running scheduler.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum Act {
    /// Bring another queue configuration into force (REST E5).
    Configure {
        /// The text, as it is to be stored.
        text: String,
        /// The checksum of the configuration that it is meant to replace; an order without one is refused.
        base: Option<String>,
        /// Only say what would happen.
        dry_run: bool,
    },
    /// Bring a configuration that was active back, as a new revision (REST E5).
    Rollback {
        /// The number of the revision, as the audit has it.
        revision: u64,
        /// The checksum of the configuration that it is meant to replace; an order without one is refused.
        base: Option<String>,
        /// Only say what would happen.
        dry_run: bool,
    },
    /// The scheduler rests: no cycles, no timers, and its clock stands.
    Pause,
    /// Resumes the scheduler where it rested.
    Resume,
    /// Notify no one of alerts for a time. The scheduler keeps no alerts: it checks who may, and the audit has it.
    Silence {
        /// Only those of this rule; empty for all.
        rule: String,
        /// Only those about this, as alerts name it: `node n1`; empty for all.
        subject: String,
        /// For how long.
        lasts: Duration,
    },
    /// End a silence before its time.
    EndSilence {
        /// Its number: counts up by one for each silence of a board.
        silence: u64,
        /// What it silences, in words.
        of: String,
    },
    /// Something within one partition.
    In {
        /// The partition's name.
        #[serde(with = "model::saved::text")]
        partition: Arc<str>,
        /// What is done there.
        act: PartitionAct,
    },
}

/// Something to be done within one partition.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub enum PartitionAct {
    /// Kill an application (SCH-202, REST E4).
    Kill {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// Where it must be; refused when it is elsewhere by then.
        expect_queue: Option<QueuePath>,
    },
    /// Move an application to another leaf (SCH-203, REST E4).
    Move {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The leaf that it is to go to.
        to: QueuePath,
        /// Where it must be; refused when it is elsewhere by then.
        expect_queue: Option<QueuePath>,
        /// Only say what would happen.
        dry_run: bool,
    },
    /// One pass of the cleaner (SCH-182, REST E9).
    Clean {
        /// Empty queues that drain or are dynamic.
        queues: bool,
        /// Applications that ended long ago.
        applications: bool,
        /// Only say what would happen.
        dry_run: bool,
    },
    /// Submit an application, in the actor's own name (REST E8).
    Submit(Submission),
    /// Ask for resources: all of these or none.
    Ask {
        /// For which application.
        app: AppId,
        /// The asks; whose they are is reported above, not in them.
        asks: Vec<AskSpec>,
    },
    /// End an allocation, or withdraw a pending ask.
    Release {
        /// The id of the application, unique in its partition.
        app: AppId,
        /// The id of the ask, unique only within its application.
        ask: AskId,
    },
    /// The submitter is done with an application (SCH-173).
    Remove {
        /// The id of the application, unique in its partition.
        app: AppId,
    },
    /// Register a node (SCH-190).
    AddNode(NodeSpec),
    /// Change a node (SCH-191); `None` leaves an amount unchanged.
    UpdateNode {
        /// The id of the node.
        id: NodeId,
        /// The new capacity.
        capacity: Option<Resource>,
        /// The new amount used by others.
        occupied: Option<Resource>,
    },
    /// No new allocations on a node (SCH-192).
    DrainNode(NodeId),
    /// New allocations on a node again (SCH-192).
    ResumeNode(NodeId),
    /// Decommission a node (SCH-193).
    RemoveNode {
        /// The id of the node.
        id: NodeId,
        /// Also when something runs on it, which is then released.
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
    /// An act within a partition.
    pub fn within(partition: &Arc<str>, act: PartitionAct) -> Self {
        Self::In { partition: Arc::clone(partition), act }
    }

    /// The partition that it is for; `None` for what concerns the scheduler as a whole.
    pub fn partition(&self) -> Option<&Arc<str>> {
        match self {
            Self::In { partition, .. } => Some(partition),
            Self::Configure { .. } | Self::Rollback { .. } | Self::Pause | Self::Resume => None,
            Self::Silence { .. } | Self::EndSilence { .. } => None,
        }
    }

    /// The same act on the same object, without what a client can make large. It is not to be carried out.
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

    /// Whether nothing is to change, whatever the answer.
    pub fn is_dry_run(&self) -> bool {
        match self {
            Self::Configure { dry_run, .. } | Self::Rollback { dry_run, .. } => *dry_run,
            Self::In { act: PartitionAct::Move { dry_run, .. } | PartitionAct::Clean { dry_run, .. }, .. } => *dry_run,
            _ => false,
        }
    }

    /// The same act, but really to be carried out.
    #[must_use]
    pub fn in_earnest(mut self) -> Self {
        match &mut self {
            Self::Configure { dry_run, .. } | Self::Rollback { dry_run, .. } => *dry_run = false,
            Self::In { act: PartitionAct::Move { dry_run, .. } | PartitionAct::Clean { dry_run, .. }, .. } => {
                *dry_run = false;
            }
            _ => {}
        }
        self
    }

    /// The verb, as a rejection names it; [`crate::audit::action`] is the audit's short name.
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

    /// What it is about: an application, a node, what is silenced; empty for the scheduler as a whole.
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
    /// In one line, as messages show it: `kill nightly-42`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.verb())?;
        match self.object() {
            "" => Ok(()),
            object => write!(f, " {object}"),
        }
    }
}

/// An act that someone needs done, and why.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Order {
    /// What is to be done.
    pub act: Act,
    /// Why, for the record; may be empty, at most [`LONGEST_REASON`] characters.
    pub reason: String,
    /// What a configuration may take away (CFG-120).
    #[serde(default)]
    pub allowed: AllowedRemoval,
}

impl Order {
    /// An order that takes no large part of a configuration away.
    pub fn new(act: Act, reason: impl Into<String>) -> Self {
        Self { act, reason: reason.into(), allowed: AllowedRemoval::default() }
    }

    /// The same, which may take this away.
    #[must_use]
    pub fn allowing(self, allowed: AllowedRemoval) -> Self {
        Self { allowed, ..self }
    }
}

impl Order {
    /// The same without what a client can make large. It is not to be carried out.
    #[must_use]
    pub fn without_body(self) -> Self {
        Self::new(self.act.without_body(), self.reason.chars().take(LONGEST_REASON).collect::<String>())
    }
}

impl From<Act> for Order {
    /// Without a reason.
    fn from(act: Act) -> Self {
        Self::new(act, "")
    }
}

/// Who needs something done.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Actor {
    /// The user and his groups.
    pub identity: Identity,
    /// Is in the scheduler ACL, which gives no right on any queue (REST E1).
    pub scheduler_admin: bool,
    /// Why nothing may be changed; `None` when it may.
    #[serde(default, with = "model::saved::text_option")]
    pub read_only: Option<Arc<str>>,
    /// Where the orders come from.
    pub from: ActsFrom,
    /// Access lists of queues are not asked: someone else decides who may do what, a Kubernetes API server.
    #[serde(skip)]
    pub judged_elsewhere: bool,
    /// The rights at the API server of the cluster that orders go to; `None` where they go to a scheduler.
    #[serde(skip)]
    pub cluster: Option<Arc<ClusterRights>>,
}

/// Where orders come from.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ActsFrom {
    /// The console in the scheduler's own process.
    Console,
    /// The REST API.
    Api {
        /// From this address.
        #[serde(with = "model::saved::text")]
        address: Arc<str>,
        /// In this request, as its answer names it.
        #[serde(with = "model::saved::text")]
        request: Arc<str>,
    },
    /// A watched file.
    File(#[serde(with = "model::saved::text")] Arc<str>),
    /// A workload's steps.
    Workload,
}

impl From<Identity> for Actor {
    /// Someone at the console who may change things as far as the queues' access lists let him.
    fn from(identity: Identity) -> Self {
        let from = ActsFrom::Console;
        Self { identity, scheduler_admin: false, read_only: None, from, judged_elsewhere: false, cluster: None }
    }
}

impl Actor {
    /// The same, in the scheduler ACL or not.
    #[must_use]
    pub fn scheduler_admin(self, is: bool) -> Self {
        Self { scheduler_admin: is, ..self }
    }

    /// The same, but nothing may be changed, for this reason.
    #[must_use]
    pub fn read_only(self, why: &str) -> Self {
        Self { read_only: Some(Arc::from(why)), ..self }
    }

    /// The user's name.
    pub fn user(&self) -> &str {
        &self.identity.user
    }
}
