//! The decision of the next cycle: its steps in their order, without a change.

use std::collections::{BTreeMap, BTreeSet};

use super::gates::Limits;
use super::types::{Decision, DecisionKind};
use crate::cycle::backoff::Unschedulable;
use crate::cycle::headroom::{Headroom, RESERVATION_DELAY};
use crate::cycle::try_asks::{AttemptOutcome, NodeAttempt, Pick};
use crate::cycle::turns::TurnPlans;
use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::preemption::attempts::{Attempts, Judgement};
use crate::state::ask::Ask;
use crate::state::ask_log::TryResult;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::state::task_group::can_replace;
use model::{NodeId, QueueState, Time};

#[derive(Debug, Default)]
pub(super) struct NextDecision {
    /// `None`: nothing to do.
    pub decision: Option<Decision>,
    reaches_all: bool,
    of_app: BTreeMap<AskKey, u32>,
    tried: Option<BTreeSet<(AppKey, AskKey)>>,
    /// D-19; with the last request without a node.
    delayed: BTreeMap<AppKey, AskKey>,
}

type Step = Option<Decision>;

struct Walk<'p> {
    partition: &'p Partition,
    now: Time,
    target: Option<AppKey>,
    plans: TurnPlans,
    next: NextDecision,
}

impl NextDecision {
    /// Computes the cycle; `target` is the application whose tried requests are recorded.
    pub fn seek(partition: &Partition, now: Time, target: AppKey) -> Self {
        Self::walk(Walk { partition, now, target: Some(target), plans: TurnPlans::default(), next: Self::default() })
    }

    /// Records the tried requests only if the cycle ends at one that ends every cycle.
    pub fn of_all(partition: &Partition, now: Time) -> Self {
        let next = |tried| Self { tried, ..Self::default() };
        let walk = |tried| Walk { partition, now, target: None, plans: TurnPlans::default(), next: next(tried) };
        let next = Self::walk(walk(None));
        let stalls = next.decision.as_ref().is_some_and(|decision| decision.kind == DecisionKind::Stall);
        if stalls { Self::walk(walk(Some(BTreeSet::new()))) } else { next }
    }

    /// When the cycle reaches a request of the target; `None` if it does not.
    pub fn attempts_left(&self, ask: AskKey) -> Option<u32> {
        self.of_app.get(&ask).copied()
    }

    /// Whether the cycle tries a request: of the target application, or any if all are recorded.
    pub fn reaches(&self, app: AppKey, ask: AskKey) -> bool {
        self.reaches_all
            || self.of_app.contains_key(&ask)
            || self.tried.as_ref().is_some_and(|tried| tried.contains(&(app, ask)))
    }

    /// The request at which the cycle skips an application (D-19).
    pub fn delayed_at(&self, app: AppKey) -> Option<AskKey> {
        self.delayed.get(&app).copied()
    }

    fn walk(mut walk: Walk<'_>) -> Self {
        let (partition, now) = (walk.partition, walk.now);
        if partition.state == QueueState::Stopped || !partition.has_work() {
            return walk.next;
        }
        if partition.quiet.is_some_and(|until| now < until) && !partition.nodes.has_predicates() {
            walk.next.reaches_all = true;
            return walk.next;
        }
        let reserved = (partition.reservations > 0).then(|| walk.leaves(Walk::reserved)).flatten();
        let replaced = reserved.or_else(|| (partition.placeholders > 0).then(|| walk.leaves(Walk::replaced)).flatten());
        walk.next.decision = replaced.or_else(|| walk.leaves(Walk::normal));
        if walk.next.decision.is_none() && walk.plans.disregard_those_that_fit() {
            walk.next.decision = walk.leaves(Walk::normal);
        }
        walk.next
    }
}

impl Partition {
    pub(super) fn on_nodes(&self, now: Time, app: AppKey, key: AskKey) -> AttemptOutcome {
        let application = &self.apps[app];
        let ask = &application.asks[key];
        let reserved = application.reservations.iter().any(|(other_ask, _)| application.are_one(*other_ask, key));
        let may_reserve = self.reserves() && !reserved && now.since(ask.created) > RESERVATION_DELAY;
        let commit_fails = self.commit_fails(application.queue);
        NodeAttempt { app, key, ask, reserved, may_reserve, commit_fails }.on_nodes(
            &self.nodes,
            &self.switches,
            &mut false,
        )
    }

