//! Allocations that stay on their nodes without an application: leaks of the releases (P-22, D-23).

use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::lifecycle::LastEnd;
use crate::state::ask::Allocation;
use crate::state::node::LeftBehind;
use crate::state::partition::Partition;
use model::{Resource, Time};

impl Partition {
    /// P-22: after a failed gang, real allocations leave the queues, but not their nodes, users, and groups.
    pub(super) fn leave_allocations_behind(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        self.remove_asks(now, app, ReleaseReason::Stopped, events);
        let application = &self.apps[app];
        let (real, placeholders) = (application.allocated.clone(), application.allocated_placeholder.clone());
        let reserved: Vec<AskKey> = application.allocations.values().copied().collect();
        for ask in reserved {
            let left = &self.apps[app].asks[ask];
            if let Some(allocation) = left.allocation.filter(|_| left.released) {
                let kind = EventKind::Stopping {
                    app: self.apps[app].id.clone(),
                    ask: left.id.clone(),
                    node: self.nodes[allocation.node].id.clone(),
                    reason: ReleaseReason::Timeout,
                };
                events.push(Event::new(now, kind));
            }
            self.leave_on_node(app, ask);
        }
        self.take_off_queues(app, &real, &placeholders);
        self.mark_path(self.apps[app].queue);
        self.refresh_app(app);
    }

    /// D-23, 1.5.1: the ID was allocated again. The newer one remains on its node, and the queues lose the older one.
    pub(crate) fn lose_shadowed(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        node: NodeKey,
        events: &mut Vec<Event>,
    ) {
        let application = &mut self.apps[app];
        let listed = !application.asks[ask].rare.unlisted;
        let Some(lost) = application.lose_sight_of(ask) else { return };
        self.miscounted = true;
        self.placeholders -= u64::from(lost.placeholder);
        self.end_preemption(app, &lost);
        self.mark_ask(app, ask, lost.arrival);
        let application = &self.apps[app];
        let Some(known) = application.known_allocation(&lost.id).filter(|_| listed) else { return };
        let kind = EventKind::Released {
            app: application.id.clone(),
            ask: lost.id.clone(),
            node: self.nodes[node].id.clone(),
            reason: ReleaseReason::NodeRemoved,
            resource: lost.resource.clone(),
            holder: self.holder(app),
            in_place: false,
        };
        let (forgotten, leaf) = (application.asks[known].clone(), application.queue);
        self.leave_on_node(app, known);
        events.push(Event::new(now, kind));
        let path = self.queues.path_up(leaf);
        self.usage.decrease(&self.apps[app].account, &path, &forgotten.resource);
        for key in path {
            let queue = &mut self.queues[key];
            queue.allocated.sub_assign(&lost.resource);
            queue.allocated.prune();
            queue.refresh_share();
        }
        self.mark_account(app);
        self.mark_path(leaf);
        self.refresh_app(app);
        if forgotten.placeholder {
            self.note_timed_out(app, &forgotten, ReleaseReason::NodeRemoved);
            self.placeholder_gone(now, app, events);
        } else {
            self.complete_if_idle(now, app, LastEnd::Allocation, events);
        }
    }

    pub(crate) fn leave_on_node(&mut self, app: AppKey, ask: AskKey) -> Option<Resource> {
        let application = &mut self.apps[app];
        let Allocation { node, number, .. } = application.asks.get(ask)?.allocation?;
        let ended = application.remove_ask(ask)?;
        let left = LeftBehind {
            app: application.id.clone(),
            ask: ended.id.clone(),
            resource: ended.resource.clone(),
            listed: !ended.rare.unlisted,
        };
        self.nodes.change_in_place(node, |node| {
            node.allocations.remove(&number);
            node.left_behind.push(left);
        });
        self.placeholders -= u64::from(ended.placeholder);
        self.end_preemption(app, &ended);
        self.mark_allocation(node, number);
        self.mark_ask(app, ask, ended.arrival);
        Some(ended.resource)
    }
}
