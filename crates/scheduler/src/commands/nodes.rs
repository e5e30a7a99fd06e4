//! Commands of resource managers on nodes (`scheduler.md` section 19).

use std::sync::Arc;

use crate::index::NodeKey;
use crate::interface::command::{ForeignAllocation, NodeSpec};
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{NodeId, Resource, Time};

impl Partition {
    /// Registers a node (SCH-190).
    pub(crate) fn add_node(&mut self, now: Time, spec: &NodeSpec, events: &mut Vec<Event>) {
        let id = spec.id.clone();
        if self.nodes.find(&id).is_some() {
            return reject(now, &id, "a node with this id is already registered", events);
        }
        if spec.capacity.has_negative() || spec.occupied.has_negative() {
            return reject(now, &id, "a negative capacity", events);
        }
        if !self.capacity().adds_exactly(&spec.capacity) {
            return reject(now, &id, "too large: the sum of all nodes overflows", events);
        }
        let spec = &NodeSpec { capacity: self.counted_capacity(&spec.capacity), ..spec.clone() };
        let key = self.nodes.add(spec.clone());
        events.push(Event::new(now, EventKind::NodeSchedulable { node: id.clone(), schedulable: !spec.drained }));
        self.change_root_max(now, events, |max| max.add_assign(&spec.capacity));
        self.mark_node(key);
        events.push(Event::new(now, EventKind::NodeAdded { node: id.clone(), capacity: spec.capacity.clone() }));
        events.push(Event::new(now, EventKind::NodeAccepted { node: id }));
    }

    /// SCH-191. Releases nothing.
    pub(crate) fn update_node(
        &mut self,
        now: Time,
        id: &NodeId,
        capacity: Option<&Resource>,
        occupied: Option<&Resource>,
        events: &mut Vec<Event>,
    ) {
        let Some(key) = self.known_node(now, id, events) else { return };
        let capacity = capacity.map(|capacity| self.counted_capacity(capacity));
        let capacity = capacity.as_ref();
        if capacity.is_some_and(Resource::has_negative) || occupied.is_some_and(Resource::has_negative) {
            return reject(now, id, "a negative capacity", events);
        }
        let (before, occupied_before) = (self.nodes[key].total.clone(), self.nodes[key].occupied.clone());
        if capacity.is_some_and(|capacity| !self.capacity().sub(&before).adds_exactly(capacity)) {
            return reject(now, id, "too large: the sum of all nodes overflows", events);
        }
        // An unchanged capacity keeps the node's position and its resource names.
        let capacity = capacity.filter(|capacity| **capacity != before);
        if capacity.is_some() || occupied.is_some() {
            self.nodes.change(key, |node| {
                if let Some(capacity) = capacity {
                    node.total = capacity.clone();
                }
                if let Some(occupied) = occupied {
                    node.occupied = occupied.clone();
                }
            });
        }
        if let Some(capacity) = capacity {
            let kind = EventKind::NodeCapacity { node: id.clone(), capacity: capacity.clone() };
            events.push(Event::new(now, kind));
            self.change_root_max(now, events, |max| {
                max.sub_assign(&before);
                max.add_assign(capacity);
            });
        }
        if let Some(occupied) = occupied.filter(|occupied| **occupied != occupied_before) {
            let kind = EventKind::NodeOccupied { node: id.clone(), occupied: occupied.clone() };
            events.push(Event::new(now, kind));
        }
        self.mark_node(key);
    }

    /// K8S-155. The usage comes with [`Self::update_node`].
    pub(crate) fn set_foreign(
        &mut self,
        now: Time,
        id: &NodeId,
        foreign: &[ForeignAllocation],
        events: &mut Vec<Event>,
    ) {
        let Some(key) = self.known_node(now, id, events) else { return };
        self.nodes.change(key, |node| node.foreign = Arc::new(foreign.to_vec()));
        self.mark_node(key);
    }

    /// SCH-192. Allocations and capacity do not change.
    pub(crate) fn set_schedulable(&mut self, now: Time, id: &NodeId, schedulable: bool, events: &mut Vec<Event>) {
        let Some(key) = self.known_node(now, id, events) else { return };
        if self.nodes[key].schedulable != schedulable {
            events.push(Event::new(now, EventKind::NodeSchedulable { node: id.clone(), schedulable }));
        }
        self.nodes.change(key, |node| node.schedulable = schedulable);
        self.mark_node(key);
    }

    /// SCH-193: first the allocations, then the capacity.
    pub(crate) fn remove_node(&mut self, now: Time, id: &NodeId, events: &mut Vec<Event>) {
        let Some(key) = self.known_node(now, id, events) else { return };
        self.unreserve_node(now, key, events);
        let running: Vec<_> = self.nodes[key].allocations.values().copied().collect();
        for (app, ask) in running {
            self.lose_to_node(now, app, ask, key, events);
        }
        let Some(node) = self.nodes.remove(key) else { return };
        self.change_root_max(now, events, |max| max.sub_assign(&node.total));
        self.mark_node(key);
        events.push(Event { at: now, kind: EventKind::NodeRemoved { node: node.id } });
    }

    /// Without names of value 0 (N-06).
    fn counted_capacity(&self, capacity: &Resource) -> Resource {
        if self.switches.zero_capacity { capacity.clone() } else { capacity.clone().pruned() }
    }

    fn known_node(&self, now: Time, id: &NodeId, events: &mut Vec<Event>) -> Option<NodeKey> {
        let key = self.nodes.find(id);
        if key.is_none() {
            let message = format!("node {id:?} not found");
            events.push(Event::new(now, EventKind::Refused { message }));
        }
        key
    }

    /// The root's maximum is the sum of the nodes, and unset while that is zero (SCH-195, P-04).
    fn change_root_max(&mut self, now: Time, events: &mut Vec<Event>, change: impl FnOnce(&mut Resource)) {
        let keeps_zero = self.switches.root_max_keeps_zero;
        let root = &mut self.queues[ROOT];
        let mut max = root.max.take().unwrap_or_else(|| std::mem::take(&mut self.names_of_nodes));
        let before = self.switches.root_max_reported_late.then(|| max.clone());
        change(&mut max);
        if keeps_zero {
            self.names_of_nodes = max.clone();
        } else {
            max.prune();
        }
        root.max = (!max.is_zero()).then_some(max);
        let max = before.or_else(|| root.max.clone()).unwrap_or_default();
        events.push(Event::new(now, EventKind::QueueMax { queue: root.path.clone(), max }));
        self.share_bases_stale = true;
        self.mark_queue(ROOT);
    }
}

fn reject(now: Time, node: &NodeId, message: &str, events: &mut Vec<Event>) {
    events.push(Event { at: now, kind: EventKind::NodeRejected { node: node.clone(), message: message.to_owned() } });
}
