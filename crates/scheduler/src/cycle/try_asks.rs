//! Tries the requests of one application on the nodes (`scheduler.md` sections 7, 8, 12, 15).

use crate::cycle::backoff::FailureTracker;
use crate::cycle::headroom::{Headroom, RESERVATION_DELAY};
use crate::index::{AppKey, AskKey, NodeKey};
use crate::interface::event::{Event, EventKind};
use crate::interface::switches::{RequiredNode, Switches};
use crate::preemption::attempts::Attempts;
use crate::state::app::Application;
use crate::state::app::Delay;
use crate::state::ask::{Ask, is_report_due, report_again};
use crate::state::ask_log::{AskLog, Failure, TryResult};
use crate::state::node::Node;
use crate::state::nodes::Nodes;
use crate::state::task_group::can_replace;
use model::{AppId, NodeId, QueuePath, Time};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// Allocate the request on the node.
    Allocate { app: AppKey, ask: AskKey, node: NodeKey },
    /// Reserve the node for the request.
    Reserve { app: AppKey, ask: AskKey, node: NodeKey },
    /// Remove others' reservations on the required node, then allocate or reserve it.
    Claim { app: AppKey, ask: AskKey, node: NodeKey },
    /// Replace the placeholder, on its node or another.
    Replace { app: AppKey, ask: AskKey, placeholder: AskKey, node: NodeKey },
    /// Nothing, and no later request is tried: a release does this if the required node is too small (`profiles.md`
    /// section 2.2).
    Stall { app: AppKey },
    /// Victims are being stopped, and their node is reserved.
    Preempted,
}

pub(crate) enum AttemptOutcome {
    Pick(Pick),
    Next(TryResult),
    /// Skip the application in this cycle (D-09).
    GiveUp(TryResult),
}

/// Tries the requests in their order (SCH-082). Returns the pick and the requests with news. Ends early if `attempts`
/// requires a search for victims.
#[expect(clippy::too_many_arguments, reason = "they are parts of one partition that are borrowed apart")]
pub(crate) fn try_asks(
    now: Time,
    app: &mut Application,
    nodes: &mut Nodes,
    headroom: &Headroom<'_>,
    switches: &Switches,
    attempts: &mut Attempts,
    failures: &mut FailureTracker,
    events: &mut Vec<Event>,
) -> (Option<Pick>, Vec<AskKey>) {
    let mut changed = Vec::new();
    // Within one cycle the same resources fail again: skip the nodes.
    let mut failed: Option<(AskKey, TryResult)> = None;
    let Application {
        key: app_key,
        id,
        queue_path,
        pending_order,
        asks,
        reservations,
        task_groups,
        namesakes,
        backoff_until,
        delayed,
        known_ids,
        ..
    } = app;
    let commit_fails = headroom.commit_fails;
    for rank @ (.., key) in attempts.remaining(pending_order) {
        let ask = &asks[*key];
        if can_replace(task_groups, ask) {
            failures.clear();
            if std::mem::replace(&mut asks[*key].tried, TryResult::Placeholder) != TryResult::Placeholder {
                asks[*key].log.note_found(TryResult::Placeholder, now);
                changed.push(*key);
            }
            continue;
        }
        let is_one = |other_ask: &AskKey| other_ask == key || !namesakes.is_empty() && asks[*other_ask].id == ask.id;
        let reserved = !reservations.is_empty() && reservations.iter().any(|(other_ask, _)| is_one(other_ask));
        let may_reserve = headroom.reserves && !reserved && now.since(ask.created) > RESERVATION_DELAY;
        let known = failed.filter(|(other, tried)| {
            let other = &asks[*other];
            let same = other.resource == ask.resource
                && other.rare.required_node.is_none()
                && ask.rare.required_node.is_none();
            same && (*tried != TryResult::NoNode || !may_reserve && nodes.treat_identical(other, ask))
        });
        let mut missed = false;
        let mut on_nodes = || {
            if nodes.is_refused(ask, may_reserve) {
                return AttemptOutcome::Next(TryResult::NoNode);
            }
            NodeAttempt { app: *app_key, key: *key, ask, reserved, may_reserve, commit_fails }.on_nodes(
                nodes,
                switches,
                &mut missed,
            )
        };
        let outcome = match known {
            Some((_, tried)) => AttemptOutcome::Next(tried),
            None => headroom.fits(&ask.resource).map_or_else(AttemptOutcome::Next, |()| on_nodes()),
        };
        if missed {
            nodes.lower_bounds();
        }
        let tried = match &outcome {
            AttemptOutcome::Pick(_) => None,
            AttemptOutcome::Next(tried) | AttemptOutcome::GiveUp(tried) => Some(*tried),
        };
        let identical = failures.common_ask().is_none_or(|other| {
            let other = &asks[other];
            other.resource == ask.resource && nodes.treat_identical(other, ask)
        });
        let ask = &mut asks[*key];
        if let AttemptOutcome::Next(tried) = &outcome
            && attempts.seek(now, *rank, ask, *tried)
        {
            return (None, changed);
        }
        report_fit(now, (&*id, &*queue_path), ask, tried, headroom, events);
        if tried == Some(TryResult::NoNode) && ask.rare.required_node.is_none() && nodes.has_predicates() {
            nodes.note_refused(ask, may_reserve);
            report_predicates(now, id, ask, nodes, events);
            failures.note_conditions(now, (*key, ask), identical, nodes);
        }
        if let Some(tried) = tried {
            failures.note(now, ask, tried, headroom, attempts);
            if commit_fails || tried == TryResult::NoNode && attempts.finds_all_reserved() {
                // The gains of nodes do not tell when this changes.
                failures.clear();
            }
            failed = Some((*key, tried));
            note(now, &mut ask.log, tried);
            let new = std::mem::replace(&mut ask.tried, tried) != tried;
            ask.log.note_found(tried, now);
            if ask.log.is_due(now) || new {
                changed.push(*key);
            }
        }
        if let Some(delay) = tried.and_then(|tried| failures.unschedulable.count(&asks[*key], tried))
            && (asks.iter().any(|(key, other)| other.rank(key) > *rank) || known_ids.is_behind(rank))
        {
            *backoff_until = Some(now + delay);
            let (asks, last) = (failures.unschedulable.most(), asks[*key].id.clone());
            *delayed = Some(Delay { since: now, asks, last });
            return (None, changed);
        }
        match outcome {
            AttemptOutcome::Pick(pick) => return (Some(pick), changed),
            AttemptOutcome::GiveUp(_) => return (None, changed),
            AttemptOutcome::Next(_) => {}
        }
    }
    (None, changed)
}

