//! The records of the ledger: the audit (who did what) and the history (every configuration that was active).
//!
//! Invariants:
//! - an entry never changes; numbers count up by one in execution order;
//! - plain data, the same for an embedded and a remote scheduler.

use std::collections::VecDeque;
use std::sync::Arc;

use super::act::{Act, ActsFrom, PartitionAct};
use model::{Identity, Time};

/// The longest rejection text of an entry, in characters: a configuration can have any number of errors.
pub const LONGEST_WHY: usize = 2_000;

/// Facts about the object in a fixed order: `queue` is `root.etl`.
pub type Facts = Vec<(String, String)>;

/// A change, allowed or rejected (REST E11).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AuditEntry {
    /// Counts up by one, from 1. The same orders in the same order get the same numbers.
    pub id: u64,
    /// The scheduler time.
    pub at: Time,
    /// Nanoseconds since 1970; `None` with stepped time.
    pub wall: Option<i64>,
    /// The user; empty for a watched file and for workload steps.
    pub user: String,
    /// The groups of the user at that time.
    pub groups: Vec<String>,
    /// `console`, an address, `file NAME`, `workload`.
    pub address: String,
    /// The operation, named by [`action`].
    pub action: String,
    /// The partition; empty for the scheduler as a whole.
    pub partition: String,
    /// The object: an application, a node, `configuration`, `scheduler`, `queues`.
    pub object: String,
    /// Whether the operation was executed.
    pub allowed: bool,
    /// The rejecting check, a name of [`crate::act::Code`]; empty if executed.
    pub code: String,
    /// The reason of the rejection; empty if executed.
    pub why: String,
    /// The user's reason; may be empty.
    pub reason: String,
    /// The facts before the operation.
    pub before: Facts,
    /// The facts after the operation; empty if rejected.
    pub after: Facts,
    /// The request ID; empty if none.
    pub request: String,
}

/// The kind of object of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditObject {
    /// An application, by its id.
    Application,
    /// A node, by its id.
    Node,
    /// The configuration as a whole.
    Configuration,
    /// The scheduler or a partition.
    Whole,
}

impl AuditEntry {
    /// The kind of the object.
    pub fn kind(&self) -> AuditObject {
        match self.action.as_str() {
            "config" | "rollback" => AuditObject::Configuration,
            "pause" | "resume" | "cleanup" => AuditObject::Whole,
            action if action.ends_with("-node") => AuditObject::Node,
            _ => AuditObject::Application,
        }
    }

    /// Whether the entry belongs to this user.
    pub fn is_of(&self, user: &str) -> bool {
        !self.user.is_empty() && self.user == user
    }
}

/// `kill`, `move`, `config`.
pub fn action(act: &Act) -> &'static str {
    let Act::In { act, .. } = act else {
        return match act {
            Act::Rollback { .. } => "rollback",
            Act::Pause => "pause",
            Act::Resume => "resume",
            Act::Silence { .. } => "silence",
            Act::EndSilence { .. } => "end-silence",
            Act::Configure { .. } | Act::In { .. } => "config",
        };
    };
    match act {
        PartitionAct::Kill { .. } => "kill",
        PartitionAct::Move { .. } => "move",
        PartitionAct::Clean { .. } => "cleanup",
        PartitionAct::Submit(_) => "submit",
        PartitionAct::Ask { .. } => "ask",
        PartitionAct::Release { .. } => "release",
        PartitionAct::Remove { .. } => "remove",
        PartitionAct::AddNode(_) => "add-node",
        PartitionAct::UpdateNode { .. } => "update-node",
        PartitionAct::DrainNode(_) => "drain-node",
        PartitionAct::ResumeNode(_) => "resume-node",
        PartitionAct::RemoveNode { .. } => "remove-node",
    }
}

/// The names from [`action`], in alphabetical order.
pub const ACTIONS: [&str; 18] = [
    "add-node",
    "ask",
    "cleanup",
    "config",
    "drain-node",
    "end-silence",
    "kill",
    "move",
    "pause",
    "release",
    "remove",
    "remove-node",
    "resume",
    "resume-node",
    "rollback",
    "silence",
    "submit",
    "update-node",
];

