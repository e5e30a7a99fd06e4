//! The candidates of a leaf: its applications with pending requests, in their order. A cycle skips a group that backs
//! off alike at once.
//!
//! Invariants:
//! - every candidate is awake, or in the group named by its application (`Asleep`);
//! - the members of a group back off by the same values; their times, if any, are in `wakes`.

use std::collections::BTreeSet;
use std::ops::{Bound, RangeBounds};

use crate::index::AppKey;
use crate::state::app::Application;
use crate::state::app_rank::AppRank;
use crate::state::asleep::Asleep;
use crate::state::backoff::{Backoff, NEVER};
use crate::state::skipped_cycles::SkippedCycles;
use model::Time;

/// Candidates without a group stay awake.
const MOST_GROUPS: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct SleepGroup {
    /// Their common backoff; times and counts of attempts are those of one member.
    pub common: Backoff,
    /// The members in their order.
    pub members: BTreeSet<AppRank>,
    /// Never reset, even if the group is reused.
    pub skipped_cycles: SkippedCycles,
}

/// The candidates of a leaf.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    awake: BTreeSet<AppRank>,
    groups: Vec<SleepGroup>,
    wakes: BTreeSet<(Time, AppKey)>,
    /// A walk that has read ahead reads again after a wake-up.
    woken: u64,
}

impl Candidates {
    pub(crate) fn len(&self) -> usize {
        self.sets().map(BTreeSet::len).sum()
    }

    pub(crate) fn asleep(&self) -> usize {
        self.len() - self.awake.len()
    }

    pub(crate) fn has_asleep(&self, app: &Application) -> bool {
        let (Some(asleep), Some(rank), Some(backoff)) = (app.asleep, &app.rank, &app.backoff) else { return false };
        let group = &self.groups[asleep.group];
        group.members.contains(rank) && group.common.is_identical(backoff) && asleep.until == backoff.until
    }

