//! The active configuration, as JSON with the names of YuniKorn's fields (`rest.md` 5.8). The same tree is written as YAML by
//! [`crate::api`]'s conversion; that form is read by [`config`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Other;
use super::lenient::{is_empty, object, read};

/// The active configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Config {
    /// The partitions; `None` before a resource manager has registered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<Vec<PartitionConfig>>,
    /// SHA-256 of the text that was loaded, in upper-case hex.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub checksum: String,
    /// All other settings of the service.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub extra: BTreeMap<String, String>,
    /// Whether locks are watched; 1.5.1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlock_detection_enabled: Option<bool>,
    /// For how long; 1.5.1 on.
    #[serde(deserialize_with = "read", skip_serializing_if = "Option::is_none")]
    pub deadlock_timeout_seconds: Option<i64>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A partition as its configuration has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct PartitionConfig {
    /// The name of the partition, as written.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// The root queue.
    #[serde(deserialize_with = "read")]
    pub queues: Vec<QueueConfig>,
    /// Placement rules in order.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub placement_rules: Vec<Rule>,
    /// Limits on the partition.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub limits: Vec<Limit>,
    /// Which kinds of preemption are on.
    #[serde(deserialize_with = "object")]
    pub preemption: Preemption,
    /// In which order nodes are tried.
    #[serde(deserialize_with = "object")]
    pub node_sort_policy: NodeSortPolicy,
    /// Where groups come from (1.8 on).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_group_resolver: Option<UserGroupResolver>,
}

/// A queue as it is configured, with those below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct QueueConfig {
    /// The last part of its path.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Takes queues even where none is configured.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub parent: bool,
    /// Guarantee and maximum.
    #[serde(deserialize_with = "object")]
    pub resources: Resources,
    /// The most applications that may run.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The queue's own properties; inherited ones are not among them.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Who administers it.
    #[serde(rename = "AdminACL", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub admin_acl: String,
    /// Who may submit.
    #[serde(rename = "SubmitACL", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub submit_acl: String,
    /// What dynamic queues below get.
    #[serde(deserialize_with = "object")]
    pub child_template: ChildTemplate,
    /// The queues below.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub queues: Vec<QueueConfig>,
    /// Limits of users and groups.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub limits: Vec<Limit>,
}

/// Guarantee and maximum, as quantities in text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Resources {
    /// The guarantee by resource name, amounts as written.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub guaranteed: BTreeMap<String, String>,
    /// The maximum by resource name, amounts as written.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max: BTreeMap<String, String>,
}

/// What dynamic queues get.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ChildTemplate {
    /// The most applications that may run.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The properties that a dynamic queue gets.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Guarantee and maximum.
    #[serde(deserialize_with = "object")]
    pub resources: Resources,
}

/// A placement rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Rule {
    /// Its kind, as `provided` or `tag`.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Whether it makes queues.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub create: bool,
    /// For whom it holds.
    #[serde(deserialize_with = "object")]
    pub filter: Filter,
    /// The rule that gives the parent queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<Rule>>,
    /// Its value: a queue, or the name of a tag.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub value: String,
}

/// For whom a placement rule holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Filter {
    /// `allow`, `deny`, or empty.
    #[serde(rename = "Type", deserialize_with = "read")]
    pub kind: String,
    /// The users that it is about; one alone may be an expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub users: Vec<String>,
    /// The groups that it is about; one alone may be an expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
}

/// A limit of users and groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Limit {
    /// What it is for.
    #[serde(deserialize_with = "read")]
    pub limit: String,
    /// The users whom it limits; `*` is everyone.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub users: Vec<String>,
    /// The groups whom it limits; `*` is every group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
    /// The most resources, as quantities in text.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_resources: BTreeMap<String, String>,
    /// The most applications that may run.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
}

/// Preemption in a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Preemption {
    /// Whether there is any; `None`: as the default says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether a lowered quota preempts (1.8 on).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_preemption_enabled: Option<bool>,
}

/// In which order nodes are tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct NodeSortPolicy {
    /// `fair`, `binpacking`, or empty.
    #[serde(rename = "Type", deserialize_with = "read")]
    pub kind: String,
    /// How much each resource type counts.
    #[serde(deserialize_with = "object", skip_serializing_if = "is_empty")]
    pub resource_weights: BTreeMap<String, f64>,
}

/// Where the groups of a user come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserGroupResolver {
    /// The kind, or empty.
    #[serde(rename = "type", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub kind: String,
}
