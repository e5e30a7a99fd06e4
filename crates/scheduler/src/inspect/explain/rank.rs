//! The order of blockers, by what removes them.

use super::types::{BlockLevel, Blocker, Place, Resolution};

impl Blocker {
    /// The change that removes it.
    pub fn resolution(&self) -> Resolution {
        let above = self.wanted > self.limit;
        match self.level {
            BlockLevel::Pod | BlockLevel::Nothing => Resolution::Never,
            BlockLevel::Submission | BlockLevel::Ended | BlockLevel::Draining | BlockLevel::Stalled => {
                Resolution::Change
            }
            BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps if above => Resolution::Never,
            BlockLevel::User | BlockLevel::Group | BlockLevel::Queue if above => Resolution::Never,
            // The maximum of the root is the size of the nodes.
            BlockLevel::Queue if self.is_of_root() => Resolution::End,
            BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps => Resolution::Change,
            BlockLevel::User | BlockLevel::Group | BlockLevel::Queue => Resolution::Change,
            BlockLevel::Node | BlockLevel::Partition => self.of_nodes,
            BlockLevel::State | BlockLevel::Gang => Resolution::End,
            BlockLevel::Backoff => Resolution::Time,
            BlockLevel::Priority => Resolution::Turn,
        }
    }

    /// Whether neither time nor the end of other work removes it.
    pub fn is_permanent(&self) -> bool {
        match self.resolution() {
            Resolution::Never => true,
            Resolution::Change => matches!(
                self.level,
                BlockLevel::Draining | BlockLevel::Stalled | BlockLevel::Node | BlockLevel::Partition
            ),
            Resolution::End | Resolution::Time | Resolution::Turn => false,
        }
    }

    fn is_of_root(&self) -> bool {
        matches!(&self.place, Place::Queue(queue) if queue.depth() == 0)
    }

    /// A cluster without nodes, and a resource that no node has, come first in their kind.
    fn rank(&self) -> (Resolution, u8) {
        let resolution = self.resolution();
        let class = match self.level {
            BlockLevel::Partition if resolution == Resolution::Never => 0,
            BlockLevel::Node if resolution == Resolution::Never && self.resource.is_some() && self.limit == 0 => 0,
            // The blocker of the nodes is more precise.
            BlockLevel::Queue if resolution == Resolution::Never && self.is_of_root() => 2,
            _ => 1,
        };
        (resolution, class)
    }
}

/// Equal ones stay in the order of the checks.
pub(super) fn sort(blockers: &mut [Blocker]) {
    blockers.sort_by_key(Blocker::rank);
}

pub(super) fn first(blockers: Vec<Blocker>) -> Option<Blocker> {
    blockers.into_iter().min_by_key(Blocker::rank)
}
