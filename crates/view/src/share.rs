//! Computes the fair division of resources by guarantees, and the start of deficits.

use std::collections::BTreeMap;
use std::sync::Arc;

use imbl::Vector;
use rustc_hash::FxHashMap;

use super::fairness::FairnessRow;
use super::{PartitionView, QueueRow, QueueSlot, Sample};
use model::{QueuePath, Time};

pub(super) struct Shares {
    /// By queue: its share, and the resources of its parent.
    of: FxHashMap<QueueSlot, BTreeMap<String, (i64, i64)>>,
}

struct Claim {
    slot: QueueSlot,
    guaranteed: i64,
    demand: i64,
    share: i64,
}

impl Shares {
    /// Computes the shares of a partition; the root divides the cluster.
    pub fn of(part: &PartitionView) -> Self {
        let mut shares = Self { of: FxHashMap::default() };
        let Some(root) = part.queue(QueueSlot(0)) else { return shares };
        let all = part.capacity.iter().map(|(name, amount)| (name.to_owned(), (amount, amount))).collect();
        shares.of.insert(root.slot, all);
        for queue in part.walk() {
            shares.share_out(part, queue);
        }
        shares
    }

    fn share_out(&mut self, part: &PartitionView, parent: &QueueRow) {
        let Some(own) = self.of.get(&parent.slot).cloned() else { return };
        for (name, (amount, _)) in own {
            let children = parent.children.iter().filter_map(|slot| part.queue(*slot));
            let claim = |queue: &Arc<QueueRow>| Claim {
                slot: queue.slot,
                guaranteed: queue.guaranteed.as_ref().map_or(0, |all| all.amount(&name)).max(0),
                demand: demand(queue, &name),
                share: 0,
            };
            let mut claims: Vec<Claim> = children.map(claim).collect();
            divide(&mut claims, amount);
            for claim in claims {
                self.of.entry(claim.slot).or_default().insert(name.clone(), (claim.share, amount));
            }
        }
    }

    /// The share of a queue, and the resources of its parent.
    pub fn of_queue(&self, queue: &QueueRow, name: &str) -> (i64, i64) {
        self.of.get(&queue.slot).and_then(|all| all.get(name)).copied().unwrap_or_default()
    }
}

/// Usage plus pending, at most the maximum.
fn demand(queue: &QueueRow, name: &str) -> i64 {
    let wanted = queue.allocated.amount(name).saturating_add(queue.pending.amount(name)).max(0);
    queue.max.as_ref().and_then(|max| max.get(name)).map_or(wanted, |max| wanted.min(max.max(0)))
}

/// First gives each claim its demand within its guaranteed quantity, then divides the rest by guaranteed quantities;
/// equally if none has one. No claim exceeds its demand.
fn divide(claims: &mut [Claim], amount: i64) {
    let within = |claim: &Claim| claim.guaranteed.min(claim.demand);
    let sum: i128 = claims.iter().map(|claim| i128::from(within(claim))).sum();
    let mut left = i128::from(amount.max(0));
    for claim in claims.iter_mut() {
        let own = i128::from(within(claim));
        let share = if sum <= i128::from(amount.max(0)) { own } else { own * i128::from(amount.max(0)) / sum };
        claim.share = i64::try_from(share).unwrap_or(i64::MAX);
        left -= share;
    }
    // Each round satisfies a claim or divides everything.
    for _ in 0..=claims.len() {
        let open = |claim: &Claim| claim.share < claim.demand;
        let guaranteed = claims.iter().filter(|claim| open(claim)).any(|claim| claim.guaranteed > 0);
        let weight = |claim: &Claim| match (open(claim), guaranteed) {
            (false, _) => 0,
            (true, true) => i128::from(claim.guaranteed),
            (true, false) => 1,
        };
        let sum: i128 = claims.iter().map(weight).sum();
        if sum == 0 || left <= 0 {
            return;
        }
        let before = left;
        for claim in claims.iter_mut() {
            let more = (before * weight(claim) / sum).min(i128::from(claim.demand - claim.share));
            claim.share += i64::try_from(more).unwrap_or(0);
            left -= more;
        }
        if left == before {
            return;
        }
    }
}

/// The limit of examined queue samples; beyond it, a start is a lower bound.
const MOST_STEPS: usize = 200_000;

/// Sets the start of uninterrupted deficits: the first sample with one.
pub(super) fn add_since(rows: &mut [FairnessRow], history: &Vector<Arc<Sample>>, partition: &str, now: Time) {
    let mut open: FxHashMap<QueuePath, Vec<usize>> = FxHashMap::default();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.deficit() > 0) {
        open.entry(row.queue.clone()).or_default().push(at);
    }
    let mut steps = 0;
    for sample in history.iter().rev().filter(|sample| sample.at <= now) {
        let Some(of) = sample.partitions.iter().find(|one| *one.name == *partition) else { break };
        steps += of.queues.len();
        if open.is_empty() || steps > MOST_STEPS {
            break;
        }
        let mut still: FxHashMap<QueuePath, Vec<usize>> = FxHashMap::default();
        for queue in of.queues.iter() {
            let Some(missing) = open.get(&queue.queue) else { continue };
            for at in missing {
                let row = &mut rows[*at];
                let (used, pending) = (queue.allocated.amount(&row.resource), queue.pending.amount(&row.resource));
                if used < row.guaranteed.min(used.saturating_add(pending)) {
                    row.since = Some(sample.at);
                    still.entry(queue.queue.clone()).or_default().push(*at);
                }
            }
        }
        open = still;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(amount: i64, claims: &[(i64, i64)]) -> Vec<i64> {
        let claim = |(guaranteed, demand): &(i64, i64)| Claim {
            slot: QueueSlot(0),
            guaranteed: *guaranteed,
            demand: *demand,
            share: 0,
        };
        let mut claims: Vec<Claim> = claims.iter().map(claim).collect();
        divide(&mut claims, amount);
        claims.iter().map(|claim| claim.share).collect()
    }

    #[test]
    fn guarantees_are_used_first_and_the_rest_is_compared_by_them() {
        assert_eq!(shares(10, &[(8, 10), (2, 10)]), [8, 2]);
        assert_eq!(shares(20, &[(8, 100), (2, 100)]), [16, 4]);
        assert_eq!(shares(10, &[(8, 3), (2, 10)]), [3, 7], "what one does not want the other gets");
        assert_eq!(shares(10, &[(20, 20), (20, 20)]), [5, 5], "more is guaranteed than there is");
        assert_eq!(shares(10, &[(0, 8), (4, 4)]), [6, 4], "one without a guarantee gets what is left");
        assert_eq!(shares(9, &[(0, 9), (0, 9), (0, 1)]), [4, 4, 1]);
    }
}
