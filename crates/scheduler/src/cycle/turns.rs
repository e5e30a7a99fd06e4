//! The turn of a blocked ask: what a cycle tries after it does not delay it ([`Tuning::turns`]).
//!
//! A blocked ask fits its limits, but queues or nodes lack resources now. An ask that fits is sent back if a blocked
//! one before it would start later. Shares change with each allocation, so without a lasting turn others could overtake
//! a blocked ask again and again.
//!
//! Invariants:
//! - a cycle that sends an ask back because of one that fits as well makes an allocation
//!   ([`TurnPlans::disregard_those_that_fit`]);
//! - an ask without a limit uses nothing that a blocked one before it needs.
//!
//! [`Tuning::turns`]: crate::Tuning::turns

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;
use std::time::Duration;

use crate::cycle::space::{Running, Space};
use crate::cycle::try_asks::Pick;
use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::interface::tuning::Turns;
use crate::state::app_rank::{AppRank, OrderKey};
use crate::state::ask::Ask;
use crate::state::ask_log::TryResult;
use crate::state::partition::Partition;
use model::{AppState, QueueState, Resource, Time};

/// How many applications of a leaf, and how many leaves, are examined for a blocked ask.
const MOST_EXAMINED: usize = 100;
const MOST_LEAVES: usize = 16;

/// When a blocked ask starts at the latest that waits for something without a limit: what ends until then may start before it.
const UNKNOWN: Duration = Duration::from_secs(24 * 60 * 60);

type Key = (AppKey, AskKey);

#[derive(Default)]
pub(crate) struct TurnPlans {
    running: Option<Vec<Running>>,
    /// `None`: it waits for something else than the end of what runs.
    plans: BTreeMap<Key, Option<Rc<Plan>>>,
    before: Option<(QueueKey, Vec<Key>)>,
    /// The first blocked ask of a leaf, as far as the leaf was examined.
    own: BTreeMap<QueueKey, Examined>,
    preceding: Vec<Key>,
    /// One was sent back because of one that fits.
    yielded: bool,
    only_blocked: bool,
}

impl TurnPlans {
    /// After a walk without an allocation. Returns whether there are any.
    pub fn disregard_those_that_fit(&mut self) -> bool {
        let again = std::mem::take(&mut self.yielded);
        *self = Self { only_blocked: true, ..Self::default() };
        again
    }
}

#[derive(Clone, Default)]
struct Examined {
    up_to: Option<AppRank>,
    first: Option<Key>,
}

struct Plan {
    wanted: Resource,
    now: Space,
    /// `None`: depends on something without a limit.
    then: Option<(Time, Space)>,
    node: NodeKey,
    is_blocked: bool,
}

impl Plan {
    /// Whether it starts later if an ask of a leaf is allocated on a node now.
    fn is_delayed_by(&self, now: Time, ask: &Ask, path: &[QueueKey], node: NodeKey, backfills: bool) -> bool {
        let both_on = Some(node).filter(|node| *node == self.node);
        let fits_with_both = |space: &Space| space.has_both(&self.wanted, &ask.resource, path, both_on);
        if fits_with_both(&self.now) {
            return false;
        }
        let Some(limit) = ask.rare.limit.filter(|_| backfills) else { return true };
        match &self.then {
            Some((at, space)) => now + limit > *at && !fits_with_both(space),
            None => limit > UNKNOWN,
        }
    }
}

impl Partition {
    /// Whether nodes are reserved for asks that find no room: blocked asks have turns otherwise.
    pub(crate) fn reserves(&self) -> bool {
        self.tuning.turns == Turns::Skipped
    }

    /// Forgets the turns of asks that wait no more. If that or an end may let one start that was sent back, all are tried again.
    pub(crate) fn settle_turns(&mut self) {
        let before = self.turns.len();
        let Self { turns, apps, .. } = self;
        turns.retain(|(app, ask)| apps.get(*app).and_then(|app| app.asks.get(*ask)).is_some_and(is_pending));
        let ended = self.turns.len() < before;
        if self.sent_back_at.is_some_and(|gains| ended || gains != self.nodes.gains().count()) {
            self.sent_back_at = None;
            self.end_all_backoffs();
        }
    }

