//! The end of allocations and requests, and of applications by their submitter.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::interface::switches::{AskAgainAllocated, AskAgainPending};
use crate::lifecycle::LastEnd;
use crate::state::app::Application;
use crate::state::ask::{Allocation, Ask};
use crate::state::node::Node;
use crate::state::partition::Partition;
use crate::usage::tracked_resources::TrackedResources;
use model::{AppId, AppState, AskId, Resource, Time};

const INSTANCE_TYPE: &str = "si/instance-type";
const UNKNOWN: &str = "UNKNOWN";

impl Partition {
    pub(crate) fn release(&mut self, now: Time, app: &AppId, ask: &AskId, events: &mut Vec<Event>) {
        let Some(key) = self.app_key(app) else {
            return refuse(now, format!("no active application {app:?}"), events);
        };
        let Some(ask_key) = self.apps[key].key_to_release(ask) else {
            if self.is_spent(key, ask) {
                return self.cancel_spent(now, key, ask, events);
            }
            return refuse(now, format!("application {app:?} has no request {ask:?}"), events);
        };
        let released = &self.apps[key].asks[ask_key];
        if let Some(reason) = released.rare.stopping.filter(|_| released.allocation.is_some()) {
            self.end_stopped(now, key, ask_key, reason, events);
        } else if released.allocation.is_some() {
            let spent = self.spent(key, ask_key);
            self.end_allocation(now, key, ask_key, ReleaseReason::Stopped, events);
            events.extend(spent.map(|spent| Event::new(now, spent)));
        } else {
            self.cancel(now, key, ask_key, events);
        }
    }

    /// The event for an allocation that ends with its request, not by time (P-06).
    pub(crate) fn spent(&self, app: AppKey, ask: AskKey) -> Option<EventKind> {
        let application = self.apps.get(app).filter(|_| self.switches.release_ends_ask)?;
        let Ask { id, resource, .. } = application.asks.get(ask)?;
        Some(EventKind::AskSpent { app: application.id.clone(), ask: id.clone(), resource: resource.clone() })
    }

    /// The application completes if it has nothing left (SCH-170).
    pub(crate) fn end_allocation(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        reason: ReleaseReason,
        events: &mut Vec<Event>,
    ) {
        let Some(ended) = self.take_allocation(now, app, ask, reason, false, events) else { return };
        if ended.placeholder {
            self.note_timed_out(app, &ended, reason);
            self.placeholder_gone(now, app, events);
        } else {
            self.complete_if_idle(now, app, LastEnd::Allocation, events);
        }
    }

    /// The application completes if it has nothing left, including placeholders (SCH-170).
    pub(crate) fn cancel(&mut self, now: Time, app: AppKey, ask: AskKey, events: &mut Vec<Event>) {
        let Some(canceled) = self.take_ask(now, app, ask, events) else { return };
        let application = &self.apps[app];
        let Ask { id: ask, resource, .. } = canceled;
        let kind = EventKind::AskRemoved { app: application.id.clone(), ask, reason: ReleaseReason::Stopped, resource };
        events.push(Event { at: now, kind });
        if application.allocated_placeholder.is_zero() && application.state != AppState::Failing {
            self.complete_if_idle(now, app, LastEnd::Ask, events);
        }
    }

    /// Releases everything and completes the application from any state (SCH-173).
    pub(crate) fn remove_app(&mut self, now: Time, app: &AppId, events: &mut Vec<Event>) {
        match self.app_key(app).filter(|key| self.apps[*key].ending.is_none()) {
            Some(key) => self.end_as(now, key, AppState::Completed, events),
            None => refuse(now, format!("no active application {app:?}"), events),
        }
    }

    /// Releases everything, then enters `state`. A very large application is released in parts
    /// ([`Tuning::ending_at_once`]), so that no command waits long.
    ///
    /// [`Tuning::ending_at_once`]: crate::Tuning::ending_at_once
    pub(crate) fn end_as(&mut self, now: Time, app: AppKey, state: AppState, events: &mut Vec<Event>) {
        self.stop_timers(app);
        self.untie_all(app);
        self.apps[app].ending = Some(state);
        self.unfinished.insert(app);
        self.end_more(now, app, self.tuning.ending_at_once.max(1), events);
    }

