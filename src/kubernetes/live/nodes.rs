//! Nodes, and what is used of them by pods that are no allocations of ours (K8S-150 to K8S-158).

use std::collections::BTreeMap;

use super::{Live, Sink};
use crate::kubernetes::node;
use crate::kubernetes::objects::Node;
use crate::kubernetes::predicates::NodeChange;
use crate::model::{NodeId, Resource};
use crate::scheduler::{NodeSpec, PartitionCommand};

/// A node of the cluster, and what the scheduler has been given of it.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeMark {
    /// What pods use that are no allocations of ours, by UID; `None`: that cannot be read.
    pub occupants: BTreeMap<String, Option<Resource>>,
    capacity: Resource,
    occupied: Resource,
    open: bool,
}

impl Live {
    /// Whether a node is there for the scheduler.
    pub(super) fn knows_node(&self, name: &str) -> bool {
        self.nodes.contains_key(name)
    }

    pub(super) fn put_node(&mut self, object: Node, sink: &mut dyn Sink) {
        let name = object.metadata.name.clone();
        let spec = match node::node(&object) {
            Ok(spec) => spec,
            Err(why) => {
                self.cluster.note(format!("node {name} is left out: {why}"));
                self.remove_node(&name, sink);
                return;
            }
        };
        let mut begin = false;
        if self.started {
            sink.filters(&mut |filters| begin = filters.put_node(&object) == NodeChange::Begin);
        }
        self.stale |= begin;
        self.cluster.nodes.insert(name.clone(), object);
        if self.nodes.contains_key(&name) {
            self.refresh_node(&name, Some(spec.capacity), sink);
            return;
        }
        self.nodes.insert(name.clone(), NodeMark { capacity: spec.capacity.clone(), ..NodeMark::default() });
        self.reattach = true;
        // Closed until what runs there is taken over (K8S-201).
        sink.apply(PartitionCommand::AddNode(NodeSpec { drained: true, ..spec }));
        self.adopt_orphans(&name, sink);
        self.refresh_node(&name, None, sink);
    }

    /// A node is gone; what ran there is an orphan until it comes back (K8S-157).
    pub(super) fn remove_node(&mut self, name: &str, sink: &mut dyn Sink) {
        self.cluster.nodes.remove(name);
        if self.nodes.remove(name).is_none() {
            return;
        }
        self.stale = true;
        sink.apply(PartitionCommand::RemoveNode(NodeId::from(name)));
    }

    /// Gives the scheduler what of a node has changed.
    pub(super) fn refresh_node(&mut self, name: &str, capacity: Option<Resource>, sink: &mut dyn Sink) {
        let (Some(mark), Some(object)) = (self.nodes.get_mut(name), self.cluster.nodes.get(name)) else { return };
        let mut occupied = Resource::new();
        mark.occupants.values().flatten().for_each(|resource| occupied.add_assign(resource));
        let readable = mark.occupants.values().all(Option::is_some);
        let open = self.started && readable && node::opens(object, self.settings.profile);
        let id = NodeId::from(name);
        let capacity = capacity.filter(|capacity| !capacity.is_same_as(&mark.capacity));
        let occupied = Some(occupied).filter(|occupied| !occupied.is_same_as(&mark.occupied));
        mark.capacity = capacity.clone().unwrap_or_else(|| mark.capacity.clone());
        mark.occupied = occupied.clone().unwrap_or_else(|| mark.occupied.clone());
        let turns = open != std::mem::replace(&mut mark.open, open);
        if capacity.is_some() || occupied.is_some() {
            sink.apply(PartitionCommand::UpdateNode { id: id.clone(), capacity, occupied });
        }
        match (turns, open) {
            (true, true) => sink.apply(PartitionCommand::ResumeNode(id)),
            (true, false) => sink.apply(PartitionCommand::DrainNode(id)),
            (false, _) => {}
        }
    }

    /// A pod that is no allocation uses a node. `None`: what it uses cannot be read.
    pub(super) fn occupy(&mut self, node: &str, uid: &str, resource: Option<Resource>, sink: &mut dyn Sink) {
        let Some(mark) = self.nodes.get_mut(node) else { return };
        mark.occupants.insert(uid.to_owned(), resource);
        if self.started {
            self.refresh_node(node, None, sink);
        }
    }

    /// A pod that was no allocation uses a node no more.
    pub(super) fn vacate(&mut self, node: &str, uid: &str, sink: &mut dyn Sink) {
        let removed = self.nodes.get_mut(node).and_then(|mark| mark.occupants.remove(uid));
        if removed.is_some() {
            self.refresh_node(node, None, sink);
        }
    }
}
