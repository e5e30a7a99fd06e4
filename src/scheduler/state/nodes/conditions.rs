//! What a resource manager's conditions say of asks on nodes (SCH-094).

use std::sync::Arc;

use super::Nodes;
use crate::model::AskId;
use crate::scheduler::index::NodeKey;
use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::node::Node;
use crate::scheduler::state::predicates::{Copies, Predicates, own_predicates};

/// One node in so many is few: it is worth looking at those alone.
const FEW: usize = 8;

impl Nodes {
    /// Whether a resource manager has conditions of its own.
    pub(in crate::scheduler) fn has_predicates(&self) -> bool {
        self.predicates.is_some()
    }

    /// From now on these conditions decide too whether an ask may go to a node (SCH-094).
    pub fn set_predicates(&mut self, predicates: Arc<dyn Predicates>) {
        self.predicates = Some(predicates);
        self.gains.forget();
        self.changes += 1;
    }

    /// Changes these conditions. Whom they may let go where they did not, [`Predicates::loosened`] gives another number from now on.
    pub fn change_predicates(&mut self, change: impl FnOnce(&mut dyn Predicates)) {
        if let Some(predicates) = own_predicates(&mut self.predicates) {
            change(predicates);
            self.changes += 1;
        }
    }

    /// These conditions; `None`: there are none.
    pub fn predicates(&self) -> Option<&Arc<dyn Predicates>> {
        self.predicates.as_ref()
    }

    /// Takes newer conditions for the same cluster, with what runs here: that they know more asks and nodes is all that changes.
    pub fn renew_predicates(&mut self, newer: Option<&Arc<dyn Predicates>>) {
        let renewed = self.predicates.as_ref().zip(newer).and_then(|(own, newer)| newer.placed_as(&**own));
        if let Some(renewed) = renewed {
            self.set_predicates(renewed);
        }
    }

    /// Whether an ask may go to a node, apart from resources (SCH-094).
    pub(in crate::scheduler) fn lets(&self, ask: &Ask, node: NodeKey, allocate: bool) -> bool {
        self.predicates.as_ref().is_none_or(|predicates| predicates.pass(ask, &self.nodes[node], allocate))
    }

    /// Why the resource manager's conditions keep an ask from a node, in words.
    pub(in crate::scheduler) fn refusal(&self, ask: &Ask, node: NodeKey) -> Option<String> {
        self.predicates.as_ref()?.refusal(ask, &self.nodes[node])
    }

    /// Whether what nodes say to one ask they say to the other, resources aside.
    pub(in crate::scheduler) fn treat_alike(&self, one: &Ask, other: &Ask) -> bool {
        self.predicates.as_ref().is_none_or(|predicates| predicates.alike(one, other))
    }

    /// A number that is another one whenever these conditions may let an ask go where they did not ([`Predicates::loosened`]).
    pub(in crate::scheduler) fn loosened(&self, ask: &Ask) -> Option<u64> {
        self.predicates.as_ref()?.loosened(ask)
    }

    /// The nodes in order without reserved ones, as [`Nodes::unreserved`]; where few can take the ask, only those.
    pub(in crate::scheduler) fn unreserved_for(&self, ask: &Ask) -> impl Iterator<Item = &Node> {
        let known = self.predicates.as_ref().and_then(|predicates| predicates.candidates(ask));
        let few = known.filter(|few| few.len() < self.len() / FEW).map(|few| {
            let mut few: Vec<&Node> = few.iter().filter_map(|id| Some(&self.nodes[self.find(id)?])).collect();
            few.sort_by_key(|node| (node.score, node.rank));
            few
        });
        let all = few.is_none().then(|| self.in_order());
        few.into_iter().flatten().chain(all.into_iter().flatten()).filter(|node| node.reservations.is_empty())
    }

    /// Reports to the resource manager's conditions an ask that comes to a node, or leaves it.
    pub(in crate::scheduler) fn report_placement(&mut self, ask: &AskId, node: NodeKey, comes: bool) {
        let Some(predicates) = own_predicates(&mut self.predicates) else { return };
        let Some(node) = self.nodes.get(node) else { return };
        if comes {
            predicates.placed(ask, &node.id);
        } else {
            predicates.gone(ask, &node.id);
        }
    }

    /// Names the asks and nodes that are to come as copies of others, so that the resource manager's conditions know them.
    pub fn expect_copies(&mut self, copies: &Copies) {
        let Some(predicates) = own_predicates(&mut self.predicates) else { return };
        copies.asks.iter().for_each(|(like, new)| predicates.ask_like(like, new));
        copies.nodes.iter().for_each(|(like, new)| predicates.node_like(like, new));
    }
}
