//! The outcomes of orders.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::refusal::Refusal;
use config::diff::What;
use config::{Place, Removal};
use model::{AppId, AppState, AskId, NodeId, QueuePath, Time};

/// Receives the outcome of an order, once, from any thread.
pub type Answer = Box<dyn FnOnce(Result<Done, Refusal>) + Send>;

/// The outcome of an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Done {
    /// An application was killed.
    Killed(Killed),
    /// An application was moved, or would be (dry run).
    Moved(Moved),
    /// A configuration became active, or would (dry run).
    Configured(Box<Configured>),
    /// The cleaner made a pass, or would (dry run).
    Cleaned(Cleaned),
    /// An application was submitted and placed.
    Submitted(Submitted),
    /// Requests are pending.
    Asked(PendingAsks),
    /// An allocation ended, or a request was withdrawn.
    Released(Released),
    /// An application was removed by its submitter.
    Removed(Killed),
    /// A node was added, changed or removed.
    Node(NodeDone),
    /// The scheduler is paused.
    Paused,
    /// The scheduler is resumed.
    Resumed,
    /// A silence was allowed and is in the audit.
    Silenced,
}

/// An application that was ended by an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Killed {
    /// The application that was killed.
    pub app: AppId,
    /// The queue that it left.
    pub queue: QueuePath,
    /// The state after the kill.
    pub state: AppState,
    /// The released allocations, in that order.
    pub released: Vec<AskId>,
    /// The withdrawn requests.
    pub canceled: Vec<AskId>,
    /// The allocations and requests still to release: very large applications are released in parts.
    pub left: usize,
    /// The outcome per pod; only in a cluster.
    pub pods: Vec<(String, PodEnd)>,
}

/// The outcome of the deletion of a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PodEnd {
    /// The deletion started; the pod ends within its grace period.
    Deleted,
    /// The pod did not exist anymore.
    Gone,
    /// Another pod has the name now; it stays.
    Replaced,
    /// The deletion was rejected, with the reason.
    Refused(String),
    /// The pod is not deleted: its owner, of this kind, runs one on each node.
    Retained(String),
}

impl PodEnd {
    /// The outcome without the pod and without the reason of a rejection.
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
    /// The old queue.
    pub from: QueuePath,
    /// The new queue.
    pub to: QueuePath,
    /// Its state, which a move does not change.
    pub state: AppState,
    /// The effects, in sentences (SCH-204).
    pub effects: Vec<String>,
    /// Nothing was done.
    pub dry_run: bool,
}

/// A configuration that became active, or would.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Configured {
    /// The checksum of the new configuration.
    pub checksum: String,
    /// The checksum of the previous configuration.
    pub previous: String,
    /// The revision number, from 1; for a dry run, the number that the configuration would get. 0 if revisions are not
    /// counted.
    pub revision: u64,
    /// The changes, in the order of [`config::diff()`].
    pub changes: Vec<ChangeLine>,
    /// The queues on which the change needs admin access, each with its partition.
    pub touches: Vec<(String, QueuePath)>,
    /// Whether settings outside the queues change, which needs membership in the scheduler ACL.
    pub outside: bool,
    /// The queues that start to drain, each with its partition.
    pub draining: Vec<(String, QueuePath)>,
    /// The new queues, each with its partition.
    pub created: Vec<(String, QueuePath)>,
    /// The number of removed queues.
    pub removal: Removal,
    /// The effects on running allocations, in sentences.
    pub what_happens: Vec<String>,
    /// The resource versions of the ConfigMap before and after the write.
    pub resource_versions: Option<(String, String)>,
    /// A problem that did not prevent activation.
    pub warning: Option<String>,
    /// Nothing was done.
    pub dry_run: bool,
}

/// A changed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeLine {
    /// The name of the partition.
    pub partition: String,
    /// The queue; `None` for a setting of the partition.
    pub queue: Option<QueuePath>,
    /// Whether the setting is new, removed, or changed.
    pub what: What,
    /// The key as in the file, for example `resources.max.vcore`.
    pub key: String,
    /// The old value.
    pub from: Option<String>,
    /// The new value.
    pub to: Option<String>,
    /// What the change does, in a few words.
    pub effect: String,
}