/// The object name of an act in an entry.
pub fn object(act: &Act) -> &str {
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => "configuration",
        Act::Pause | Act::Resume => "scheduler",
        Act::In { act: PartitionAct::Clean { .. }, .. } => "queues",
        Act::In { .. } | Act::Silence { .. } | Act::EndSilence { .. } => act.object(),
    }
}

/// The origin name in an entry.
pub fn address(from: &ActsFrom) -> String {
    match from {
        ActsFrom::Console => "console".to_owned(),
        ActsFrom::Api { address, .. } => address.to_string(),
        ActsFrom::File(name) => format!("file {name}"),
        ActsFrom::Workload => "workload".to_owned(),
    }
}

/// A configuration that became active (REST E5).
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Revision {
    /// Counts up by one, from 1.
    pub number: u64,
    /// The checksum of the text.
    pub checksum: String,
    /// The activation time, by the scheduler clock.
    pub at: Time,
    /// Nanoseconds since 1970; `None` with stepped time.
    pub wall: Option<i64>,
    /// The user; empty if unknown.
    pub by: String,
    /// The user's reason; may be empty.
    pub reason: String,
    /// How it came.
    pub source: RevisionSource,
    /// The number of settings that differ from the previous revision.
    pub changes: usize,
    /// The text as written; `None` if unknown.
    #[serde(default, with = "model::saved::text_option")]
    pub text: Option<Arc<str>>,
}

/// How a configuration became active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RevisionSource {
    /// Loaded at the start.
    Start,
    /// Its file was changed.
    File,
    /// A step of the workload.
    Workload,
    /// The console in the process of the scheduler.
    Console,
    /// The REST API.
    Api,
    /// Observed by this console; the user is unknown.
    Seen,
    /// A rollback to the revision with this number.
    Rollback(u64),
}

impl RevisionSource {
    /// The name in REST E5.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::File => "file",
            Self::Workload => "workload",
            Self::Console => "console",
            Self::Api => "api",
            Self::Seen => "seen",
            Self::Rollback(_) => "rollback",
        }
    }

    /// The source with this name; `of` is the revision of a rollback, 0 if unknown.
    pub fn named(name: &str, of: u64) -> Option<Self> {
        Some(match name {
            "start" => Self::Start,
            "file" => Self::File,
            "workload" => Self::Workload,
            "console" => Self::Console,
            "api" => Self::Api,
            "seen" => Self::Seen,
            "rollback" => Self::Rollback(of),
            _ => return None,
        })
    }
}

/// A selection of audit entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// `None` starts at the newest.
    pub before: Option<u64>,
    /// The maximum number of entries.
    pub limit: usize,
    /// Only entries of this user.
    pub user: Option<String>,
    /// Only this operation.
    pub action: Option<String>,
    /// Only this object.
    pub object: Option<String>,
}

impl AuditQuery {
    /// Whether an entry matches, ignoring its number.
    pub fn wants(&self, entry: &AuditEntry) -> bool {
        let is = |wanted: &Option<String>, what: &str| wanted.as_ref().is_none_or(|wanted| wanted == what);
        is(&self.user, &entry.user) && is(&self.action, &entry.action) && is(&self.object, &entry.object)
    }

    /// Returns the matching entries, the newest first.
    pub fn pick(&self, entries: &VecDeque<Arc<AuditEntry>>) -> Vec<Arc<AuditEntry>> {
        let below = |entry: &&Arc<AuditEntry>| self.before.is_none_or(|before| entry.id < before);
        let wanted = entries.iter().rev().filter(below).filter(|entry| self.wants(entry));
        wanted.take(self.limit).cloned().collect()
    }
}

/// The audit entries that a user may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// The entries, the newest first.
    pub entries: Vec<Arc<AuditEntry>>,
    /// The page contains only this user's entries: entries of others are not permitted (REST E1).
    pub only: Option<String>,
}

/// The groups of an identity, as in an entry.
pub fn groups(who: &Identity) -> Vec<String> {
    who.groups.clone()
}
