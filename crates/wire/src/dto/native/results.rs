//! What an order has done, as its answer says it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::response::{ConfigChange, NativeError, Removal};

/// An application that was killed, or taken away by its submitter.
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
    /// Its pending requests.
    pub withdrawn_requests: Vec<String>,
    /// How many allocations and requests it still has: of one that has very many they go one part after the other.
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
    /// Where it was.
    pub from: String,
    /// Where it is.
    pub to: String,
    /// Its state after the move.
    pub state: String,
    /// What that means.
    pub effects: Vec<String>,
}

/// The result of each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BulkResults {
    /// In the order of the ids.
    pub results: Vec<BulkResult>,
}

/// The result of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BulkResult {
    /// The id of the application that this part is about.
    pub id: String,
    /// Whether it was done.
    pub ok: bool,
    /// The status that it would have had alone.
    pub status: u16,
    /// Why it was not done; not there where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<NativeError>,
}

/// A configuration that came into force, or would (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AppliedConfig {
    /// The checksum of the new text.
    pub checksum: String,
    /// The checksum of the one before.
    pub previous: String,
    /// The number of the revision that is in force now.
    pub revision: u64,
    /// What is different.
    pub changes: Vec<ConfigChange>,
    /// The queues that begin to drain.
    pub draining: Vec<String>,
    /// The queues that are new.
    pub created: Vec<String>,
    /// What it means for what runs.
    pub what_happens: Vec<String>,
    /// What it takes away.
    pub removal: Removal,
    /// What went not quite as it should.
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
    /// Where placement put it.
    pub queue: String,
}

/// Asks that are pending.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AddedAsks {
    /// The application that asks.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The ids of the new asks, in the order of the request.
    pub asks: Vec<String>,
}

/// An ask that is gone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ReleasedAllocation {
    /// The application that the allocation belonged to.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The id of the allocation, or of the ask that was withdrawn.
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
    /// What was released by it.
    pub released: Vec<ReleasedAllocation>,
}

/// Whether the scheduler is paused now.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Paused {
    /// Whether it is.
    pub paused: bool,
}

/// What was cleaned up, or would be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct CleanupResult {
    /// The queues that went.
    pub removed_queues: Vec<String>,
    /// The draining queues that stay.
    pub kept: Vec<KeptQueue>,
    /// How many applications were forgotten.
    pub removed_applications: usize,
}

/// A draining queue that stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct KeptQueue {
    /// The full path of a queue that was not removed.
    pub queue: String,
    /// What keeps it, as applications or a managed parent.
    pub why: String,
}
