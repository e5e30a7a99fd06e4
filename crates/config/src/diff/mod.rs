//! Two configurations compared as trees: comments, quoting, the order of queues and keys, and the case of queue names
//! do not matter. The order of limits, of groups in them, and of placement rules does.
//!
//! Invariants:
//! - no changes means that the scheduler acts identically on both;
//! - every change names one setting with both values in the notation of the file;
//! - the order is: partitions as in the new configuration, then removed ones; in each its own settings first, then the
//!   queues, parents before children.

mod compare;
mod effect;
mod json;
mod limits;
mod rules;
#[cfg(test)]
mod tests;
mod text;

use std::collections::BTreeSet;
use std::fmt;

pub use self::compare::diff;
pub use self::text::Line;
use model::QueuePath;

/// The changes between two configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Every change in the order of the module documentation.
    pub changes: Vec<Change>,
    /// A partition other than `default` exists.
    several: bool,
}

/// A changed setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the partition.
    pub partition: String,
    /// The queue; `None` for the partition as a whole.
    pub queue: Option<QueuePath>,
    /// Added, removed, or changed.
    pub what: What,
    /// Which setting differs.
    pub key: Key,
    /// The old value in the notation of the file, if any.
    pub from: Option<String>,
    /// The new value, if any.
    pub to: Option<String>,
    /// The effect on a running scheduler (`config.md` section 15), in a few words.
    pub effect: &'static str,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Not in the old configuration.
    Added,
    /// Not in the new one.
    Removed,
    /// In both, with another value.
    Changed,
}

impl What {
    /// The word in JSON (`rest.md` E5).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// A setting. Its text is its path in a file: `resources.max.vcore`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A whole partition.
    Partition,
    /// A whole queue.
    Queue,
    /// Whether a queue is a parent (CFG-033).
    Parent,
    /// `maxapplications`: the limit of running applications in the subtree.
    MaxApplications,
    /// `resources.guaranteed` of one resource.
    Guaranteed(String),
    /// `resources.max` of one resource.
    Max(String),
    /// `adminacl`: who may administer the subtree.
    AdminAcl,
    /// `submitacl`: who may submit to the subtree.
    SubmitAcl,
    /// One of the properties.
    Property(String),
    /// Whether a child template exists.
    Template,
    /// `maxapplications`, a resource, or a property.
    InTemplate(Box<Key>),
    /// A whole limit, by its names.
    Limit(String),
    /// `users`, `groups`, `limit`, `maxapplications`, or `maxresources.NAME` of the limit with these names.
    InLimit(String, String),
    /// The order of the limits.
    LimitOrder,
    /// From 1: in the old list for a removed rule, otherwise in the new one.
    Rule(usize),
    /// `nodesortpolicy.type`: the order of nodes.
    NodeSort,
    /// `nodesortpolicy.resourceweights` of one resource.
    Weight(String),
    /// `preemption.enabled`: whether anything is preempted at all.
    Preemption,
    /// `preemption.quotapreemptionenabled`: whether maxima are enforced.
    QuotaPreemption,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partition => f.write_str("partition"),
            Self::Queue => f.write_str("queue"),
            Self::Parent => f.write_str("parent"),
            Self::MaxApplications => f.write_str("maxapplications"),
            Self::Guaranteed(name) => write!(f, "resources.guaranteed.{name}"),
            Self::Max(name) => write!(f, "resources.max.{name}"),
            Self::AdminAcl => f.write_str("adminacl"),
            Self::SubmitAcl => f.write_str("submitacl"),
            Self::Property(name) => write!(f, "properties.{name}"),
            Self::Template => f.write_str("childtemplate"),
            Self::InTemplate(key) => write!(f, "childtemplate.{key}"),
            Self::Limit(names) => write!(f, "limits[{names}]"),
            Self::InLimit(names, key) => write!(f, "limits[{names}].{key}"),
            Self::LimitOrder => f.write_str("limits"),
            Self::Rule(number) => write!(f, "placementrules[{}]", number - 1),
            Self::NodeSort => f.write_str("nodesortpolicy.type"),
            Self::Weight(name) => write!(f, "nodesortpolicy.resourceweights.{name}"),
            Self::Preemption => f.write_str("preemption.enabled"),
            Self::QuotaPreemption => f.write_str("preemption.quotapreemptionenabled"),
        }
    }
}

impl Diff {
    /// Whether the scheduler acts identically on both.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Changes outside of queues require the scheduler ACL (ACL-040): partitions, rules, node sorting, preemption, and
    /// the root.
    pub fn touches_partitions(&self) -> bool {
        let new: BTreeSet<_> = self.added_queues().collect();
        let of_root = |queue: &QueuePath| queue.parent().is_none();
        let old = |change: &Change| change.place().is_none_or(|place| !new.contains(&place));
        self.changes.iter().any(|change| change.queue.as_ref().is_none_or(of_root) && old(change))
    }

    /// The queues that require admin access (ACL-040): the parents of changed queues, and queues that become a parent
    /// or a leaf.
    pub fn touches(&self) -> BTreeSet<(&str, QueuePath)> {
        let new: BTreeSet<_> = self.added_queues().collect();
        let each = self.changes.iter().filter_map(|change| {
            let (partition, path) = change.place()?;
            // It follows from the children.
            let needed = if change.key == Key::Parent { Some(path.clone()) } else { path.parent() };
            Some((partition, needed?))
        });
        // Covered by the parent.
        each.filter(|(partition, path)| !new.contains(&(*partition, path))).collect()
    }

    fn added_queues(&self) -> impl Iterator<Item = (&str, &QueuePath)> {
        let arrived = |change: &&Change| change.key == Key::Queue && change.what == What::Added;
        self.changes.iter().filter(arrived).filter_map(Change::place)
    }

    /// The removed queues with their partition, which drain when the new configuration is loaded.
    pub fn removed_queues(&self) -> impl Iterator<Item = (&str, &QueuePath)> {
        let gone = |change: &&Change| change.key == Key::Queue && change.what == What::Removed;
        self.changes.iter().filter(gone).filter_map(Change::place)
    }
}

impl Change {
    fn place(&self) -> Option<(&str, &QueuePath)> {
        self.queue.as_ref().map(|queue| (self.partition.as_str(), queue))
    }
}