    pub(crate) fn contains(&self, rank: &AppRank) -> bool {
        self.sets().any(|set| set.contains(rank))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &AppRank> {
        self.range(..)
    }

    pub(crate) fn range(&self, range: impl RangeBounds<AppRank> + Clone) -> impl Iterator<Item = &AppRank> {
        let mut parts: Vec<_> = self.sets().map(|set| set.range(range.clone()).peekable()).collect();
        std::iter::from_fn(move || {
            let heads = parts.iter_mut().enumerate().filter_map(|(at, part)| Some((*part.peek()?, at)));
            let (_, first) = heads.min()?;
            parts[first].next()
        })
    }

    pub(crate) fn insert(&mut self, rank: AppRank) {
        self.woken += 1;
        self.awake.insert(rank);
    }

    pub(crate) fn remove(&mut self, rank: &AppRank) {
        self.awake.remove(rank);
    }

    pub(crate) fn awake(&self) -> &BTreeSet<AppRank> {
        &self.awake
    }

    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    pub(crate) fn group(&self, number: usize) -> &SleepGroup {
        &self.groups[number]
    }

    pub(crate) fn group_mut(&mut self, number: usize) -> &mut SleepGroup {
        &mut self.groups[number]
    }

    pub(crate) fn woken(&self) -> u64 {
        self.woken
    }

    pub(crate) fn first_wake(&self) -> Option<(Time, AppKey)> {
        self.wakes.first().copied()
    }

    /// `identical`: the groups whose requests the resource manager's conditions treat alike.
    pub(crate) fn put_to_sleep(
        &mut self,
        rank: &AppRank,
        backoff: &Backoff,
        identical: impl Fn(usize) -> bool,
    ) -> Option<Asleep> {
        let group = self.group_for(backoff, identical)?;
        self.awake.remove(rank);
        let SleepGroup { common, members, .. } = &mut self.groups[group];
        common.seen.gains = common.seen.gains.min(backoff.seen.gains);
        common.seen.changes = common.seen.changes.min(backoff.seen.changes);
        members.insert(rank.clone());
        if backoff.until < NEVER {
            self.wakes.insert((backoff.until, rank.app));
        }
        Some(Asleep { group, until: backoff.until })
    }

    pub(crate) fn wake(&mut self, rank: &AppRank, asleep: Asleep) {
        if self.groups[asleep.group].members.remove(rank) {
            self.wakes.remove(&(asleep.until, rank.app));
            self.insert(rank.clone());
        }
    }

    fn group_for(&mut self, backoff: &Backoff, identical: impl Fn(usize) -> bool) -> Option<usize> {
        let kind = |(number, group): &(usize, &SleepGroup)| {
            !group.members.is_empty() && group.common.is_identical(backoff) && identical(*number)
        };
        if let Some((group, _)) = self.groups.iter().enumerate().find(kind) {
            return Some(group);
        }
        let common = Backoff { until: NEVER, since: None, ..backoff.clone() };
        if let Some(group) = self.groups.iter().position(|group| group.members.is_empty()) {
            self.groups[group].common = common;
            return Some(group);
        }
        (self.groups.len() < MOST_GROUPS).then(|| {
            let (members, skipped_cycles) = (BTreeSet::new(), SkippedCycles::default());
            self.groups.push(SleepGroup { common, members, skipped_cycles });
            self.groups.len() - 1
        })
    }

    fn sets(&self) -> impl Iterator<Item = &BTreeSet<AppRank>> {
        std::iter::once(&self.awake).chain(self.groups.iter().map(|group| &group.members))
    }
}

/// All of it for `None`.
pub(crate) fn behind(place: Option<&AppRank>) -> (Bound<&AppRank>, Bound<&AppRank>) {
    (place.map_or(Bound::Unbounded, Bound::Excluded), Bound::Unbounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::app_rank::tests::rank;
    use model::Resource;

    fn backoff(least: i64, until: Time) -> Backoff {
        let resource: Resource = [("vcore", least)].into_iter().collect();
        Backoff { until, most: resource.clone(), least: Some(resource), ..Backoff::at_epoch(1) }
    }

    fn keys(candidates: &Candidates) -> Vec<u32> {
        candidates.iter().map(|rank| rank.app.0).collect()
    }

    #[test]
    fn all_have_one_order_on_every_page() {
        let mut candidates = Candidates::default();
        (0..9).for_each(|number| candidates.insert(rank(number)));
        let all = keys(&candidates);
        let mut asleep = Vec::new();
        for number in [1, 4, 7, 8] {
            let place = candidates.put_to_sleep(&rank(number), &backoff(i64::from(number % 2), NEVER), |_| true);
            asleep.push((number, place.expect("there is room for two groups")));
        }
        assert_eq!((keys(&candidates), candidates.len(), candidates.asleep()), (all.clone(), 9, 4));
        assert_eq!(candidates.group_count(), 2, "two sizes");
        let place = rank(4);
        let before: Vec<u32> = candidates.range(..&place).map(|rank| rank.app.0).collect();
        assert_eq!(before, all[..all.iter().position(|key| *key == 4).expect("it is one of them")]);
        asleep.iter().for_each(|(number, place)| candidates.wake(&rank(*number), *place));
        assert_eq!((keys(&candidates), candidates.asleep()), (all, 0));
    }

    #[test]
    fn the_first_to_wake_is_known_and_no_group_is_made_beyond_the_last() {
        let mut candidates = Candidates::default();
        for number in 0..40 {
            candidates.insert(rank(number));
            let until = if number < 20 { Time(u64::from(100 - number)) } else { NEVER };
            let place = candidates.put_to_sleep(&rank(number), &backoff(i64::from(number), until), |_| true);
            assert_eq!(place.is_some(), (number as usize) < MOST_GROUPS);
        }
        assert_eq!(candidates.first_wake(), Some((Time(81), AppKey(19))));
        assert_eq!((candidates.len(), candidates.awake().len()), (40, 8));
        candidates.wake(&rank(19), Asleep { group: 19, until: Time(81) });
        assert_eq!(candidates.first_wake(), Some((Time(82), AppKey(18))));
        let place = candidates.put_to_sleep(&rank(39), &backoff(39, NEVER), |_| true);
        assert_eq!(place.map(|place| place.group), Some(19), "one that is empty is used again");
    }
}
