//! Objections to a decision of another scheduler.
//!
//! Invariant: none to the decision of the next cycle.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::chain::Named;
use super::gates::Limits;
use super::nodes::close;
use super::types::{BlockLevel, Blocker, NodeReason, Place};
use crate::index::{AppKey, AskKey, QueueKey};
use crate::state::app::Application;
pub use crate::state::app_rank::OrderKey;
use crate::state::ask::Ask;
use crate::state::node::Node;
use crate::state::partition::Partition;
use crate::state::task_group::can_replace;
use model::{AppId, AskId, NodeId, QueuePath, Time};

/// The objections to a request on a node, apart from the order of requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Objections {
    /// The failed checks before the nodes, in the order of a cycle.
    pub checks: Vec<Blocker>,
    /// Why the node rejects it, with one blocker per resource or condition.
    pub node: Option<(NodeReason, Vec<Blocker>)>,
    /// The only objection of the node is this reservation.
    pub reserved_for: Option<(AppId, AskId)>,
}

impl Objections {
    /// The first failed check, apart from reservations.
    pub fn first(&self) -> Option<&Blocker> {
        self.checks.first().or_else(|| self.node.as_ref().and_then(|(_, blockers)| blockers.first()))
    }
}

/// Why one request is tried before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Precedence {
    /// It has a reservation (SCH-134).
    Reservation,
    /// It replaces a placeholder (SCH-143).
    Placeholder,
    /// Its queue precedes a sibling.
    Queue {
        /// The queue of the first request.
        first: QueuePath,
        /// The queue of the other request.
        then: QueuePath,
        /// The first different key.
        by: OrderKey,
    },
    /// Its application precedes another of the leaf.
    App(OrderKey),
    /// It precedes another of its application.
    Ask(OrderKey),
    /// The other request would be first, but is skipped.
    PassedBy,
}

impl fmt::Display for Precedence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |key: &OrderKey| match key {
            OrderKey::Priority => "has a higher priority",
            OrderKey::Share => "has a smaller fair share",
            OrderKey::Pending => "requests more",
            OrderKey::Time => "arrived first",
        };
        match self {
            Self::Reservation => f.write_str("a node is reserved for the request"),
            Self::Placeholder => f.write_str("it replaces a placeholder"),
            Self::Queue { first, then, by: key } => write!(f, "queue {first} {} than {then}", by(key)),
            Self::App(key) => write!(f, "its application {}", by(key)),
            Self::Ask(key) => write!(f, "it {}", by(key)),
            Self::PassedBy => f.write_str("the other request is first, but is skipped"),
        }
    }
}

impl Partition {
    /// The objections at `now`. `None` if the pending request or the node does not exist.
    pub fn objections(&self, now: Time, (app, ask): (&AppId, &AskId), node: &NodeId) -> Option<Objections> {
        match self.settled(now) {
            Some(copy) => copy.objections_settled((app, ask), node),
            None => self.objections_settled((app, ask), node),
        }
    }

    fn objections_settled(&self, (app, ask): (&AppId, &AskId), node: &NodeId) -> Option<Objections> {
        let (app, key) = self.pending_ask(app, ask)?;
        let node = self.nodes.get(self.nodes.find(node)?)?;
        let application = &self.apps[app];
        let ask = &application.asks[key];
        let limits = Limits::of(self, application);
        let path = self.queues.path_up(application.queue);
        let mut checks = self.outside(application.pending.strictly_greater_than_zero(), app, &path);
        checks.extend(self.started_one_at_a_time(app));
        let mut found = Objections::default();
        if can_replace(&application.task_groups, ask) {
            let (gang, open) = self.of_placeholders(application, ask, node);
            checks.extend(gang);
            if open {
                return Some(Objections { checks, ..found });
            }
        } else {
            checks.extend(self.of_applications(app, &limits, &path, Named::NoUser));
            checks.extend(self.of_limits(ask, &limits, Named::NoUser));
            checks.extend(self.of_queues(ask, &path, Named::NoUser));
        }
        found.checks = checks;
        let mut reason = self.failure(node, ask, (app, key));
        if reason == Some(NodeReason::Reserved) {
            let other = node.reservations.iter().find(|reserved| **reserved != (app, key));
            found.reserved_for = other.map(|(app, ask)| {
                let application = &self.apps[*app];
                (application.id.clone(), application.asks[*ask].id.clone())
            });
            reason = self.without_space(node, ask);
        }
        found.node = reason.map(|reason| (reason, self.of_node(node, ask, reason)));
        Some(found)
    }

