//! The nodes of a partition and their order.

mod conditions;
mod refused;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::refused::Refused;
use crate::index::{Index, NodeKey, Slab};
use crate::interface::command::NodeSpec;
use crate::shareable::Shareable;
use crate::state::ask::Ask;
use crate::state::backoff::NodeGains;
use crate::state::node::{Node, OwnWeights, Score, score};
use crate::state::predicates::Predicates;
use crate::state::skyline::Skyline;
use config::NodeSortConfig;
use model::{NodeId, Resource};

const FIRST_RANK: u64 = 1 << 63;
const RANK_STEP: u64 = 1 << 31;

/// The nodes of a partition.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Nodes {
    nodes: Slab<NodeKey, Node>,
    #[serde(skip)]
    by_id: Shareable<Index<NodeId, NodeKey>>,
    /// Ids are compared once, when a node is added, and ranks afterwards.
    #[serde(skip)]
    by_name: Shareable<BTreeMap<NodeId, NodeKey>>,
    /// By score, then id (SCH-090).
    #[serde(skip)]
    order: BTreeSet<(Score, u64, NodeKey)>,
    sort: NodeSortConfig,
    #[serde(skip)]
    own_weights: Option<OwnWeights>,
    /// Other conditions for a request on a node (SCH-094).
    #[serde(skip)]
    predicates: Option<Arc<dyn Predicates>>,
    #[serde(skip)]
    totals: Skyline,
    #[serde(skip)]
    spaces: Skyline,
    #[serde(skip)]
    changes: u64,
    #[serde(skip)]
    bounds_of: u64,
    #[serde(skip)]
    gains: NodeGains,
    #[serde(skip)]
    refused: Refused,
}

impl std::ops::Index<NodeKey> for Nodes {
    type Output = Node;

    fn index(&self, key: NodeKey) -> &Node {
        &self.nodes[key]
    }
}

impl Nodes {
    /// The key of an id.
    pub fn find(&self, id: &NodeId) -> Option<NodeKey> {
        self.by_id.get(id).copied()
    }

    /// The node of a key, if it exists.
    pub fn get(&self, key: NodeKey) -> Option<&Node> {
        self.nodes.get(key)
    }

    /// All nodes in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().map(|(_, node)| node)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes by score, then by id (SCH-090).
    pub fn in_order(&self) -> impl Iterator<Item = &Node> {
        self.order.iter().map(|(_, _, key)| &self.nodes[*key])
    }

    /// The nodes in order, without reserved ones (SCH-092).
    pub fn unreserved(&self) -> impl Iterator<Item = &Node> {
        self.in_order().filter(|node| node.reservations.is_empty())
    }

    pub(crate) fn share(&mut self) {
        self.nodes.share(|_| {});
        self.by_id.share();
        self.by_name.share();
    }

    /// The sorting policy (SCH-090).
    pub fn sort(&self) -> &NodeSortConfig {
        &self.sort
    }

    /// If `false`, no node fits, now or `ever`.
    pub(crate) fn may_hold(&self, ask: &Resource, ever: bool) -> bool {
        if ever { self.totals.may_hold(ask) } else { self.spaces.may_hold(ask) }
    }

    pub(crate) fn lower_bounds(&mut self) {
        if self.bounds_of == self.changes {
            return;
        }
        self.bounds_of = self.changes;
        let open = || self.nodes.iter().map(|(_, node)| node).filter(|node| node.is_open());
        let totals = Skyline::of(open().map(|node| &node.total));
        self.spaces = Skyline::of(open().map(|node| &node.available));
        self.totals = totals;
    }

