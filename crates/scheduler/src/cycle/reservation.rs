//! Reservations: a node is reserved for a request that fits no node now (`scheduler.md` sections 12 and 15).
//!
//! Invariants:
//! - a reservation is recorded with the application and on the node, and counted in the partition;
//! - at most one per request, and one per node; 1.8.0 allows any number of required-node requests on a node.

use std::time::Duration;

use crate::cycle::headroom::Headroom;
use crate::cycle::try_asks::Pick;
use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::interface::event::{Event, EventKind};
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use model::{AppState, Time};

/// How long a reservation stands without headroom (N-04).
pub(crate) const WITHOUT_HEADROOM: Duration = Duration::from_secs(120 * 60);

/// Whether what an ask holds reserved has represented too long (N-04).
pub(crate) fn is_overdue(now: Time, ask: &Ask) -> bool {
    ask.rare.reserved_since.is_some_and(|since| now.since(since) > WITHOUT_HEADROOM)
}

impl Partition {
    /// SCH-084: the application then counts towards the application maxima.
    pub(crate) fn reserve(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        let application = &mut self.apps[app];
        application.reservations.push((ask, node));
        application.asks[ask].rare.reserved_since = Some(now);
        self.reservations += 1;
        let required = application.asks[ask].rare.required_node.is_some();
        self.nodes.change_in_place(node, |node| node.reserve(app, ask, required));
        self.queues[application.queue].reserved.insert((application.submitted, application.id.clone(), app));
        let (id, node_id) = (application.asks[ask].id.clone(), self.nodes[node].id.clone());
        let resource = application.asks[ask].resource.clone();
        let kind = EventKind::Reserved { app: application.id.clone(), ask: id, node: node_id, resource };
        events.push(Event { at: now, kind });
        let arrival = application.asks[ask].arrival;
        self.mark_ask(app, ask, arrival);
        self.mark_node(node);
        self.hold_place(app);
    }

    /// SCH-084, SCH-110: counts an Accepted application against the application maxima.
    pub(crate) fn hold_place(&mut self, app: AppKey) {
        let application = &self.apps[app];
        if application.state == AppState::Accepted {
            for queue in self.queues.path_up(application.queue) {
                self.queues[queue].allocating_accepted.insert(application.id.clone());
            }
            let leaf = application.queue;
            self.mark_path(leaf);
        }
    }

    /// Returns whether there was a reservation.
    pub(crate) fn unreserve(&mut self, now: Time, app: AppKey, ask: AskKey, events: &mut Vec<Event>) -> bool {
        let application = &mut self.apps[app];
        let Some(at) = application.reservations.iter().position(|(reserved, _)| application.are_one(*reserved, ask))
        else {
            return false;
        };
        let (ask, node) = application.reservations.remove(at);
        if application.reservations.is_empty() {
            let place = (application.submitted, application.id.clone(), app);
            self.queues[application.queue].reserved.remove(&place);
        }
        self.reservations -= 1;
        self.nodes.change_in_place(node, |node| node.reservations.retain(|reserved| *reserved != (app, ask)));
        if let Some(ask) = application.asks.get_mut(ask) {
            ask.rare.reserved_since = None;
            let (app, resource, node) = (application.id.clone(), ask.resource.clone(), self.nodes[node].id.clone());
            let kind = EventKind::Unreserved { app, ask: ask.id.clone(), node, resource };
            events.push(Event { at: now, kind });
        }
        self.mark_node(node);
        match self.apps[app].asks.get(ask).map(|ask| ask.arrival) {
            Some(arrival) => self.mark_ask(app, ask, arrival),
            None => self.mark_app(app),
        }
        true
    }

    pub(crate) fn unreserve_app(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        while let Some((ask, _)) = self.apps[app].reservations.first().copied() {
            self.unreserve(now, app, ask, events);
        }
    }

    pub(crate) fn unreserve_node(&mut self, now: Time, node: NodeKey, events: &mut Vec<Event>) {
        while let Some((app, ask)) = self.nodes[node].reservations.first().copied() {
            self.unreserve(now, app, ask, events);
        }
    }

    /// What a leaf with reservations can do with them (SCH-134).
    pub(crate) fn try_reserved(&mut self, now: Time, leaf: QueueKey, events: &mut Vec<Event>) -> Option<Pick> {
        let headroom = self.queues.headroom(leaf).unwrap_or_default();
        let commit_fails = self.commit_fails(leaf);
        let apps: Vec<AppKey> = self.queues[leaf].reserved.iter().map(|(.., app)| *app).collect();
        for app in apps {
            if !self.may_run(now, leaf, app, events) {
                continue;
            }
            let of_limits = self.usage.headroom(&self.apps[app].account);
            let headroom = Headroom { commit_fails, ..Headroom::of(of_limits.as_ref(), &headroom) };
            let reservations = self.apps[app].reservations.clone();
            for (other_ask, node) in reservations {
                let ask = self.apps[app].made_last(other_ask);
                if self.apps[app].asks[ask].allocation.is_some() {
                    self.unreserve(now, app, other_ask, events);
                    continue;
                }
                let wanted = &self.apps[app].asks[ask];
                if headroom.fits(&wanted.resource).is_err() {
                    if self.switches.reservation_timeout && is_overdue(now, wanted) {
                        self.unreserve(now, app, ask, events);
                    }
                    continue;
                }
                if !commit_fails && self.nodes.accepts(wanted, node) {
                    return Some(Pick::Allocate { app, ask, node });
                }
                self.preempt_on_required(now, app, ask, node, events);
            }
            // No request fits its own reserved node: any other node will do.
            let application = &self.apps[app];
            let accepts = |node: NodeKey, ask: AskKey| self.nodes.accepts(&application.asks[ask], node);
            let mut missed = false;
            for (ask, reserved) in &application.reservations {
                // The request of the reservation, although another request with its id may count by now (D-23).
                let Ask { rare, resource, .. } = &application.asks[*ask];
                if commit_fails
                    || rare.required_node.is_some()
                    || headroom.fits(resource).is_err()
                    || !self.nodes.may_hold(resource, false)
                {
                    continue;
                }
                let others = self.nodes.unreserved().filter(|node| node.key != *reserved && node.schedulable);
                if let Some(node) = others.map(|node| node.key).find(|node| accepts(*node, *ask)) {
                    return Some(Pick::Allocate { app, ask: *ask, node });
                }
                missed = true;
            }
            if missed {
                self.nodes.lower_bounds();
            }
        }
        None
    }
}
