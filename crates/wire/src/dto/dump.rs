//! The state dump: all data at one time (`rest.md` 5.17).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient::{is_empty, read};
use super::{
    AppSample, Application, Cluster, Config, ContainerSample, Node, Other, Partition, PlacementRule, Queue, Word,
};

/// All data at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct StateDump {
    /// Time in ns.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub timestamp: i64,
    /// Every partition with its counters.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partitions: Vec<Partition>,
    /// Active, completed, and rejected applications of all partitions.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub applications: Vec<Application>,
    /// Running applications by minute.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub app_history: Vec<AppSample>,
    /// Allocations by minute.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub container_history: Vec<ContainerSample>,
    /// The nodes of each partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub nodes: Vec<PartitionNodes>,
    /// The cluster; a list with one entry per partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub cluster_info: Vec<Cluster>,
    /// The root queue of each partition with its subtree.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub queues: Vec<Queue>,
    /// Data of the resource manager in its own form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rm_diagnostics: Option<BTreeMap<String, serde_json::Value>>,
    /// The log level.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub log_level: Word,
    /// The active configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Config>,
    /// The placement rules of each partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placement_rules: Vec<PartitionRules>,
    /// The clients of event streams.
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
    /// The partition of the nodes.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partition_name: String,
    /// The nodes with their allocations.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub nodes_info: Vec<Node>,
}

/// The placement rules of a partition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartitionRules {
    /// The partition of the rules.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub partition: String,
    /// The rules in evaluation order.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub rules: Vec<PlacementRule>,
}

/// A client of an event stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct EventStream {
    /// The requested host, or the client's address.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Start time in RFC 3339.
    #[serde(deserialize_with = "read")]
    pub created_at: String,
}