fn note(now: Time, log: &mut AskLog, tried: TryResult) {
    match tried {
        TryResult::UserQuota => log.note(Failure::UserQuota, now),
        TryResult::QueueQuota => {
            log.attempt();
            log.note(Failure::QueueQuota, now);
        }
        TryResult::NoNode => log.attempt(),
        TryResult::Never | TryResult::Placeholder | TryResult::Turn => {}
    }
}

pub(crate) struct NodeAttempt<'a> {
    pub app: AppKey,
    pub key: AskKey,
    pub ask: &'a Ask,
    /// The request has a reservation.
    pub reserved: bool,
    /// The request is old enough for a reservation.
    pub may_reserve: bool,
    /// A maximum on the path is exceeded (D-22).
    pub commit_fails: bool,
}

impl NodeAttempt<'_> {
    /// Tries the nodes. `missed`: their bounds promised free resources that no node has.
    pub fn on_nodes(&self, nodes: &Nodes, switches: &Switches, missed: &mut bool) -> AttemptOutcome {
        match &self.ask.rare.required_node {
            None => self.on_any(nodes, missed),
            Some(id) => self.on_required(id, nodes, switches.required_node),
        }
    }

    /// The first node in order that fits (SCH-093), otherwise perhaps one to reserve (SCH-130).
    fn on_any(&self, nodes: &Nodes, missed: &mut bool) -> AttemptOutcome {
        let Self { app, key: ask, .. } = *self;
        let wanted = &self.ask.resource;
        if !nodes.may_hold(wanted, self.may_reserve) {
            return AttemptOutcome::Next(TryResult::NoNode);
        }
        let open = |node: &&Node| node.schedulable && node.available.fit_in(wanted);
        // What fits the free resources fits the total, except on overcommitted nodes.
        let fits = |node: &&Node| node.total.fit_in(wanted) && nodes.lets(self.ask, node.key, true);
        if !self.commit_fails
            && let Some(node) = nodes.unreserved_for(self.ask).filter(open).find(fits)
        {
            return AttemptOutcome::Pick(Pick::Allocate { app, ask, node: node.key });
        }
        let best = if self.may_reserve { nodes.best_to_reserve(wanted) } else { None };
        match best.filter(|node| nodes.lets(self.ask, *node, false)) {
            Some(node) => AttemptOutcome::Pick(Pick::Reserve { app, ask, node }),
            None => {
                *missed = !self.commit_fails;
                AttemptOutcome::Next(TryResult::NoNode)
            }
        }
    }

    /// SCH-165, SCH-166: even if the node is unschedulable.
    fn on_required(&self, id: &NodeId, nodes: &Nodes, switch: RequiredNode) -> AttemptOutcome {
        let Self { app, key: ask, .. } = *self;
        let give_up = || match switch {
            RequiredNode::GivesUpApp => AttemptOutcome::GiveUp(TryResult::NoNode),
            RequiredNode::NextAsk | RequiredNode::Shared => AttemptOutcome::Next(TryResult::NoNode),
        };
        let Some(node) = nodes.find(id).map(|key| &nodes[key]) else { return give_up() };
        if switch == RequiredNode::Shared {
            return self.on_shared(node, nodes);
        }
        if node.reserved_by_required() {
            return give_up();
        }
        if !node.reservations.is_empty() {
            return AttemptOutcome::Pick(Pick::Claim { app, ask, node: node.key });
        }
        self.allocate_or_reserve(node, nodes)
    }

    /// 1.8.0: any number of requests may reserve their required node (`profiles.md` section 2.2).
    fn on_shared(&self, node: &Node, nodes: &Nodes) -> AttemptOutcome {
        let Self { app, key: ask, .. } = *self;
        if !node.reservations.is_empty() && !node.reserved_by_required() {
            return AttemptOutcome::Pick(Pick::Claim { app, ask, node: node.key });
        }
        let open = node.reservations.is_empty() || self.reserved;
        match (open && self.may_use(node, nodes), self.reserved) {
            (true, _) => AttemptOutcome::Pick(Pick::Allocate { app, ask, node: node.key }),
            (false, true) => AttemptOutcome::Next(TryResult::NoNode),
            (false, false) => self.reserve(node),
        }
    }

    fn allocate_or_reserve(&self, node: &Node, nodes: &Nodes) -> AttemptOutcome {
        let Self { app, key: ask, .. } = *self;
        if self.may_use(node, nodes) {
            return AttemptOutcome::Pick(Pick::Allocate { app, ask, node: node.key });
        }
        self.reserve(node)
    }

    fn may_use(&self, node: &Node, nodes: &Nodes) -> bool {
        !self.commit_fails && nodes.accepts(self.ask, node.key)
    }

    /// Without a delay. A too small node ends the cycle.
    fn reserve(&self, node: &Node) -> AttemptOutcome {
        let Self { app, key: ask, .. } = *self;
        if node.total.fit_in(&self.ask.resource) {
            AttemptOutcome::Pick(Pick::Reserve { app, ask, node: node.key })
        } else {
            AttemptOutcome::Pick(Pick::Stall { app })
        }
    }
}

