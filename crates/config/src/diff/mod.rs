//! Two configurations compared as trees.
//!
//! What counts is what the scheduler makes of a text: comments, quoting, the order of queues and of keys, and the case of
//! queue names are no difference; the order of limits, of groups within them and of placement rules is one.
//!
//! Invariants:
//! - no changes means that the scheduler acts alike on both;
//! - every change names one setting with both values as they could be written, so nothing is hidden in a summary;
//! - changes arrive one order: partitions as in the new configuration and then those that no longer exist; in each its own
//!   settings first, then the queues, each before those below it.

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

/// What is different between two configurations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diff {
    /// Every change, in the order that the module documentation gives.
    pub changes: Vec<Change>,
    /// One of the two has another partition than `default`, so a queue is named together with its partition.
    several: bool,
}

/// One setting that is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The name of the partition that holds the change.
    pub partition: String,
    /// The queue; `None` for what belongs to the partition as a whole.
    pub queue: Option<QueuePath>,
    /// Whether it is new, gone, or another.
    pub what: What,
    /// Which setting differs.
    pub key: Key,
    /// The old value as it could be written; `None` where there was none.
    pub from: Option<String>,
    /// The new value; `None` where there is none.
    pub to: Option<String>,
    /// What the change does to a scheduler that runs (`config.md` section 15), in a few words.
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
    /// The word for it in JSON (`rest.md` E5).
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// A setting. Its text is the way to it in a file: `resources.max.vcore`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A partition came or went.
    Partition,
    /// A queue came or went.
    Queue,
    /// Whether a queue is a parent (CFG-033).
    Parent,
    /// `maxapplications`: how many may run in the queue and below it.
    MaxApplications,
    /// `resources.guaranteed` of one resource.
    Guaranteed(String),
    /// `resources.max` of one resource.
    Max(String),
    /// `adminacl`: who may administer the queue and what is below it.
    AdminAcl,
    /// `submitacl`: who may submit to the queue and below it.
    SubmitAcl,
    /// One of the properties.
    Property(String),
    /// Whether there is a child template.
    Template,
    /// A setting of the child template: `maxapplications`, a resource or a property.
    InTemplate(Box<Key>),
    /// A limit as a whole, by whom it names.
    Limit(String),
    /// A setting of the limit that names these: `users`, `groups`, `limit`, `maxapplications`, or `maxresources.NAME`.
    InLimit(String, String),
    /// The order of the limits.
    LimitOrder,
    /// A placement rule, by its number from 1: in the old list for one that no longer exists, else in the new one.
    Rule(usize),
    /// `nodesortpolicy.type`: the order in which nodes are tried.
    NodeSort,
    /// `nodesortpolicy.resourceweights` of one resource.
    Weight(String),
    /// `preemption.enabled`: whether anything is preempted at all.
    Preemption,
    /// `preemption.quotapreemptionenabled`: whether queues above their maximum are brought down to it.
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
    /// Whether the scheduler acts alike on both.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Whether something changes that no queue is above: a partition, its rules, node sorting, preemption, or what belongs to a
    /// root. Only the scheduler ACL allows that (ACL-040).
    pub fn touches_partitions(&self) -> bool {
        let new: BTreeSet<_> = self.added_queues().collect();
        let of_root = |queue: &QueuePath| queue.parent().is_none();
        let old = |change: &Change| change.place().is_none_or(|place| !new.contains(&place));
        self.changes.iter().any(|change| change.queue.as_ref().is_none_or(of_root) && old(change))
    }

    /// The queues on which admin access is needed: the parents of those that come, go or change (ACL-040), and those that become
    /// a parent or a leaf. Each with its partition.
    pub fn touches(&self) -> BTreeSet<(&str, QueuePath)> {
        let new: BTreeSet<_> = self.added_queues().collect();
        let each = self.changes.iter().filter_map(|change| {
            let (partition, path) = change.place()?;
            // Whether it is a parent follows from what is below it.
            let needed = if change.key == Key::Parent { Some(path.clone()) } else { path.parent() };
            Some((partition, needed?))
        });
        // A new queue, and what is in it, is covered by its parent.
        each.filter(|(partition, path)| !new.contains(&(*partition, path))).collect()
    }

    /// The queues that are new, with their partition.
    fn added_queues(&self) -> impl Iterator<Item = (&str, &QueuePath)> {
        let arrived = |change: &&Change| change.key == Key::Queue && change.what == What::Added;
        self.changes.iter().filter(arrived).filter_map(Change::place)
    }

    /// The queues that no longer exist, which drain when the new configuration is loaded, with their partition.
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
