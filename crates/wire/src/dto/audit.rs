//! The transfer types of the past: the configurations that were active (E5), and who did what (E11).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The configurations that were active (E5), the newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Revisions {
    /// Each without its text.
    pub revisions: Vec<RevisionInfo>,
}

/// A configuration that was active, without its text (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RevisionInfo {
    /// Counts up by one with each configuration that becomes active.
    pub revision: u64,
    /// The checksum of its text.
    pub checksum: String,
    /// When it became active.
    pub at: i64,
    /// Whose doing that was.
    pub by: String,
    /// Why, as who changed it wrote; empty where nothing was written.
    pub reason: String,
    /// How it came: `start`, `file`, `workload`, `console`, `api` or `rollback`.
    pub source: String,
    /// Which one a rollback brought back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_of: Option<u64>,
    /// How many settings were different from those of the one before.
    pub changes: usize,
    /// It is the active one.
    pub current: bool,
}

/// Bring a configuration back that was active (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// The number of the revision that is to be active again.
    #[schemars(range(min = 1))]
    pub revision: u64,
    /// Why, for the record.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Who did what (E11), the newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Audit {
    /// Each act, done or refused.
    pub entries: Vec<AuditEntry>,
    /// Only this user's own are reported: he may not see those of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// One act, done or refused (E11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AuditEntry {
    /// Counts up by one.
    pub id: u64,
    /// When, in nanoseconds since 1970.
    pub at: i64,
    /// Who acted, as the token or the local account says.
    pub user: String,
    /// The groups of that user at that time.
    pub groups: Vec<String>,
    /// From where: an address, `console`, `file NAME`, `workload`.
    pub address: String,
    /// What: `kill`, `move`, `config`…
    pub action: String,
    /// In which partition; not there for what concerns the scheduler as a whole.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub partition: String,
    /// What it was done to: an application, a node, a queue, `configuration`.
    pub object: String,
    /// Whether it was done.
    pub allowed: bool,
    /// Which check refused.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Why it was refused, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Why who did it said that he did.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// What was so before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, String>,
    /// What was so afterwards.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, String>,
    /// The request, as its answer named it.
    pub request_id: String,
}