    /// The bool: whether the request may run on the node of a placeholder.
    fn of_placeholders(&self, app: &Application, ask: &Ask, node: &Node) -> (Option<Blocker>, bool) {
        let Some((name, group)) = ask.replaces_in().and_then(|name| Some((name, app.task_groups.get(name)?))) else {
            return (None, false);
        };
        let large_enough =
            |key: &&AskKey| !app.asks[**key].released && app.asks[**key].resource.at_least(&ask.resource);
        let mut members = group.placeholders.values().filter(large_enough).peekable();
        if members.peek().is_none() {
            let place = Place::TaskGroup(Arc::clone(name));
            let detail = "no placeholder is large enough".to_owned();
            return (Some(Blocker { detail, ..Blocker::of(BlockLevel::Gang, place) }), false);
        }
        let there = members.any(|key| app.asks[*key].allocation.is_some_and(|allocation| allocation.node == node.key));
        (None, there && self.nodes.lets(ask, node.key, false))
    }

    fn of_node(&self, node: &Node, ask: &Ask, reason: NodeReason) -> Vec<Blocker> {
        let blocker = || Blocker::of(BlockLevel::Node, Place::Node(node.id.clone()));
        let close = close(node, ask);
        let detail = match reason {
            NodeReason::Required => {
                let required = ask.rare.required_node.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("it requires node {required}")
            }
            NodeReason::Unschedulable => format!("node {} is unschedulable", node.id),
            NodeReason::Reserved => format!("node {} is reserved", node.id),
            NodeReason::Capacity => format!("node {} is too small even when empty", node.id),
            NodeReason::Free => format!("node {} has too little left", node.id),
            NodeReason::Predicate => self
                .nodes
                .refusal(ask, node.key)
                .unwrap_or_else(|| "the scheduling conditions of the pod exclude the node".to_owned()),
        };
        let shortfall = match reason {
            NodeReason::Capacity => &close.too_small,
            NodeReason::Free => &close.shortfall,
            _ => return vec![Blocker { detail, ..blocker() }],
        };
        let one = |(name, missing): (&str, i64)| Blocker {
            resource: Some(Arc::from(name)),
            limit: node.total.amount(name),
            used: node.total.amount(name).saturating_sub(node.available.amount(name)),
            wanted: ask.resource.amount(name),
            missing,
            detail: detail.clone(),
            ..blocker()
        };
        shortfall.iter().map(one).collect()
    }

    fn pending_ask(&self, app: &AppId, ask: &AskId) -> Option<(AppKey, AskKey)> {
        let app = self.app_key(app)?;
        let key = self.apps[app].ask_key(ask)?;
        let ask = &self.apps[app].asks[key];
        (ask.allocation.is_none() && ask.rare.takes_over.is_none()).then_some((app, key))
    }

    /// Why the pending `first` precedes `then`. `None` if the order is not significant: close times, or only the last
    /// rule of an order (SCH-001).
    pub fn precedence(
        &self,
        first: (&AppId, &AskId),
        then: (&AppId, &AskId),
        same_moment: Duration,
    ) -> Option<Precedence> {
        let ((app, ask), (other_app, other_ask)) =
            (self.pending_ask(first.0, first.1)?, self.pending_ask(then.0, then.1)?);
        let (own, others) = (&self.apps[app], &self.apps[other_app]);
        let reserved = |app: &Application, ask: AskKey| app.reservations.iter().any(|(members, _)| *members == ask);
        if reserved(own, ask) && !reserved(others, other_ask) {
            return Some(Precedence::Reservation);
        }
        let replaces = |app: &Application, ask: AskKey| can_replace(&app.task_groups, &app.asks[ask]);
        if replaces(own, ask) && !replaces(others, other_ask) {
            return Some(Precedence::Placeholder);
        }
        let moment = u64::try_from(same_moment.as_micros()).unwrap_or(u64::MAX).max(1);
        let identical = |one: Time, other: Time| one.0 / moment == other.0 / moment;
        let (found, order) = if own.queue != others.queue {
            let (first, then) = self.siblings(own.queue, others.queue)?;
            let (by, order) = self.queues.apart(first, then)?;
            let path = |key: QueueKey| self.queues[key].path.clone();
            (Precedence::Queue { first: path(first), then: path(then), by }, order)
        } else if app != other_app {
            let (by, order) = own.rank.as_ref()?.apart(others.rank.as_ref()?, identical)?;
            (Precedence::App(by), order)
        } else {
            let (one, other) = (&own.asks[ask], &own.asks[other_ask]);
            let priority = (OrderKey::Priority, other.priority.cmp(&one.priority));
            let created =
                if identical(one.created, other.created) { Ordering::Equal } else { one.created.cmp(&other.created) };
            let (by, order) = [priority, (OrderKey::Time, created)].into_iter().find(|(_, order)| order.is_ne())?;
            (Precedence::Ask(by), order)
        };
        Some(if order.is_lt() { found } else { Precedence::PassedBy })
    }

    fn siblings(&self, one: QueueKey, other: QueueKey) -> Option<(QueueKey, QueueKey)> {
        let down = |leaf: QueueKey| self.queues.path_up(leaf).iter().rev().copied().collect::<Vec<_>>();
        let (one, other) = (down(one), down(other));
        one.into_iter().zip(other).find(|(one, other)| one != other)
    }
}
