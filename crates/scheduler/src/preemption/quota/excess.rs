//! The quantity that a queue must release, and the shares of its leaves (`profiles.md` section 10.2).

use super::tree::{QuotaQueue, QuotaTree, path_up};
use super::victims::{LeafShare, leaf_share};
use crate::index::QueueKey;
use crate::interface::grounds::WhyRetained;
use model::{QueuePath, Resource};

/// The result of enforcing the maximum of one queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaPlan<V> {
    /// The queue above its maximum.
    pub queue: QueuePath,
    /// The resources to release.
    pub excess: Resource,
    /// The victims in the order in which they were chosen.
    pub victims: Vec<V>,
    /// Without those that are being stopped, require their node, or are in a queue without a share.
    pub retained: Vec<(V, WhyRetained)>,
    /// Whether there were candidates.
    pub had_candidates: bool,
}

/// The result of enforcing the maximum of a queue now; `None` if the queue does not exist.
pub fn quota_plan<T: QuotaTree>(tree: &T, key: QueueKey) -> Option<QuotaPlan<T::Victim>> {
    let queue = tree.quota_queue(key)?;
    let excess = excess(tree, key, &queue);
    let (path, retained) = (queue.path.clone(), Vec::new());
    let mut plan =
        QuotaPlan { queue: path, excess: excess.clone(), victims: Vec::new(), retained, had_candidates: false };
    // Nothing to release: no maximum, or the victims are being stopped already (N-01e).
    let mut stack = if excess.is_empty() { Vec::new() } else { vec![(key, excess)] };
    while let Some((key, share)) = stack.pop() {
        let Some(queue) = tree.quota_queue(key) else { continue };
        if queue.leaf {
            let LeafShare { victims, retained, had_candidates } = leaf_share(tree, (key, &queue), &share);
            plan.victims.extend(victims);
            plan.retained.extend(retained);
            plan.had_candidates |= had_candidates;
        } else {
            stack.extend(shared_out(tree, &queue, &share).into_iter().rev());
        }
    }
    Some(plan)
}

fn excess<T: QuotaTree>(tree: &T, key: QueueKey, queue: &QuotaQueue<'_>) -> Resource {
    let max = queue.max.into_iter().flat_map(Resource::iter);
    let above = max.filter_map(|(name, most)| {
        let above = queue.used(name) - most;
        let above = guard(tree, key, name).map_or(above, |guard| above.min(guard));
        (above > 0).then_some((name, above))
    });
    above.collect()
}

/// What the guaranteed resources of the path allow to release; `None` if none is guaranteed.
fn guard<T: QuotaTree>(tree: &T, key: QueueKey, name: &str) -> Option<i64> {
    if tree.law().largest_guard {
        let above =
            path_up(tree, key).filter_map(|queue| Some(queue.allocated.amount(name) - queue.guaranteed?.get(name)?));
        return above.filter(|above| *above > 0).max();
    }
    path_up(tree, key).filter_map(|queue| Some((queue.used(name) - queue.guaranteed?.get(name)?).max(0))).min()
}

/// In proportion to the usage above the guaranteed resources ([`counted`]).
fn shared_out<T: QuotaTree>(tree: &T, parent: &QuotaQueue<'_>, excess: &Resource) -> Vec<(QueueKey, Resource)> {
    let children = parent.children.iter().filter_map(|child| Some((*child, tree.quota_queue(*child)?)));
    let counts_below = tree.law().counts_below;
    let above_guarantee: Vec<_> = children
        .filter(|(_, child)| !child.allocated.is_zero() && !is_protected(child))
        .map(|(key, child)| (key, counted(&child, counts_below)))
        .collect();
    let share_of = |counted: &Resource| {
        let shares = excess.iter().filter_map(|(name, excess)| {
            let own = counted.get(name)?;
            let sum: i64 = above_guarantee.iter().map(|(_, counted)| counted.amount(name)).sum();
            // Floats, as in the release; the share of a zero sum is 0.
            let share = if sum == 0 { 0.0 } else { (own as f64 / sum as f64 * excess as f64).floor() };
            Some((name, share as i64))
        });
        shares.collect::<Resource>()
    };
    above_guarantee.iter().map(|(key, counted)| (*key, share_of(counted))).collect()
}

/// Whether a queue has guaranteed resources and exceeds them in no used name.
fn is_protected(queue: &QuotaQueue<'_>) -> bool {
    let Some(guaranteed) = queue.guaranteed else { return false };
    !queue.allocated.iter().any(|(name, used)| guaranteed.get(name).is_some_and(|guaranteed| used > guaranteed))
}

fn counted(queue: &QuotaQueue<'_>, counts_below: bool) -> Resource {
    let Some(guaranteed) = queue.guaranteed else { return queue.allocated.clone() };
    if counts_below {
        let away = |(name, amount): (_, i64)| (name, (amount - queue.allocated.amount(name)).abs());
        return guaranteed.iter().map(away).collect();
    }
    let above = |(name, used): (_, i64)| (name, (used - guaranteed.get(name).unwrap_or(0)).max(0));
    queue.allocated.iter().map(above).collect()
}