impl Configured {
    /// `revision 3`, or `the configuration` if revisions are not counted.
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
    /// The removed queues, children before their parent.
    pub removed_queues: Vec<QueuePath>,
    /// The draining queues that stay.
    pub retained: Vec<DrainingQueue>,
    /// The number of forgotten applications that ended long ago.
    pub removed_applications: usize,
    /// Nothing was done.
    pub dry_run: bool,
}

/// A draining queue that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrainingQueue {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The reason: `2 applications`.
    pub why: String,
}

/// An application that was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submitted {
    /// The id that it was submitted with.
    pub app: AppId,
    /// The queue from placement.
    pub queue: QueuePath,
}

/// Requests that are now pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingAsks {
    /// The application that asks.
    pub app: AppId,
    /// The ids of the new requests, in order.
    pub asks: Vec<AskId>,
}

/// A request that no longer exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Released {
    /// The application that the allocation belonged to.
    pub app: AppId,
    /// The id of the allocation or request.
    pub ask: AskId,
    /// Whether it was allocated; otherwise it was pending.
    pub allocated: bool,
}

/// A node that was added, changed or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeDone {
    /// The node that was changed.
    pub node: NodeId,
    /// The allocations that the change released.
    pub released: Vec<(AppId, AskId)>,
}

/// The active configuration.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Configuration {
    /// The whole file as written, with comments; for a manifest, the whole manifest.
    #[serde(with = "model::saved::text")]
    pub text: Arc<str>,
    /// The queue configuration: the same text, or the entry of a manifest.
    #[serde(with = "model::saved::text")]
    pub queues: Arc<str>,
    /// The checksum of the queue configuration (`config.md` section 13).
    pub checksum: String,
    /// The file; `None` if the configuration is only in memory.
    pub file: Option<PathBuf>,
    /// The revision number, from 1.
    pub revision: u64,
    /// When it became active.
    pub at: Time,
    /// Who activated it.
    pub by: LoadedBy,
    /// The entry of a manifest that contains the queue configuration, without its file extension.
    #[serde(default = "usual_group")]
    pub policy_group: String,
    /// The ConfigMap that contains it, if known.
    #[serde(default)]
    pub config_map: Option<Box<ConfigMapEntry>>,
}

/// An entry of a ConfigMap that contains a queue configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ConfigMapEntry {
    /// The namespace of the ConfigMap.
    pub namespace: String,
    /// The name of the ConfigMap.
    pub name: String,
    /// The key of the entry: `queues.yaml`.
    pub key: String,
    /// The other writers of the ConfigMap (Helm, Argo CD, Flux), one sentence each.
    pub owners: Vec<String>,
}

impl ConfigMapEntry {
    /// A manifest with only this entry: a patch for the repository that the ConfigMap is made from.
    pub fn patch(&self, text: &str) -> String {
        let Self { namespace, name, key, .. } = self;
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let head = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n  namespace: {}\ndata:\n  {}: ",
            quoted(name),
            quoted(namespace),
            quoted(key)
        );
        // A block scalar is readable; a text that a block cannot represent exactly is quoted.
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
    /// Returns the same configuration in a ConfigMap.
    pub fn in_config_map(self, entry: ConfigMapEntry) -> Self {
        Self { config_map: Some(Box::new(entry)), ..self }
    }

    /// Returns a configuration that was observed as active in a remote scheduler.
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

    /// Names the document of locations: the file, or the revision in the history.
    pub fn source(&self) -> String {
        let name = self.file.as_ref().and_then(|file| file.file_name()).map(|name| name.to_string_lossy().into_owned());
        match (&self.by, name) {
            // The steps of a workload are not written to the file.
            (LoadedBy::Workload, _) => format!("revision {}", self.revision),
            (_, Some(name)) => name,
            (LoadedBy::Start, None) if self.revision == 1 => "the configuration at the start".to_owned(),
            _ => format!("revision {}", self.revision),
        }
    }

    /// A location with its document: `queues.yaml:15`, `revision 3, line 15`.
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
    /// Loaded at the start.
    Start,
    /// Its file was changed.
    File,
    /// A step of the workload.
    Workload,
    /// An order of this user.
    User(String),
    /// A rollback by this user.
    RolledBack(String),
    /// Unknown: it was active when this console first looked.
    Seen,
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::manifest::queues_of;

    #[test]
    fn a_patch_preserves_the_text() {
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
