//! Forks: a separate scheduler in the state of another one, for tests.

use crate::interface::denial::Denial;
use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::node::Node;
use crate::state::partition::Partition;
use crate::state::queue::Queue;
use crate::state::scheduler::Scheduler;
use model::Time;

/// In bytes: names, maps, positions in orders.
const OVERHEAD: usize = 512;

impl Scheduler {
    /// A copy with one partition; `None` if the partition does not exist. It decides identically, except that all users
    /// may kill and move.
    pub fn fork(&self, partition: &str) -> Option<Self> {
        let mut copy = self.partitions.iter().find(|part| *part.name == *partition)?.clone();
        copy.dirty = None;
        copy.trusts_all = true;
        // The settled configuration does not apply if partitions are omitted.
        let loaded = self.loaded.clone().filter(|_| self.partitions.len() == 1);
        Some(Self {
            switches: self.switches,
            tuning: self.tuning,
            partitions: vec![copy],
            checksum: self.checksum.clone(),
            loaded,
            named_groups: self.named_groups.clone(),
            #[cfg(debug_assertions)]
            unasserted: 0,
        })
    }

    /// Makes forks cheap: they share what neither side changes. Copies nothing; takes a step for each chunk that
    /// changed since the last call.
    pub fn share(&mut self) {
        self.partitions.iter_mut().for_each(Partition::share);
    }

    /// Until when cycles find nothing unless something changes; `None` if unknown.
    pub fn quiet_until(&self) -> Option<Time> {
        let quiet_of = |part: &Partition| part.quiet.filter(|_| !part.nodes.has_predicates());
        let quiet = self.partitions.iter().filter(|part| part.has_work()).map(quiet_of);
        quiet.reduce(|one, other| one.zip(other).map(|(one, other)| one.min(other))).flatten()
    }
}

impl Partition {
    fn share(&mut self) {
        self.queues.queues.share(|_| {});
        self.nodes.share();
        self.apps.share(|_| {});
        self.usage.users.share();
        self.usage.groups.share();
        self.app_index.share();
        self.timers.share();
    }

    /// The approximate size of a copy in bytes. Counts applications, not single requests.
    pub fn bytes(&self) -> usize {
        let asks = |app: &Application| app.asks.len() * (size_of::<Ask>() + OVERHEAD);
        let apps: usize = self.apps.iter().map(|(_, app)| size_of::<Application>() + OVERHEAD + asks(app)).sum();
        let queues = self.queues.len() * (size_of::<Queue>() + OVERHEAD);
        // Ended applications are shared with the copy.
        apps + queues + self.nodes.len() * (size_of::<Node>() + OVERHEAD) + self.ended.len() * size_of::<usize>()
    }

    /// In a fork, missing access is ignored.
    pub(crate) fn unless_trusted(&self, checked: Result<(), Denial>) -> Result<(), Denial> {
        match checked {
            Err(Denial::NoAccess { .. }) if self.trusts_all => Ok(()),
            other => other,
        }
    }
}
