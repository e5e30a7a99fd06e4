//! The state dump: everything at one time (`rest.md` 5.17).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{
    AppSample, Application, Cluster, Config, ContainerSample, Node, Other, Partition, PlacementRule, Queue, Word,
};

/// Everything at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StateDump {
    /// The moment, in nanoseconds.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// Every partition with its counters.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partitions: Vec<Partition>,
    /// Active, completed and rejected applications of all partitions.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: Vec<Application>,
    /// Running applications, minute by minute.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub app_history: Vec<AppSample>,
    /// Allocations, minute by minute.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub container_history: Vec<ContainerSample>,
    /// The nodes of each partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub nodes: Vec<PartitionNodes>,
    /// The cluster; a list for the sake of the wire, with one entry for each partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub cluster_info: Vec<Cluster>,
    /// The root queue of each partition, with all below.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub queues: Vec<Queue>,
    /// What the resource manager adds, in a form of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rm_diagnostics: Option<BTreeMap<String, serde_json::Value>>,
    /// The level of the log.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub log_level: Word,
    /// The active configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Config>,
    /// The placement rules of each partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placement_rules: Vec<PartitionRules>,
    /// Who listens to events.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub event_streams: Vec<EventStream>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// The nodes of a partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct PartitionNodes {
    /// The name of the partition that the nodes are in.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partition_name: String,
    /// Its nodes with their allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub nodes_info: Vec<Node>,
}

/// The placement rules of a partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartitionRules {
    /// The name of the partition whose placement rules follow.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partition: String,
    /// Its rules, in the order in which they are tried.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rules: Vec<PlacementRule>,
}

/// One who listens to events.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct EventStream {
    /// The host that it requested, or the address that it comes from.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Since when, as RFC 3339.
    #[serde(deserialize_with = "read")]
    pub created_at: String,
}
