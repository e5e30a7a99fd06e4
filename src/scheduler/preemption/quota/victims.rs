//! Which allocations of a leaf go so that a maximum holds (`profiles.md` section 10.3).

use std::cmp::{Ordering, Reverse};

use crate::model::{Priority, Resource, Time};
use crate::scheduler::index::{AppKey, AskKey, QueueKey};
use crate::scheduler::state::ask::Ask;
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::queue::Queue;

/// An hour, in microseconds: the age of asks is compared in full hours.
const HOUR: u64 = 3_600_000_000;

/// What a leaf gives.
pub(super) struct LeafShare {
    pub victims: Vec<(AppKey, AskKey)>,
    /// Whether there was anything to choose from.
    pub had_candidates: bool,
}

/// An allocation that might go.
struct Candidate<'a> {
    key: (AppKey, AskKey),
    ask: &'a Ask,
    number: u64,
    rank: Rank,
    /// Its share of the leaf's maximum, name by name, the largest first.
    shares: Vec<f64>,
}

/// Who wishes to stay, who began its application, how much of it is of use, how important it is, how old.
type Rank = (bool, bool, Reverse<i64>, Priority, Reverse<u64>);

impl Partition {
    /// What goes of a leaf that is to give `share`: never more in any name, so it may stay above its maximum.
    pub(super) fn quota_victims(&self, leaf: QueueKey, share: &Resource) -> LeafShare {
        let mut candidates = self.quota_candidates(leaf, share);
        candidates.sort_by(|one, other| one.rank.cmp(&other.rank).then_with(|| one.behind(other)));
        let had_candidates = !candidates.is_empty();
        let (mut taken, mut victims) = (Resource::new(), Vec::new());
        let mut spare = self.spare_above_guarantees(leaf);
        for Candidate { key, ask, .. } in candidates {
            let then = taken.add(&ask.resource);
            let guarded = |(name, amount): (&str, i64)| spare.get(name).is_none_or(|spare| amount <= spare);
            if then.iter().any(|(name, amount)| share.get(name).is_some_and(|most| amount > most))
                || !ask.resource.iter().all(guarded)
            {
                continue;
            }
            spare = spare.sub_only_existing(&ask.resource);
            taken = then;
            victims.push(key);
        }
        LeafShare { victims, had_candidates }
    }

    fn quota_candidates(&self, leaf: QueueKey, share: &Resource) -> Vec<Candidate<'_>> {
        let queue = &self.queues[leaf];
        let opted_in_last = self.switches.quota_opted_in_last;
        let mut candidates = Vec::new();
        for app in queue.apps.iter().map(|app| &self.apps[*app]) {
            for (number, key) in &app.allocations {
                let ask = &app.asks[*key];
                let goes = ask.released || ask.allocation.is_none_or(|allocation| allocation.preempted);
                let useful = ask.resource.iter().filter(|(name, _)| share.get(name).is_some()).count();
                if goes || ask.required_node.is_some() || useful == 0 {
                    continue;
                }
                let percent = (100 * useful / ask.resource.len().max(1)) as i64;
                let hour = ask.created.0 / HOUR;
                let (stays, first) = (ask.allow_preempt_self == opted_in_last, ask.originator != opted_in_last);
                let rank = (stays, first, Reverse(percent), ask.priority, Reverse(hour));
                let shares = shares(ask, share, queue);
                candidates.push(Candidate { key: (app.key, *key), ask, number: *number, rank, shares });
            }
        }
        candidates
    }

    /// What may go of a leaf before a guarantee on its path is touched (N-01b); a release does not look.
    fn spare_above_guarantees(&self, leaf: QueueKey) -> Resource {
        let mut spare: Option<Resource> = None;
        if self.switches.quota_largest_guard {
            return Resource::new();
        }
        for key in self.queues.path_up(leaf) {
            let Queue { guaranteed, allocated, preempting, .. } = &self.queues[key];
            let Some(guaranteed) = guaranteed else { continue };
            let used = |name| allocated.amount(name) - preempting.amount(name);
            let own: Resource = guaranteed.iter().map(|(name, amount)| (name, (used(name) - amount).max(0))).collect();
            spare = Resource::min_permissive_unset(spare.as_ref(), Some(&own));
        }
        spare.unwrap_or_default()
    }
}

impl Candidate<'_> {
    /// The smaller share first; of equal ones the newer ask, and the later allocation (SCH-001).
    fn behind(&self, other: &Self) -> Ordering {
        let newer = |candidate: &Self| (Reverse::<Time>(candidate.ask.created), Reverse(candidate.number));
        compare_shares(&self.shares, &other.shares).then_with(|| newer(self).cmp(&newer(other)))
    }
}

/// What an allocation has of the leaf's maximum in the names that are to be given; where there is none, the amount itself.
fn shares(ask: &Ask, share: &Resource, leaf: &Queue) -> Vec<f64> {
    let most = |name| leaf.max.as_ref().and_then(|max| max.get(name)).filter(|most| *most != 0);
    let mut shares: Vec<f64> = ask
        .resource
        .iter()
        .filter(|(name, _)| share.get(name).is_some())
        // Floats, as in the release.
        .map(|(name, amount)| most(name).map_or(amount as f64, |most| amount as f64 / most as f64))
        .collect();
    shares.sort_by(|one, other| other.total_cmp(one));
    shares
}

/// The first difference decides; else the longer list is the larger one.
fn compare_shares(one: &[f64], other: &[f64]) -> Ordering {
    for (a, b) in one.iter().zip(other) {
        let order = a.total_cmp(b);
        if order != Ordering::Equal {
            return order;
        }
    }
    let more = |longer: &[f64], from: usize| longer.iter().skip(from).any(|share| *share > 0.0);
    more(one, other.len()).cmp(&more(other, one.len()))
}
