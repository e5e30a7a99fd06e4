//! A scheduler of its own in the state of another one, to try things in.

use crate::interface::denial::Denial;
use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::node::Node;
use crate::state::partition::Partition;
use crate::state::queue::Queue;
use crate::state::scheduler::Scheduler;
use model::Time;

/// What an object takes next to its own fields, in bytes: names, maps, places in orders.
const BESIDE: usize = 512;

impl Scheduler {
    /// A scheduler in the same state with one partition of this one, by its name; `None` if there is no such partition. It decides as this
    /// one would, but asks no one for rights: in it everyone may kill and move.
    pub fn fork(&self, partition: &str) -> Option<Self> {
        let mut copy = self.partitions.iter().find(|part| *part.name == *partition)?.clone();
        copy.dirty = None;
        copy.trusts_everybody = true;
        // What was settled for a partition that is omitted is not settled here.
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

    /// From now on forks share what neither side changes, so that they cost little. Done before a fork is made of a scheduler that runs: it
    /// copies nothing; it takes a step for each chunk of a table that was changed since the last time.
    pub fn share(&mut self) {
        self.partitions.iter_mut().for_each(Partition::share);
    }

    /// Until when cycles find nothing, if nothing happens before; `None` where the next one may find something.
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

    /// About how many bytes a copy of it takes. Found out by counting applications, not asks one by one.
    pub fn bytes(&self) -> usize {
        let asks = |app: &Application| app.asks.len() * (size_of::<Ask>() + BESIDE);
        let apps: usize = self.apps.iter().map(|(_, app)| size_of::<Application>() + BESIDE + asks(app)).sum();
        let queues = self.queues.len() * (size_of::<Queue>() + BESIDE);
        // Those that ended are shared with the copy.
        apps + queues + self.nodes.len() * (size_of::<Node>() + BESIDE) + self.ended.len() * size_of::<usize>()
    }

    /// Lets pass what only a missing right stands against, where no one is requested rights.
    pub(crate) fn unless_trusted(&self, checked: Result<(), Denial>) -> Result<(), Denial> {
        match checked {
            Err(Denial::NoAccess { .. }) if self.trusts_everybody => Ok(()),
            other => other,
        }
    }
}
