//! Results of operations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::response::{ConfigChange, NativeError, Removal};

/// An application that was killed, or removed by its submitter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct KilledApplication {
    /// The application that was killed.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The queue that it left.
    pub queue: String,
    /// Its state now.
    pub state: String,
    /// The ids of the allocations that end with it.
    pub released_allocations: Vec<String>,
    /// Its canceled requests.
    #[serde(rename = "withdrawnRequests")]
    pub canceled_requests: Vec<String>,
    /// The number of its remaining allocations and requests, if there are too many for one step.
    #[serde(skip_serializing_if = "is_zero")]
    pub left: u64,
}

const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// An application that was moved, or would be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct MovedApplication {
    /// The application that was moved.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The previous queue.
    pub from: String,
    /// The new queue.
    pub to: String,
    /// Its state after the move.
    pub state: String,
    /// The effects, one sentence each.
    pub effects: Vec<String>,
}

/// The results of an action for several applications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BulkResults {
    /// In the order of the ids.
    pub results: Vec<BulkResult>,
}

/// The result for one application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BulkResult {
    /// The id of the application.
    pub id: String,
    /// Whether it succeeded.
    pub ok: bool,
    /// The HTTP status of this part.
    pub status: u16,
    /// The reason of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<NativeError>,
}

/// A configuration that was applied, or a preview (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AppliedConfig {
    /// The checksum of the new text.
    pub checksum: String,
    /// The checksum of the previous text.
    pub previous: String,
    /// The number of the active revision.
    pub revision: u64,
    /// The list of changes.
    pub changes: Vec<ConfigChange>,
    /// The queues that start to drain.
    pub draining: Vec<String>,
    /// The new queues.
    pub created: Vec<String>,
    /// The effects on running applications.
    pub what_happens: Vec<String>,
    /// The removed queues.
    pub removal: Removal,
    /// Warnings about the new configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// An application that was submitted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct SubmittedApplication {
    /// The id that it was submitted with.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The queue that placement selected.
    pub queue: String,
}

/// New pending requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AddedAsks {
    /// The application of the requests.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The ids of the new requests, in the given order.
    pub asks: Vec<String>,
}

/// A released allocation, or a canceled request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ReleasedAllocation {
    /// The application that the allocation belonged to.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The id of the allocation or request.
    pub allocation_key: String,
    /// Whether it was allocated; otherwise it was pending.
    pub allocated: bool,
}

/// A node that was changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeChange {
    /// The node that was changed.
    #[serde(rename = "nodeID")]
    pub node_id: String,
    /// The released resources.
    pub released: Vec<ReleasedAllocation>,
}

/// Whether the scheduler is paused now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Paused {
    /// Whether it is paused.
    pub paused: bool,
}

/// The result of a cleanup, or its preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct CleanupResult {
    /// The removed queues.
    pub removed_queues: Vec<String>,
    /// The draining queues that were not removed.
    #[serde(rename = "kept")]
    pub retained: Vec<RetainedQueue>,
    /// The number of removed applications.
    pub removed_applications: usize,
}

/// A draining queue that was not removed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RetainedQueue {
    /// The full path of a queue that was not removed.
    pub queue: String,
    /// The reason, for example applications or a managed parent.
    pub why: String,
}
