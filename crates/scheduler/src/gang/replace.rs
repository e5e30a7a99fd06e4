//! Real requests replace placeholders (SCH-143, SCH-144).

use std::collections::BTreeSet;

use crate::cycle::try_asks::Pick;
use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::state::app_rank::{AppRank, next_behind};
use crate::state::ask::Allocation;
use crate::state::ask_rare::Takeover;
use crate::state::partition::Partition;
use model::{AppState, Time};

#[derive(Default)]
struct ReplacementSearch {
    too_small: Vec<(AskKey, AskKey)>,
    pick: Option<Pick>,
}

impl Partition {
    /// In the order of the leaf (SCH-071, SCH-143). Headroom and limits are not checked: the resources are allocated
    /// already.
    pub(crate) fn try_replace(&mut self, now: Time, leaf: QueueKey, events: &mut Vec<Event>) -> Option<Pick> {
        let state_aware_filter = self.state_aware_filter(leaf);
        let mut last: Option<AppRank> = None;
        while let Some(rank) = next_behind(&self.queues[leaf].replacers, last.as_ref()) {
            let app = rank.app;
            last = Some(rank);
            if !state_aware_filter.admits(&self.apps[app]) {
                continue;
            }
            let ReplacementSearch { too_small, pick } = self.find_replacement(app);
            for (placeholder, ask) in too_small {
                self.release_too_small(now, app, placeholder, ask, events);
            }
            if pick.is_some() {
                return pick;
            }
        }
        None
    }

    /// On the placeholder's node if possible, otherwise the first pair that fits.
    fn find_replacement(&self, app: AppKey) -> ReplacementSearch {
        let application = &self.apps[app];
        let mut found = ReplacementSearch::default();
        let mut released = BTreeSet::new();
        let mut first_fit: Option<(AskKey, AskKey)> = None;
        for (.., key) in &application.pending_order {
            let ask = &application.asks[*key];
            let Some(group) = ask.replaces_in().and_then(|name| application.task_groups.get(name)) else { continue };
            for reserved in group.placeholders.values() {
                let placeholder = &application.asks[*reserved];
                if placeholder.released || placeholder.rare.shadowed || released.contains(reserved) {
                    continue;
                }
                if !placeholder.resource.at_least(&ask.resource) {
                    released.insert(*reserved);
                    found.too_small.push((*reserved, *key));
                    continue;
                }
                first_fit.get_or_insert((*key, *reserved));
                let node = placeholder.allocation.map(|allocation| allocation.node);
                if let Some(node) = node.filter(|node| self.nodes.lets(ask, *node, false)) {
                    found.pick = Some(Pick::Replace { app, ask: *key, placeholder: *reserved, node });
                    return found;
                }
            }
        }
        found.pick = first_fit.and_then(|(key, placeholder)| {
            let ask = &application.asks[key];
            let fits = |node: &NodeKey| self.nodes.accepts(ask, *node);
            let node = self.nodes.unreserved().filter(|node| node.schedulable).map(|node| node.key).find(fits)?;
            Some(Pick::Replace { app, ask: key, placeholder, node })
        });
        found
    }

    pub(crate) fn replacement(&self, app: AppKey) -> Option<(AskKey, NodeKey)> {
        match self.find_replacement(app).pick {
            Some(Pick::Replace { ask, node, .. }) => Some((ask, node)),
            _ => None,
        }
    }

    fn release_too_small(&mut self, now: Time, app: AppKey, placeholder: AskKey, ask: AskKey, events: &mut Vec<Event>) {
        let application = &self.apps[app];
        let kind = EventKind::PlaceholderTooSmall {
            app: application.id.clone(),
            ask: application.asks[ask].id.clone(),
            placeholder: application.asks[placeholder].id.clone(),
            resource: application.asks[ask].resource.clone(),
        };
        events.push(Event { at: now, kind });
        self.stop(app, placeholder, ReleaseReason::Timeout);
    }

    /// Until the resource manager has stopped the placeholder, the request is neither pending nor allocated. A node
    /// other than the placeholder's is charged immediately (SCH-144).
    pub(crate) fn start_replacement(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        placeholder: AskKey,
        node: NodeKey,
        events: &mut Vec<Event>,
    ) {
        self.unreserve(now, app, ask, events);
        self.cancel_pending(app, ask);
        self.allocations_made += 1;
        let number = self.allocations_made;
        let asks = &mut self.apps[app].asks;
        let charged = asks[placeholder].allocation.is_some_and(|allocation| allocation.node != node);
        asks[placeholder].rare.gives_way = Some(ask);
        asks[ask].rare.takes_over = Some(Takeover { placeholder, node, number, charged });
        if charged {
            self.charge_node(node, number, app, ask);
        }
        let application = &self.apps[app];
        let kind = EventKind::Replacing {
            app: application.id.clone(),
            ask: application.asks[ask].id.clone(),
            placeholder: application.asks[placeholder].id.clone(),
            node: self.nodes[node].id.clone(),
        };
        events.push(Event { at: now, kind });
        let (arrival, leaf) = (application.asks[ask].arrival, application.queue);
        self.mark_ask(app, ask, arrival);
        self.mark_path(leaf);
        self.refresh_app(app);
        self.stop(app, placeholder, ReleaseReason::Replaced);
    }

