//! Copies of queue counters for trial removals of victims (SCH-154, SCH-155, `profiles.md` section 4.1).
//!
//! Invariants:
//! - no queue is changed; every trial can be undone ([`PreemptionSnapshot::rewind`]);
//! - usage excludes victims being preempted already.

use std::collections::BTreeMap;

use crate::index::QueueKey;
use crate::interface::switches::{AskQueueSpace, Switches, VictimFloor};
use crate::state::queue_tree::QueueTree;
use model::Resource;

pub(super) struct PreemptionSnapshot<'a> {
    queues: &'a QueueTree,
    switches: &'a Switches,
    wanted: &'a Resource,
    asking: LevelKey,
    levels: Vec<Level<'a>>,
    places: BTreeMap<QueueKey, LevelKey>,
    moves: Vec<TrialMove<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelKey(usize);

pub(super) struct Level<'a> {
    key: QueueKey,
    parent: Option<LevelKey>,
    own: Option<&'a Resource>,
    /// G: the smallest guaranteed value of each name on the path.
    guaranteed: Option<Resource>,
    /// M: the smallest maximum of each name on the path.
    max: Option<Resource>,
    /// As the releases compute it in some cases (D-06).
    counted_max: Option<Resource>,
    /// A: the smaller of G and M.
    bound: Resource,
    /// A with `counted_max`.
    counted_bound: Resource,
    used: Resource,
}

#[derive(Clone, Copy)]
struct TrialMove<'a> {
    leaf: LevelKey,
    resource: &'a Resource,
    arrived: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferResult {
    Taken,
    Stays,
    /// The request's queue cannot pay for it, and no later victim is examined (P-12).
    Unpaid,
}

impl<'a> PreemptionSnapshot<'a> {
    pub(super) fn new(queues: &'a QueueTree, switches: &'a Switches, leaf: QueueKey, wanted: &'a Resource) -> Self {
        let (levels, places, moves) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut snapshot = Self { queues, switches, wanted, asking: LevelKey(0), levels, places, moves };
        snapshot.asking = snapshot.level(leaf);
        snapshot
    }

    pub(super) fn level(&mut self, leaf: QueueKey) -> LevelKey {
        let missing: Vec<QueueKey> =
            self.queues.path_up(leaf).into_iter().take_while(|key| !self.places.contains_key(key)).collect();
        for key in missing.into_iter().rev() {
            let parent = self.queues[key].parent.and_then(|parent| self.places.get(&parent)).copied();
            let level = self.copy(key, parent.map(|parent| (parent, &self[parent])));
            self.places.insert(key, LevelKey(self.levels.len()));
            self.levels.push(level);
        }
        self.places[&leaf]
    }

