//! The selection of the victims of a leaf to enforce a maximum (`profiles.md` section 10.3).

use std::cmp::{Ordering, Reverse};

use super::tree::{QuotaAsk, QuotaQueue, QuotaTree, path_up};
use crate::index::QueueKey;
use crate::interface::grounds::WhyRetained;
use model::{Priority, Resource, Time};

/// In microseconds: ages are compared in full hours.
const HOUR: u64 = 3_600_000_000;

pub(super) struct LeafShare<V> {
    pub victims: Vec<V>,
    /// The candidates that stay.
    pub retained: Vec<(V, WhyRetained)>,
    /// Whether there were candidates.
    pub had_candidates: bool,
}

struct Candidate<'t, V> {
    ask: QuotaAsk<'t, V>,
    rank: Rank,
    /// By name, the largest first.
    shares: Vec<f64>,
}

/// Opted out, started its application, useful quantity, priority, age.
type Rank = (bool, bool, Reverse<i64>, Priority, Reverse<u64>);

/// Never more than `share`: the leaf may stay above its maximum.
pub(super) fn leaf_share<T: QuotaTree>(
    tree: &T,
    (key, queue): (QueueKey, &QuotaQueue<'_>),
    share: &Resource,
) -> LeafShare<T::Victim> {
    let mut retained = Vec::new();
    let mut candidates = candidates(tree, (key, queue), share, &mut retained);
    candidates.sort_by(|one, other| one.rank.cmp(&other.rank).then_with(|| one.behind(other)));
    let had_candidates = !candidates.is_empty();
    let (mut taken, mut victims) = (Resource::new(), Vec::new());
    let mut spare = spare_above_guarantees(tree, key);
    for Candidate { ask, .. } in candidates {
        let then = taken.add(ask.resource);
        let guarded = |(name, amount): (&str, i64)| spare.get(name).is_none_or(|spare| amount <= spare);
        if then.iter().any(|(name, amount)| share.get(name).is_some_and(|most| amount > most)) {
            let enough =
                ask.resource.iter().any(|(name, amount)| amount > 0 && share.get(name) == Some(taken.amount(name)));
            retained.push((ask.victim, if enough { WhyRetained::NotNeeded } else { WhyRetained::TooLarge }));
            continue;
        }
        if !ask.resource.iter().all(guarded) {
            retained.push((ask.victim, WhyRetained::Floor));
            continue;
        }
        spare = spare.sub_only_existing(ask.resource);
        taken = then;
        victims.push(ask.victim);
    }
    LeafShare { victims, retained, had_candidates }
}

fn candidates<'t, T: QuotaTree>(
    tree: &'t T,
    (key, queue): (QueueKey, &QuotaQueue<'_>),
    share: &Resource,
    retained: &mut Vec<(T::Victim, WhyRetained)>,
) -> Vec<Candidate<'t, T::Victim>> {
    let opted_in_last = tree.law().opted_in_last;
    let candidate = |ask: QuotaAsk<'t, T::Victim>| {
        let useful = ask.resource.iter().filter(|(name, _)| share.get(name).is_some()).count();
        if useful == 0 {
            retained.push((ask.victim, WhyRetained::NothingShared));
            return None;
        }
        let percent = (100 * useful / ask.resource.len().max(1)) as i64;
        let hour = ask.created.0 / HOUR;
        let (stays, first) = (ask.offers_itself == opted_in_last, ask.originator != opted_in_last);
        let rank = (stays, first, Reverse(percent), ask.priority, Reverse(hour));
        let shares = shares(ask.resource, share, queue);
        Some(Candidate { ask, rank, shares })
    };
    tree.quota_asks(key).into_iter().filter_map(candidate).collect()
}

/// Above all guaranteed resources on the path (N-01b); a release does not check this.
fn spare_above_guarantees<T: QuotaTree>(tree: &T, leaf: QueueKey) -> Resource {
    let mut spare: Option<Resource> = None;
    if tree.law().largest_guard {
        return Resource::new();
    }
    for queue in path_up(tree, leaf) {
        let Some(guaranteed) = queue.guaranteed else { continue };
        let own = |(name, amount): (_, i64)| (name, (queue.used(name) - amount).max(0));
        let own: Resource = guaranteed.iter().map(own).collect();
        spare = Resource::min_permissive_unset(spare.as_ref(), Some(&own));
    }
    spare.unwrap_or_default()
}

impl<V> Candidate<'_, V> {
    /// The smaller share, then the newer request, then the later allocation (SCH-001).
    fn behind(&self, other: &Self) -> Ordering {
        let newer = |candidate: &Self| (Reverse::<Time>(candidate.ask.created), Reverse(candidate.ask.number));
        compare_shares(&self.shares, &other.shares).then_with(|| newer(self).cmp(&newer(other)))
    }
}

fn shares(of: &Resource, share: &Resource, leaf: &QuotaQueue<'_>) -> Vec<f64> {
    let most = |name| leaf.max.and_then(|max| max.get(name)).filter(|most| *most != 0);
    let mut shares: Vec<f64> = of
        .iter()
        .filter(|(name, _)| share.get(name).is_some())
        // Floats, as in the release.
        .map(|(name, amount)| most(name).map_or(amount as f64, |most| amount as f64 / most as f64))
        .collect();
    shares.sort_by(|one, other| other.total_cmp(one));
    shares
}

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
