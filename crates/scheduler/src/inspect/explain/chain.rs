//! All checks of one request in the order of a cycle, with every failure.

use std::sync::Arc;

use super::gates::Limits;
use super::holders::Scope;
use super::next_decision::NextDecision;
use super::rank;
use super::types::{BlockLevel, Blocker, DecisionKind, NodeTally, Place, Resolution};
use crate::cycle::commit_check::exceeded;
use crate::cycle::headroom::Headroom;
use crate::cycle::try_asks::{AttemptOutcome, Pick};
use crate::cycle::turns::TurnPlans;
use crate::index::{AppKey, AskKey, QueueKey};
use crate::interface::switches::RequiredNode;
use crate::preemption::verdict::PreemptionVerdict;
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use crate::state::queue_tree::PathUp;
use crate::state::task_group::can_replace;
use crate::usage::limits::max_resources;
use crate::usage::{Bound, Side};
use model::{AppState, QueueState, Resource, Time};

/// Listing the holders needs a walk over all applications of a queue.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Named {
    Holders,
    NoUser,
}

pub(super) struct Chain {
    pub blockers: Vec<Blocker>,
    pub nodes: NodeTally,
    pub preemption: PreemptionVerdict,
}

impl Partition {
    pub(super) fn chain(&self, now: Time, app: AppKey, key: AskKey, next: &NextDecision) -> Chain {
        let application = &self.apps[app];
        let ask = &application.asks[key];
        let nodes = self.tally(app, key);
        let limits = Limits::of(self, application);
        let path = self.queues.path_up(application.queue);
        let mut blockers = self.outside(application.pending.strictly_greater_than_zero(), app, &path);
        let of_limits = self.of_limits(ask, &limits, Named::Holders);
        let of_queues = self.of_queues(ask, &path, Named::Holders);
        let has_space = of_limits.is_empty() && of_queues.is_empty();
        let by_reservation = has_space && self.reserved_node(app, key).is_some() && self.lets_run(app, &limits);
        let mut preemption = PreemptionVerdict::default();
        if by_reservation {
            // Its reservation comes first and needs nothing else.
        } else if can_replace(&application.task_groups, ask) {
            blockers.extend(self.started_one_at_a_time(app));
            blockers.extend(self.of_gang(app, key));
        } else {
            blockers.extend(self.of_backoff(now, app, key, next));
            blockers.extend(self.started_one_at_a_time(app));
            blockers.extend(self.of_applications(app, &limits, &path, Named::Holders));
            blockers.extend(self.of_those_before(app, key, next, &limits));
            let of_nodes = self.of_nodes(now, app, key, &nodes);
            if blockers.is_empty() && of_limits.is_empty() && (!of_queues.is_empty() || !of_nodes.is_empty()) {
                let nodes_tried = of_queues.is_empty();
                preemption = self.preemption_verdict(now, (app, key), nodes_tried, next.attempts_left(key));
            }
            blockers.extend(of_limits);
            blockers.extend(of_queues);
            blockers.extend(of_nodes);
        }
        if blockers.is_empty() {
            blockers.extend(self.of_blocked_before(now, app, key).or_else(|| self.of_turn(app, key, next)));
        }
        rank::sort(&mut blockers);
        Chain { blockers, nodes, preemption }
    }

