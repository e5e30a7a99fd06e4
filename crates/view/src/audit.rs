//! What the ledger holds: who did what (the audit), and every configuration that was active (the history).
//!
//! Invariants:
//! - an entry is written once and never changed; numbers count up by one, in the order in which things were done;
//! - plain data, the same for a scheduler in this process and one elsewhere.

use std::collections::VecDeque;
use std::sync::Arc;

use super::act::{Act, ActsFrom, PartitionAct};
use model::{Identity, Time};

/// The longest text of a rejection in an entry, in characters: a text may have any number of faults.
pub const LONGEST_WHY: usize = 2_000;

/// What was so of the thing acted upon: `queue` is `root.etl`, in a fixed order.
pub type Facts = Vec<(String, String)>;

/// One changing act, allowed or refused (REST E11).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct AuditEntry {
    /// Counts up by one; the first has 1. The same orders in the same order have the same numbers.
    pub id: u64,
    /// When, by the scheduler's own time.
    pub at: Time,
    /// When by the wall clock, in nanoseconds since 1970; `None` for a scheduler whose time is stepped.
    pub wall: Option<i64>,
    /// Who; empty for a watched file and a workload's own steps.
    pub user: String,
    /// The groups of who acted, at that time.
    pub groups: Vec<String>,
    /// From where: `console`, an address, `file NAME`, `workload`.
    pub address: String,
    /// What, as [`action`] names it.
    pub action: String,
    /// In which partition; empty for what concerns the scheduler as a whole.
    pub partition: String,
    /// To what: an application, a node, `configuration`, `scheduler`, `queues`.
    pub object: String,
    /// Whether it was done.
    pub allowed: bool,
    /// Which check refused: a name of [`crate::act::Code`]; empty when it was done.
    pub code: String,
    /// Why it was refused, in words; empty when it was done.
    pub why: String,
    /// The reason that was given; may be empty.
    pub reason: String,
    /// What was so before.
    pub before: Facts,
    /// What was so afterwards; empty when it was refused, since nothing was changed.
    pub after: Facts,
    /// The request, as its answer named it; empty where there is none.
    pub request: String,
}

/// What a person can look up about the object of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditObject {
    /// An application, by its id.
    Application,
    /// A node, by its id.
    Node,
    /// The configuration as a whole.
    Configuration,
    /// The scheduler or a partition as a whole.
    Whole,
}

impl AuditEntry {
    /// What its object is.
    pub fn kind(&self) -> AuditObject {
        match self.action.as_str() {
            "config" | "rollback" => AuditObject::Configuration,
            "pause" | "resume" | "cleanup" => AuditObject::Whole,
            action if action.ends_with("-node") => AuditObject::Node,
            _ => AuditObject::Application,
        }
    }

    /// Whether it was this user's doing.
    pub fn is_of(&self, user: &str) -> bool {
        !self.user.is_empty() && self.user == user
    }
}

/// The short name of an act, by which the audit can be searched: `kill`, `move`, `config`.
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

/// The names that [`action`] gives, in the order of the alphabet.
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

/// What an entry names as the object of an act.
pub fn object(act: &Act) -> &str {
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => "configuration",
        Act::Pause | Act::Resume => "scheduler",
        Act::In { act: PartitionAct::Clean { .. }, .. } => "queues",
        Act::In { .. } | Act::Silence { .. } | Act::EndSilence { .. } => act.object(),
    }
}

/// From where an entry says that an act came.
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
    /// Counts up by one with each; the first has 1.
    pub number: u64,
    /// The checksum of the text.
    pub checksum: String,
    /// When it became active, by the scheduler's own time.
    pub at: Time,
    /// When by the wall clock, in nanoseconds since 1970; `None` for a scheduler whose time is stepped.
    pub wall: Option<i64>,
    /// Whose doing that was; empty where no one is known.
    pub by: String,
    /// Why, in his words; may be empty.
    pub reason: String,
    /// How it came.
    pub source: RevisionSource,
    /// How many settings were different from those of the one before.
    pub changes: usize,
    /// The text as it was written; `None` where that is unknown.
    #[serde(default, with = "model::saved::text_option")]
    pub text: Option<Arc<str>>,
}

/// How a configuration became active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum RevisionSource {
    /// It was there at the start.
    Start,
    /// Its file was changed.
    File,
    /// A step of the workload.
    Workload,
    /// At the console in the scheduler's own process.
    Console,
    /// By the REST API.
    Api,
    /// This console saw it become active; who did it is unknown.
    Seen,
    /// An older one was brought back, by whatever way: that one's number.
    Rollback(u64),
}

impl RevisionSource {
    /// The name of E5.
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

    /// The source of this name; a rollback without the number of its revision has 0.
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

/// Which entries of the audit are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditQuery {
    /// Only those with a lower number; `None` starts at the newest.
    pub before: Option<u64>,
    /// At most this many.
    pub limit: usize,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only those of this action.
    pub action: Option<String>,
    /// Only those on this object.
    pub object: Option<String>,
}

impl AuditQuery {
    /// Whether an entry is one of those, except for its number.
    pub fn wants(&self, entry: &AuditEntry) -> bool {
        let is = |wanted: &Option<String>, what: &str| wanted.as_ref().is_none_or(|wanted| wanted == what);
        is(&self.user, &entry.user) && is(&self.action, &entry.action) && is(&self.object, &entry.object)
    }

    /// The entries that are wanted of a book of them, the newest first.
    pub fn pick(&self, entries: &VecDeque<Arc<AuditEntry>>) -> Vec<Arc<AuditEntry>> {
        let below = |entry: &&Arc<AuditEntry>| self.before.is_none_or(|before| entry.id < before);
        let wanted = entries.iter().rev().filter(below).filter(|entry| self.wants(entry));
        wanted.take(self.limit).cloned().collect()
    }
}

/// The audit as someone may see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditPage {
    /// The newest first.
    pub entries: Vec<Arc<AuditEntry>>,
    /// Only this user's own entries are shown: he may not see those of others (REST E1).
    pub only: Option<String>,
}

/// The groups of an identity as an entry lists them.
pub fn groups(who: &Identity) -> Vec<String> {
    who.groups.clone()
}