    /// If the tie was broken, only the placeholder ends (SCH-144).
    pub(crate) fn end_replacement(
        &mut self,
        now: Time,
        app: AppKey,
        placeholder: AskKey,
        reason: ReleaseReason,
        events: &mut Vec<Event>,
    ) {
        let application = &mut self.apps[app];
        let state = application.state;
        let real = application.asks[placeholder].rare.gives_way.filter(|_| state != AppState::Failing);
        let takeover = real.and_then(|real| Some((real, application.asks[real].rare.takes_over.take()?)));
        let Some((ask, Takeover { node, number, charged, .. })) = takeover else {
            return self.end_allocation(now, app, placeholder, reason, events);
        };
        application.asks[placeholder].rare.gives_way = None;
        if let Some(group) = application.task_group_of(placeholder) {
            group.replaced += 1;
        }
        let asked = application.asks[placeholder].created;
        application.asks[ask].rare.replaced = Some(asked);
        self.take_allocation(now, app, placeholder, reason, !charged, events);
        if state == AppState::Completing {
            self.stop_idle_placeholder_timer(app);
        } else {
            self.placeholder_gone(now, app, events);
        }
        self.decide_limits(now, app, !self.switches.group_usage_lost, events);
        let application = &self.apps[app];
        // The gang ran when it was complete: no state transition.
        let first = application.allocated.is_zero() && application.state != AppState::Completing;
        if !charged {
            self.charge_node(node, number, app, ask);
        }
        self.book(now, app, ask, Allocation { node, number, since: now, preempted: false }, !charged, events);
        if !first {
            self.run_application(now, app, events);
        }
    }

    /// Breaks the tie, given either side: the request is pending again. A placeholder that was asked to stop still
    /// ends.
    pub(crate) fn untie(&mut self, app: AppKey, either: AskKey) {
        let asks = &mut self.apps[app].asks;
        let ask = asks[either].rare.gives_way.unwrap_or(either);
        let Some(Takeover { placeholder, node, number, charged }) = asks[ask].rare.takes_over.take() else { return };
        if let Some(placeholder) = asks.get_mut(placeholder) {
            placeholder.rare.gives_way = None;
        }
        let application = &mut self.apps[app];
        let leads = application.asks[ask].priority > application.counted_priority;
        application.put_pending(ask);
        let (ask_now, leaf) = (&application.asks[ask], application.queue);
        let (id, resource, arrival) = (ask_now.id.clone(), ask_now.resource.clone(), ask_now.arrival);
        if charged {
            self.free_node(node, std::iter::once((number, &id, &resource)));
        }
        for key in self.queues.path_up(leaf) {
            self.queues[key].pending.add_assign(&resource);
        }
        self.mark_ask(app, ask, arrival);
        self.mark_path(leaf);
        self.refresh_app(app);
        if leads {
            self.refresh_stale(leaf);
        }
    }

    pub(crate) fn untie_all(&mut self, app: AppKey) {
        if self.apps[app].task_groups.is_empty() {
            return;
        }
        let tied = self.apps[app].asks.iter().filter(|(_, ask)| ask.rare.takes_over.is_some());
        let tied: Vec<AskKey> = tied.map(|(key, _)| key).collect();
        for ask in tied {
            self.untie(app, ask);
        }
    }

    /// SCH-193: a replacing request is pending again. A placeholder whose request goes to another node counts as
    /// replaced.
    pub(crate) fn lose_to_node(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        let Some(application) = self.apps.get(app) else { return };
        let Some(lost) = application.asks.get(ask) else { return };
        if lost.rare.shadowed {
            return self.lose_shadowed(now, app, ask, node, events);
        }
        let takeover = lost.rare.gives_way.and_then(|real| application.asks[real].rare.takes_over);
        if lost.allocation.is_none() {
            self.untie(app, ask);
        } else if takeover.is_some_and(|takeover| takeover.node != node) {
            self.end_replacement(now, app, ask, ReleaseReason::NodeRemoved, events);
        } else {
            self.end_allocation(now, app, ask, ReleaseReason::NodeRemoved, events);
        }
    }
}
