//! The order of blockers, by what removes them.

use super::types::{BlockLevel, Blocker, Mending, Place};

impl Blocker {
    /// The change that removes it.
    pub fn mending(&self) -> Mending {
        let above = self.wanted > self.limit;
        match self.level {
            BlockLevel::Pod | BlockLevel::Nothing => Mending::Never,
            BlockLevel::Submission | BlockLevel::Ended | BlockLevel::Draining | BlockLevel::Stalled => Mending::Change,
            BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps if above => Mending::Never,
            BlockLevel::User | BlockLevel::Group | BlockLevel::Queue if above => Mending::Never,
            // The maximum of the root is the size of the nodes.
            BlockLevel::Queue if self.is_of_root() => Mending::End,
            BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps => Mending::Change,
            BlockLevel::User | BlockLevel::Group | BlockLevel::Queue => Mending::Change,
            BlockLevel::Node | BlockLevel::Partition => self.of_nodes,
            BlockLevel::State | BlockLevel::Gang => Mending::End,
            BlockLevel::Backoff => Mending::Time,
            BlockLevel::Priority => Mending::Turn,
        }
    }

    /// Whether neither time nor the end of other work removes it.
    pub fn is_permanent(&self) -> bool {
        match self.mending() {
            Mending::Never => true,
            Mending::Change => matches!(
                self.level,
                BlockLevel::Draining | BlockLevel::Stalled | BlockLevel::Node | BlockLevel::Partition
            ),
            Mending::End | Mending::Time | Mending::Turn => false,
        }
    }

    fn is_of_root(&self) -> bool {
        matches!(&self.place, Place::Queue(queue) if queue.depth() == 0)
    }

    /// A cluster without nodes, and a resource that no node has, come first in their kind.
    fn rank(&self) -> (Mending, u8) {
        let mending = self.mending();
        let class = match self.level {
            BlockLevel::Partition if mending == Mending::Never => 0,
            BlockLevel::Node if mending == Mending::Never && self.resource.is_some() && self.limit == 0 => 0,
            // The blocker of the nodes is more precise.
            BlockLevel::Queue if mending == Mending::Never && self.is_of_root() => 2,
            _ => 1,
        };
        (mending, class)
    }
}

/// Equal ones stay in the order of the checks.
pub(super) fn sort(blockers: &mut [Blocker]) {
    blockers.sort_by_key(Blocker::rank);
}

pub(super) fn first(blockers: Vec<Blocker>) -> Option<Blocker> {
    blockers.into_iter().min_by_key(Blocker::rank)
}
