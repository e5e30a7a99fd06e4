//! What really happened.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::refusal::Refusal;
use config::diff::What;
use config::{Place, Removal};
use model::{AppId, AppState, AskId, NodeId, QueuePath, Time};

/// What is called with the outcome of an order, once, from any thread.
pub type Answer = Box<dyn FnOnce(Result<Done, Refusal>) + Send>;

/// The outcome of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// An application was killed.
    Killed(Killed),
    /// An application was moved, or would be.
    Moved(Moved),
    /// A configuration is active, or would be.
    Configured(Box<Configured>),
    /// The cleaner went through, or would.
    Cleaned(Cleaned),
    /// An application was submitted and placed.
    Submitted(Submitted),
    /// Asks are pending.
    Asked(PendingAsks),
    /// An allocation ended, or an ask was withdrawn.
    Released(Released),
    /// An application was taken away by its submitter.
    Removed(Killed),
    /// A node was added, changed or removed.
    Node(NodeDone),
    /// The scheduler rests.
    Paused,
    /// Resumes the scheduler.
    Resumed,
    /// It may be silenced, or not any more, and is in the audit.
    Silenced,
}

/// An application that ended by an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Killed {
    /// The application that was killed.
    pub app: AppId,
    /// The queue that it left.
    pub queue: QueuePath,
    /// The state that it is in now.
    pub state: AppState,
    /// The allocations that were released, in that order.
    pub released: Vec<AskId>,
    /// The pending asks that were withdrawn.
    pub withdrawn: Vec<AskId>,
    /// How many allocations and asks it still has: of one that has very many they go one part after the other.
    pub left: usize,
    /// What became of each of its pods; only in a cluster.
    pub pods: Vec<(String, PodEnd)>,
}

/// What became of a pod that was to be deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodEnd {
    /// Its deletion started; it ends within its grace period.
    Deleted,
    /// It no longer existed already.
    Gone,
    /// Another pod has its name by now, and stays.
    Replaced,
    /// It was not deleted, for this reason.
    Refused(String),
    /// It is not deleted at all: its owner, of this kind, runs it on each node.
    Retained(String),
}

impl PodEnd {
    /// The outcome without the pod: pods with the same word have the same outcome. The reason of a rejection is omitted.
    pub fn word(&self) -> String {
        match self {
            Self::Refused(_) => "refused".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for PodEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deleted => f.write_str("deletion started"),
            Self::Gone => f.write_str("was already deleted"),
            Self::Replaced => f.write_str("another pod now has its name and is not deleted"),
            Self::Refused(why) => write!(f, "not deleted: {why}"),
            Self::Retained(kind) => write!(f, "not deleted: it belongs to a {kind}"),
        }
    }
}

/// An application that was moved, or would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The application that was moved.
    pub app: AppId,
    /// Where it was.
    pub from: QueuePath,
    /// Where it is.
    pub to: QueuePath,
    /// Its state, which a move does not change.
    pub state: AppState,
    /// What that means, in sentences (SCH-204).
    pub effects: Vec<String>,
    /// Nothing was done.
    pub dry_run: bool,
}

/// A configuration that became active, or would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The checksum of the new text.
    pub checksum: String,
    /// The checksum of the one before.
    pub previous: String,
    /// Counts up with each configuration that becomes active; the first has 1. Of a dry run the one that it would have. 0 where
    /// no one counts them.
    pub revision: u64,
    /// What is different, in the order of [`config::diff`].
    pub changes: Vec<ChangeLine>,
    /// The queues on which admin access is needed for it, each with its partition.
    pub touches: Vec<(String, QueuePath)>,
    /// Whether something outside the queues changes, which needs membership in the scheduler ACL.
    pub outside: bool,
    /// The queues that start to drain, each with its partition.
    pub draining: Vec<(String, QueuePath)>,
    /// The queues that are new, each with its partition.
    pub created: Vec<(String, QueuePath)>,
    /// The queues that no longer exist, by count.
    pub removal: Removal,
    /// What that means for running allocations, in sentences.
    pub what_happens: Vec<String>,
    /// The versions of the ConfigMap before and after it was written, where it is in one.
    pub resource_versions: Option<(String, String)>,
    /// What went not quite as it should, though the configuration is active.
    pub warning: Option<String>,
    /// Nothing was done.
    pub dry_run: bool,
}

