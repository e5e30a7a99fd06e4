//! The inputs of a preemption decision, with the event of a preempted allocation, in kornsole's own API.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::ResourceMap;

/// How a preemption was decided, as it stood right before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct EventGrounds {
    /// `guarantee`, `required-node` or `maximum`.
    pub rule: String,
    /// The node where the ask goes; empty where a maximum is enforced.
    #[serde(rename = "nodeID", skip_serializing_if = "String::is_empty")]
    pub node_id: String,
    /// What the ask needs; where a maximum is enforced, how much had to go.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub wanted: ResourceMap,
    /// The queue that it was done for.
    pub own: QueueUsageState,
    /// The leaves that victims come from, at most eight.
    pub leaves: Vec<QueueUsageState>,
    /// How many allocations went for it.
    pub victims: u64,
    /// What was examined and stayed, the most first, at most eight groups.
    #[serde(rename = "kept")]
    pub retained: Vec<RetainedAllocations>,
    /// How many allocations more were examined and stayed.
    #[serde(rename = "keptOthers")]
    pub retained_others: u64,
}

/// A queue at that time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QueueUsageState {
    /// The full path of the queue, as `root.prod.etl`.
    pub queue_name: String,
    /// What it used, without what was being preempted already.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub used: ResourceMap,
    /// The smallest guarantee of each resource on its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub guaranteed: Option<ResourceMap>,
    /// Its own maximum, where that is enforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub max: Option<ResourceMap>,
    /// How many of its allocations went.
    pub victims: u64,
}

/// Allocations of one leaf that stayed for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RetainedAllocations {
    /// `within-guarantee`, `requires-node`, `going`, `preempted`, `nothing-shared`, `important`, `floor`, `other-node`, `not-needed` or
    /// `no-use`.
    pub reason: String,
    /// Their leaf, as it stood then.
    pub leaf: QueueUsageState,
    /// How many they are.
    pub count: u64,
    /// The application of the first of them.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The first of them.
    pub allocation_key: String,
}

/// For `deserialize_with`: what has another shape is taken as missing, as the rest of an event is read tolerantly.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<EventGrounds>>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}
