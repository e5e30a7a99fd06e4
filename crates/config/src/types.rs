//! A queue configuration for the scheduler: normalized, typed, every value with its location in the file.

use std::collections::BTreeMap;

use super::values::{NodeSortPolicy, RuleKind};
use model::{Acl, QueuePath, Resource};

/// A location in a text: line and column from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The line, from 1; 0 if the value is not from a file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A value with its location.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Placed<T> {
    /// The value, parsed and normalized.
    pub value: T,
    /// The start of the value in the text.
    pub at: Place,
}

/// A queue configuration that is valid by the rules of its profile.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Config {
    /// The partitions in order; at least one.
    pub partitions: Vec<PartitionConfig>,
    /// The checksum of the text (`config.md` section 13).
    pub checksum: String,
}

impl Config {
    /// The partition with a name.
    pub fn partition(&self, name: &str) -> Option<&PartitionConfig> {
        self.partitions.iter().find(|partition| partition.name == name)
    }
}

/// One partition (`config.md` sections 1 and 5).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct PartitionConfig {
    /// A missing name, and `default` in any case, is `default`.
    pub name: String,
    /// The location of the partition.
    pub at: Place,
    /// Inserted if missing (CFG-015), with the partition's limits (CFG-079).
    pub root: QueueConfig,
    /// Empty means one `provided` rule without create (PLC-002).
    pub rules: Vec<RuleConfig>,
    /// The node sorting policy.
    pub node_sort: NodeSortConfig,
    /// Whether preemption is enabled.
    pub preemption: bool,
    /// 1.8 only: `preemption.quotapreemptionenabled`.
    pub quota_preemption: bool,
}

/// One queue (`config.md` sections 1 and 6).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct QueueConfig {
    /// The name in lower case (CFG-032).
    pub name: String,
    /// The full path; `None` only in a [`Default`] value.
    pub path: Option<QueuePath>,
    /// Written with capitals: the releases never find the limits in such a subtree (`acl-and-users.md` section 10).
    pub capitals: bool,
    /// The location of the queue.
    pub at: Place,
    /// Has children or `parent: true` (CFG-033); always true for the root.
    pub parent: bool,
    /// The children in the order of the file.
    pub children: Vec<QueueConfig>,
    /// The limit of running applications in the subtree; `None` if unlimited.
    pub max_applications: Option<Placed<u64>>,
    /// The queue's own properties by key, without inherited ones.
    pub properties: BTreeMap<String, Placed<String>>,
    /// Who administers the subtree (`adminacl`).
    pub admin_acl: Placed<Acl>,
    /// Who submits to the subtree (`submitacl`).
    pub submit_acl: Placed<Acl>,
    /// `resources.guaranteed`; `None` when absent or empty.
    pub guaranteed: Option<Placed<Resource>>,
    /// `resources.max`; `None` when absent or empty.
    pub max: Option<Placed<Resource>>,
    /// Limits of users and groups in order.
    pub limits: Vec<LimitConfig>,
    /// The template for dynamic leaves (section 10); `None` if missing or empty.
    pub template: Option<TemplateConfig>,
}

impl QueueConfig {
    /// Whether the settings are equal at the same locations, apart from children and limits.
    pub fn same_settings(&self, other: &Self) -> bool {
        let of = |queue: &'_ Self| (queue.at, queue.parent, queue.capitals);
        of(self) == of(other)
            && self.name == other.name
            && self.max_applications == other.max_applications
            && self.properties == other.properties
            && self.admin_acl == other.admin_acl
            && self.submit_acl == other.submit_acl
            && self.guaranteed == other.guaranteed
            && self.max == other.max
            && self.template == other.template
    }
}

/// A limit of users and groups (`config.md` section 7).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LimitConfig {
    /// The description, without effect.
    pub description: String,
    /// The location of the limit.
    pub at: Place,
    /// User names, or the single entry `*`.
    pub users: Vec<String>,
    /// Group names, or the single entry `*`.
    pub groups: Vec<String>,
    /// The limit of running applications per user or group.
    pub max_applications: Option<u64>,
    /// The limit of used resources per user or group.
    pub max_resources: Option<Resource>,
}

/// A child template (`config.md` section 10).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TemplateConfig {
    /// The location of the template.
    pub at: Place,
    /// Copied to a dynamic leaf.
    pub max_applications: Option<u64>,
    /// Copied to a dynamic leaf.
    pub properties: BTreeMap<String, String>,
    /// Copied to a dynamic leaf.
    pub guaranteed: Option<Resource>,
    /// Copied to a dynamic leaf.
    pub max: Option<Resource>,
}

/// Node sorting (`config.md` section 11).
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NodeSortConfig {
    /// Whether full nodes come first.
    pub policy: NodeSortPolicy,
    /// The weights by resource name; other names do not count.
    pub weights: BTreeMap<String, f64>,
}

impl Default for NodeSortConfig {
    fn default() -> Self {
        let weights = [("vcore".to_owned(), 1.0), ("memory".to_owned(), 1.0)];
        Self { policy: NodeSortPolicy::default(), weights: weights.into() }
    }
}

/// A placement rule (`placement.md` section 1).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RuleConfig {
    /// The kind; aliases are resolved.
    pub kind: RuleKind,
    /// The location of the rule.
    pub at: Place,
    /// Whether it may create a queue.
    pub create: bool,
    /// The filter of users and groups.
    pub filter: FilterConfig,
    /// The rule for the parent queue.
    pub parent: Option<Box<RuleConfig>>,
    /// The value of `fixed` and `tag`.
    pub value: String,
    /// Written as text (PLC-013); as `secondarygroup` it uses its owner's filter (PLC-046).
    pub text: bool,
}

/// The configured filter of a rule (`placement.md` section 5).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FilterConfig {
    /// Whether matches are excluded.
    pub deny: bool,
    /// Names, or one regular expression.
    pub users: Vec<String>,
    /// Names, or one regular expression.
    pub groups: Vec<String>,
    /// A filter without users and groups differs from none (PLC-050).
    pub written: bool,
}
