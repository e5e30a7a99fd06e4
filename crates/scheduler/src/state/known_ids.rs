//! What the releases keep of an application's asks and allocations that are gone (D-23).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::state::ask::{Ask, AskRank};
use model::{AskId, NodeId, Priority, Resource, Time};

/// What an application of a release still knows and counts though it neither waits nor runs.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct KnownIds {
    /// Asks whose allocation ended by time or with its node.
    spent: BTreeMap<AskId, SpentAsk>,
    /// The number of the last allocation made when all asks were forgotten: those up to it leave none behind.
    forgotten: u64,
    /// What the sums of the application have more than its allocations.
    pub(crate) counted: Resource,
}

/// An ask whose allocation is gone. The release takes it for allocated until it is withdrawn.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct SpentAsk {
    /// The node of the allocation.
    pub node: NodeId,
    /// Its size: memory in bytes, vcore in millicores.
    pub resource: Resource,
    pub priority: Priority,
    created: Time,
    arrival: u64,
}

impl KnownIds {
    /// An allocation ended, and its ask stays behind.
    pub fn note_spent(&mut self, ended: &Ask, node: NodeId) {
        if ended.allocation.is_none_or(|allocation| allocation.number <= self.forgotten) {
            return;
        }
        let Ask { resource, priority, created, arrival, .. } = ended.clone();
        self.spent.insert(ended.id.clone(), SpentAsk { node, resource, priority, created, arrival });
    }

    /// The spent ask of an id.
    pub fn spent(&self, id: &AskId) -> Option<&SpentAsk> {
        self.spent.get(id)
    }

    /// The spent ask of an id, to be resized.
    pub fn spent_mut(&mut self, id: &AskId) -> Option<&mut SpentAsk> {
        self.spent.get_mut(id)
    }

    /// A spent ask is withdrawn.
    pub fn withdraw(&mut self, id: &AskId) -> Option<SpentAsk> {
        self.spent.remove(id)
    }

    /// All asks are withdrawn at once; `number`: that of the last allocation made.
    pub fn forget(&mut self, number: u64) {
        self.spent.clear();
        self.forgotten = number;
    }

    /// Whether a spent ask stands behind this place in the order of asks.
    pub fn is_behind(&self, (priority, created, arrival, _): &AskRank) -> bool {
        let place = (*priority, *created, *arrival);
        self.spent.values().any(|spent| (Reverse(spent.priority), spent.created, spent.arrival) > place)
    }
}
