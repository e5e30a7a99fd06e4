//! What is free in queues and on nodes, now or after some ends.

use crate::index::{NodeKey, QueueKey};
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use crate::state::queue_tree::PathUp;
use model::{Resource, Time};

pub(super) struct Running {
    /// When it ends by its limit; `None`: it has none.
    pub end: Option<Time>,
    path: PathUp,
    node: NodeKey,
    resource: Resource,
}

impl Running {
    /// All of a partition, the first to end first.
    pub fn all(partition: &Partition, now: Time) -> Vec<Self> {
        let mut found = Vec::new();
        for node in partition.nodes.iter() {
            for (app, ask) in node.allocations.values() {
                let Some(app) = partition.apps.get(*app) else { continue };
                let Some(ask) = app.asks.get(*ask) else { continue };
                let Some(allocation) = &ask.allocation else { continue };
                let stops = ask.released || allocation.preempted;
                let end = if stops { Some(now) } else { ask.rare.limit.map(|limit| now.max(allocation.since + limit)) };
                let path = partition.queues.path_up(app.queue);
                found.push(Self { end, path, node: node.key, resource: ask.resource.clone() });
            }
        }
        found.sort_by_key(|run| (run.end.is_none(), run.end));
        found
    }
}

#[derive(Clone)]
pub(super) struct Space {
    queues: Vec<(QueueKey, Resource)>,
    nodes: Vec<(NodeKey, Resource)>,
}

impl Space {
    /// What is free now for an ask with this path.
    pub fn of(partition: &Partition, path: &PathUp, ask: &Ask) -> Self {
        let of_queue = |key: &QueueKey| {
            let queue = &partition.queues[*key];
            Some((*key, queue.max.as_ref()?.sub_only_existing(&queue.allocated)))
        };
        let open = partition.nodes.iter().filter(|node| node.schedulable && partition.nodes.lets(ask, node.key, false));
        Self {
            queues: path.iter().filter_map(of_queue).collect(),
            nodes: open.map(|node| (node.key, node.available.clone())).collect(),
        }
    }

    /// An allocation has ended.
    pub fn add(&mut self, run: &Running) {
        for (_, free) in self.queues.iter_mut().filter(|(key, _)| run.path.contains(key)) {
            // Only what a maximum names is bounded.
            *free = free.sub_only_existing(&Resource::new().sub(&run.resource));
        }
        if let Some((_, free)) = self.nodes.iter_mut().find(|(key, _)| *key == run.node) {
            free.add_assign(&run.resource);
        }
    }

    /// The first node that has an amount, if the queues have it.
    pub fn place_for(&self, wanted: &Resource) -> Option<NodeKey> {
        let fits = self.queues.iter().all(|(_, free)| free.fit_in_max_undef(wanted));
        let mut nodes = self.nodes.iter().filter(|(_, free)| fits && free.fit_in(wanted));
        nodes.next().map(|(key, _)| *key)
    }

    /// Whether two quantities fit together wherever both count: in the queues of `path`, and on a common node.
    pub fn has_both(&self, one: &Resource, other: &Resource, path: &[QueueKey], both_on: Option<NodeKey>) -> bool {
        let queues = self.queues.iter().filter(|(key, _)| path.contains(key)).map(|(_, free)| free);
        let nodes = self.nodes.iter().filter(|(key, _)| both_on == Some(*key)).map(|(_, free)| free);
        queues.chain(nodes).all(|free| {
            one.iter().all(|(name, amount)| {
                let both = amount.saturating_add(other.amount(name));
                amount <= 0 || other.amount(name) <= 0 || free.get(name).is_none_or(|free| both <= free)
            })
        })
    }
}