    pub(crate) fn is_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    pub(crate) fn go_on_ending(&mut self, now: Time, events: &mut Vec<Event>) {
        if let Some(app) = self.unfinished.first().copied() {
            self.quiet = None;
            self.end_more(now, app, self.tuning.ending_at_once.max(1), events);
        }
    }

    pub(crate) fn finish_ending(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(app) = self.unfinished.first().copied() {
            self.quiet = None;
            self.end_more(now, app, usize::MAX, events);
        }
    }

    fn end_more(&mut self, now: Time, app: AppKey, most: usize, events: &mut Vec<Event>) {
        let asks = self.cancel_asks(now, app, ReleaseReason::Stopped, most, events);
        self.take_allocations(now, app, ReleaseReason::Stopped, most - asks, events);
        let Application { allocations, pending_order, ending, .. } = &self.apps[app];
        if let Some(state) = ending.filter(|_| allocations.is_empty() && pending_order.is_empty()) {
            self.enter_last(now, app, state, events);
        }
    }

    pub(crate) fn remove_asks(&mut self, now: Time, app: AppKey, reason: ReleaseReason, events: &mut Vec<Event>) {
        self.untie_all(app);
        self.refresh_stale(self.apps[app].queue);
        self.cancel_asks(now, app, reason, usize::MAX, events);
        let made = self.allocations_made;
        self.apps[app].known_ids.forget(made);
    }

    fn cancel_asks(
        &mut self,
        now: Time,
        app: AppKey,
        reason: ReleaseReason,
        most: usize,
        events: &mut Vec<Event>,
    ) -> usize {
        let pending: Vec<AskKey> = self.apps[app].pending_order.iter().take(most).map(|(.., ask)| *ask).collect();
        let all = pending.len() == self.apps[app].pending_order.len();
        let at_once = all && self.switches.ask_again_pending == AskAgainPending::LeavesOld;
        let before = at_once.then(|| self.pending_on_path(app));
        for ask in &pending {
            if let Some(removed) = self.take_ask(now, app, *ask, events) {
                let Ask { id: ask, resource, .. } = removed;
                let kind = EventKind::AskRemoved { app: self.apps[app].id.clone(), ask, reason, resource };
                events.push(Event { at: now, kind });
            }
        }
        if let Some(before) = before {
            self.end_pending(app, before);
        }
        pending.len()
    }

    /// Pending requests first, then allocations in order, without a change of state.
    pub(crate) fn release_everything(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        self.remove_asks(now, app, ReleaseReason::Stopped, events);
        self.take_allocations(now, app, ReleaseReason::Stopped, usize::MAX, events);
    }

