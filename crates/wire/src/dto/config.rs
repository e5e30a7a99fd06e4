//! The active configuration with YuniKorn's names (`rest.md` 5.8); [`crate::convert`] writes it as YAML.

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
    /// SHA-256 of the loaded text, in uppercase hex.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub checksum: String,
    /// All other service settings.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub extra: BTreeMap<String, String>,
    /// Whether deadlock detection is enabled; since 1.5.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadlock_detection_enabled: Option<bool>,
    /// Its timeout; since 1.5.1.
    #[serde(deserialize_with = "read", skip_serializing_if = "Option::is_none")]
    pub deadlock_timeout_seconds: Option<i64>,
    /// Other fields of the answer.
    #[serde(flatten)]
    pub other: Other,
}

/// A partition of the configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct PartitionConfig {
    /// The partition's name as written.
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
    /// The enabled kinds of preemption.
    #[serde(deserialize_with = "object")]
    pub preemption: Preemption,
    /// The sort order of nodes.
    #[serde(deserialize_with = "object")]
    pub node_sort_policy: NodeSortPolicy,
    /// The source of groups (since 1.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_group_resolver: Option<UserGroupResolver>,
}

/// A configured queue with its children.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct QueueConfig {
    /// The last part of its path.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Whether it accepts child queues even if none is configured.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub parent: bool,
    /// Guaranteed resources and maximum.
    #[serde(deserialize_with = "object")]
    pub resources: Resources,
    /// Maximum of running applications.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The queue's own properties, without inherited ones.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// The admin ACL.
    #[serde(rename = "AdminACL", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub admin_acl: String,
    /// The submit ACL.
    #[serde(rename = "SubmitACL", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub submit_acl: String,
    /// The template of dynamic child queues.
    #[serde(deserialize_with = "object")]
    pub child_template: ChildTemplate,
    /// The child queues.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub queues: Vec<QueueConfig>,
    /// Limits of users and groups.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub limits: Vec<Limit>,
}

/// Guaranteed resources and maximum, as quantities in text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Resources {
    /// Guaranteed resources by name, as written.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub guaranteed: BTreeMap<String, String>,
    /// Maximum by resource name, as written.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max: BTreeMap<String, String>,
}

/// The template of dynamic queues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct ChildTemplate {
    /// Maximum of running applications.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
    /// The properties of a dynamic queue.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub properties: BTreeMap<String, String>,
    /// Guaranteed resources and maximum.
    #[serde(deserialize_with = "object")]
    pub resources: Resources,
}

/// A placement rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Rule {
    /// The kind, for example `provided` or `tag`.
    #[serde(deserialize_with = "read")]
    pub name: String,
    /// Whether it creates queues.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub create: bool,
    /// The users and groups that it applies to.
    #[serde(deserialize_with = "object")]
    pub filter: Filter,
    /// The rule for the parent queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Box<Rule>>,
    /// The value: a queue, or the name of a tag.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub value: String,
}

/// The users and groups that a placement rule applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Filter {
    /// `allow`, `deny`, or empty.
    #[serde(rename = "Type", deserialize_with = "read")]
    pub kind: String,
    /// User names; a single one may be a regular expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub users: Vec<String>,
    /// Group names; a single one may be a regular expression.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
}

/// A limit of users and groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Limit {
    /// The description of the limit.
    #[serde(deserialize_with = "read")]
    pub limit: String,
    /// `*` is every user.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub users: Vec<String>,
    /// `*` is every group.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub groups: Vec<String>,
    /// Maximum resources, as quantities in text.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_resources: BTreeMap<String, String>,
    /// Maximum of running applications.
    #[serde(deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub max_applications: u64,
}

/// Preemption in a partition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct Preemption {
    /// `None` for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether quota preemption is enabled (since 1.8).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_preemption_enabled: Option<bool>,
}

/// The sort order of nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
pub struct NodeSortPolicy {
    /// `fair`, `binpacking`, or empty.
    #[serde(rename = "Type", deserialize_with = "read")]
    pub kind: String,
    /// The weight of each resource type.
    #[serde(deserialize_with = "object", skip_serializing_if = "is_empty")]
    pub resource_weights: BTreeMap<String, f64>,
}

/// The source of a user's groups.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UserGroupResolver {
    /// The kind, or empty.
    #[serde(rename = "type", deserialize_with = "read", skip_serializing_if = "is_empty")]
    pub kind: String,
}
