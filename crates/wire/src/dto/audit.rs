//! Transfer types of revisions (E5) and the audit (E11).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The revisions of the configuration (E5), newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Revisions {
    /// The revisions without texts.
    pub revisions: Vec<RevisionInfo>,
}

/// A revision of the configuration, without its text (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RevisionInfo {
    /// The number, which increases by one with each activated configuration.
    pub revision: u64,
    /// The checksum of the text.
    pub checksum: String,
    /// Activation time in ns since 1970.
    pub at: i64,
    /// The user who activated it.
    pub by: String,
    /// The user's reason; may be empty.
    pub reason: String,
    /// Its source: `start`, `file`, `workload`, `console`, `api`, or `rollback`.
    pub source: String,
    /// The revision that a rollback restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rollback_of: Option<u64>,
    /// The number of changed settings.
    pub changes: usize,
    /// Whether it is the active one.
    pub current: bool,
}

/// Restores an earlier configuration (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// The number of the revision to restore.
    #[schemars(range(min = 1))]
    pub revision: u64,
    /// The reason, for the audit.
    #[schemars(length(max = 500))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The audit (E11), newest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Audit {
    /// The acts, done or rejected.
    pub entries: Vec<AuditEntry>,
    /// Set if the caller sees only this user's entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// One act, done or rejected (E11).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AuditEntry {
    /// The consecutive number.
    pub id: u64,
    /// Time in ns since 1970.
    pub at: i64,
    /// The user from the token or the local account.
    pub user: String,
    /// The user's groups at that time.
    pub groups: Vec<String>,
    /// The source: an address, `console`, `file NAME`, `workload`.
    pub address: String,
    /// The action: `kill`, `move`, `config`…
    pub action: String,
    /// The partition; absent for acts on the whole scheduler.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub partition: String,
    /// The object: an application, a node, a queue, `configuration`.
    pub object: String,
    /// Whether it was allowed.
    pub allowed: bool,
    /// The check that rejected it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// The reason of a rejection.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The reason that the user gave.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// The facts before.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, String>,
    /// The facts afterward.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub after: BTreeMap<String, String>,
    /// The request ID of the answer.
    pub request_id: String,
}