/// One setting that is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeLine {
    /// The name of the partition that the setting belongs to.
    pub partition: String,
    /// The queue; `None` for what belongs to the partition as a whole.
    pub queue: Option<QueuePath>,
    /// Whether it is new, gone, or another.
    pub what: What,
    /// The key as the file writes it, as `resources.max.vcore`.
    pub key: String,
    /// The old value, where there was one.
    pub from: Option<String>,
    /// The new value, where there is one.
    pub to: Option<String>,
    /// What the change does, in a few words.
    pub effect: String,
}

impl Configured {
    /// What became active: `revision 3`, or `the configuration` where no one counts them.
    pub fn name(&self) -> String {
        if self.revision == 0 { "the configuration".to_owned() } else { format!("revision {}", self.revision) }
    }
}

impl From<&config::diff::Change> for ChangeLine {
    fn from(change: &config::diff::Change) -> Self {
        Self {
            partition: change.partition.clone(),
            queue: change.queue.clone(),
            what: change.what,
            key: change.key.to_string(),
            from: change.from.clone(),
            to: change.to.clone(),
            effect: change.effect.to_owned(),
        }
    }
}

/// What a pass of the cleaner did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// The queues that went, children before their parent.
    pub removed_queues: Vec<QueuePath>,
    /// The draining queues that stay.
    pub retained: Vec<DrainingQueue>,
    /// How many applications that ended long ago were forgotten.
    pub removed_applications: usize,
    /// Nothing was done.
    pub dry_run: bool,
}

/// A draining queue that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainingQueue {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// Why: `2 applications`.
    pub why: String,
}

/// An application that was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// The id that it was submitted with.
    pub app: AppId,
    /// Where placement put it.
    pub queue: QueuePath,
}

/// Asks that are pending now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAsks {
    /// The application that asks.
    pub app: AppId,
    /// The ids of the new asks, in their order.
    pub asks: Vec<AskId>,
}

/// An ask that no longer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The application that the allocation belonged to.
    pub app: AppId,
    /// The id of the allocation, or of the ask that was withdrawn.
    pub ask: AskId,
    /// Whether it was an allocation; otherwise it was pending.
    pub allocated: bool,
}

/// A node that was added, changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDone {
    /// The node that was changed.
    pub node: NodeId,
    /// The allocations that were released by it.
    pub released: Vec<(AppId, AskId)>,
}

/// The active configuration, as it was written.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Configuration {
    /// The file as it was written, comments and all; a manifest as a whole.
    #[serde(with = "model::saved::text")]
    pub text: Arc<str>,
    /// The queue configuration in it: the same text, or the entry of a manifest.
    #[serde(with = "model::saved::text")]
    pub queues: Arc<str>,
    /// The checksum of the queue configuration (`config.md` section 13).
    pub checksum: String,
    /// The file that it is in; `None` when it is in memory only.
    pub file: Option<PathBuf>,
    /// Counts up with each configuration that becomes active; the first has 1.
    pub revision: u64,
    /// When it became active.
    pub at: Time,
    /// Whose doing that was.
    pub by: LoadedBy,
    /// Which entry of a manifest holds the queue configuration, without its ending.
    #[serde(default = "usual_group")]
    pub policy_group: String,
    /// The ConfigMap that it is in, where that is known.
    #[serde(default)]
    pub config_map: Option<Box<ConfigMapEntry>>,
}

/// An entry of a ConfigMap that holds a queue configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ConfigMapEntry {
    /// The namespace of the ConfigMap.
    pub namespace: String,
    /// The name of the ConfigMap.
    pub name: String,
    /// The key of the entry: `queues.yaml`.
    pub key: String,
    /// Who else writes the ConfigMap, a sentence for each: Helm, Argo CD, Flux.
    pub owners: Vec<String>,
}