    /// In the first step of a cycle, for a request that fits everything else.
    pub(super) fn reserved_node(&self, app: AppKey, key: AskKey) -> Option<NodeKey> {
        let application = &self.apps[app];
        let ask = &application.asks[key];
        let counts = |other_ask: AskKey| application.made_last(other_ask) == key;
        let (other_ask, own) =
            application.reservations.iter().find(|(other_ask, _)| *other_ask == key || counts(*other_ask))?;
        if self.commit_fails(application.queue) {
            return None;
        }
        if counts(*other_ask) && self.nodes.accepts(ask, *own) {
            return Some(*own);
        }
        // D-23.
        if *other_ask == key { self.other_node(ask, *own) } else { None }
    }

    pub(super) fn other_node(&self, ask: &Ask, own: NodeKey) -> Option<NodeKey> {
        if ask.rare.required_node.is_some() || !self.nodes.may_hold(&ask.resource, false) {
            return None;
        }
        let others = self.nodes.unreserved().filter(|node| node.key != own && node.schedulable);
        others.map(|node| node.key).find(|node| self.nodes.accepts(ask, *node))
    }

    fn decision(&self, app: AppKey, ask: AskKey, kind: DecisionKind, node: Option<NodeKey>) -> Decision {
        let application = &self.apps[app];
        let node = node.map(|node| self.nodes[node].id.clone());
        Decision { app: application.id.clone(), ask: application.asks[ask].id.clone(), kind, node }
    }
}

