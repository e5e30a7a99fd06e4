//! Nodes and their utilization (`rest.md` 5.5, 5.15).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::app::{Allocation, Reservation, as_text};
use super::lenient::{is_empty, number, read};
use super::{Other, ResourceMap};

/// A node with its capacity and usage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Node {
    /// The registered ID.
    #[serde(rename = "nodeID", deserialize_with = "read")]
    pub node_id: String,
    /// From the attribute `si/hostname`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub host_name: String,
    /// From the attribute `si/rackname`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rack_name: String,
    /// Labels, and attributes from the resource manager.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// The total resources.
    #[serde(skip_serializing_if = "is_empty")]
    pub capacity: ResourceMap,
    /// Allocated by this scheduler.
    #[serde(skip_serializing_if = "is_empty")]
    pub allocated: ResourceMap,
    /// Used by foreign pods.
    #[serde(skip_serializing_if = "is_empty")]
    pub occupied: ResourceMap,
    /// Free resources; may be negative.
    #[serde(skip_serializing_if = "is_empty")]
    pub available: ResourceMap,
    /// Allocated share of the capacity, in percent.
    #[serde(skip_serializing_if = "is_empty")]
    pub utilized: ResourceMap,
    /// The running allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocations: Vec<Allocation>,
    /// Foreign allocations (since 1.7).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub foreign_allocations: Vec<ForeignAllocation>,
    /// Whether it accepts new allocations.
    #[serde(deserialize_with = "read")]
    pub schedulable: bool,
    /// Whether it is reserved.
    #[serde(deserialize_with = "read")]
    pub is_reserved: bool,
    /// The reserved requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reservations: Vec<Reservation>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// An allocation of another scheduler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ForeignAllocation {
    /// The ID from the resource manager.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// Tags from the resource manager.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// Allocation time in ns since 1970.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_time: i64,
    /// The allocated resources.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// The node's ID.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_id: String,
    /// Whether it may be preempted.
    #[serde(deserialize_with = "read")]
    pub preemptable: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The utilization of a partition's nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PartitionUtilization {
    /// The ID of the resource manager.
    #[serde(deserialize_with = "read")]
    pub cluster_id: String,
    /// The name of the partition.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// One entry per resource type of the nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub utilizations: Vec<NodeUtilization>,
}

/// The utilization of one resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeUtilization {
    /// The resource type.
    #[serde(rename = "type", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub kind: String,
    /// Ten buckets of 10% each.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub utilization: Vec<Bucket>,
}

/// The nodes of one bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Bucket {
    /// For example `30-40%`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub bucket_name: super::Word,
    /// The number of nodes in the bucket.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub num_of_nodes: i64,
    /// The IDs of these nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_names: Vec<String>,
}