    /// Sends an ask back that a cycle has picked, if that would delay a blocked one before it. Returns whether it does.
    pub(crate) fn is_sent_back(&mut self, now: Time, pick: Pick, plans: &mut TurnPlans) -> bool {
        let Pick::Allocate { app, ask, node } = pick else { return false };
        let first = self.turn_before(plans, now, (app, ask), node);
        for key in plans.preceding.drain(..) {
            if !self.turns.contains(&key) {
                self.turns.push(key);
            }
        }
        let Some((first, _)) = first else { return false };
        self.sent_back_at = Some(self.nodes.gains().count());
        let behind = Some(self.apps[first].id.clone());
        let sent = &mut self.apps[app].asks[ask];
        sent.log.note_found(TryResult::Turn, now);
        if sent.tried != TryResult::Turn || sent.rare.behind != behind {
            sent.tried = TryResult::Turn;
            sent.rare.behind = behind;
            let arrival = sent.arrival;
            self.mark_ask(app, ask, arrival);
        }
        true
    }

    /// The blocked request that precedes one that fits on a node, and that this one would delay.
    pub(crate) fn turn_before(&self, plans: &mut TurnPlans, now: Time, own: Key, node: NodeKey) -> Option<Key> {
        if self.tuning.turns == Turns::Skipped {
            return None;
        }
        let (application, backfills) = (&self.apps[own.0], self.tuning.turns == Turns::Backfilled);
        let (ask, path) = (&application.asks[own.1], self.queues.path_up(application.queue));
        let before = self.blocked_before(plans, now, own.0);
        let mut found = None;
        for first in self.turns.iter().copied().chain(before) {
            if first == own || found.is_some() || !self.precedes(first, own) {
                continue;
            }
            let Some(plan) = self.plan_of(plans, now, first) else { continue };
            if !plan.is_blocked && plans.only_blocked {
                continue;
            }
            plans.preceding.push(first);
            found = plan.is_delayed_by(now, ask, &path, node, backfills).then_some(first);
            plans.yielded |= found.is_some() && !plan.is_blocked;
        }
        found
    }

    /// The first blocked ask of each leaf that a cycle tries before an application, and of its own leaf.
    fn blocked_before(&self, plans: &mut TurnPlans, now: Time, app: AppKey) -> Vec<Key> {
        let leaf = self.apps[app].queue;
        let known = plans.before.take().filter(|(of, _)| *of == leaf);
        let (_, mut found) = known.unwrap_or_else(|| {
            let leaves = self.leaves_before(leaf);
            let first = |leaf: QueueKey| self.first_blocked(plans, now, (leaf, None));
            (leaf, leaves.into_iter().filter_map(first).collect())
        });
        plans.before = Some((leaf, found.clone()));
        let rank = self.apps[app].rank.clone();
        found.extend(self.first_blocked(plans, now, (leaf, rank)));
        found
    }

    fn leaves_before(&self, leaf: QueueKey) -> Vec<QueueKey> {
        let path = self.queues.path_up(leaf);
        let mut found = Vec::new();
        for (own, parent) in path.iter().zip(path.iter().skip(1)).rev() {
            let siblings = self.queues.order_of(*parent);
            let mut stack: Vec<QueueKey> = siblings.into_iter().take_while(|key| key != own).collect();
            stack.reverse();
            while let Some(key) = stack.pop().filter(|_| found.len() < MOST_LEAVES) {
                match self.queues[key].leaf {
                    true => found.push(key),
                    false => stack.extend(self.queues.order_of(key).into_iter().rev()),
                }
            }
        }
        found
    }

    /// The first blocked ask of a leaf, before a place in its order if one is given.
    fn first_blocked(&self, plans: &mut TurnPlans, now: Time, (leaf, end): (QueueKey, Option<AppRank>)) -> Option<Key> {
        let mut examined = plans.own.remove(&leaf).unwrap_or_default();
        if examined.first.is_none() {
            let from = examined.up_to.clone().map_or(Bound::Unbounded, Bound::Excluded);
            let to = end.map_or(Bound::Unbounded, Bound::Excluded);
            let is_empty = matches!((&from, &to), (Bound::Excluded(from), Bound::Excluded(to)) if from >= to);
            let ranks = (!is_empty).then(|| self.queues[leaf].candidates.range((from, to)).take(MOST_EXAMINED));
            for rank in ranks.into_iter().flatten() {
                examined.up_to = Some(rank.clone());
                let first = self.apps[rank.app].pending_order.first().map(|(.., ask)| (rank.app, *ask));
                if let Some(first) =
                    first.filter(|first| self.plan_of(plans, now, *first).is_some_and(|plan| plan.is_blocked))
                {
                    examined.first = Some(first);
                    break;
                }
            }
        }
        let first = examined.first;
        plans.own.insert(leaf, examined);
        first
    }

