//! The check of maxima at the allocation (SCH-095, D-22).
//!
//! 1.5.1 checks all names in use: a queue above its maximum in any name gets no allocation, and every node is tried in
//! vain.

use crate::index::QueueKey;
use crate::state::partition::Partition;
use crate::state::queue::Queue;
use model::Resource;

/// The names in which a queue exceeds its maximum, with the maximum and the usage.
pub(crate) fn exceeded(queue: &Queue) -> impl Iterator<Item = (&str, i64, i64)> {
    let limit = |name: &str| queue.max.as_ref().and_then(|max| max.get(name));
    let above = move |(name, used): (&'_ str, i64)| limit(name).is_some_and(|max| used > max.max(0));
    let max = |name: &str| queue.max.as_ref().map_or(0, |max| max.amount(name));
    queue.allocated.iter().filter(move |amount| above(*amount)).map(move |(name, used)| (name, max(name), used))
}

impl Partition {
    /// Whether whatever fits the headroom of a leaf cannot be allocated there all the same (D-22).
    pub(crate) fn commit_fails(&self, leaf: QueueKey) -> bool {
        let fits = |max: &Resource, queue: &Queue| max.fit_in_max_undef(&queue.allocated);
        let within = |queue: &Queue| queue.max.as_ref().is_none_or(|max| fits(max, queue));
        self.switches.commit_check && !self.queues.path_up(leaf).iter().all(|key| within(&self.queues[*key]))
    }
}
