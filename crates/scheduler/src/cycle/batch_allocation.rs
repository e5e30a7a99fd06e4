//! Several allocations in one cycle for one application on one node ([`Tuning`](crate::interface::tuning::Tuning)).

use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use model::Time;

impl Partition {
    /// After the pick of [`Partition::cycle`], allocates more requests of the same application on the same node. These
    /// change no reservation and replace no placeholders.
    pub(crate) fn cycle_with_batch(&mut self, now: Time, most: u32, events: &mut Vec<Event>) {
        let before = events.len();
        self.cycle(now, events);
        if most <= 1 || !self.reserves() {
            return;
        }
        let found = events[before..].iter().rev().find_map(|event| match &event.kind {
            EventKind::Allocated { app, ask, node, .. } => {
                Some((self.app_key(app)?, ask.clone(), self.nodes.find(node)?))
            }
            _ => None,
        });
        let Some((app, ask, node)) = found else { return };
        let application = &self.apps[app];
        let first = application.ask_key(&ask).and_then(|key| application.asks.get(key));
        if first.is_none_or(|ask| ask.placeholder) {
            return;
        }
        for _ in 1..most {
            let Some(ask) = self.next_for(app, node) else { break };
            self.commit(now, app, ask, node, events);
        }
        self.confirm_stopped(now, events);
    }

    fn next_for(&self, app: AppKey, node: NodeKey) -> Option<AskKey> {
        let application = self.apps.get(app)?;
        let node = self.nodes.get(node).filter(|node| node.schedulable && node.reservations.is_empty())?;
        let of_queue = self.queues.headroom(application.queue).unwrap_or_default();
        if self.commit_fails(application.queue) {
            return None;
        }
        let of_limits = self.usage.headroom(&application.account);
        application.pending_order.iter().map(|(.., key)| *key).find(|key| {
            let ask = &application.asks[*key];
            let wanted = &ask.resource;
            ask.rare.required_node.is_none()
                && ask.rare.task_group.is_none()
                && !ask.placeholder
                && !application.reservations.iter().any(|(reserved, _)| reserved == key)
                && of_limits.as_ref().is_none_or(|headroom| headroom.fit_in_max_undef(wanted))
                && of_queue.fit_in_max_undef(wanted)
                && self.nodes.accepts(ask, node.key)
        })
    }
}