    fn copy(&self, key: QueueKey, parent: Option<(LevelKey, &Level<'a>)>) -> Level<'a> {
        let queue = &self.queues[key];
        let above = parent.map(|(_, level)| level);
        let smaller = |above: Option<&Resource>, own: Option<&Resource>| Resource::min_permissive_unset(above, own);
        let guaranteed = smaller(above.and_then(|above| above.guaranteed.as_ref()), queue.guaranteed.as_ref());
        let max = smaller(above.and_then(|above| above.max.as_ref()), queue.max.as_ref());
        let counted_max = match (above.and_then(|above| above.counted_max.as_ref()), queue.max.as_ref()) {
            (Some(above), Some(own)) if self.switches.path_minimum => Some(above.min_strict(own)),
            (above, own) => smaller(above, own),
        };
        Level {
            key,
            parent: parent.map(|(key, _)| key),
            own: queue.guaranteed.as_ref(),
            bound: smaller(guaranteed.as_ref(), max.as_ref()).unwrap_or_default(),
            counted_bound: smaller(guaranteed.as_ref(), counted_max.as_ref()).unwrap_or_default(),
            guaranteed,
            max,
            counted_max,
            used: queue.allocated.sub_only_existing(&queue.preempting),
        }
    }

    fn path(&self, level: LevelKey) -> impl Iterator<Item = &Level<'a>> {
        let mut next = Some(level);
        std::iter::from_fn(move || {
            let level = &self[next?];
            next = level.parent;
            Some(level)
        })
    }

    pub(super) fn mark(&self) -> usize {
        self.moves.len()
    }

    pub(super) fn rewind(&mut self, mark: usize) {
        while self.moves.len() > mark
            && let Some(TrialMove { leaf, resource, arrived }) = self.moves.pop()
        {
            self.shift(leaf, resource, !arrived);
        }
    }

    pub(super) fn add_ask(&mut self) {
        self.add(self.asking, self.wanted);
    }

    fn add(&mut self, leaf: LevelKey, resource: &'a Resource) {
        self.shift(leaf, resource, true);
        self.moves.push(TrialMove { leaf, resource, arrived: true });
    }

    pub(super) fn remove(&mut self, leaf: LevelKey, resource: &'a Resource) {
        self.shift(leaf, resource, false);
        self.moves.push(TrialMove { leaf, resource, arrived: false });
    }

    fn shift(&mut self, leaf: LevelKey, resource: &Resource, arrived: bool) {
        let mut next = Some(leaf);
        while let Some(LevelKey(at)) = next {
            let level = &mut self.levels[at];
            if arrived {
                level.used.add_assign(resource);
            } else {
                level.used.sub_assign(resource);
            }
            next = level.parent;
        }
    }

    /// Above its guaranteed resources (SCH-154; `profiles.md` section 4.1, step 1).
    pub(super) fn gives(&self, leaf: LevelKey) -> bool {
        let level = &self[leaf];
        if self.switches.victim_floor == VictimFloor::BeforeRemoval {
            return self.remaining(leaf).is_none_or(|remaining| remaining.has_negative());
        }
        let protected = level.guaranteed.is_some() || !self.switches.victim_without_guarantee;
        !(protected && level.counted_bound.fit_in_max_undef(&self.queues[level.key].allocated))
    }

    /// `paying`: as in the releases, the victim's resources must fit in the remaining guaranteed resources of the
    /// request's queue (P-12).
    pub(super) fn offer(&mut self, leaf: LevelKey, victim: &'a Resource, paying: bool) -> OfferResult {
        let pays = paying && self.switches.ask_queue_space == AskQueueSpace::Pays;
        if self.switches.victim_floor == VictimFloor::BeforeRemoval && !self.may_lose(leaf) {
            return OfferResult::Stays;
        }
        if pays && !self.can_pay(victim) {
            return OfferResult::Unpaid;
        }
        let mark = self.mark();
        self.remove(leaf, victim);
        if pays {
            self.add(self.asking, victim);
        }
        if self.keeps_floor(leaf, victim) {
            return OfferResult::Taken;
        }
        self.rewind(mark);
        OfferResult::Stays
    }

    /// Whether a queue still has its guarantee after a victim went (SCH-155, D-18).
    fn keeps_floor(&self, leaf: LevelKey, victim: &Resource) -> bool {
        let Level { guaranteed, bound, used, .. } = &self[leaf];
        let mut guaranteed = guaranteed.iter().flat_map(Resource::iter);
        match self.switches.victim_floor {
            VictimFloor::BeforeRemoval => true,
            VictimFloor::AnyName => !bound.fit_in(used) || guaranteed.all(|(name, floor)| used.amount(name) >= floor),
            VictimFloor::WhereAbove => {
                let before = used.add(victim);
                let mut stays =
                    guaranteed.all(|(name, floor)| used.amount(name) >= floor || before.amount(name) < floor);
                stays &= !bound.fit_in(&before);
                stays || !bound.fit_in(used)
            }
            VictimFloor::EveryName => {
                guaranteed.all(|(name, floor)| victim.amount(name) <= 0 || used.amount(name) >= floor)
            }
        }
    }

    /// It exceeds its guaranteed resources in a name of the request, or has none (`profiles.md` section 4.1, step 3).
    fn may_lose(&self, leaf: LevelKey) -> bool {
        let below = |remaining: &Resource| self.wanted.iter().any(|(name, _)| remaining.amount(name) < 0);
        self.remaining(leaf).is_none_or(|remaining| below(&remaining))
    }

    fn can_pay(&self, victim: &Resource) -> bool {
        let covers = |left: &Resource| victim.iter().all(|(name, amount)| left.get(name).is_none_or(|l| amount <= l));
        self.remaining(self.asking).is_some_and(|remaining| covers(&remaining))
    }

    /// For the whole request (`profiles.md` section 4.1, step 2).
    pub(super) fn has_guarantee_left(&self) -> bool {
        let covers = |left: &Resource| self.wanted.iter().all(|(name, want)| left.get(name).is_none_or(|l| want <= l));
        self.switches.ask_queue_space == AskQueueSpace::Pays && self.remaining(self.asking).is_some_and(|l| covers(&l))
    }

    /// Victims do not change that: none is in that leaf.
    pub(super) fn leaf_has_space(&self) -> bool {
        let Level { guaranteed, bound, used, .. } = &self[self.asking];
        guaranteed.is_some() && bound.fit_in(&used.add(self.wanted))
    }

    /// Within the guaranteed resources on every level (SCH-155), or their remainder is not negative in any resource of
    /// the request (P-12).
    pub(super) fn ask_queue_is_well(&self) -> bool {
        match self.switches.ask_queue_space {
            AskQueueSpace::Within => {
                self[self.asking].guaranteed.is_some()
                    && self.path(self.asking).all(|level| level.bound.fit_in(&level.used))
            }
            AskQueueSpace::Pays => {
                let well = |left: &Resource| self.wanted.iter().all(|(name, _)| left.get(name).is_none_or(|l| l >= 0));
                self.remaining(self.asking).is_some_and(|remaining| well(&remaining))
            }
        }
    }

    /// A further victim must change it (SCH-160).
    pub(super) fn ask_queue_space(&self) -> Option<Resource> {
        match self.switches.ask_queue_space {
            // Missing names as 0, so that starting from nothing also cuts at 0.
            AskQueueSpace::Within => Some(
                self.path(self.asking)
                    .fold(Resource::new(), |deficit, level| deficit.min_strict(&level.counted_bound.sub(&level.used))),
            ),
            AskQueueSpace::Pays => self.remaining(self.asking),
        }
    }

    /// As 1.8.0 computes it; negative if exceeded (`profiles.md` section 4.1).
    fn remaining(&self, level: LevelKey) -> Option<Resource> {
        let path: Vec<&Level<'_>> = self.path(level).collect();
        let asking = &self[self.asking];
        let asking_path = self.queues[asking.key].path.as_str();
        path.into_iter().rev().fold(None, |above, level| {
            let own = level.own.map(|own| own.sub_only_existing(&level.used)).filter(|own| !own.is_empty());
            if let (Some(own), Some(_)) = (&own, level.parent) {
                if level.key == asking.key {
                    let missing = above.iter().flat_map(Resource::iter).filter(|(name, _)| own.get(name).is_none());
                    return Some(own.iter().chain(missing).collect());
                }
                // A comparison of texts: root.a is also a prefix of root.ab.
                if asking.own.is_some() && asking_path.starts_with(self.queues[level.key].path.as_str()) {
                    return None;
                }
            }
            Resource::min_permissive_unset(own.as_ref(), above.as_ref())
        })
    }
}

impl<'a> std::ops::Index<LevelKey> for PreemptionSnapshot<'a> {
    type Output = Level<'a>;

    fn index(&self, LevelKey(at): LevelKey) -> &Level<'a> {
        &self.levels[at]
    }
}

#[cfg(test)]
mod tests;
