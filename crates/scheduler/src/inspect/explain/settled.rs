//! The steps of the next cycle before the explained checks, on a copy; rarely needed.

use super::gates::Limits;
use crate::cycle::headroom::Headroom;
use crate::cycle::reservation::is_overdue;
use crate::index::{AppKey, AskKey, QueueKey};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::Time;

impl Partition {
    /// `None` if unchanged.
    pub(super) fn settled(&self, now: Time) -> Option<Self> {
        // Only between a change of nodes or configuration and the next cycle.
        let shares = self.switches.fair_share_of_cluster && self.share_bases_stale;
        // Only between the time at which a reservation is overdue and the next cycle.
        let overdue = self.switches.reservation_timeout && self.reservations > 0 && self.has_overdue(now);
        if !shares && !overdue {
            return None;
        }
        let mut copy = self.clone();
        if shares {
            copy.refresh_share_bases();
        }
        if overdue {
            copy.give_up_overdue(now);
        }
        Some(copy)
    }

    fn has_overdue(&self, now: Time) -> bool {
        let apps = self.apps.iter().filter(|(_, app)| !app.reservations.is_empty());
        apps.flat_map(|(_, app)| app.reservations.iter().map(|(ask, _)| &app.asks[*ask]))
            .any(|ask| is_overdue(now, ask))
    }

    /// N-04: overdue ones without headroom, up to the first one that is used.
    fn give_up_overdue(&mut self, now: Time) {
        let mut leaves = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(key) = stack.pop() {
            match self.queues[key].leaf {
                true => leaves.push(key),
                false => stack.extend(self.queues.order_of(key).into_iter().rev()),
            }
        }
        for leaf in leaves {
            let apps: Vec<AppKey> = self.queues[leaf].reserved.iter().map(|(.., app)| *app).collect();
            for app in apps {
                if self.gives_up_in(now, leaf, app) {
                    return;
                }
            }
        }
    }

    /// Returns whether a reservation is used, which ends the step.
    fn gives_up_in(&mut self, now: Time, leaf: QueueKey, app: AppKey) -> bool {
        let limits = Limits::of(self, &self.apps[app]);
        if !self.lets_run(app, &limits) {
            return false;
        }
        let of_limits = limits.headroom();
        let of_queue = self.queues.headroom(leaf).unwrap_or_default();
        let headroom = Headroom::of(of_limits.as_ref(), &of_queue);
        let reservations = self.apps[app].reservations.clone();
        let fits: Vec<bool> =
            reservations.iter().map(|(ask, _)| headroom.fits(&self.apps[app].asks[*ask].resource).is_ok()).collect();
        let mut reserved: Vec<(AskKey, _)> = Vec::new();
        for ((ask, node), fits) in reservations.into_iter().zip(fits) {
            if fits {
                if self.nodes.accepts(&self.apps[app].asks[ask], node) {
                    return true;
                }
                reserved.push((ask, node));
            } else if is_overdue(now, &self.apps[app].asks[ask]) {
                self.unreserve(now, app, ask, &mut Vec::new());
            }
        }
        reserved.into_iter().any(|(ask, node)| self.other_node(&self.apps[app].asks[ask], node).is_some())
    }
}
