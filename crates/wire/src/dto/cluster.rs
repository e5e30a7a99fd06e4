//! Clusters and partitions (`rest.md` 5.1, 5.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, object, read};
use super::{Other, ResourceMap, Word};

/// A partition in the list of clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Cluster {
    /// Start of the scheduler, in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub start_time: i64,
    /// Build information of each resource manager.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rm_build_information: Vec<BTreeMap<String, String>>,
    /// The partition without the cluster ID.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// `kubernetes` for YuniKorn, `kornsole` for kornsole.
    #[serde(deserialize_with = "read")]
    pub cluster_name: Word,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A partition with its counters, from `/ws/v1/partitions`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Partition {
    /// The ID of the resource manager.
    #[serde(deserialize_with = "read")]
    pub cluster_id: String,
    /// The name without the cluster ID.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// The capacity of the nodes and its usage.
    #[serde(deserialize_with = "object")]
    pub capacity: Capacity,
    /// The sort order of nodes.
    #[serde(deserialize_with = "object")]
    pub node_sorting_policy: NodeSortingPolicy,
    /// The partition's own switch; `None` before 1.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_enabled: Option<bool>,
    /// Whether quota preemption is enabled; `None` before 1.8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_preemption_enabled: Option<bool>,
    /// Number of nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub total_nodes: i64,
    /// Retained applications by state, and `total`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: BTreeMap<String, i64>,
    /// The current number of allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub total_containers: i64,
    /// `Active`, `Draining`, or `Stopped`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
    /// Time of the last state change, in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub last_state_transition_time: i64,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The capacity of a partition's nodes and its usage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Capacity {
    /// Sum of the nodes, schedulable or not.
    #[serde(skip_serializing_if = "is_empty")]
    pub capacity: ResourceMap,
    /// Sum of the allocations.
    #[serde(skip_serializing_if = "is_empty")]
    pub used_capacity: ResourceMap,
    /// Used share of the capacity, in percent.
    #[serde(skip_serializing_if = "is_empty")]
    pub utilization: ResourceMap,
}

/// The sort order of nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeSortingPolicy {
    /// `fair` or `binpacking`.
    #[serde(rename = "type", deserialize_with = "read")]
    pub kind: Word,
    /// The weight of each resource type.
    #[serde(deserialize_with = "object")]
    pub resource_weights: BTreeMap<String, f64>,
}
