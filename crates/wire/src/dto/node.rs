//! Nodes and how full they are (`rest.md` 5.5, 5.15).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::app::{Allocation, Reservation, as_text};
use super::lenient::{is_empty, number, read};
use super::{Other, ResourceMap};

/// A node with what it has, what is in use and what is free.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Node {
    /// The id that it was registered with.
    #[serde(rename = "nodeID", deserialize_with = "read")]
    pub node_id: String,
    /// From the attribute `si/hostname`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub host_name: String,
    /// From the attribute `si/rackname`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rack_name: String,
    /// Labels, and what the resource manager adds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// What it has.
    #[serde(skip_serializing_if = "is_empty")]
    pub capacity: ResourceMap,
    /// Allocated by this scheduler.
    #[serde(skip_serializing_if = "is_empty")]
    pub allocated: ResourceMap,
    /// Used by others.
    #[serde(skip_serializing_if = "is_empty")]
    pub occupied: ResourceMap,
    /// What is left; may be negative.
    #[serde(skip_serializing_if = "is_empty")]
    pub available: ResourceMap,
    /// Allocated of capacity, in percent.
    #[serde(skip_serializing_if = "is_empty")]
    pub utilized: ResourceMap,
    /// Running allocations there.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocations: Vec<Allocation>,
    /// What other schedulers run there (1.7 on).
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub foreign_allocations: Vec<ForeignAllocation>,
    /// Whether it takes new allocations.
    #[serde(deserialize_with = "read")]
    pub schedulable: bool,
    /// Whether it is kept for a request.
    #[serde(deserialize_with = "read")]
    pub is_reserved: bool,
    /// For which requests.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub reservations: Vec<Reservation>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// What another scheduler runs on a node.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct ForeignAllocation {
    /// The id that the resource manager gave it.
    #[serde(deserialize_with = "read")]
    pub allocation_key: String,
    /// What the resource manager said of it.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_tags: BTreeMap<String, String>,
    /// When it was allocated, in nanoseconds since 1970.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub allocation_time: i64,
    /// What it uses.
    #[serde(skip_serializing_if = "is_empty")]
    pub resource: ResourceMap,
    /// The priority, as text on the wire.
    #[serde(serialize_with = "as_text", deserialize_with = "number")]
    pub priority: i32,
    /// Where it runs.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_id: String,
    /// Whether it may be preempted.
    #[serde(deserialize_with = "read")]
    pub preemptable: bool,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// How full the nodes of a partition are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PartitionUtilization {
    /// The id of the resource manager.
    #[serde(deserialize_with = "read")]
    pub cluster_id: String,
    /// The name of the partition.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// One for each resource type that a node has.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub utilizations: Vec<NodeUtilization>,
}

/// How full the nodes are of one resource type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NodeUtilization {
    /// The resource type.
    #[serde(rename = "type", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub kind: String,
    /// Ten buckets of 10 % each.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub utilization: Vec<Bucket>,
}

/// The nodes of one bucket.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Bucket {
    /// Such as `30-40%`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub bucket_name: super::Word,
    /// How many nodes are used to this extent.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub num_of_nodes: i64,
    /// The ids of these nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub node_names: Vec<String>,
}
