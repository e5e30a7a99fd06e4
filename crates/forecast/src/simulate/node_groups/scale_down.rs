//! Removes nodes that are empty for long, and those whose allocations fit elsewhere.

use std::collections::BTreeSet;

use super::group::fits;
use super::{Autoscaler, waiting};
use model::{NodeId, Resource, Time};
use scheduler::Partition;
use scheduler::index::NodeKey;
use scheduler::state::node::Node;

impl Autoscaler {
    /// At most one of those in use. Nodes that pending requests are about to use stay.
    pub(super) fn scale_down(&mut self, now: Time, part: &Partition, wanted: &BTreeSet<NodeKey>) -> Vec<NodeId> {
        let mut gone = Vec::new();
        self.shrinks = false;
        let mut may_consolidate = self.again && waiting(part).is_empty();
        for at in (0..self.members.len()).rev() {
            let member = &mut self.members[at];
            let node = part.nodes.find(&member.id).and_then(|key| part.nodes.get(key));
            let Some(node) = node.filter(|_| member.ready.is_none()) else { continue };
            member.empty = node.allocations.is_empty() && node.reservations.is_empty();
            let changed = member.changed.as_ref().filter(|(_, available)| *available == node.available);
            let since = changed.map_or(now, |(since, _)| *since);
            if since == now {
                member.changed = Some((now, node.available.clone()));
            }
            let (group, empty) = (member.group, member.empty);
            let super::NodeGroup { unneeded, consolidates, min, .. } = &self.groups[group];
            // A node that comes is not there in place of one of `min`.
            let unneeded = unneeded.filter(|_| self.ready_of(group) > *min && !wanted.contains(&node.key));
            let Some(unneeded) = unneeded else { continue };
            let moves = !empty && may_consolidate && *consolidates && fits_elsewhere(part, node);
            self.shrinks |= moves;
            if now.since(since) >= unneeded && (empty || moves) {
                may_consolidate &= empty;
                let member = self.members.remove(at);
                self.count(&member, now);
                self.reports[group].removed += 1;
                gone.push(member.id);
            }
        }
        gone
    }
}

/// Whether all allocations of a node have room on the other nodes that are in use.
fn fits_elsewhere(part: &Partition, node: &Node) -> bool {
    let others = part.nodes.iter().filter(|other| other.schedulable && other.key != node.key);
    let mut free: Vec<Resource> =
        others.filter(|other| !other.allocations.is_empty()).map(|other| other.available.clone()).collect();
    node.reservations.is_empty()
        && node.allocations.values().all(|(app, ask)| {
            let ask = &part.apps[*app].asks[*ask];
            let place = free.iter_mut().find(|place| fits(&ask.resource, place));
            let found = place.is_some() && ask.rare.required_node.is_none();
            place.into_iter().for_each(|place| place.sub_assign(&ask.resource));
            found
        })
}
