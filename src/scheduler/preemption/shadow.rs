//! Copies of queue counters on which victims are taken away for trial (SCH-154, SCH-155, `profiles.md` section 4.1).
//!
//! Invariants:
//! - nothing here changes a queue; every trial can be taken back to where it was ([`Shadow::rewind`]);
//! - what a queue uses is what it has allocated, less what is being preempted already.

use std::collections::BTreeMap;

use crate::model::Resource;
use crate::scheduler::index::QueueKey;
use crate::scheduler::interface::switches::{AskQueueRoom, Switches, VictimFloor};
use crate::scheduler::state::queue_tree::QueueTree;

/// The copies that one search works on: of the ask's queues, and of those of its possible victims.
pub(super) struct Shadow<'a> {
    queues: &'a QueueTree,
    switches: &'a Switches,
    /// What the ask wants.
    wanted: &'a Resource,
    /// The ask's leaf.
    asking: LevelKey,
    levels: Vec<Level<'a>>,
    places: BTreeMap<QueueKey, LevelKey>,
    /// What was moved since the beginning.
    moves: Vec<Move<'a>>,
}

/// A queue in the shadow.
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

/// Something that came to or went from a leaf.
#[derive(Clone, Copy)]
struct Move<'a> {
    leaf: LevelKey,
    resource: &'a Resource,
    came: bool,
}

/// What came of offering a victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// It is taken away.
    Taken,
    /// Its queue cannot spare it.
    Stays,
    /// The ask's queue cannot pay for it, and nobody after it is looked at (P-12).
    Unpaid,
}

impl<'a> Shadow<'a> {
    /// A shadow of the path of `leaf`, where the ask is that wants `wanted`.
    pub(super) fn new(queues: &'a QueueTree, switches: &'a Switches, leaf: QueueKey, wanted: &'a Resource) -> Self {
        let (levels, places, moves) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut shadow = Self { queues, switches, wanted, asking: LevelKey(0), levels, places, moves };
        shadow.asking = shadow.level(leaf);
        shadow
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

    /// How much was moved so far, to come back to.
    pub(super) fn mark(&self) -> usize {
        self.moves.len()
    }

    /// Takes back everything since a mark.
    pub(super) fn rewind(&mut self, mark: usize) {
        while self.moves.len() > mark
            && let Some(Move { leaf, resource, came }) = self.moves.pop()
        {
            self.shift(leaf, resource, !came);
        }
    }

    /// The ask comes to its queue.
    pub(super) fn add_ask(&mut self) {
        self.add(self.asking, self.wanted);
    }

    fn add(&mut self, leaf: LevelKey, resource: &'a Resource) {
        self.shift(leaf, resource, true);
        self.moves.push(Move { leaf, resource, came: true });
    }

    /// A victim goes from its queue.
    pub(super) fn remove(&mut self, leaf: LevelKey, resource: &'a Resource) {
        self.shift(leaf, resource, false);
        self.moves.push(Move { leaf, resource, came: false });
    }

    fn shift(&mut self, leaf: LevelKey, resource: &Resource, came: bool) {
        let mut next = Some(leaf);
        while let Some(LevelKey(at)) = next {
            let level = &mut self.levels[at];
            if came {
                level.used.add_assign(resource);
            } else {
                level.used.sub_assign(resource);
            }
            next = level.parent;
        }
    }

    /// Whether a leaf has anything to give: nothing of what it needs for its guarantee (SCH-154; `profiles.md` section 4.1, step
    /// 1).
    pub(super) fn gives(&self, leaf: LevelKey) -> bool {
        let level = &self[leaf];
        if self.switches.victim_floor == VictimFloor::BeforeRemoval {
            return self.remaining(leaf).is_none_or(|remaining| remaining.has_negative());
        }
        let protected = level.guaranteed.is_some() || !self.switches.victim_without_guarantee;
        !(protected && level.counted_bound.fit_in_max_undef(&self.queues[level.key].allocated))
    }

    /// Takes a victim away if its queue can spare it. `paying`: where the releases want it so, what it had goes to the ask's queue,
    /// out of what is left of that one's guarantee (P-12).
    pub(super) fn offer(&mut self, leaf: LevelKey, victim: &'a Resource, paying: bool) -> Offer {
        let pays = paying && self.switches.ask_queue_room == AskQueueRoom::Pays;
        if self.switches.victim_floor == VictimFloor::BeforeRemoval && !self.may_lose(leaf) {
            return Offer::Stays;
        }
        if pays && !self.can_pay(victim) {
            return Offer::Unpaid;
        }
        let mark = self.mark();
        self.remove(leaf, victim);
        if pays {
            self.add(self.asking, victim);
        }
        if self.keeps_floor(leaf, victim) {
            return Offer::Taken;
        }
        self.rewind(mark);
        Offer::Stays
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

    /// Whether a queue is over its guarantee in something that the ask wants, or has none (`profiles.md` section 4.1, step 3).
    fn may_lose(&self, leaf: LevelKey) -> bool {
        let below = |remaining: &Resource| self.wanted.iter().any(|(name, _)| remaining.amount(name) < 0);
        self.remaining(leaf).is_none_or(|remaining| below(&remaining))
    }

    fn can_pay(&self, victim: &Resource) -> bool {
        let covers = |remaining: &Resource| remaining.iter().all(|(name, left)| victim.amount(name) <= left);
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

    /// Whether the ask's queue may have what it has now: within its guarantee on every level (SCH-155), or nothing of what the
    /// ask wants missing from what is left of it (P-12).
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
                // A comparison of texts: root.a is the beginning of root.ab, too.
                if asking.own.is_some() && asking_path.starts_with(self.queues[level.key].path.as_str()) {
                    return None;
                }
            }
            Resource::min_permissive_unset(own.as_ref(), above.as_ref())
        })
    }
}