    /// Like [`Partition::take_allocation`], the oldest first, but with one change of counters and nodes for all.
    fn take_allocations(
        &mut self,
        now: Time,
        app: AppKey,
        reason: ReleaseReason,
        most: usize,
        events: &mut Vec<Event>,
    ) {
        let holder = self.holder(app);
        let path = self.queues.path_up(self.apps[app].queue);
        let (real, placeholders) = (self.apps[app].allocated.clone(), self.apps[app].allocated_placeholder.clone());
        let mut sum = Resource::new();
        let mut by_node: BTreeMap<NodeKey, Vec<(u64, AskId, Resource)>> = BTreeMap::new();
        let allocated: Vec<AskKey> = self.apps[app].allocations.values().take(most).copied().collect();
        events.reserve(allocated.len());
        for key in allocated {
            let application = &mut self.apps[app];
            let Some(Allocation { node, number, .. }) = application.asks[key].allocation else { continue };
            if application.asks[key].rare.shadowed {
                sum.add_assign(&application.asks[key].resource);
                self.leave_on_node(app, key);
                continue;
            }
            Arc::make_mut(&mut application.tracked_resources).count(
                now,
                &application.asks[key],
                &self.nodes[node],
                reason,
            );
            let Some(ended) = application.remove_ask(key) else { continue };
            let kind = EventKind::Released {
                app: application.id.clone(),
                ask: ended.id.clone(),
                node: self.nodes[node].id.clone(),
                reason,
                resource: ended.resource.clone(),
                holder: holder.clone(),
                in_place: false,
            };
            events.push(Event { at: now, kind });
            self.placeholders -= u64::from(ended.placeholder);
            self.end_preemption(app, &ended);
            self.mark_ask(app, key, ended.arrival);
            sum.add_assign(&ended.resource);
            by_node.entry(node).or_default().push((number, ended.id, ended.resource));
        }
        for (node, ended) in &by_node {
            self.free_node(*node, ended.iter().map(|(number, id, resource)| (*number, id, resource)));
        }
        let application = &self.apps[app];
        if application.allocations.is_empty()
            && !(application.allocated.is_zero() && application.allocated_placeholder.is_zero())
        {
            // The counters can differ from the allocations.
            sum = real.add(&placeholders);
            self.take_off_queues(app, &real, &placeholders);
        } else {
            for key in &path {
                let queue = &mut self.queues[*key];
                queue.allocated.sub_assign(&sum);
                queue.allocated.prune();
                queue.refresh_share();
            }
        }
        self.usage.decrease(&self.apps[app].account, &path, &sum);
        self.mark_account(app);
        self.mark_path(self.apps[app].queue);
        self.refresh_app(app);
    }

    pub(crate) fn take_allocation(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        reason: ReleaseReason,
        in_place: bool,
        events: &mut Vec<Event>,
    ) -> Option<Ask> {
        let node = self.apps[app].asks[ask].allocation?.node;
        let application = &mut self.apps[app];
        let ending = &application.asks[ask];
        Arc::make_mut(&mut application.tracked_resources).count(now, ending, &self.nodes[node], reason);
        let node = self.nodes[node].id.clone();
        let ended = self.take_ask(now, app, ask, events)?;
        let by_time = matches!(reason, ReleaseReason::Timeout | ReleaseReason::NodeRemoved);
        if by_time && self.switches.ask_again_allocated == AskAgainAllocated::Resizes {
            self.apps[app].known_ids.note_spent(&ended, node.clone());
        }
        let application = &self.apps[app];
        if self.switches.release_ends_ask && !by_time && ended.priority >= application.counted_priority {
            self.refresh_stale(application.queue);
        }
        let kind = EventKind::Released {
            app: self.apps[app].id.clone(),
            ask: ended.id.clone(),
            node,
            reason,
            resource: ended.resource.clone(),
            holder: self.holder(app),
            in_place,
        };
        events.push(Event { at: now, kind });
        Some(ended)
    }
}

fn refuse(now: Time, message: String, events: &mut Vec<Event>) {
    events.push(Event { at: now, kind: EventKind::Refused { message } });
}

impl TrackedResources {
    pub(crate) fn count(&mut self, now: Time, ended: &Ask, node: &Node, reason: ReleaseReason) {
        let Some(allocation) = &ended.allocation else { return };
        let by_instance = if ended.placeholder {
            &mut self.placeholders
        } else if reason == ReleaseReason::Preempted {
            &mut self.preempted
        } else {
            &mut self.used
        };
        let seconds = i64::try_from(now.since(allocation.since).as_secs()).unwrap_or(i64::MAX);
        let kind = node.attributes.get(INSTANCE_TYPE).map_or(UNKNOWN, String::as_str);
        if !by_instance.contains_key(kind) {
            by_instance.insert(Arc::from(kind), Resource::new());
        }
        let Some(sum) = by_instance.get_mut(kind) else { return };
        for (name, amount) in ended.resource.iter() {
            sum.set(name, sum.amount(name).saturating_add(amount.saturating_mul(seconds)));
        }
    }
}