    fn plan_of(&self, plans: &mut TurnPlans, now: Time, key: Key) -> Option<Rc<Plan>> {
        if let Some(known) = plans.plans.get(&key) {
            return known.clone();
        }
        let running = plans.running.get_or_insert_with(|| Running::all(self, now));
        let plan = self.plan(now, key, running).map(Rc::new);
        plans.plans.insert(key, plan.clone());
        plan
    }

    /// `None` if it does not only wait for the end of allocations.
    fn plan(&self, now: Time, (app, ask): Key, running: &[Running]) -> Option<Plan> {
        let application = self.apps.get(app)?;
        let blocked = application.asks.get(ask).filter(|ask| is_pending(ask))?;
        let path = self.queues.path_up(application.queue);
        let may_run = application.state != AppState::Accepted
            || self.queues.can_run(application.queue, &application.id)
                && self.usage.lets_run(&application.account, &application.id);
        let is_open = path.iter().all(|key| self.queues[*key].state != QueueState::Stopped);
        let limits = self.usage.headroom(&application.account);
        let within = limits.is_none_or(|headroom| headroom.fit_in_max_undef(&blocked.resource));
        if !may_run || !is_open || !within || application.is_delayed(now) {
            return None;
        }
        let (free, wanted) = (Space::of(self, &path, blocked), blocked.resource.clone());
        if let Some(node) = free.place_for(&wanted) {
            return Some(Plan { wanted, now: free.clone(), then: Some((now, free)), node, is_blocked: false });
        }
        let mut space = free.clone();
        for (at, run) in running.iter().enumerate() {
            space.add(run);
            // What ends at the same time is free at the same time.
            let is_last = running.get(at + 1).is_none_or(|next| next.end != run.end);
            if let Some(end) = run.end.filter(|_| is_last)
                && let Some(node) = space.place_for(&wanted)
            {
                return Some(Plan { wanted, now: free, then: Some((end, space)), node, is_blocked: true });
            }
        }
        space.place_for(&wanted).map(|node| Plan { wanted, now: free, then: None, node, is_blocked: true })
    }

    /// Whether a blocked request precedes one that fits: by the order of their leaf, the priority of their queues, a
    /// guarantee, an earlier decision, otherwise by the order of their queues.
    fn precedes(&self, first: Key, own: Key) -> bool {
        let Some(blocked) = self.apps.get(first.0).filter(|app| app.asks.get(first.1).is_some()) else { return false };
        let application = &self.apps[own.0];
        if first.0 == own.0 {
            return blocked.asks[first.1].rank(first.1) < application.asks[own.1].rank(own.1);
        }
        if blocked.queue == application.queue {
            return blocked.rank < application.rank;
        }
        let (mut up, mut own_up) = (self.queues.path_up(blocked.queue), self.queues.path_up(application.queue));
        while up.len() > 1 && own_up.len() > 1 && up[up.len() - 2] == own_up[own_up.len() - 2] {
            up.pop();
            own_up.pop();
        }
        up.pop();
        own_up.pop();
        let (Some(left), Some(right)) = (up.last(), own_up.last()) else { return false };
        let order = self.queues.apart(*left, *right);
        if let Some((OrderKey::Priority, order)) = order {
            return order == Ordering::Less;
        }
        let guaranteed = [(&up, &blocked.asks[first.1]), (&own_up, &application.asks[own.1])]
            .map(|(queues, ask)| queues.iter().any(|key| self.is_guaranteed(*key, &ask.resource)));
        if guaranteed[0] != guaranteed[1] {
            return guaranteed[0];
        }
        let turn = |key: Key| self.turns.iter().position(|turn| *turn == key);
        match (turn(first), turn(own)) {
            (Some(first), Some(own)) => first < own,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => matches!(order, Some((_, Ordering::Less))),
        }
    }

    fn is_guaranteed(&self, queue: QueueKey, wanted: &Resource) -> bool {
        let queue = &self.queues[queue];
        queue.guaranteed.as_ref().is_some_and(|guaranteed| guaranteed.fit_in(&queue.allocated.add(wanted)))
    }
}

fn is_pending(ask: &Ask) -> bool {
    let rare = &ask.rare;
    let is_plain = rare.required_node.is_none() && rare.task_group.is_none() && rare.takes_over.is_none();
    ask.allocation.is_none() && !ask.superseded && is_plain && !ask.placeholder
}