    pub(super) fn outside(&self, asks: bool, app: AppKey, path: &PathUp) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        if self.state == QueueState::Stopped {
            let stopped = Blocker::of(BlockLevel::Partition, Place::Partition);
            let detail = "the partition is stopped".to_owned();
            blockers.push(Blocker { detail, of_nodes: Resolution::Change, ..stopped });
        }
        if path.last().is_some_and(|root| self.queues[*root].max.is_none()) {
            let empty = Blocker::of(BlockLevel::Partition, Place::Partition);
            blockers.push(Blocker { detail: "no node found".to_owned(), of_nodes: Resolution::Never, ..empty });
        }
        for key in path.iter().rev() {
            let queue = &self.queues[*key];
            let place = Place::Queue(queue.path.clone());
            let line = queue.settings.at;
            if queue.state == QueueState::Stopped {
                blockers.push(Blocker { line, ..Blocker::of(BlockLevel::Draining, place.clone()) });
            }
            if !queue.pending.strictly_greater_than_zero() {
                blockers.push(Blocker { line, ..Blocker::of(BlockLevel::Nothing, place) });
            }
        }
        if !asks {
            blockers.push(Blocker::of(BlockLevel::Nothing, Place::App(self.apps[app].id.clone(), None)));
        }
        blockers
    }

    /// The policy `stateaware` lets one application start at a time (SCH-073).
    pub(super) fn started_one_at_a_time(&self, app: AppKey) -> Option<Blocker> {
        let application = &self.apps[app];
        let leaf = &self.queues[application.queue];
        if self.state_aware_filter(application.queue).admits(application) {
            return None;
        }
        let starting = leaf.apps.iter().map(|app| &self.apps[*app]).find(|app| app.state == AppState::Starting);
        let waiting = leaf.candidates.iter().map(|rank| &self.apps[rank.app]);
        let waiting = waiting.filter(|app| app.state == AppState::Accepted);
        let other = starting.or_else(|| waiting.min_by_key(|app| (app.submitted, &app.id)))?;
        let detail = if other.state == AppState::Starting { "is starting" } else { "was submitted earlier" };
        let place = Place::App(other.id.clone(), None);
        Some(Blocker {
            line: leaf.settings.at,
            limit: 1,
            used: 1,
            wanted: 1,
            missing: 1,
            detail: detail.to_owned(),
            ..Blocker::of(BlockLevel::State, place)
        })
    }

    /// Queues first (SCH-110, SCH-126).
    pub(super) fn of_applications(
        &self,
        app: AppKey,
        limits: &Limits<'_>,
        path: &PathUp,
        named: Named,
    ) -> Vec<Blocker> {
        let application = &self.apps[app];
        if application.state != AppState::Accepted {
            return Vec::new();
        }
        let mut blockers = Vec::new();
        for key in path {
            let queue = &self.queues[*key];
            let running = queue.running + queue.allocating_accepted.len() as u64;
            let full = |max: &u64| running >= *max && !queue.allocating_accepted.contains(&application.id);
            let Some(max) = queue.settings.max_applications.filter(full) else { continue };
            let place = Place::Queue(queue.path.clone());
            let holders = if named == Named::Holders { self.running_in(&Scope::Queue(*key)) } else { Vec::new() };
            let line = queue.settings.at;
            blockers.push(counted(
                Blocker { line, holders, ..Blocker::of(BlockLevel::QueueApps, place) },
                max,
                running,
            ));
        }
        for (bound, max) in limits.full() {
            let running = limits.usage(bound).map_or(0, |usage| usage.running.len() as u64);
            let level = if bound.side == Side::User { BlockLevel::UserApps } else { BlockLevel::GroupApps };
            let scope = Scope::Bound(bound, limits.account());
            let holders = if named == Named::Holders { self.running_in(&scope) } else { Vec::new() };
            let blocker =
                Blocker { line: Some(bound.limit.at), holders, ..Blocker::of(level, self.place_of(bound, limits)) };
            blockers.push(counted(blocker, max, running));
        }
        blockers
    }

    /// A request that ends every cycle, or skips its application (D-09).
    pub(super) fn of_those_before(
        &self,
        app: AppKey,
        key: AskKey,
        next: &NextDecision,
        limits: &Limits<'_>,
    ) -> Option<Blocker> {
        if let Some(stall) = next.decision.as_ref().filter(|decision| decision.kind == DecisionKind::Stall)
            && !next.reaches(app, key)
        {
            let place = Place::App(stall.app.clone(), Some(stall.ask.clone()));
            let detail = "is too large for its required node, and ends every cycle".to_owned();
            return Some(Blocker { detail, ..Blocker::of(BlockLevel::Stalled, place) });
        }
        if self.switches.required_node != RequiredNode::GivesUpApp {
            return None;
        }
        let application = &self.apps[app];
        let of_queue = self.queues.headroom(application.queue).unwrap_or_default();
        let of_limits = limits.headroom();
        let headroom = Headroom::of(of_limits.as_ref(), &of_queue);
        let before = application.pending_order.iter().map(|(.., ask)| *ask).take_while(|ask| *ask != key);
        let gives_up = |before: &AskKey| {
            let ask = &application.asks[*before];
            ask.rare.required_node.is_some()
                && !can_replace(&application.task_groups, ask)
                && headroom.fits(&ask.resource).is_ok()
                && matches!(self.on_nodes(Time(u64::MAX), app, *before), AttemptOutcome::GiveUp(_))
        };
        let stop = before.into_iter().find(gives_up)?;
        let place = Place::App(application.id.clone(), Some(application.asks[stop].id.clone()));
        let detail = "cannot use its required node, so later requests are not evaluated".to_owned();
        Some(Blocker { detail, ..Blocker::of(BlockLevel::Stalled, place) })
    }

    /// The placeholders of a task group (SCH-082, SCH-143).
    pub(super) fn of_gang(&self, app: AppKey, key: AskKey) -> Option<Blocker> {
        let application = &self.apps[app];
        if self.replacement(app).is_some_and(|(ask, _)| ask == key) {
            return None;
        }
        let name = application.asks[key].replaces_in()?;
        let group = application.task_groups.get(name)?;
        let existing = group.placeholders.len() as u64;
        let blocker = Blocker::of(BlockLevel::Gang, Place::TaskGroup(Arc::clone(name)));
        let detail = match existing {
            0 => "no placeholder is allocated yet",
            _ => "its placeholders are replaced by others first, or are too small",
        };
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        Some(Blocker {
            limit: number(group.count),
            used: number(group.replaced + group.timed_out),
            wanted: 1,
            missing: number(group.count.saturating_sub(group.replaced + group.timed_out + existing)),
            detail: detail.to_owned(),
            ..blocker
        })
    }

    /// Each limit and resource separately (LIM-040).
    pub(super) fn of_limits(&self, ask: &Ask, limits: &Limits<'_>, named: Named) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        for bound in limits.bounds() {
            let Some(max) = max_resources(&bound.limit) else { continue };
            let used = limits.usage(bound).map(|usage| usage.allocated.clone()).unwrap_or_default();
            let level = if bound.side == Side::User { BlockLevel::User } else { BlockLevel::Group };
            for shortage in shortfall(max, &used, &ask.resource) {
                let scope = Scope::Bound(bound, limits.account());
                let name = shortage.resource.as_deref().filter(|_| named == Named::Holders);
                let holders = name.map(|name| self.holders_of(&scope, name)).unwrap_or_default();
                let place = self.place_of(bound, limits);
                blockers.push(Blocker { level, place, line: Some(bound.limit.at), holders, ..shortage });
            }
        }
        blockers
    }

    /// By resource, the queue with the largest excess first (SCH-100).
    pub(super) fn of_queues(&self, ask: &Ask, path: &PathUp, named: Named) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        for key in path {
            let queue = &self.queues[*key];
            let Some(max) = &queue.max else { continue };
            for shortage in shortfall(max, &queue.allocated, &ask.resource) {
                let name = shortage.resource.as_deref().filter(|_| named == Named::Holders);
                let holders = name.map(|name| self.holders_of(&Scope::Queue(*key), name)).unwrap_or_default();
                let place = Place::Queue(queue.path.clone());
                blockers.push(Blocker {
                    level: BlockLevel::Queue,
                    place,
                    line: queue.settings.at,
                    holders,
                    ..shortage
                });
            }
        }
        blockers.sort_by(|one, other| one.resource.cmp(&other.resource).then(other.missing.cmp(&one.missing)));
        blockers
    }

    pub(super) fn of_nodes(&self, now: Time, app: AppKey, key: AskKey, nodes: &NodeTally) -> Vec<Blocker> {
        let ask = &self.apps[app].asks[key];
        if self.commit_fails(self.apps[app].queue) {
            return self.of_commit(self.apps[app].queue);
        }
        let served = match self.on_nodes(now, app, key) {
            AttemptOutcome::Pick(Pick::Allocate { .. }) => true,
            AttemptOutcome::Pick(Pick::Claim { node, .. }) => self.nodes.accepts(ask, node),
            _ => false,
        };
        if served { Vec::new() } else { self.node_blockers(ask, nodes) }
    }

    /// 1.5.1 allocates nothing above a maximum (D-22).
    fn of_commit(&self, leaf: QueueKey) -> Vec<Blocker> {
        let mut blockers = Vec::new();
        for key in self.queues.path_up(leaf) {
            let queue = &self.queues[key];
            for (name, limit, used) in exceeded(queue) {
                blockers.push(Blocker {
                    line: queue.settings.at,
                    resource: Some(Arc::from(name)),
                    limit,
                    used,
                    missing: used.saturating_sub(limit),
                    detail: "is above its maximum; it gets no allocations until it is below".to_owned(),
                    ..Blocker::of(BlockLevel::Queue, Place::Queue(queue.path.clone()))
                });
            }
        }
        blockers
    }

    fn of_blocked_before(&self, now: Time, app: AppKey, key: AskKey) -> Option<Blocker> {
        let AttemptOutcome::Pick(Pick::Allocate { node, .. }) = self.on_nodes(now, app, key) else { return None };
        let (first, ask) = self.turn_before(&mut TurnPlans::default(), now, (app, key), node)?;
        let first = &self.apps[first];
        let place = Place::App(first.id.clone(), Some(first.asks[ask].id.clone()));
        let detail = "is first, and would start later".to_owned();
        Some(Blocker { detail, ..Blocker::of(BlockLevel::Priority, place) })
    }

    pub(super) fn of_turn(&self, app: AppKey, key: AskKey, next: &NextDecision) -> Option<Blocker> {
        let (application, decision) = (&self.apps[app], next.decision.as_ref()?);
        if decision.app == application.id && decision.ask == application.asks[key].id {
            return None;
        }
        let detail = match decision.kind {
            DecisionKind::Allocate | DecisionKind::Replace => "is allocated first",
            DecisionKind::Reserve | DecisionKind::Claim => "has a node reserved first",
            DecisionKind::Preempt => "preempts others first",
            DecisionKind::Stall => "ends the cycle",
        };
        let place = Place::App(decision.app.clone(), Some(decision.ask.clone()));
        Some(Blocker { detail: detail.to_owned(), ..Blocker::of(BlockLevel::Priority, place) })
    }

    fn place_of(&self, bound: &Bound, limits: &Limits<'_>) -> Place {
        let queue = self.queues[bound.queue].path.clone();
        match bound.side {
            Side::User => Place::User(self.usage.user_of(limits.account()), queue),
            Side::Group => Place::Group(self.usage.group_of(limits.account()).unwrap_or_default(), queue),
        }
    }
}

fn counted(blocker: Blocker, max: u64, running: u64) -> Blocker {
    let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    let missing = number(running.saturating_sub(max).saturating_add(1));
    Blocker { limit: number(max), used: number(running), wanted: 1, missing, ..blocker }
}

/// The resources of which `max` leaves too little for an ask (SCH-024).
fn shortfall(max: &Resource, used: &Resource, wanted: &Resource) -> Vec<Blocker> {
    let mut found = Vec::new();
    for (name, want) in wanted.iter().filter(|(_, want)| *want > 0) {
        let Some(limit) = max.get(name) else { continue };
        let left = limit.saturating_sub(used.amount(name));
        if want > left.max(0) {
            found.push(Blocker {
                resource: Some(Arc::from(name)),
                limit,
                used: used.amount(name),
                wanted: want,
                missing: want.saturating_sub(left),
                ..Blocker::default()
            });
        }
    }
    found
}
