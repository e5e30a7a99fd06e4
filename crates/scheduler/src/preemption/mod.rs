//! Preemption: allocations of others are stopped for a request (`scheduler.md` sections 14 and 15).
//!
//! [`attempts`] decides when it is tried, [`fence`] where; [`victim_search`] selects victims on the trial counters of
//! [`snapshot`], `required` for requests that require a node. [`quota`] brings queues down to their maxima. [`verdict`]
//! reports the result, [`grounds`] its inputs.
//!
//! Invariants:
//! - choosing changes nothing: the first victim is changed only when all victims are known;
//! - a victim counts in `preempting` of its queues from the choice until the resource manager has stopped it.

pub(super) mod attempts;
mod fence;
mod grounds;
pub mod quota;
mod required;
mod snapshot;
pub mod verdict;
mod victim_search;

use std::sync::Arc;
use std::time::Duration;

use super::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::interface::grounds::PreemptionGrounds;
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use model::{AppId, AskId, Resource, Time};
use victim_search::VictimSearch;

/// The age of a reserved request (SCH-136).
const OLD_RESERVATION: Duration = Duration::from_secs(120 * 60 + 2);

impl Partition {
    /// Returns whether there are victims (SCH-161). `nodes_tried`: no node has enough free resources.
    pub(super) fn preempt(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        nodes_tried: bool,
        events: &mut Vec<Event>,
    ) -> bool {
        if self.switches.reservation_cancel {
            self.cancel_old_reservations(now, app, ask, events);
        }
        let Some(plan) = VictimSearch::new(self, app, ask).and_then(|search| search.plan(nodes_tried)) else {
            return false;
        };
        let grounds = Arc::new(self.grounds_of(app, ask, &plan));
        for victim in plan.victims {
            self.preempt_one(now, victim, (app, ask), &grounds, events);
        }
        self.apps[app].asks[ask].preempted_others = true;
        self.reserve_for_preemptor(now, app, ask, plan.node, events);
        true
    }

    fn preempt_one(
        &mut self,
        now: Time,
        (app, ask): (AppKey, AskKey),
        (by_app, by_ask): (AppKey, AskKey),
        grounds: &Arc<PreemptionGrounds>,
        events: &mut Vec<Event>,
    ) {
        let grounds = Arc::clone(grounds);
        let by = &self.apps[by_app];
        let (by_app, by_ask, by_queue) = (by.id.clone(), by.asks[by_ask].id.clone(), by.queue_path.clone());
        let kind = |app, ask, resource| EventKind::Preempted { app, ask, by_app, by_ask, by_queue, resource, grounds };
        self.take_victim(now, (app, ask), kind, events);
    }

    /// Counts the victim, reports it as `kind`, and asks the resource manager to stop it.
    fn take_victim(
        &mut self,
        now: Time,
        (app, ask): (AppKey, AskKey),
        kind: impl FnOnce(AppId, AskId, Resource) -> EventKind,
        events: &mut Vec<Event>,
    ) {
        let application = &mut self.apps[app];
        let leaf = application.queue;
        let victim = &mut application.asks[ask];
        let Some(allocation) = victim.allocation.as_mut().filter(|allocation| !allocation.preempted) else { return };
        allocation.preempted = true;
        for queue in self.queues.path_up(leaf) {
            self.queues[queue].preempting.add_assign(&victim.resource);
        }
        let (id, arrival, resource) = (victim.id.clone(), victim.arrival, victim.resource.clone());
        events.push(Event { at: now, kind: kind(application.id.clone(), id, resource) });
        self.mark_ask(app, ask, arrival);
        self.mark_path(leaf);
        self.stop(app, ask, ReleaseReason::Preempted);
    }

    pub(super) fn end_preemption(&mut self, app: AppKey, ended: &Ask) {
        if ended.allocation.is_some_and(|allocation| allocation.preempted) {
            for queue in self.queues.path_up(self.apps[app].queue) {
                let preempting = &mut self.queues[queue].preempting;
                preempting.sub_assign(&ended.resource);
                preempting.prune();
            }
        }
    }

    /// A reservation on another node moves here or stays (P-05).
    fn reserve_for_preemptor(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        let application = &self.apps[app];
        let own = |(reserved, _): &&(AskKey, NodeKey)| application.are_one(*reserved, ask);
        let other_ask = application.reservations.iter().find(own).map(|(_, node)| *node);
        let ever = self.nodes[node].total.fit_in(&self.apps[app].asks[ask].resource);
        if other_ask == Some(node) || (other_ask.is_some() && self.switches.reservation_identity) || !ever {
            return self.hold_place(app);
        }
        self.unreserve(now, app, ask, events);
        self.reserve(now, app, ask, node, events);
    }

    /// Releases old reservations of less important requests on the nodes that a preemption examines (SCH-136).
    fn cancel_old_reservations(&mut self, now: Time, app: AppKey, ask: AskKey, events: &mut Vec<Event>) {
        let priority = self.apps[app].asks[ask].priority;
        let old = |(app, ask): &(AppKey, AskKey)| {
            let other_ask = &self.apps[*app].asks[*ask];
            other_ask.priority < priority
                && other_ask.rare.required_node.is_none()
                && !other_ask.preempted_others
                && now.since(other_ask.created) > OLD_RESERVATION
        };
        let examined = self.nodes.iter().filter(|node| node.schedulable);
        let old: Vec<_> = examined.flat_map(|node| node.reservations.iter().copied().filter(old)).collect();
        if old.is_empty() || VictimSearch::new(self, app, ask).is_none() {
            return;
        }
        for (app, ask) in old {
            self.unreserve(now, app, ask, events);
        }
    }
}
