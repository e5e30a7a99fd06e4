use std::collections::BTreeMap;

use super::labels::Labels;
use crate::objects::{Node, Taint};
use model::{NodeId, Shared};
use scheduler::index::Index;

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    /// Returns an empty set for this many nodes.
    pub fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Returns the nodes that `keep` accepts.
    pub fn of(count: usize, nodes: impl Iterator<Item = usize>, keep: impl Fn(usize) -> bool) -> Self {
        let mut bits = Self::none(count);
        nodes.filter(|node| keep(*node)).for_each(|node| bits.set(node));
        bits
    }

    /// Adds a node, possibly with a new index.
    pub fn set(&mut self, node: usize) {
        let word = node / 64;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (node % 64);
    }

    /// Adds or removes a node.
    pub fn put(&mut self, node: usize, is_in: bool) {
        if is_in {
            self.set(node);
        } else if let Some(word) = self.0.get_mut(node / 64) {
            *word &= !(1 << (node % 64));
        }
    }

    pub fn has(&self, node: usize) -> bool {
        self.0.get(node / 64).is_some_and(|word| word >> (node % 64) & 1 == 1)
    }

    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Iterates over the indexes.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.0.len() * 64).filter(|node| self.has(*node))
    }

    /// Intersects with another set.
    pub fn keep(&mut self, other: &Self) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word &= other);
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NodeFacts {
    pub id: NodeId,
    pub labels: Shared<Labels>,
    pub taints: Vec<Taint>,
    pub unschedulable: bool,
}

impl NodeFacts {
    /// Extracts the facts of a node.
    pub fn of(node: &Node) -> Self {
        Self {
            id: NodeId::from(node.metadata.name.as_str()),
            labels: node.metadata.labels.clone(),
            taints: node.spec.taints.clone(),
            unschedulable: node.spec.unschedulable,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Topology {
    domains: Vec<Option<u32>>,
}

impl Topology {
    /// `None` without the key.
    pub fn of(&self, node: usize) -> Option<u32> {
        self.domains.get(node).copied().flatten()
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct NodeTable {
    pub nodes: Vec<NodeFacts>,
    by_name: Index<NodeId, usize>,
    by_label: BTreeMap<String, BTreeMap<String, Bits>>,
    keys: BTreeMap<String, usize>,
    topologies: Vec<Topology>,
}

impl NodeTable {
    pub fn of<'n>(nodes: impl Iterator<Item = &'n Node>) -> Self {
        let mut table = Self { nodes: nodes.map(NodeFacts::of).collect(), ..Self::default() };
        let count = table.nodes.len();
        for (number, node) in table.nodes.iter().enumerate() {
            table.by_name.insert(node.id.clone(), number);
            for (key, value) in &*node.labels {
                let values = table.by_label.entry(key.clone()).or_default();
                values.entry(value.clone()).or_insert_with(|| Bits::none(count)).set(number);
            }
        }
        table
    }

    /// Returns its index.
    pub fn add(&mut self, node: NodeFacts) -> usize {
        let number = self.nodes.len();
        for (key, value) in &*node.labels {
            self.by_label.entry(key.clone()).or_default().entry(value.clone()).or_default().set(number);
        }
        for (key, topology) in &self.keys {
            let topology = &mut self.topologies[*topology];
            let others = node.labels.get(key).and_then(|value| self.by_label.get(key)?.get(value));
            let domain = others.map(|bits| {
                let known = bits.iter().find_map(|other| topology.of(other));
                known.unwrap_or_else(|| topology.domains.iter().flatten().max().map_or(0, |last| last + 1))
            });
            topology.domains.push(domain);
        }
        self.by_name.insert(node.id.clone(), number);
        self.nodes.push(node);
        number
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// Returns `None` (all nodes) without labels.
    pub fn with_labels(&self, pairs: &Labels) -> Option<Bits> {
        let mut found: Option<Bits> = None;
        for (key, value) in pairs {
            let Some(bits) = self.by_label.get(key).and_then(|values| values.get(value)) else {
                return Some(Bits::none(self.len()));
            };
            match &mut found {
                Some(found) => found.keep(bits),
                None => found = Some(bits.clone()),
            }
        }
        found
    }

    /// Computes the domains at the first use.
    pub fn key(&mut self, key: &str) -> usize {
        if let Some(number) = self.keys.get(key) {
            return *number;
        }
        let mut topology = Topology { domains: vec![None; self.len()] };
        for (domain, bits) in (0..).zip(self.by_label.get(key).into_iter().flat_map(BTreeMap::values)) {
            bits.iter().for_each(|node| topology.domains[node] = Some(domain));
        }
        self.topologies.push(topology);
        self.keys.insert(key.to_owned(), self.topologies.len() - 1);
        self.topologies.len() - 1
    }

    pub fn topology(&self, key: usize) -> &Topology {
        &self.topologies[key]
    }
}
