//! Copies of queue counters on which victims are taken away for trial (SCH-154, SCH-155, `profiles.md` section 4.1).
//!
//! Invariants:
//! - nothing here changes a queue; every trial can be undone ([`PreemptionSnapshot::rewind`]);
//! - the usage of a queue is its allocated amount without the victims that are being preempted already.

use std::collections::BTreeMap;

use crate::index::QueueKey;
use crate::interface::switches::{AskQueueRoom, Switches, VictimFloor};
use crate::state::queue_tree::QueueTree;
use model::Resource;

/// The copies that one search works on: of the ask's queues, and of those of its possible victims.
pub(super) struct PreemptionSnapshot<'a> {
    queues: &'a QueueTree,
    switches: &'a Switches,
    /// What the ask needs.
    wanted: &'a Resource,
    /// The ask's leaf.
    asking: LevelKey,
    levels: Vec<Level<'a>>,
    places: BTreeMap<QueueKey, LevelKey>,
    /// What was moved since the start.
    moves: Vec<TrialMove<'a>>,
}

/// A queue in the snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LevelKey(usize);

/// The copy of one queue.
pub(super) struct Level<'a> {
    key: QueueKey,
    parent: Option<LevelKey>,
    /// Its own guarantee.
    own: Option<&'a Resource>,
    /// The smallest guarantee of each name along the path: G.
    guaranteed: Option<Resource>,
    /// The smallest maximum of each name along the path: M.
    max: Option<Resource>,
    /// M as the releases take it in some places (D-06).
    counted_max: Option<Resource>,
    /// The smaller one of G and M: A.
    bound: Resource,
    /// A with the other M.
    counted_bound: Resource,
    used: Resource,
}

/// Something that was added to a leaf or left it.
#[derive(Clone, Copy)]
struct TrialMove<'a> {
    leaf: LevelKey,
    resource: &'a Resource,
    arrived: bool,
}

/// The result of offering a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferResult {
    /// It is taken away.
    Taken,
    /// Its queue cannot spare it.
    Stays,
    /// The ask's queue cannot pay for it, and no one after it is examined (P-12).
    Unpaid,
}

impl<'a> PreemptionSnapshot<'a> {
    /// A snapshot of the path of `leaf`, where the ask is that needs `wanted`.
    pub(super) fn new(queues: &'a QueueTree, switches: &'a Switches, leaf: QueueKey, wanted: &'a Resource) -> Self {
        let (levels, places, moves) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut snapshot = Self { queues, switches, wanted, asking: LevelKey(0), levels, places, moves };
        snapshot.asking = snapshot.level(leaf);
        snapshot
    }

    /// The copy of a leaf, made if it is not there yet, with its ancestors.
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