impl Walk<'_> {
    /// Walks the leaves in the order of a cycle up to the first decision.
    fn leaves(&mut self, visit: fn(&mut Self, QueueKey) -> Step) -> Step {
        let mut stack = vec![ROOT];
        while let Some(key) = stack.pop() {
            if !self.partition.queues[key].leaf {
                stack.extend(self.partition.queues.order_of(key).into_iter().rev());
            } else if let Some(found) = visit(self, key) {
                return Some(found);
            }
        }
        None
    }

    /// The first step (SCH-134).
    fn reserved(&mut self, leaf: QueueKey) -> Step {
        let part = self.partition;
        if part.commit_fails(leaf) {
            return None;
        }
        let of_queue = part.queues.headroom(leaf).unwrap_or_default();
        for (.., app) in &part.queues[leaf].reserved {
            let limits = Limits::of(part, &part.apps[*app]);
            if !part.lets_run(*app, &limits) {
                continue;
            }
            let of_limits = limits.headroom();
            let headroom = Headroom::of(of_limits.as_ref(), &of_queue);
            let application = &part.apps[*app];
            let other_ask = || application.reservations.iter().map(|(ask, node)| (*ask, *node));
            let last = |ask: AskKey| application.made_last(ask);
            let other_ask = || other_ask().filter(|(ask, _)| application.asks[last(*ask)].allocation.is_none());
            let fits = |ask: AskKey| headroom.fits(&application.asks[ask].resource).is_ok();
            let own = other_ask().map(|(ask, node)| (last(ask), node));
            let own = own
                .filter(|(ask, _)| fits(*ask))
                .find(|(ask, node)| part.nodes.accepts(&application.asks[*ask], *node));
            let other = || {
                let mut other_ask = other_ask().filter(|(ask, _)| fits(*ask));
                other_ask.find_map(|(ask, own)| Some((ask, part.other_node(&application.asks[ask], own)?)))
            };
            if let Some((ask, node)) = own.or_else(other) {
                return Some(part.decision(*app, ask, DecisionKind::Allocate, Some(node)));
            }
        }
        None
    }

    /// The second step (SCH-143).
    fn replaced(&mut self, leaf: QueueKey) -> Step {
        let part = self.partition;
        let filter = part.state_aware_filter(leaf);
        let replacers = part.queues[leaf].replacers.iter().map(|rank| rank.app);
        let (app, ask, node) = replacers
            .filter(|app| filter.admits(&part.apps[*app]))
            .find_map(|app| part.replacement(app).map(|(ask, node)| (app, ask, node)))?;
        Some(part.decision(app, ask, DecisionKind::Replace, Some(node)))
    }

    /// The third step (SCH-081, SCH-082).
    fn normal(&mut self, leaf: QueueKey) -> Step {
        let part = self.partition;
        let of_queue = part.queues.headroom(leaf).unwrap_or_default();
        let filter = part.state_aware_filter(leaf);
        let mut attempts = part.preemption_attempts(leaf);
        for rank in part.queues[leaf].candidates.iter() {
            let application = &part.apps[rank.app];
            let limits = Limits::of(part, application);
            let delayed = application.is_delayed(self.now);
            if delayed || !filter.admits(application) || !part.lets_run(rank.app, &limits) {
                continue;
            }
            let of_limits = limits.headroom();
            let commit_fails = part.commit_fails(leaf);
            let headroom = Headroom { commit_fails, ..Headroom::of(of_limits.as_ref(), &of_queue) };
            if let Some(found) = self.asks(rank.app, &headroom, &mut attempts) {
                return Some(found);
            }
        }
        None
    }

    fn asks(&mut self, app: AppKey, headroom: &Headroom<'_>, attempts: &mut Attempts) -> Step {
        let mut unschedulable = self.partition.unschedulable(app);
        loop {
            let found = self.try_asks(app, headroom, attempts, &mut unschedulable);
            let Some(request) = attempts.take_request() else { return found };
            if let Some(node) = self.partition.would_preempt(app, request.ask(), request.nodes_tried) {
                return Some(self.preempts(app, request.ask(), node));
            }
        }
    }

    fn preempts(&self, app: AppKey, ask: AskKey, node: NodeId) -> Decision {
        Decision { node: Some(node), ..self.partition.decision(app, ask, DecisionKind::Preempt, None) }
    }

    fn try_asks(
        &mut self,
        app: AppKey,
        headroom: &Headroom<'_>,
        attempts: &mut Attempts,
        unschedulable: &mut Unschedulable,
    ) -> Step {
        let part = self.partition;
        let application = &part.apps[app];
        let mut failed: Option<(&Ask, TryResult)> = None;
        for rank @ (.., key) in attempts.remaining(&application.pending_order) {
            if let Some(tried) = &mut self.next.tried {
                tried.insert((app, *key));
            }
            if self.target == Some(app) {
                self.next.of_app.entry(*key).or_insert_with(|| attempts.left());
            }
            let ask = &application.asks[*key];
            if can_replace(&application.task_groups, ask) {
                continue;
            }
            let young = self.now.since(ask.created) <= RESERVATION_DELAY;
            let known = failed.filter(|(other, tried)| {
                let free = other.rare.required_node.is_none() && ask.rare.required_node.is_none();
                free && other.resource == ask.resource && (*tried != TryResult::NoNode || young)
            });
            let outcome = match known {
                Some((_, tried)) => AttemptOutcome::Next(tried),
                None => match headroom.fits(&ask.resource) {
                    Ok(()) => part.on_nodes(self.now, app, *key),
                    Err(tried) => AttemptOutcome::Next(tried),
                },
            };
            match outcome {
                AttemptOutcome::Pick(Pick::Allocate { node, .. })
                    if part.turn_before(&mut self.plans, self.now, (app, *key), node).is_some() =>
                {
                    return None;
                }
                AttemptOutcome::Pick(pick) => return Some(part.picked(app, *key, pick)),
                AttemptOutcome::GiveUp(_) => return None,
                AttemptOutcome::Next(tried) => {
                    failed = Some((ask, tried));
                    if attempts.judge(self.now, *rank, ask, tried) == Judgement::Sought {
                        return None;
                    }
                    if unschedulable.count(ask, tried).is_some() && application.has_ask_behind(rank) {
                        self.next.delayed.insert(app, *key);
                        return None;
                    }
                }
            }
        }
        None
    }
}

impl Partition {
    fn picked(&self, app: AppKey, ask: AskKey, pick: Pick) -> Decision {
        let (kind, node) = match pick {
            Pick::Allocate { node, .. } => (DecisionKind::Allocate, Some(node)),
            Pick::Reserve { node, .. } => (DecisionKind::Reserve, Some(node)),
            Pick::Claim { node, .. } => (DecisionKind::Claim, Some(node)),
            Pick::Replace { node, .. } => (DecisionKind::Replace, Some(node)),
            Pick::Preempted => (DecisionKind::Preempt, None),
            Pick::Stall { .. } => (DecisionKind::Stall, None),
        };
        self.decision(app, ask, kind, node)
    }
}
