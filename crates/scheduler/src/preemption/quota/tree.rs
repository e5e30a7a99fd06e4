//! The data for enforcing a maximum, from a scheduler or a view.

use crate::index::{AppKey, AskKey, QueueKey};
use crate::interface::switches::Switches;
use crate::state::partition::Partition;
use crate::state::queue::Queue;
use model::{Priority, QueuePath, Resource, Time};

/// The switches for enforcing maxima (N-01 of `profiles.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaLaw {
    /// N-01a: allocations that offer themselves go last, and those that started their application first.
    pub opted_in_last: bool,
    /// N-01b: only the guarantee that is exceeded most protects.
    pub largest_guard: bool,
    /// N-01c: what a child lacks of its guarantee counts as if it were above it.
    pub counts_below: bool,
    /// N-01d: removing a delay clears no time.
    pub keeps_time: bool,
}

impl From<&Switches> for QuotaLaw {
    fn from(switches: &Switches) -> Self {
        Self {
            opted_in_last: switches.quota_opted_in_last,
            largest_guard: switches.quota_largest_guard,
            counts_below: switches.quota_counts_below,
            keeps_time: switches.quota_keeps_time,
        }
    }
}

/// The queue data for enforcing maxima.
#[derive(Clone, Copy, Debug)]
pub struct QuotaQueue<'t> {
    /// The full path of the queue.
    pub path: &'t QueuePath,
    /// The parent queue.
    pub parent: Option<QueueKey>,
    /// The child queues, by name.
    pub children: &'t [QueueKey],
    /// Whether it is a leaf.
    pub leaf: bool,
    /// The usage, including its subtree.
    pub allocated: &'t Resource,
    /// The part that is being preempted.
    pub preempting: &'t Resource,
    /// Its own guaranteed resources.
    pub guaranteed: Option<&'t Resource>,
    /// Its own maximum.
    pub max: Option<&'t Resource>,
}

/// An allocation that may be preempted.
#[derive(Clone, Copy, Debug)]
pub struct QuotaAsk<'t, V> {
    /// Which it is.
    pub victim: V,
    /// What it has.
    pub resource: &'t Resource,
    /// The priority that it asked with.
    pub priority: Priority,
    /// When it was requested.
    pub created: Time,
    /// The sequence number of the allocation.
    pub number: u64,
    /// Whether it opted in to preemption.
    pub offers_itself: bool,
    /// Whether it started its application.
    pub originator: bool,
}

/// A tree of queues with allocations.
pub trait QuotaTree {
    /// Identifies an allocation.
    type Victim: Copy;

    /// The active switches.
    fn law(&self) -> QuotaLaw;

    /// The queue, if it exists.
    fn quota_queue(&self, key: QueueKey) -> Option<QuotaQueue<'_>>;

    /// Without those that require a node or are being stopped.
    fn quota_asks(&self, leaf: QueueKey) -> Vec<QuotaAsk<'_, Self::Victim>>;
}

pub(super) fn path_up<T: QuotaTree>(tree: &T, key: QueueKey) -> impl Iterator<Item = QuotaQueue<'_>> {
    std::iter::successors(tree.quota_queue(key), |queue| tree.quota_queue(queue.parent?))
}

impl QuotaQueue<'_> {
    pub(super) fn used(&self, name: &str) -> i64 {
        self.allocated.amount(name) - self.preempting.amount(name)
    }
}

impl QuotaTree for Partition {
    type Victim = (AppKey, AskKey);

    fn law(&self) -> QuotaLaw {
        QuotaLaw::from(&self.switches)
    }

    fn quota_queue(&self, key: QueueKey) -> Option<QuotaQueue<'_>> {
        let queue: &Queue = self.queues.get(key)?;
        Some(QuotaQueue {
            path: &queue.path,
            parent: queue.parent,
            children: &queue.children,
            leaf: queue.leaf,
            allocated: &queue.allocated,
            preempting: &queue.preempting,
            guaranteed: queue.guaranteed.as_ref(),
            max: queue.max.as_ref(),
        })
    }

    fn quota_asks(&self, leaf: QueueKey) -> Vec<QuotaAsk<'_, Self::Victim>> {
        let mut asks = Vec::new();
        for app in self.queues[leaf].apps.iter().map(|app| &self.apps[*app]) {
            for (number, key) in &app.allocations {
                let ask = &app.asks[*key];
                let is_removed = ask.released || ask.allocation.is_none_or(|allocation| allocation.preempted);
                if is_removed || ask.rare.required_node.is_some() {
                    continue;
                }
                asks.push(QuotaAsk {
                    victim: (app.key, *key),
                    resource: &ask.resource,
                    priority: ask.priority,
                    created: ask.created,
                    number: *number,
                    offers_itself: ask.allow_preempt_self,
                    originator: ask.originator,
                });
            }
        }
        asks
    }
}