    pub(crate) fn gains(&self) -> &NodeGains {
        &self.gains
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// By resources and conditions (SCH-093).
    pub(crate) fn accepts(&self, ask: &Ask, node: NodeKey) -> bool {
        self.nodes[node].available.fit_in(&ask.resource) && self.lets(ask, node, true)
    }

    /// The id must be new.
    pub fn add(&mut self, node: NodeSpec) -> NodeKey {
        let available = node.capacity.sub(&node.occupied);
        let id = node.id.clone();
        let rank = self.rank_for(&id);
        let key = self.nodes.insert_with(|key| Node {
            key,
            id: node.id,
            total: node.capacity,
            occupied: node.occupied,
            allocated: Resource::new(),
            available,
            schedulable: !node.drained,
            attributes: Arc::new(node.attributes),
            allocations: BTreeMap::new(),
            reservations: Vec::new(),
            for_required: false,
            score: Score::default(),
            rank,
            foreign: Arc::default(),
            stale: None,
            left_behind: Vec::new(),
        });
        self.by_id.insert(id.clone(), key);
        self.by_name.insert(id, key);
        self.place(key);
        self.note_gain(key, true);
        key
    }

    /// Removes a node.
    pub fn remove(&mut self, key: NodeKey) -> Option<Node> {
        self.displace(key);
        let node = self.nodes.remove(key)?;
        self.changes += 1;
        self.by_id.remove(&node.id);
        self.by_name.remove(&node.id);
        Some(node)
    }

    /// Changes a node and updates its position in the order.
    pub fn change(&mut self, key: NodeKey, change: impl FnOnce(&mut Node)) {
        self.displace(key);
        self.change_in_place(key, change);
        self.place(key);
    }

    /// Changes a node without sorting again: reservations do not affect the order (SCH-092).
    pub fn change_in_place(&mut self, key: NodeKey, change: impl FnOnce(&mut Node)) {
        let node = &mut self.nodes[key];
        let (was_open, total, available) = (node.is_open(), node.total.clone(), node.available.clone());
        change(node);
        node.available = node.total.sub(&node.allocated).sub(&node.occupied);
        let larger = !was_open || !total.at_least(&node.total);
        let gains = node.is_open() && (larger || !available.at_least(&node.available));
        self.changes += 1;
        if gains {
            self.note_gain(key, larger);
        }
    }

    /// The releases that allow this keep the node's position until its next change or configuration (D-23).
    pub(crate) fn resize(&mut self, key: NodeKey, change: impl FnOnce(&mut Node)) {
        self.change_in_place(key, change);
        let node = &mut self.nodes[key];
        node.stale = Some(node.score);
    }

    fn note_gain(&mut self, key: NodeKey, larger: bool) {
        let node = &self.nodes[key];
        if node.is_open() {
            self.changes += 1;
            self.totals.raise(&node.total);
            self.spaces.raise(&node.available);
            self.gains.note(key, larger);
        }
    }

    /// Sorts by another policy.
    pub fn set_sort(&mut self, sort: &NodeSortConfig) {
        if self.sort == *sort && self.iter().all(|node| node.stale.is_none()) {
            return;
        }
        self.sort = sort.clone();
        self.own_weights = None;
        self.place_all();
    }

    fn place_all(&mut self) {
        self.order.clear();
        let keys: Vec<NodeKey> = self.nodes.iter().map(|(key, _)| key).collect();
        keys.into_iter().for_each(|key| self.place(key));
    }

    fn rank_for(&mut self, id: &NodeId) -> u64 {
        let rank_between = |nodes: &Self| {
            let rank = |(_, key): (&NodeId, &NodeKey)| nodes.nodes[*key].rank;
            let before = nodes.by_name.range::<NodeId, _>(..id).next_back().map(rank);
            let after = nodes.by_name.range::<NodeId, _>(id..).next().map(rank);
            match (before, after) {
                (None, None) => Some(FIRST_RANK),
                (Some(before), None) => before.checked_add(RANK_STEP),
                (None, Some(after)) => after.checked_sub(RANK_STEP),
                (Some(before), Some(after)) => (after - before > 1).then(|| before + (after - before) / 2),
            }
        };
        rank_between(self).unwrap_or_else(|| {
            // No number is left: all nodes get new ranks.
            let ranks = (0..).map(|number| FIRST_RANK + number * RANK_STEP);
            self.by_name.values().zip(ranks).for_each(|(key, rank)| self.nodes[*key].rank = rank);
            self.order = self.nodes.iter().map(|(key, node)| (node.score, node.rank, key)).collect();
            rank_between(self).unwrap_or(u64::MAX)
        })
    }

    pub(crate) fn index(&mut self) {
        let keys: Vec<NodeKey> = self.nodes.iter().map(|(key, _)| key).collect();
        for key in keys {
            self.by_id.insert(self.nodes[key].id.clone(), key);
            self.by_name.insert(self.nodes[key].id.clone(), key);
            match self.nodes[key].stale {
                Some(score) => {
                    self.nodes[key].score = score;
                    self.order.insert((score, self.nodes[key].rank, key));
                }
                None => self.place(key),
            }
        }
        self.changes += 1;
        self.lower_bounds();
    }

    fn displace(&mut self, key: NodeKey) {
        let node = &self.nodes[key];
        self.order.remove(&(node.score, node.rank, key));
    }

    fn place(&mut self, key: NodeKey) {
        let own = *self.own_weights.get_or_insert_with(|| OwnWeights::of(&self.sort));
        let score = score(&self.nodes[key], &self.sort, own);
        let node = &mut self.nodes[key];
        node.score = Score::of(score);
        node.stale = None;
        self.order.insert((node.score, node.rank, key));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::NodeSortPolicy;

    fn node(id: &str, vcore: i64, memory: i64) -> NodeSpec {
        let capacity = [("vcore", vcore), ("memory", memory)].into_iter().collect();
        NodeSpec { id: id.into(), capacity, ..Default::default() }
    }

    fn ids(nodes: &Nodes) -> Vec<&str> {
        nodes.in_order().map(|node| node.id.as_str()).collect()
    }

    /// EX-12, the second part.
    #[test]
    fn weights_of_ex_12() {
        let mut nodes = Nodes::default();
        for (id, vcore, memory) in [("n1", 500, 12_000), ("n2", 1500, 4000)] {
            let key = nodes.add(node(id, 2000, 16_000));
            let used = [("vcore", vcore), ("memory", memory)].into_iter().collect();
            nodes.change(key, |node| node.allocated = used);
        }
        let weights = [("vcore".to_owned(), 4.0), ("memory".to_owned(), 1.0)];
        let mut sort = NodeSortConfig { policy: NodeSortPolicy::Fair, weights: weights.into() };
        nodes.set_sort(&sort);
        let scores: Vec<f64> = nodes.in_order().map(|node| score(node, &sort, OwnWeights::of(&sort))).collect();
        assert!((scores[0] - 0.35).abs() < 1e-12 && (scores[1] - 0.65).abs() < 1e-12);
        assert_eq!(ids(&nodes), ["n1", "n2"]);
        sort.policy = NodeSortPolicy::BinPacking;
        nodes.set_sort(&sort);
        assert_eq!(ids(&nodes), ["n2", "n1"]);
        nodes.set_sort(&NodeSortConfig::default());
        assert_eq!(ids(&nodes), ["n1", "n2"]);
    }

    #[test]
    fn nodes_with_one_score_are_ordered_by_id_in_any_order_of_arrival() {
        let mut nodes = Nodes::default();
        let mut names = vec!["m".to_owned(), "z".to_owned(), "a".to_owned()];
        names.extend((1..100).map(|depth| format!("m{}", "b".repeat(depth))));
        names.extend((1..100).map(|depth| format!("m{}", "a".repeat(depth))));
        for id in &names {
            nodes.add(node(id, 1, 1));
        }
        names.sort();
        assert_eq!(ids(&nodes), names);
        let gone = nodes.find(&"m".into()).expect("it was added");
        nodes.remove(gone);
        nodes.add(node("m", 1, 1));
        assert_eq!(ids(&nodes), names);
    }

    #[test]
    fn a_score_preserves_the_order_of_its_float() {
        let mut scores = [0.5, -0.25, 0.0, -0.0, 1.0, -3.0];
        scores.sort_by_key(|score| Score::of(*score));
        assert_eq!(scores, [-3.0, -0.25, 0.0, 0.0, 0.5, 1.0]);
    }
}