impl ConfigMapEntry {
    /// A manifest with this entry alone, as a patch for the repository that the ConfigMap is made from.
    pub fn patch(&self, text: &str) -> String {
        let Self { namespace, name, key, .. } = self;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let head = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  namespace: {}\ndata:\n  {}: ",
            quoted(name),
            quoted(namespace),
            quoted(key)
        );
        // A block keeps the text readable; a text that no block holds unchanged is quoted.
        let is_plain = |text: &str| text.chars().all(|char| char == '\n' || !char.is_control());
        let ends_in_one_line_break = text.ends_with('\n') && !text.ends_with("\n\n");
        if !is_plain(text) || !ends_in_one_line_break || text.starts_with([' ', '\n']) {
            return format!("{head}{}\n", quoted(text));
        }
        let lines = text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
        format!("{head}|\n{}", lines.collect::<String>())
    }
}

impl Configuration {
    /// The same, with the ConfigMap that it is in.
    pub fn in_config_map(self, entry: ConfigMapEntry) -> Self {
        Self { config_map: Some(Box::new(entry)), ..self }
    }

    /// One that was active when someone looked from elsewhere.
    pub fn seen(text: Arc<str>, revision: u64, at: Time) -> Self {
        Self {
            queues: Arc::clone(&text),
            checksum: config::checksum(text.as_bytes()),
            text,
            file: None,
            revision,
            at,
            by: LoadedBy::Seen,
            policy_group: usual_group(),
            config_map: None,
        }
    }

    /// What the places of its values are counted in, for a person: the file, or else the revision, whose text the history has.
    pub fn source(&self) -> String {
        let name = self.file.as_ref().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
        match (&self.by, name) {
            // A step of the workload is not written to the file.
            (LoadedBy::Workload, _) => format!("revision {}, of the workload", self.revision),
            (_, Some(name)) => name,
            (LoadedBy::Start, None) if self.revision == 1 => "the configuration at the start".to_owned(),
            _ => format!("revision {}", self.revision),
        }
    }

    /// Where something stands, with the name of the text: `queues.yaml:15`, `revision 3, of the workload, line 15`.
    pub fn place(&self, at: Place) -> String {
        let source = self.source();
        let is_file = self.file.is_some() && self.by != LoadedBy::Workload;
        if is_file { format!("{source}:{}", at.line) } else { format!("{source}, line {}", at.line) }
    }
}

fn usual_group() -> String {
    config::DEFAULT_POLICY_GROUP.to_owned()
}

/// How a configuration became active.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum LoadedBy {
    /// It was there at the start.
    Start,
    /// Its file was changed.
    File,
    /// A step of the workload.
    Workload,
    /// This user, by an order.
    User(String),
    /// This user, who brought an older one back.
    RolledBack(String),
    /// That is unknown: it was active when this console looked.
    Seen,
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::manifest::queues_of;

    #[test]
    fn a_patch_holds_the_text_unchanged() {
        let entry = ConfigMapEntry {
            namespace: "yunikorn".to_owned(),
            name: "yunikorn-configs".to_owned(),
            key: "queues.yaml".to_owned(),
            owners: Vec::new(),
        };
        let written = entry.patch("partitions:\n  - name: default\n\n    queues: []\n");
        let expected = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"yunikorn-configs\"\n  namespace: \"yunikorn\"\ndata:\n  \
                        \"queues.yaml\": |\n    partitions:\n      - name: default\n\n        queues: []\n";
        assert_eq!(written, expected);
        for text in ["a: 1\n", "a: 1", "a: 1\n\n", "  a: 1\n", "\na: 1\n", "a: \t1\r\n", "# \u{fe} \"x\"\n", ""] {
            assert_eq!(queues_of(&entry.patch(text), "queues").as_deref(), Some(text), "{}", entry.patch(text));
        }
    }
}
