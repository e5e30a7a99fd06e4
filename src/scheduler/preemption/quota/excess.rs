//! How much of a queue is to go, and which of its leaves give how much of it (`profiles.md` section 10.2).

use super::QuotaPlan;
use super::victims::LeafShare;
use crate::model::Resource;
use crate::scheduler::index::QueueKey;
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::queue::Queue;

impl Partition {
    /// What enforcing the maximum of a queue would come to now.
    pub(in crate::scheduler) fn quota_plan(&self, key: QueueKey) -> QuotaPlan {
        let excess = self.quota_excess(key);
        let mut plan = QuotaPlan {
            queue: self.queues[key].path.clone(),
            excess: excess.clone(),
            victims: Vec::new(),
            had_candidates: false,
        };
        // Nothing to bring down to: no maximum any more, or all of it goes already (N-01e).
        let mut stack = if excess.is_empty() { Vec::new() } else { vec![(key, excess)] };
        while let Some((key, share)) = stack.pop() {
            if self.queues[key].leaf {
                let LeafShare { victims, had_candidates } = self.quota_victims(key, &share);
                plan.victims.extend(victims);
                plan.had_candidates |= had_candidates;
            } else {
                stack.extend(self.shared_out(key, &share).into_iter().rev());
            }
        }
        plan
    }

    /// By how much a queue is above its own maximum, as far as guarantees let that go.
    fn quota_excess(&self, key: QueueKey) -> Resource {
        let queue = &self.queues[key];
        let max = queue.max.iter().flat_map(Resource::iter);
        let above = max.filter_map(|(name, most)| {
            let used = queue.allocated.amount(name) - queue.preempting.amount(name);
            let above = used - most;
            let above = self.guard(key, name).map_or(above, |guard| above.min(guard));
            (above > 0).then_some((name, above))
        });
        above.collect()
    }

    /// How much of a name the guarantees of a queue and of those above it let go; `None` where none has it.
    fn guard(&self, key: QueueKey, name: &str) -> Option<i64> {
        let path = self.queues.path_up(key);
        let above = path.iter().filter_map(|key| {
            let queue = &self.queues[*key];
            Some(queue.allocated.amount(name) - queue.guaranteed.as_ref()?.get(name)?)
        });
        if self.switches.quota_largest_guard {
            return above.filter(|above| *above > 0).max();
        }
        let above = path.iter().filter_map(|key| {
            let queue = &self.queues[*key];
            let used = queue.allocated.amount(name) - queue.preempting.amount(name);
            Some((used - queue.guaranteed.as_ref()?.get(name)?).max(0))
        });
        above.min()
    }

    /// What each child of a parent gives of what the parent is to give, in proportion to what it is above its guarantee.
    fn shared_out(&self, parent: QueueKey, excess: &Resource) -> Vec<(QueueKey, Resource)> {
        let children = self.queues[parent].children.iter().map(|child| &self.queues[*child]);
        let counts_below = self.switches.quota_counts_below;
        let givers: Vec<_> = children
            .filter(|child| !child.allocated.is_zero() && !is_protected(child))
            .map(|child| (child.key, counted(child, counts_below)))
            .collect();
        let share_of = |counted: &Resource| {
            let shares = excess.iter().filter_map(|(name, excess)| {
                let own = counted.get(name)?;
                let sum: i64 = givers.iter().map(|(_, counted)| counted.amount(name)).sum();
                // Floats, as in the release; nothing of nothing is nothing.
                let share = if sum == 0 { 0.0 } else { (own as f64 / sum as f64 * excess as f64).floor() };
                Some((name, share as i64))
            });
            shares.collect::<Resource>()
        };
        givers.iter().map(|(key, counted)| (*key, share_of(counted))).collect()
    }
}

/// Whether a queue has a guarantee and is above it in none of the names in use.
fn is_protected(queue: &Queue) -> bool {
    let Some(guaranteed) = &queue.guaranteed else { return false };
    !queue.allocated.iter().any(|(name, used)| guaranteed.get(name).is_some_and(|guaranteed| used > guaranteed))
}

/// By what a child is compared with its siblings: what it is above its guarantee, without one what it uses.
fn counted(queue: &Queue, counts_below: bool) -> Resource {
    let Some(guaranteed) = &queue.guaranteed else { return queue.allocated.clone() };
    if counts_below {
        let away = |(name, amount): (_, i64)| (name, (amount - queue.allocated.amount(name)).abs());
        return guaranteed.iter().map(away).collect();
    }
    let above = |(name, used): (_, i64)| (name, (used - guaranteed.get(name).unwrap_or(0)).max(0));
    queue.allocated.iter().map(above).collect()
}
