//! Marks what changed, for the read model and for the backoff of applications.

use crate::scheduler::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::scheduler::state::partition::Partition;

impl Partition {
    pub(in crate::scheduler) fn touch_app(&mut self, app: AppKey) {
        self.wake_app(app);
        if let Some(touched) = &mut self.touched {
            touched.apps.mark(app);
        }
    }

    pub(in crate::scheduler) fn touch_ask(&mut self, app: AppKey, ask: AskKey, arrival: u64) {
        self.wake_app(app);
        if let Some(touched) = &mut self.touched {
            touched.apps.mark(app);
            touched.asks.push((app, ask, arrival));
        }
    }

    /// Every pending ask is to be looked at again.
    pub fn touch_pending(&mut self) {
        self.count_all_slept();
        let Some(touched) = &mut self.touched else { return };
        for (key, app) in self.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()) {
            touched.apps.mark(key);
            touched.asks.extend(app.pending_order.iter().map(|(.., ask)| (key, *ask, app.asks[*ask].arrival)));
        }
    }

    pub(in crate::scheduler) fn touch_node(&mut self, node: NodeKey) {
        if let Some(touched) = &mut self.touched {
            touched.nodes.mark(node);
        }
    }

    pub(in crate::scheduler) fn touch_allocation(&mut self, node: NodeKey, number: u64) {
        if let Some(touched) = &mut self.touched {
            touched.nodes.mark(node);
            touched.allocations.push((node, number));
        }
    }

    /// The user and the group that an application counts under.
    pub(in crate::scheduler) fn touch_account(&mut self, app: AppKey) {
        if let Some(touched) = &mut self.touched {
            let account = &self.apps[app].account;
            account.user.into_iter().for_each(|user| touched.users.mark(user));
            account.group.into_iter().for_each(|group| touched.groups.mark(group));
        }
    }

    /// All users and groups.
    pub(in crate::scheduler) fn touch_accounts(&mut self) {
        if let Some(touched) = &mut self.touched {
            self.usage.users.iter().for_each(|(user, _)| touched.users.mark(user));
            self.usage.groups.iter().for_each(|(group, _)| touched.groups.mark(group));
        }
    }

    pub(in crate::scheduler) fn touch_queue(&mut self, queue: QueueKey) {
        if let Some(touched) = &mut self.touched {
            touched.queues.mark(queue);
        }
    }

    pub(in crate::scheduler) fn touch_path(&mut self, leaf: QueueKey) {
        if self.touched.is_some() {
            for key in self.queues.path_up(leaf) {
                self.touch_queue(key);
            }
        }
    }

    pub(in crate::scheduler) fn touch_tree(&mut self) {
        if let Some(touched) = &mut self.touched {
            touched.tree = true;
        }
    }

    pub(in crate::scheduler) fn touch_app_set(&mut self) {
        if let Some(touched) = &mut self.touched {
            touched.app_set = true;
        }
    }
}
