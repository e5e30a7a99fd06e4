//! What a resource manager's conditions say of nodes that are there, and of new ones.

use std::collections::BTreeMap;

use super::INSTANCE_TYPE;
use super::group::{InstanceType, NodeGroup, fits};
use model::{NodeId, Resource};
use scheduler::state::ask::Ask;
use scheduler::state::node::Node;
use scheduler::{Copies, Partition, Predicates};

/// A new node of an instance type.
struct New<'p> {
    /// A node of this type that is there.
    like: Option<&'p Node>,
    labels: BTreeMap<String, String>,
}

pub(super) struct Suits<'p> {
    predicates: Option<&'p dyn Predicates>,
    /// By group and type; empty without conditions.
    new: Vec<Vec<New<'p>>>,
}

impl<'p> Suits<'p> {
    pub fn new(part: &'p Partition, groups: &[NodeGroup]) -> Self {
        let predicates = part.nodes.predicates().map(|predicates| &**predicates);
        let usable = part.nodes.iter().filter(|node| node.schedulable);
        let typed = usable.filter_map(|node| Some((node.attributes.get(INSTANCE_TYPE)?, node)));
        let there: BTreeMap<&String, &Node> = if predicates.is_some() { typed.collect() } else { BTreeMap::new() };
        let of = |one: &InstanceType| New { like: there.get(&one.name).copied(), labels: labels(one) };
        let new = groups.iter().filter(|_| predicates.is_some()).map(|group| group.types.iter().map(of).collect());
        Self { predicates, new: new.collect() }
    }

    pub fn has_conditions(&self) -> bool {
        self.predicates.is_some()
    }

    /// Apart from free resources.
    pub fn there(&self, ask: &Ask, node: &Node) -> bool {
        self.predicates.is_none_or(|predicates| predicates.pass(ask, node, false))
    }

    pub fn new_node(&self, ask: &Ask, group: usize, kind: usize) -> bool {
        self.predicates.is_none_or(|predicates| {
            let New { like, labels } = &self.new[group][kind];
            predicates.suits_new(ask, *like, labels)
        })
    }

    pub fn identical(&self, one: &Ask, other: &Ask) -> bool {
        one.resource == other.resource && self.predicates.is_none_or(|predicates| predicates.identical(one, other))
    }

    /// Whether it fits a node that is there, if nothing runs on it.
    pub fn may_fit(&self, ask: &Ask, part: &Partition) -> bool {
        let bars = |node: &Node| self.predicates.is_some_and(|predicates| predicates.bars(ask, node));
        part.nodes.iter().any(|node| fits(&ask.resource, &node.total) && !bars(node))
    }
}

/// Before a node is added: the conditions must know it.
pub(super) fn announce(part: &mut Partition, id: &NodeId, kind: &InstanceType) {
    if part.nodes.predicates().is_none() {
        return;
    }
    let is_like = |node: &&Node| node.schedulable && node.attributes.get(INSTANCE_TYPE) == Some(&kind.name);
    let like = part.nodes.iter().find(is_like).map(|like| like.id.clone());
    match like {
        Some(like) => part.nodes.expect_copies(&Copies { nodes: vec![(like, id.clone())], ..Copies::default() }),
        None => part.nodes.expect_node(id, &labels(kind)),
    }
}

/// Those that the kubelet sets.
fn labels(kind: &InstanceType) -> BTreeMap<String, String> {
    let arch = kind.architecture().map(|arch| ("kubernetes.io/arch".to_owned(), arch.to_string()));
    let always = [("node.kubernetes.io/instance-type", kind.name.as_str()), ("kubernetes.io/os", "linux")];
    always.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).chain(arch).collect()
}

/// What is free on the nodes that are there, and on those that come.
pub(super) struct Free<'p> {
    places: Vec<(Option<&'p Node>, Resource)>,
    /// The last request, and where it found place.
    same: (Option<&'p Ask>, usize),
    come: BTreeMap<usize, (usize, usize)>,
}

impl<'p> Free<'p> {
    pub fn new(part: &'p Partition) -> Self {
        let there = part.nodes.iter().filter(|node| node.schedulable);
        let places = there.map(|node| (Some(node), node.available.clone())).collect();
        Self { places, same: (None, 0), come: BTreeMap::new() }
    }

    /// A node of this group and type comes.
    pub fn add(&mut self, kind: (usize, usize), capacity: Resource) {
        self.come.insert(self.places.len(), kind);
        self.places.push((None, capacity));
    }

    /// `None`: nowhere. `Some(None)`: on a node that is not ready yet.
    pub fn take(&mut self, ask: &'p Ask, suits: &Suits<'_>) -> Option<Option<&'p Node>> {
        // A request like the one before looks only where that one found place.
        let from = if self.same.0.is_some_and(|same| suits.identical(same, ask)) { self.same.1 } else { 0 };
        let has_place = |at: &usize| {
            let (node, free) = &self.places[*at];
            fits(&ask.resource, free)
                && match node {
                    Some(node) => suits.there(ask, node),
                    None => self.come.get(at).is_some_and(|(group, kind)| suits.new_node(ask, *group, *kind)),
                }
        };
        let found = (from..self.places.len()).find(has_place);
        self.same = (Some(ask), found.unwrap_or(self.places.len()));
        let (node, free) = &mut self.places[found?];
        free.sub_assign(&ask.resource);
        Some(*node)
    }
}
