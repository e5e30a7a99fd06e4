//! What no node takes because of a resource manager's own conditions: remembered for asks that are alike, until a node changes.

use crate::model::Resource;
use crate::scheduler::index::NodeKey;
use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::node::Node;
use crate::scheduler::state::nodes::Nodes;

/// How many kinds of asks are remembered at most.
const MOST_KNOWN: usize = 64;

/// Asks that were refused since the last change of a node, one of each kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Refused {
    /// How many changes there had been then.
    at: u64,
    known: Vec<Known>,
}

#[derive(Clone, Debug)]
struct Known {
    ask: Ask,
    /// No node takes it; if it is the second, none can be reserved for it either.
    nowhere: [bool; 2],
    /// How many nodes have room and refuse it.
    refusing: Option<u64>,
}

impl Nodes {
    /// Whether an ask like this one was refused by all nodes, and none has changed since. `may_reserve`: none could be reserved for it.
    pub(in crate::scheduler) fn is_refused(&self, ask: &Ask, may_reserve: bool) -> bool {
        let known = self.known_refusal(ask).map(|at| &self.refused.known[at]);
        ask.rare.required_node.is_none() && known.is_some_and(|known| known.nowhere[usize::from(may_reserve)])
    }

    /// Every ask is tried again.
    pub(in crate::scheduler) fn forget_refused(&mut self) {
        self.refused = Refused::default();
    }

    /// All nodes refused an ask that requires none.
    pub(in crate::scheduler) fn note_refused(&mut self, ask: &Ask, may_reserve: bool) {
        if let Some(known) = self.remember(ask) {
            known.nowhere[usize::from(may_reserve)] = true;
        }
    }

    /// How many nodes have room for an ask where the resource manager's conditions do not let it go.
    pub(in crate::scheduler) fn refusing(&mut self, ask: &Ask) -> u64 {
        if !self.has_predicates() {
            return 0;
        }
        let known = self.known_refusal(ask).and_then(|at| self.refused.known[at].refusing);
        known.unwrap_or_else(|| {
            let roomy = self.unreserved().filter(|node| node.schedulable && node.available.fit_in(&ask.resource));
            let count = roomy.filter(|node| !self.lets(ask, node.key, true)).count() as u64;
            if let Some(known) = self.remember(ask) {
                known.refusing = Some(count);
            }
            count
        })
    }

    /// The node that is the best one to reserve for an ask (SCH-130), whatever the resource manager's conditions say.
    pub(in crate::scheduler) fn best_to_reserve(&self, wanted: &Resource) -> Option<NodeKey> {
        let mut best: Option<(f64, &Node)> = None;
        for node in self.unreserved().filter(|node| node.schedulable && node.total.fit_in(wanted)) {
            let score = wanted.fit_in_score(&node.available);
            if best.is_none_or(|(lowest, _)| score < lowest) {
                best = Some((score, node));
                // None is better than one that has room.
                if score <= 0.0 {
                    break;
                }
            }
        }
        best.map(|(_, node)| node.key)
    }

    /// Whether a node may be reserved for an ask.
    pub(in crate::scheduler) fn may_be_reserved(&self, ask: &Ask) -> bool {
        self.may_hold(&ask.resource, true)
            && self.best_to_reserve(&ask.resource).is_some_and(|node| self.lets(ask, node, false))
    }

    fn known_refusal(&self, ask: &Ask) -> Option<usize> {
        if !self.has_predicates() || self.refused.at != self.changes() {
            return None;
        }
        let alike = |known: &Known| known.ask.resource == ask.resource && self.treat_alike(&known.ask, ask);
        self.refused.known.iter().position(alike)
    }

    /// What is known of asks like this one, to be added to; `None` where none can be like it, or too many are known.
    fn remember(&mut self, ask: &Ask) -> Option<&mut Known> {
        if !self.has_predicates() || ask.rare.required_node.is_some() {
            return None;
        }
        if self.refused.at != self.changes() {
            self.refused = Refused { at: self.changes(), known: Vec::new() };
        }
        let at = match self.known_refusal(ask) {
            Some(at) => at,
            None if self.refused.known.len() < MOST_KNOWN && self.treat_alike(ask, ask) => {
                self.refused.known.push(Known { ask: ask.clone(), nowhere: [false; 2], refusing: None });
                self.refused.known.len() - 1
            }
            None => return None,
        };
        self.refused.known.get_mut(at)
    }
}