impl<'a> std::ops::Index<LevelKey> for Shadow<'a> {
    type Output = Level<'a>;

    fn index(&self, LevelKey(at): LevelKey) -> &Level<'a> {
        &self.levels[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Profile, Time};

    fn res(pairs: Amounts<'_>) -> Resource {
        pairs.iter().copied().collect()
    }

    type Amounts<'a> = &'a [(&'a str, i64)];

    /// A tree of queues by path, each with guarantee, maximum and usage.
    fn tree(queues: &[(&str, Amounts<'_>, Amounts<'_>, Amounts<'_>)]) -> QueueTree {
        let mut tree = QueueTree::default();
        for (path, guaranteed, max, allocated) in queues {
            let (parent, name) = path.rsplit_once('.').unwrap_or(("", path));
            let parent = tree.find_text(parent);
            let key = tree.add(parent, name, true, Time::ZERO);
            let set = |pairs: Amounts<'_>| (!pairs.is_empty()).then(|| res(pairs));
            let queue = &mut tree[key];
            (queue.guaranteed, queue.max, queue.allocated) = (set(guaranteed), set(max), res(allocated));
        }
        tree
    }

    /// What is left of the guarantee of `queue`, for an ask in `asking`.
    fn remaining(tree: &QueueTree, asking: &str, queue: &str) -> Option<String> {
        let (switches, wanted) = (Switches::of(Profile::V1_8_0), Resource::new());
        let key = |path| tree.find_text(path).expect("the queue is in the tree");
        let mut shadow = Shadow::new(tree, &switches, key(asking), &wanted);
        let level = shadow.level(key(queue));
        shadow.remaining(level).map(|left| format!("{left:?}"))
    }

    /// `profiles.md` section 4.1, rem(q).
    #[test]
    fn what_is_left_of_a_guarantee_in_1_8_0() {
        let m = |amount| [("memory", amount)];
        let tree = tree(&[
            ("root", &[], &m(100), &m(50)),
            ("root.none", &[], &[], &m(5)),
            ("root.a", &m(20), &[], &[("memory", 15), ("vcore", 1)]),
            ("root.a.own", &[("vcore", 3)], &[], &[("vcore", 1)]),
            ("root.a.less", &m(2), &[], &m(9)),
            ("root.a.more", &m(30), &[], &m(6)),
            ("root.ab", &m(9), &[], &m(12)),
        ]);
        let text = |text: &str| Some(text.to_owned());
        for (asking, queue, left) in [
            ("root.none", "root", None),
            ("root.none", "root.none", None),
            ("root.none", "root.ab", text(r#"{"memory": -3}"#)),
            // The smaller one of what it and its parent have left.
            ("root.none", "root.a.less", text(r#"{"memory": -7}"#)),
            ("root.none", "root.a.more", text(r#"{"memory": 5}"#)),
            // An ancestor of an ask whose leaf has a guarantee protects nobody below it.
            ("root.a.own", "root.a.own", text(r#"{"vcore": 2}"#)),
            ("root.a.own", "root.a", None),
            ("root.a.own", "root.a.more", text(r#"{"memory": 24}"#)),
            // Its path is only a beginning of the text of the other one.
            ("root.ab", "root.a", None),
            ("root.ab", "root.a.more", text(r#"{"memory": 24}"#)),
        ] {
            assert_eq!(remaining(&tree, asking, queue), left, "{queue} for an ask in {asking}");
        }
    }

    /// SCH-154 with SCH-104: what one maximum on the path leaves out counts 0 in 1.5.1, so a queue without a guarantee gives.
    #[test]
    fn the_path_minimum_of_1_5_1() {
        let both = [("memory", 10), ("vcore", 10)];
        let tree = tree(&[
            ("root", &[], &both, &both),
            ("root.ask", &both, &[], &[]),
            ("root.bare", &[], &[], &[("memory", 5)]),
            ("root.vcore", &[], &[("vcore", 5)], &[("memory", 5)]),
            ("root.held", &[("memory", 5)], &[], &[("memory", 5)]),
            ("root.over", &[("memory", 4)], &[], &[("memory", 5)]),
        ]);
        let wanted = res(&[("memory", 1)]);
        for (profile, giving) in [
            (Profile::V1_5_1, "vcore over"),
            (Profile::V1_8_0, "bare vcore over"),
            (Profile::Kornsole, "bare vcore over"),
        ] {
            let switches = Switches::of(profile);
            let key = |name: &str| tree.find_text(&format!("root.{name}")).expect("the queue is in the tree");
            let mut shadow = Shadow::new(&tree, &switches, key("ask"), &wanted);
            let gives = |name: &&str| {
                let level = shadow.level(key(name));
                shadow.gives(level)
            };
            let found: Vec<&str> = ["bare", "vcore", "held", "over"].into_iter().filter(gives).collect();
            assert_eq!(found.join(" "), giving, "{profile}");
        }
    }

    /// Every trial can be taken back (SCH-155).
    #[test]
    fn a_shadow_comes_back_to_where_it_was() {
        let m = |amount| [("memory", amount)];
        let tree = tree(&[("root", &[], &m(10), &m(9)), ("root.a", &m(4), &[], &m(9)), ("root.b", &m(5), &[], &[])]);
        let (wanted, victim) = (res(&m(3)), res(&m(2)));
        let key = |path| tree.find_text(path).expect("the queue is in the tree");
        let switches = Switches::of(Profile::Kornsole);
        let mut shadow = Shadow::new(&tree, &switches, key("root.b"), &wanted);
        let a = shadow.level(key("root.a"));
        assert!(shadow.leaf_has_room());
        for _ in 0..2 {
            shadow.add_ask();
            assert!(!shadow.ask_queue_is_well());
            let offers = [(); 3].map(|()| shadow.offer(a, &victim, true));
            assert_eq!(offers, [Offer::Taken, Offer::Taken, Offer::Stays]);
            assert!(shadow.ask_queue_is_well());
            shadow.rewind(0);
            assert_eq!(shadow.mark(), 0);
        }
    }
}
