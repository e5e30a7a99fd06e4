//! Clusters and partitions (`rest.md` 5.1, 5.2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, object, read};
use super::{Other, ResourceMap, Word};

/// One partition, as the list of clusters has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Cluster {
    /// Start of the scheduler, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub start_time: i64,
    /// What each resource manager said of itself.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rm_build_information: Vec<BTreeMap<String, String>>,
    /// The partition's name without the cluster id.
    #[serde(deserialize_with = "read")]
    pub partition: String,
    /// `kubernetes` YuniKorn, `kornsole` here.
    #[serde(deserialize_with = "read")]
    pub cluster_name: Word,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A partition with its counters, as `/ws/v1/partitions` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Partition {
    /// The id of the resource manager.
    #[serde(deserialize_with = "read")]
    pub cluster_id: String,
    /// The name without the cluster id.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// What the nodes have, and how much of it is used.
    #[serde(deserialize_with = "object")]
    pub capacity: Capacity,
    /// In which order nodes are tried.
    #[serde(deserialize_with = "object")]
    pub node_sorting_policy: NodeSortingPolicy,
    /// The partition's own switch; `None` before 1.7.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preemption_enabled: Option<bool>,
    /// Whether a lowered quota preempts; `None` before 1.8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_preemption_enabled: Option<bool>,
    /// Number of nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub total_nodes: i64,
    /// Remembered applications by state, and `total`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: BTreeMap<String, i64>,
    /// How many allocations there are right now.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub total_containers: i64,
    /// `Active`, `Draining` or `Stopped`.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub state: Word,
    /// When it entered the state, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub last_state_transition_time: i64,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// What the nodes of a partition have, and how much of it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Capacity {
    /// Sum of the nodes, schedulable or not.
    #[serde(skip_serializing_if = "is_empty")]
    pub capacity: ResourceMap,
    /// Sum of the allocations.
    #[serde(skip_serializing_if = "is_empty")]
    pub used_capacity: ResourceMap,
    /// Used of capacity, in percent.
    #[serde(skip_serializing_if = "is_empty")]
    pub utilization: ResourceMap,
}

/// In which order nodes are tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct NodeSortingPolicy {
    /// `fair` or `binpacking`.
    #[serde(rename = "type", deserialize_with = "read")]
    pub kind: Word,
    /// How much each resource type counts.
    #[serde(deserialize_with = "object")]
    pub resource_weights: BTreeMap<String, f64>,
}