    /// A queue and its ancestors, from the queue up.
    fn path(&self, level: LevelKey) -> impl Iterator<Item = &Level<'a>> {
        let mut next = Some(level);
        std::iter::from_fn(move || {
            let level = &self[next?];
            next = level.parent;
            Some(level)
        })
    }

    /// How much was moved so far, to return to.
    pub(super) fn mark(&self) -> usize {
        self.moves.len()
    }

    /// Takes back everything since a mark.
    pub(super) fn rewind(&mut self, mark: usize) {
        while self.moves.len() > mark
            && let Some(TrialMove { leaf, resource, arrived }) = self.moves.pop()
        {
            self.shift(leaf, resource, !arrived);
        }
    }

    /// The ask is added to its queue.
    pub(super) fn add_ask(&mut self) {
        self.add(self.asking, self.wanted);
    }

    fn add(&mut self, leaf: LevelKey, resource: &'a Resource) {
        self.shift(leaf, resource, true);
        self.moves.push(TrialMove { leaf, resource, arrived: true });
    }

    /// A victim goes from its queue.
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

    /// Whether a leaf has anything to give: the resources that its guarantee needs do not count (SCH-154; `profiles.md` section 4.1,
    /// step 1).
    pub(super) fn gives(&self, leaf: LevelKey) -> bool {
        let level = &self[leaf];
        if self.switches.victim_floor == VictimFloor::BeforeRemoval {
            return self.remaining(leaf).is_none_or(|remaining| remaining.has_negative());
        }
        let protected = level.guaranteed.is_some() || !self.switches.victim_without_guarantee;
        !(protected && level.counted_bound.fit_in_max_undef(&self.queues[level.key].allocated))
    }

    /// Removes a victim if its queue can spare it. `paying`: where the releases want it so, the victim's resources count to the ask's
    /// queue, and must fit in the rest of that queue's guarantee (P-12).
    pub(super) fn offer(&mut self, leaf: LevelKey, victim: &'a Resource, paying: bool) -> OfferResult {
        let pays = paying && self.switches.ask_queue_room == AskQueueRoom::Pays;
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
            VictimFloor::EveryName => {
                guaranteed.all(|(name, floor)| victim.amount(name) <= 0 || used.amount(name) >= floor)
            }
        }
    }

    /// Whether a queue is over its guarantee in something that the ask needs, or has none (`profiles.md` section 4.1, step 3).
    fn may_lose(&self, leaf: LevelKey) -> bool {
        let below = |remaining: &Resource| self.wanted.iter().any(|(name, _)| remaining.amount(name) < 0);
        self.remaining(leaf).is_none_or(|remaining| below(&remaining))
    }

    fn can_pay(&self, victim: &Resource) -> bool {
        let covers = |left: &Resource| victim.iter().all(|(name, amount)| left.get(name).is_none_or(|l| amount <= l));
        self.remaining(self.asking).is_some_and(|remaining| covers(&remaining))
    }

    /// Whether what is left of the guarantee of the ask's queue covers the ask as it is (`profiles.md` section 4.1, step 2).
    pub(super) fn has_guarantee_left(&self) -> bool {
        let covers = |left: &Resource| self.wanted.iter().all(|(name, want)| left.get(name).is_none_or(|l| want <= l));
        self.switches.ask_queue_room == AskQueueRoom::Pays && self.remaining(self.asking).is_some_and(|l| covers(&l))
    }

    /// Whether the ask's own leaf could take the ask within its guarantee. No victim changes that: none is from there.
    pub(super) fn leaf_has_room(&self) -> bool {
        let Level { guaranteed, bound, used, .. } = &self[self.asking];
        guaranteed.is_some() && bound.fit_in(&used.add(self.wanted))
    }

    /// Whether the ask's queue may have its usage now: the usage is within the guarantee on every level (SCH-155), or the rest of the
    /// guarantee is below 0 in no resource of the ask (P-12).
    pub(super) fn ask_queue_is_well(&self) -> bool {
        match self.switches.ask_queue_room {
            AskQueueRoom::Within => {
                self[self.asking].guaranteed.is_some()
                    && self.path(self.asking).all(|level| level.bound.fit_in(&level.used))
            }
            AskQueueRoom::Pays => {
                let well = |left: &Resource| self.wanted.iter().all(|(name, _)| left.get(name).is_none_or(|l| l >= 0));
                self.remaining(self.asking).is_some_and(|remaining| well(&remaining))
            }
        }
    }

    /// What the ask's queue still has of its guarantee, or lacks; a further victim must make a difference to it (SCH-160).
    pub(super) fn ask_queue_room(&self) -> Option<Resource> {
        match self.switches.ask_queue_room {
            // Both sides over the union with missing names as 0, so starting from nothing also cuts at 0.
            AskQueueRoom::Within => Some(
                self.path(self.asking)
                    .fold(Resource::new(), |deficit, level| deficit.min_strict(&level.counted_bound.sub(&level.used))),
            ),
            AskQueueRoom::Pays => self.remaining(self.asking),
        }
    }

    /// What is left of the guarantee of a queue as 1.8.0 reckons it, below 0 where it is over (`profiles.md` section 4.1).
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
                // A comparison of texts: root.a is the start of root.ab, too.
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
