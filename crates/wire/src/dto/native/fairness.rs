//! Usage of queues compared with guaranteed resources, and of users and groups compared with limits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The usage of queues compared with their guarantees.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Fairness {
    /// Each queue and resource with a guarantee or usage, largest deficit first.
    pub queues: Vec<QueueFairness>,
    /// Users and groups with each of their limits, most blocked first.
    pub limits: Vec<LimitFairness>,
}

/// The usage of a user or group compared with a limit, in one resource or in its number of applications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct LimitFairness {
    /// The user; empty for a group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub user: String,
    /// The group; empty for a user.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The queue of the limit.
    pub queue: String,
    /// The line of the configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The resource; missing: the number of running applications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// The value of the limit.
    pub limit: i64,
    /// The usage of the resource.
    pub used: i64,
    /// The pending requests; for applications, the number that has not started.
    pub pending: i64,
    /// The part of these that the limit blocks now.
    #[serde(rename = "heldBack")]
    pub blocked: i64,
}

/// The usage of a queue compared with its guarantee, in one resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct QueueFairness {
    /// Full path of the queue.
    pub queue: String,
    /// Name of the resource: `vcore`, `memory`, others.
    pub resource: String,
    /// The guarantee, in millicores, bytes, or units.
    pub guaranteed: i64,
    /// The usage of the resource.
    pub used: i64,
    /// The pending requests.
    pub pending: i64,
    /// Its deficit: the missing part of its guarantee that it requests.
    pub deficit: i64,
    /// The deficit as a part of the guarantee, in thousandths.
    #[serde(rename = "lack")]
    pub shortage: i64,
    /// Its share if the resources of its parent were split by guarantees among the siblings with requests.
    pub fair: i64,
    /// The minimum duration of its deficit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// The usage above its guarantee.
    pub borrowed: i64,
    /// The part of its guarantee that it does not request.
    pub idle: i64,
    /// The siblings that use more than their guarantee, if it has a deficit.
    pub borrowers: Vec<String>,
}
