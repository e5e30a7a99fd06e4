//! Usage of users and groups (`rest.md` 5.7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, ResourceMap};

/// Usage of a user.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UserUsage {
    /// The user name from submissions.
    #[serde(deserialize_with = "read")]
    pub user_name: String,
    /// The group of each application.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: BTreeMap<String, String>,
    /// The tree of queues, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// Usage of a group.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GroupUsage {
    /// The group; `*` for users without a named group.
    #[serde(deserialize_with = "read")]
    pub group_name: String,
    /// The applications that count under it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: Vec<String>,
    /// The tree of queues, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// Usage in a queue's subtree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct QueueUsage {
    /// The full path of the queue.
    #[serde(deserialize_with = "read")]
    pub queue_path: String,
    /// Allocated resources. Also reads a map under `Resources` (up to 1.6).
    #[serde(skip_serializing_if = "is_empty")]
    pub resource_usage: ResourceMap,
    /// The running applications.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub running_applications: Vec<String>,
    /// The limit of this queue; empty if none.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resources: ResourceMap,
    /// Maximum of running applications; 0: no limit of this queue.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// Child queues with usage or limits.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub children: Vec<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}
