//! Marks changed objects for the read model and for the backoff of applications.

use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::state::partition::Partition;

impl Partition {
    pub(crate) fn mark_app(&mut self, app: AppKey) {
        self.end_backoff(app);
        if let Some(dirty) = &mut self.dirty {
            dirty.apps.mark(app);
        }
    }

    pub(crate) fn mark_ask(&mut self, app: AppKey, ask: AskKey, arrival: u64) {
        self.end_backoff(app);
        if let Some(dirty) = &mut self.dirty {
            dirty.apps.mark(app);
            dirty.asks.push((app, ask, arrival));
        }
    }

    /// Marks every pending request.
    pub fn mark_pending(&mut self) {
        self.count_all_skipped_cycles();
        let Some(dirty) = &mut self.dirty else { return };
        for (key, app) in self.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()) {
            dirty.apps.mark(key);
            dirty.asks.extend(app.pending_order.iter().map(|(.., ask)| (key, *ask, app.asks[*ask].arrival)));
        }
    }

    pub(crate) fn mark_node(&mut self, node: NodeKey) {
        if let Some(dirty) = &mut self.dirty {
            dirty.nodes.mark(node);
        }
    }

    pub(crate) fn mark_allocation(&mut self, node: NodeKey, number: u64) {
        if let Some(dirty) = &mut self.dirty {
            dirty.nodes.mark(node);
            dirty.allocations.push((node, number));
        }
    }

    pub(crate) fn mark_account(&mut self, app: AppKey) {
        if let Some(dirty) = &mut self.dirty {
            let account = &self.apps[app].account;
            account.user.into_iter().for_each(|user| dirty.users.mark(user));
            account.group.into_iter().for_each(|group| dirty.groups.mark(group));
        }
    }

    pub(crate) fn mark_accounts(&mut self) {
        if let Some(dirty) = &mut self.dirty {
            self.usage.users.iter().for_each(|(user, _)| dirty.users.mark(user));
            self.usage.groups.iter().for_each(|(group, _)| dirty.groups.mark(group));
        }
    }

    pub(crate) fn mark_queue(&mut self, queue: QueueKey) {
        if let Some(dirty) = &mut self.dirty {
            dirty.queues.mark(queue);
        }
    }

    pub(crate) fn mark_path(&mut self, leaf: QueueKey) {
        if self.dirty.is_some() {
            for key in self.queues.path_up(leaf) {
                self.mark_queue(key);
            }
        }
    }

    pub(crate) fn mark_tree(&mut self) {
        if let Some(dirty) = &mut self.dirty {
            dirty.tree = true;
        }
    }

    pub(crate) fn mark_app_set(&mut self) {
        if let Some(dirty) = &mut self.dirty {
            dirty.app_set = true;
        }
    }
}
