//! The requests that are tried before a request.

use super::types::{Ahead, QueueTurn};
use crate::index::{AppKey, AskKey};
use crate::state::partition::Partition;

const MOST_APPS: usize = 5;

impl Partition {
    /// Of its queues among siblings, its application in its leaf, itself in its application.
    pub(super) fn ahead(&self, app: AppKey, key: AskKey) -> Ahead {
        let application = &self.apps[app];
        let mut ahead = Ahead::default();
        for key in self.queues.path_up(application.queue).iter().rev() {
            let queue = &self.queues[*key];
            let Some(parent) = queue.parent else { continue };
            let order = self.queues.order_of(parent);
            let Some(at) = order.iter().position(|sibling| sibling == key) else { continue };
            for sibling in &order[..at] {
                ahead.pending.add_assign(&self.queues[*sibling].pending);
            }
            if order.len() < 2 {
                continue;
            }
            let before = at.checked_sub(1).map(|at| &self.queues[order[at]]);
            ahead.queues.push(QueueTurn {
                queue: queue.path.clone(),
                place: at as u64 + 1,
                of: order.len() as u64,
                priority: queue.current_priority(),
                share: queue.share.as_slice().to_vec(),
                before: before.map(|q| (q.path.clone(), q.current_priority(), q.share.as_slice().to_vec())),
            });
        }
        if let Some(rank) = &application.rank {
            for before in self.queues[application.queue].candidates.range(..rank) {
                let other = &self.apps[before.app];
                ahead.apps += 1;
                ahead.pending.add_assign(&other.pending);
                if ahead.first_apps.len() < MOST_APPS {
                    ahead.first_apps.push(other.id.clone());
                }
            }
        }
        for (.., before) in application.pending_order.iter().take_while(|(.., ask)| *ask != key) {
            ahead.asks += 1;
            ahead.pending.add_assign(&application.asks[*before].resource);
        }
        ahead
    }
}
