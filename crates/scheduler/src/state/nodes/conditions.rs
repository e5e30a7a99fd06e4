//! A resource manager's conditions for requests on nodes (SCH-094).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Nodes;
use super::refused::{Known, MOST_KNOWN, Refused};
use crate::index::NodeKey;
use crate::state::ask::Ask;
use crate::state::node::Node;
use crate::state::predicates::{Copies, Predicates, own_predicates};
use model::{AskId, NodeId, Resource};

const FEW: usize = 8;

impl Nodes {
    pub(crate) fn has_predicates(&self) -> bool {
        self.predicates.is_some()
    }

    /// Sets additional conditions for requests on nodes (SCH-094).
    pub fn set_predicates(&mut self, predicates: Arc<dyn Predicates>) {
        self.predicates = Some(predicates);
        self.gains.forget();
        self.changes += 1;
    }

    /// Changes the conditions. If they allow more for a request, [`Predicates::loosened`] must return another number.
    pub fn change_predicates(&mut self, change: impl FnOnce(&mut dyn Predicates)) {
        if let Some(predicates) = own_predicates(&mut self.predicates) {
            change(predicates);
            self.changes += 1;
        }
    }

    /// The conditions, if any.
    pub fn predicates(&self) -> Option<&Arc<dyn Predicates>> {
        self.predicates.as_ref()
    }

    /// The newer conditions differ only in knowing more requests and nodes; placements are kept.
    pub fn renew_predicates(&mut self, newer: Option<&Arc<dyn Predicates>>) {
        let renewed = self.predicates.as_ref().zip(newer).and_then(|(own, newer)| newer.placed_as(&**own));
        if let Some(renewed) = renewed {
            self.set_predicates(renewed);
        }
    }

    /// Whether an ask can never go to a node ([`Predicates::bars`]).
    pub(crate) fn bars(&self, ask: &Ask, node: NodeKey) -> bool {
        self.predicates.as_ref().is_some_and(|predicates| predicates.bars(ask, &self.nodes[node]))
    }

    /// How many of these allocations of a node have to go, at least `least`, before an ask may go there ([`Predicates::passes_without`]).
    pub(crate) fn lets_without(&self, ask: &Ask, node: NodeKey, there: &[&AskId], least: usize) -> Option<usize> {
        let Some(predicates) = &self.predicates else { return Some(least) };
        predicates.passes_without(ask, &self.nodes[node], there, least)
    }

    /// Whether an ask may go to a node, apart from resources (SCH-094).
    pub(crate) fn lets(&self, ask: &Ask, node: NodeKey, allocate: bool) -> bool {
        self.predicates.as_ref().is_none_or(|predicates| predicates.pass(ask, &self.nodes[node], allocate))
    }

    pub(crate) fn refusal(&self, ask: &Ask, node: NodeKey) -> Option<String> {
        self.predicates.as_ref()?.refusal(ask, &self.nodes[node])
    }

    pub(crate) fn treat_identical(&self, one: &Ask, other: &Ask) -> bool {
        self.predicates.as_ref().is_none_or(|predicates| predicates.identical(one, other))
    }

    /// A number that is another one whenever these conditions may let an ask go where they did not ([`Predicates::loosened`]).
    pub(crate) fn loosened(&self, ask: &Ask) -> Option<u64> {
        self.predicates.as_ref()?.loosened(ask)
    }

    /// Like [`Nodes::unreserved`], but only the candidates if they are few.
    pub(crate) fn unreserved_for(&self, ask: &Ask) -> impl Iterator<Item = &Node> {
        let known = self.predicates.as_ref().and_then(|predicates| predicates.candidates(ask));
        let few = known.filter(|few| few.len() < self.len() / FEW).map(|few| {
            let mut few: Vec<&Node> = few.iter().filter_map(|id| Some(&self.nodes[self.find(id)?])).collect();
            few.sort_by_key(|node| (node.score, node.rank));
            few
        });
        let all = few.is_none().then(|| self.in_order());
        few.into_iter().flatten().chain(all.into_iter().flatten()).filter(|node| node.reservations.is_empty())
    }

