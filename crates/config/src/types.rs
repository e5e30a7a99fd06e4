//! A queue configuration as the scheduler takes it: normalised, typed, every value with its place in the file.

use std::collections::BTreeMap;

use super::values::{NodeSortPolicy, RuleKind};
use model::{Acl, QueuePath, Resource};

/// A place in a text: line and column count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// The line, from 1; 0 means that the value was not written in a file.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A value with the place where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Placed<T> {
    /// The value, read and normalised.
    pub value: T,
    /// Where the value starts in the text.
    pub at: Place,
}

/// A whole queue configuration, valid by the rules of the profile it was read under.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Config {
    /// The partitions in their order; at least one.
    pub partitions: Vec<PartitionConfig>,
    /// The checksum of the text (`config.md` section 13).
    pub checksum: String,
}

impl Config {
    /// The partition of a name.
    pub fn partition(&self, name: &str) -> Option<&PartitionConfig> {
        self.partitions.iter().find(|partition| partition.name == name)
    }
}

/// One partition (`config.md` sections 1 and 5).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct PartitionConfig {
    /// The name; `default` in any case, or none, is `default`.
    pub name: String,
    /// Where the partition stands.
    pub at: Place,
    /// The root queue, inserted where the file has none (CFG-015); carries the partition's limits (CFG-079).
    pub root: QueueConfig,
    /// The placement rules; none means one `provided` rule without create (PLC-002).
    pub rules: Vec<RuleConfig>,
    /// How nodes are sorted.
    pub node_sort: NodeSortConfig,
    /// Whether anything may be preempted in the partition.
    pub preemption: bool,
    /// 1.8 only: `preemption.quotapreemptionenabled`.
    pub quota_preemption: bool,
}

/// One queue (`config.md` sections 1 and 6).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct QueueConfig {
    /// The name, lower-cased (CFG-032).
    pub name: String,
    /// The full path; `None` only in a [`Default`] value.
    pub path: Option<QueuePath>,
    /// The name was written with capitals. The releases never find the limits of such a queue, nor those below it
    /// (`acl-and-users.md` section 10).
    pub capitals: bool,
    /// Where the queue stands.
    pub at: Place,
    /// Has children or says `parent: true` (CFG-033); always true for the root.
    pub parent: bool,
    /// The children in the order of the file.
    pub children: Vec<QueueConfig>,
    /// The most applications that run here and below together; `None` is no limit.
    pub max_applications: Option<Placed<u64>>,
    /// The queue's own properties, nothing inherited, by key.
    pub properties: BTreeMap<String, Placed<String>>,
    /// Who administers the queue and those below (`adminacl`).
    pub admin_acl: Placed<Acl>,
    /// Who submits to the queue and those below (`submitacl`).
    pub submit_acl: Placed<Acl>,
    /// `resources.guaranteed`; `None` when absent or empty.
    pub guaranteed: Option<Placed<Resource>>,
    /// `resources.max`; `None` when absent or empty.
    pub max: Option<Placed<Resource>>,
    /// Limits of users and groups, in their order.
    pub limits: Vec<LimitConfig>,
    /// What dynamic leaves below take (section 10); `None` when there is none or it is empty.
    pub template: Option<TemplateConfig>,
}

impl QueueConfig {
    /// Whether the configuration says of this queue, children and limits omitted, what it says of `other`, at the same places.
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
    /// Where the limit stands.
    pub at: Place,
    /// User names, or the single entry `*`.
    pub users: Vec<String>,
    /// Group names, or the single entry `*`.
    pub groups: Vec<String>,
    /// The most applications that run, per user or per group.
    pub max_applications: Option<u64>,
    /// The most resources used, per user or per group.
    pub max_resources: Option<Resource>,
}

/// A child template (`config.md` section 10).
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TemplateConfig {
    /// Where the template stands.
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
    /// Weight by resource name; names not listed do not count.
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
    /// Which rule; aliases resolved.
    pub kind: RuleKind,
    /// Where the rule stands.
    pub at: Place,
    /// May yield a queue that does not exist.
    pub create: bool,
    /// Whose applications the rule places.
    pub filter: FilterConfig,
    /// The rule that gives the parent queue.
    pub parent: Option<Box<RuleConfig>>,
    /// Used by `fixed` and `tag`.
    pub value: String,
    /// A parent rule that was written as a text (PLC-013); as `secondarygroup` it uses its owner's filter (PLC-046).
    pub text: bool,
}

/// The filter of a rule as written (`placement.md` section 5).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct FilterConfig {
    /// Whether those who match are kept out.
    pub deny: bool,
    /// Names, or one regular expression.
    pub users: Vec<String>,
    /// Names, or one regular expression.
    pub groups: Vec<String>,
    /// Whether a filter was written at all; one without users and groups is not the same as none (PLC-050).
    pub written: bool,
}