/// SCH-222. The queues are not checked if the limits fail.
fn report_fit(
    now: Time,
    (app, queue): (&AppId, &QueuePath),
    ask: &mut Ask,
    failed: Option<TryResult>,
    headroom: &Headroom<'_>,
    events: &mut Vec<Event>,
) {
    let fits = failed != Some(TryResult::UserQuota);
    if std::mem::replace(&mut ask.fits_limits, fits) != fits {
        let (resource, headroom) = (ask.resource.clone(), headroom.of_limits.cloned().unwrap_or_default());
        let kind = EventKind::AskFitsLimits { app: app.clone(), ask: ask.id.clone(), fits, resource, headroom };
        events.push(Event { at: now, kind });
    }
    if !fits {
        return;
    }
    let fits = failed != Some(TryResult::QueueQuota);
    if std::mem::replace(&mut ask.fits_queue, fits) != fits {
        let (resource, headroom) = (ask.resource.clone(), headroom.of_queue.clone());
        let kind = EventKind::AskFitsQueue {
            app: app.clone(),
            ask: ask.id.clone(),
            fits,
            queue: queue.clone(),
            resource,
            headroom,
        };
        events.push(Event { at: now, kind });
    }
}

/// Reports that the resource manager's conditions keep an ask from nodes that have room for it (SCH-222).
fn report_predicates(now: Time, app: &AppId, ask: &mut Ask, nodes: &mut Nodes, events: &mut Vec<Event>) {
    if !is_report_due(now, ask.rare.predicates_reported) {
        return;
    }
    let refusing = nodes.refusing(ask);
    if refusing > 0 && report_again(now, &mut ask.rare.predicates_reported) {
        let (app, ask, resource) = (app.clone(), ask.id.clone(), ask.resource.clone());
        events.push(Event::new(now, EventKind::PredicatesFailed { app, ask, nodes: refusing, resource }));
    }
}
