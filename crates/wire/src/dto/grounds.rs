//! The inputs of a preemption decision; only in kornsole's own API.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::ResourceMap;

/// The inputs of a preemption, immediately before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct EventGrounds {
    /// `guarantee`, `required-node`, or `maximum`.
    pub rule: String,
    /// The node for the request; empty for an enforced maximum.
    #[serde(rename = "nodeID", skip_serializing_if = "String::is_empty")]
    pub node_id: String,
    /// The requested resources; for an enforced maximum, the excess.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub wanted: ResourceMap,
    /// The queue that benefits.
    pub own: QueueUsageState,
    /// The leaves of the victims, at most eight.
    pub leaves: Vec<QueueUsageState>,
    /// The number of preempted allocations.
    pub victims: u64,
    /// The skipped allocations, largest groups first, at most eight groups.
    #[serde(rename = "kept")]
    pub retained: Vec<RetainedAllocations>,
    /// The number of other skipped allocations.
    #[serde(rename = "keptOthers")]
    pub retained_others: u64,
}

/// A queue at that time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QueueUsageState {
    /// The full path of the queue, for example `root.prod.etl`.
    pub queue_name: String,
    /// Its usage without allocations that were already being preempted.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub used: ResourceMap,
    /// The minimum of guaranteed resources on its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub guaranteed: Option<ResourceMap>,
    /// Its own maximum, if enforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BTreeMap<String, i64>>")]
    pub max: Option<ResourceMap>,
    /// The number of its preempted allocations.
    pub victims: u64,
}

/// Allocations of one leaf that were skipped for the same reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct RetainedAllocations {
    /// `within-guarantee`, `requires-node`, `going`, `preempted`, `nothing-shared`, `important`, `floor`, `other-node`,
    /// `not-needed`, or `no-use`.
    pub reason: String,
    /// The leaf at that time.
    pub leaf: QueueUsageState,
    /// The number of allocations.
    pub count: u64,
    /// The application of the first one.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The key of the first one.
    pub allocation_key: String,
}

/// For `deserialize_with`: an unexpected form counts as missing.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<EventGrounds>>, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).ok())
}
