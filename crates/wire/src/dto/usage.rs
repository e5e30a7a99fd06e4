//! What users and groups use (`rest.md` 5.7).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{Other, ResourceMap};

/// What a user uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct UserUsage {
    /// The name of the user, as in submissions.
    #[serde(deserialize_with = "read")]
    pub user_name: String,
    /// Application → the group it counts under.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: BTreeMap<String, String>,
    /// The tree of queues, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// What a group uses.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct GroupUsage {
    /// The group; `*`: those whom no limit names.
    #[serde(deserialize_with = "read")]
    pub group_name: String,
    /// Applications that count under it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: Vec<String>,
    /// The tree of queues, from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// Usage in one queue and below.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct QueueUsage {
    /// The full path of the queue.
    #[serde(deserialize_with = "read")]
    pub queue_path: String,
    /// In use. Reads a map under `Resources` as well (up to 1.6).
    #[serde(skip_serializing_if = "is_empty")]
    pub resource_usage: ResourceMap,
    /// Applications that run.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub running_applications: Vec<String>,
    /// The limit of this very queue; empty: none here.
    #[serde(skip_serializing_if = "is_empty")]
    pub max_resources: ResourceMap,
    /// The maximum of running applications; 0: no limit here.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The queues below that are used or limited.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub children: Vec<QueueUsage>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}