    pub(crate) fn report_placement(&mut self, ask: &AskId, node: NodeKey, added: bool) {
        let Some(predicates) = own_predicates(&mut self.predicates) else { return };
        let Some(node) = self.nodes.get(node) else { return };
        if added {
            predicates.placed(ask, &node.id);
        } else {
            predicates.gone(ask, &node.id);
        }
    }

    /// Announces copies to the resource manager's conditions.
    pub fn expect_copies(&mut self, copies: &Copies) {
        let Some(predicates) = own_predicates(&mut self.predicates) else { return };
        copies.asks.iter().for_each(|(like, new)| predicates.ask_like(like, new));
        copies.nodes.iter().for_each(|(like, new)| predicates.node_like(like, new));
    }

    /// Announces a node that is like no other one to the resource manager's conditions.
    pub fn expect_node(&mut self, new: &NodeId, labels: &BTreeMap<String, String>) {
        if let Some(predicates) = own_predicates(&mut self.predicates) {
            predicates.node_with(new, labels);
        }
    }
}

impl Nodes {
    pub(crate) fn is_refused(&self, ask: &Ask, may_reserve: bool) -> bool {
        let known = self.known_refusal(ask).map(|at| &self.refused.known[at]);
        ask.rare.required_node.is_none() && known.is_some_and(|known| known.nowhere[usize::from(may_reserve)])
    }

    pub(crate) fn forget_refused(&mut self) {
        self.refused = Refused::default();
    }

    pub(crate) fn note_refused(&mut self, ask: &Ask, may_reserve: bool) {
        if let Some(known) = self.remember(ask) {
            known.nowhere[usize::from(may_reserve)] = true;
        }
    }

    pub(crate) fn refusing(&mut self, ask: &Ask) -> u64 {
        if !self.has_predicates() {
            return 0;
        }
        let known = self.known_refusal(ask).and_then(|at| self.refused.known[at].refusing);
        known.unwrap_or_else(|| {
            let spacious = self.unreserved().filter(|node| node.schedulable && node.available.fit_in(&ask.resource));
            let count = spacious.filter(|node| !self.lets(ask, node.key, true)).count() as u64;
            if let Some(known) = self.remember(ask) {
                known.refusing = Some(count);
            }
            count
        })
    }

    /// SCH-130; regardless of conditions.
    pub(crate) fn best_to_reserve(&self, wanted: &Resource) -> Option<NodeKey> {
        let mut best: Option<(f64, &Node)> = None;
        for node in self.unreserved().filter(|node| node.schedulable && node.total.fit_in(wanted)) {
            let score = wanted.fit_in_score(&node.available);
            if best.is_none_or(|(lowest, _)| score < lowest) {
                best = Some((score, node));
                if score <= 0.0 {
                    break;
                }
            }
        }
        best.map(|(_, node)| node.key)
    }

    pub(crate) fn may_be_reserved(&self, ask: &Ask) -> bool {
        self.may_hold(&ask.resource, true)
            && self.best_to_reserve(&ask.resource).is_some_and(|node| self.lets(ask, node, false))
    }

    fn known_refusal(&self, ask: &Ask) -> Option<usize> {
        if !self.has_predicates() || self.refused.at != self.changes() {
            return None;
        }
        let identical = |known: &Known| known.ask.resource == ask.resource && self.treat_identical(&known.ask, ask);
        self.refused.known.iter().position(identical)
    }

    /// `None` if no request can be like it, or too many kinds are recorded.
    fn remember(&mut self, ask: &Ask) -> Option<&mut Known> {
        if !self.has_predicates() || ask.rare.required_node.is_some() {
            return None;
        }
        if self.refused.at != self.changes() {
            self.refused = Refused { at: self.changes(), known: Vec::new() };
        }
        let at = match self.known_refusal(ask) {
            Some(at) => at,
            None if self.refused.known.len() < MOST_KNOWN && self.treat_identical(ask, ask) => {
                self.refused.known.push(Known { ask: ask.clone(), nowhere: [false; 2], refusing: None });
                self.refused.known.len() - 1
            }
            None => return None,
        };
        self.refused.known.get_mut(at)
    }
}
