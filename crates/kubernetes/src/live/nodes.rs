//! Nodes, and their occupied resources (K8S-150 to K8S-158).

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Live, Sink};
use crate::moment::moment;
use crate::node;
use crate::objects::{Node, Pod};
use crate::predicates::NodeChange;
use model::{NodeId, Resource};
use scheduler::{ForeignAllocation, NodeSpec, PartitionCommand};

#[derive(Clone, Debug, Default)]
pub(super) struct NodeMark {
    pub occupants: BTreeMap<String, Occupant>,
    /// The scheduler does not know these pods in their current form.
    unnamed: bool,
    capacity: Resource,
    occupied: Resource,
    open: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occupant {
    shown: ForeignAllocation,
    readable: bool,
}

impl Occupant {
    fn of(pod: &Pod, resource: Option<Resource>) -> Self {
        let meta = &pod.metadata;
        let shown = ForeignAllocation {
            id: meta.uid.clone(),
            name: meta.path(),
            priority: pod.spec.priority.unwrap_or(0),
            since: meta.creation_timestamp.as_deref().and_then(moment),
            is_static: meta.is_owned_by("Node"),
            resource: resource.clone().unwrap_or_default(),
        };
        Self { shown, readable: resource.is_some() }
    }
}

impl Live {
    pub(super) fn knows_node(&self, name: &str) -> bool {
        self.nodes.contains_key(name)
    }

    pub(super) fn put_node(&mut self, object: Arc<Node>, sink: &mut dyn Sink) {
        let name = object.metadata.name.clone();
        let spec = match node::node(&object) {
            Ok(spec) => spec,
            Err(why) => {
                self.cluster.note(format!("node {name} is skipped: {why}"));
                self.remove_node(&name, sink);
                return;
            }
        };
        let mut start = false;
        if self.started {
            sink.filters(&mut |filters| start = filters.put_node(&object) == NodeChange::Start);
        }
        self.stale |= start;
        self.cluster.nodes.insert(name.clone(), object);
        if self.nodes.contains_key(&name) {
            self.refresh_node(&name, Some(spec.capacity), sink);
            return;
        }
        self.nodes.insert(name.clone(), NodeMark { capacity: spec.capacity.clone(), ..NodeMark::default() });
        self.reattach = true;
        // Unschedulable until its running allocations are loaded (K8S-201).
        sink.apply(PartitionCommand::AddNode(NodeSpec { drained: true, ..spec }));
        self.adopt_orphans(&name, sink);
        self.refresh_node(&name, None, sink);
    }

    /// Its pods are orphans until it returns (K8S-157).
    pub(super) fn remove_node(&mut self, name: &str, sink: &mut dyn Sink) {
        self.cluster.nodes.remove(name);
        if self.nodes.remove(name).is_none() {
            return;
        }
        self.stale = true;
        sink.apply(PartitionCommand::RemoveNode(NodeId::from(name)));
    }

    pub(super) fn refresh_node(&mut self, name: &str, capacity: Option<Resource>, sink: &mut dyn Sink) {
        let (Some(mark), Some(object)) = (self.nodes.get_mut(name), self.cluster.nodes.get(name)) else { return };
        let mut occupied = Resource::new();
        mark.occupants.values().for_each(|one| occupied.add_assign(&one.shown.resource));
        let readable = mark.occupants.values().all(|one| one.readable);
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
        if std::mem::take(&mut mark.unnamed) {
            let foreign = mark.occupants.values().map(|one| one.shown.clone()).collect();
            sink.apply(PartitionCommand::SetForeign { node: id.clone(), foreign });
        }
        match (turns, open) {
            (true, true) => sink.apply(PartitionCommand::ResumeNode(id)),
            (true, false) => sink.apply(PartitionCommand::DrainNode(id)),
            (false, _) => {}
        }
    }

    /// `None`: the usage cannot be parsed.
    pub(super) fn occupy(&mut self, node: &str, pod: &Pod, resource: Option<Resource>, sink: &mut dyn Sink) {
        let Some(mark) = self.nodes.get_mut(node) else { return };
        let new = Occupant::of(pod, resource);
        if mark.occupants.get(&pod.metadata.uid) != Some(&new) {
            mark.occupants.insert(pod.metadata.uid.clone(), new);
            mark.unnamed = true;
        }
        if self.started {
            self.refresh_node(node, None, sink);
        }
    }

    pub(super) fn vacate(&mut self, node: &str, uid: &str, sink: &mut dyn Sink) {
        let Some(mark) = self.nodes.get_mut(node) else { return };
        if mark.occupants.remove(uid).is_some() {
            mark.unnamed = true;
            self.refresh_node(node, None, sink);
        }
    }
}
