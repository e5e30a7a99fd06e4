//! Allocations that stay on their nodes when their application does not know them any more: what the releases forget (P-22, D-23).

use crate::index::{AppKey, AskKey};
use crate::interface::event::{Event, EventKind, ReleaseReason};
use crate::state::ask::Allocation;
use crate::state::node::LeftBehind;
use crate::state::partition::Partition;
use model::{Resource, Time};

impl Partition {
    /// A gang failed: its application ends with its last placeholder and takes what it really runs out of its queues, but off no node
    /// and off no user or group (P-22). Of what was asked to stop it is reported that it was asked.
    pub(super) fn leave_allocations_behind(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        self.remove_asks(now, app, ReleaseReason::Stopped, events);
        let held: Vec<AskKey> = self.apps[app].allocations.values().copied().collect();
        for ask in held {
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
            let leaf = self.apps[app].queue;
            let Some(left) = self.leave_on_node(app, ask) else { continue };
            for key in self.queues.path_up(leaf) {
                let queue = &mut self.queues[key];
                queue.allocated.sub_assign(&left);
                queue.allocated.prune();
                queue.refresh_share();
            }
            self.mark_path(leaf);
        }
        self.refresh_app(app);
    }

    /// An application does not know an allocation any more, which stays on its node. Returns what it takes up there.
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
