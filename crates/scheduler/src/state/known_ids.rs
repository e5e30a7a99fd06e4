//! What the releases still know of an application's ended requests and allocations (D-23).

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::state::ask::{Ask, AskRank};
use model::{AskId, NodeId, Priority, Resource, Time};

#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) struct KnownIds {
    spent: BTreeMap<AskId, SpentAsk>,
    /// The last allocation when all requests were forgotten; those up to it leave no spent request.
    forgotten: u64,
    /// The application's sums minus its allocations.
    pub(crate) counted: Resource,
}

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
    /// Keeps the request of an ended allocation.
    pub fn note_spent(&mut self, ended: &Ask, node: NodeId) {
        if ended.allocation.is_none_or(|allocation| allocation.number <= self.forgotten) {
            return;
        }
        let Ask { resource, priority, created, arrival, .. } = ended.clone();
        self.spent.insert(ended.id.clone(), SpentAsk { node, resource, priority, created, arrival });
    }

    /// The spent request with an id.
    pub fn spent(&self, id: &AskId) -> Option<&SpentAsk> {
        self.spent.get(id)
    }

    /// The spent request with an id, to be resized.
    pub fn spent_mut(&mut self, id: &AskId) -> Option<&mut SpentAsk> {
        self.spent.get_mut(id)
    }

    /// Removes a spent request.
    pub fn cancel(&mut self, id: &AskId) -> Option<SpentAsk> {
        self.spent.remove(id)
    }

    /// Withdraws all requests; `number`: that of the last allocation.
    pub fn forget(&mut self, number: u64) {
        self.spent.clear();
        self.forgotten = number;
    }

    /// Whether a spent request is after this rank in the order of requests.
    pub fn is_behind(&self, (priority, created, arrival, _): &AskRank) -> bool {
        let place = (*priority, *created, *arrival);
        self.spent.values().any(|spent| (Reverse(spent.priority), spent.created, spent.arrival) > place)
    }
}
