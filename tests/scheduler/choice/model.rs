//! The result of a cycle, without gangs, required nodes, and preemption.

use std::cell::Cell;
use std::time::Duration;

use config::NodeSortPolicy;
use model::{AppId, AppState, AskId, NodeId, Profile, Time};
use proptest::prelude::*;
use proptest::test_runner::{TestRunner, contextualize_config};
use scheduler::index::{AppKey, AskKey};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::state::node::Node;
use scheduler::state::queue::{Queue, ROOT};
use scheduler::{Command, EventKind, Partition, Scheduler};

use crate::common::share;

use super::order;
use super::stream::{self, Asks};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Choice {
    Nothing,
    Allocate(AppId, AskId, NodeId),
    Reserve(AppId, AskId, NodeId),
}

struct Model<'s> {
    partition: &'s Partition,
    profile: Profile,
    nodes: NodeSortPolicy,
    now: Time,
}

impl<'s> Model<'s> {
    /// SCH-041, SCH-042 without placeholders.
    fn choice(&self) -> Choice {
        let root = &self.partition.queues[ROOT];
        if root.max.is_none() || !root.pending.strictly_greater_than_zero() {
            return Choice::Nothing;
        }
        let reserved = || self.leaves(root).into_iter().find_map(|leaf| self.reserved(leaf));
        let normal = || self.leaves(root).into_iter().find_map(|leaf| self.normal(leaf));
        reserved().or_else(normal).unwrap_or(Choice::Nothing)
    }

    /// The leaves with pending requests, in scheduling order (SCH-050).
    fn leaves(&self, queue: &'s Queue) -> Vec<&'s Queue> {
        if queue.leaf {
            return vec![queue];
        }
        let children = order::children(self.partition, self.profile, queue.key);
        children.into_iter().flat_map(|child| self.leaves(&self.partition.queues[child])).collect()
    }

    fn path(&self, leaf: &'s Queue) -> Vec<&'s Queue> {
        std::iter::successors(Some(leaf), |queue| Some(&self.partition.queues[queue.parent?])).collect()
    }

    /// SCH-110.
    fn may_run(&self, leaf: &'s Queue, app: &Application) -> bool {
        app.state != AppState::Accepted
            || self.path(leaf).iter().all(|queue| match queue.settings.max_applications {
                None => true,
                Some(most) => {
                    let other_ask = &queue.allocating_accepted;
                    other_ask.contains(&app.id) || queue.running + (other_ask.len() as u64) < most
                }
            })
    }

    /// Checks each level individually (SCH-100, SCH-101).
    fn fits_queues(&self, leaf: &'s Queue, ask: &Ask) -> bool {
        self.path(leaf).iter().all(|queue| {
            let Some(max) = &queue.max else { return true };
            let short = |(name, wanted): (&str, i64)| {
                max.get(name).is_some_and(|max| wanted > (max - queue.allocated.amount(name)).max(0) && wanted > 0)
            };
            !ask.resource.iter().any(short)
        })
    }

    /// SCH-095, D-22: in 1.5.1 a queue above its maximum blocks its subtree.
    fn may_commit(&self, leaf: &'s Queue) -> bool {
        let within = |queue: &Queue| {
            let max = |name: &str| queue.max.as_ref().and_then(|max| max.get(name));
            queue.allocated.iter().all(|(name, used)| max(name).is_none_or(|max| used <= max.max(0)))
        };
        self.profile != Profile::V1_5_1 || self.path(leaf).into_iter().all(within)
    }

    /// SCH-090: by score, then ID (after a resize at the old position, D-23).
    fn open_nodes(&self) -> Vec<&'s Node> {
        let score = |node: &Node| {
            let shares = ["memory", "vcore"].into_iter().filter_map(|name| {
                let share = 1.0 - node.available.amount(name) as f64 / node.total.get(name)? as f64;
                (!share.is_nan()).then_some(share)
            });
            let (sum, count) = shares.fold((0.0, 0.0), |(sum, count), share| (sum + share, count + 1.0));
            let usage = if count == 0.0 { 0.0 } else { sum / count };
            let score = if self.nodes == NodeSortPolicy::Fair { usage } else { 1.0 - usage };
            // The bits of floats sort like the floats; negative ones are reversed.
            let bits = (score + 0.0).to_bits().cast_signed();
            node.stale_place().unwrap_or(if bits < 0 { bits ^ i64::MAX } else { bits })
        };
        let given_up = |(app, ask): &(AppKey, AskKey)| self.is_given_up(&self.partition.apps[*app], *ask);
        let mut nodes: Vec<&Node> = self.partition.nodes.iter().collect();
        nodes.sort_by(|l, r| score(l).cmp(&score(r)).then_with(|| l.id.cmp(&r.id)));
        nodes.retain(|node| node.schedulable && node.reservations.iter().all(given_up));
        nodes
    }

    /// SCH-134: released before the normal step.
    fn is_given_up(&self, app: &Application, other_ask: AskKey) -> bool {
        let leaf = &self.partition.queues[app.queue];
        let examined = leaf.pending.strictly_greater_than_zero() && self.may_run(leaf, app);
        examined && last(app, other_ask).allocation.is_some()
    }

    /// Pending requests: highest priority, then oldest, then by arrival (SCH-080).
    fn asks(app: &'s Application) -> Vec<&'s Ask> {
        let mut asks: Vec<&Ask> = app.asks.iter().map(|(_, ask)| ask).filter(|a| a.allocation.is_none()).collect();
        asks.sort_by_key(|ask| (std::cmp::Reverse(ask.priority), ask.created, ask.arrival));
        asks
    }

    /// SCH-134.
    fn reserved(&self, leaf: &'s Queue) -> Option<Choice> {
        let mut apps: Vec<&Application> = leaf.apps.iter().map(|key| &self.partition.apps[*key]).collect();
        apps.retain(|app| !app.reservations.is_empty());
        apps.sort_by_key(|app| (app.submitted, app.id.clone()));
        for app in apps.into_iter().filter(|app| self.may_run(leaf, app)) {
            let other_ask = || app.reservations.iter().map(|(ask, node)| (*ask, &self.partition.nodes[*node]));
            let other_ask = || other_ask().filter(|(ask, _)| last(app, *ask).allocation.is_none());
            let counted = || other_ask().map(|(ask, node)| (last(app, ask), node));
            let counted = || counted().filter(|(ask, _)| self.fits_queues(leaf, ask));
            // The reserved node is for the current request, others for the original one (D-23).
            let made_for = || other_ask().map(|(ask, _)| &app.asks[ask]).filter(|ask| self.fits_queues(leaf, ask));
            let allocate = |ask: &Ask, node: &Node| Choice::Allocate(app.id.clone(), ask.id.clone(), node.id.clone());
            if !self.may_commit(leaf) {
                continue;
            }
            if let Some((ask, node)) = counted().find(|(ask, node)| node.available.fit_in(&ask.resource)) {
                return Some(allocate(ask, node));
            }
            for ask in made_for() {
                if let Some(node) = self.open_nodes().into_iter().find(|node| node.available.fit_in(&ask.resource)) {
                    return Some(allocate(ask, node));
                }
            }
        }
        None
    }

    /// SCH-081 to SCH-083, SCH-093, SCH-130.
    fn normal(&self, leaf: &'s Queue) -> Option<Choice> {
        for app in order::applications(self.partition, self.profile, leaf) {
            if !self.may_run(leaf, app) {
                continue;
            }
            for ask in Self::asks(app).into_iter().filter(|ask| self.fits_queues(leaf, ask)) {
                let mut nodes = self.open_nodes();
                nodes.retain(|node| node.total.fit_in(&ask.resource));
                let (id, key) = (app.id.clone(), ask.id.clone());
                if let Some(node) = nodes.iter().find(|node| node.available.fit_in(&ask.resource))
                    && self.may_commit(leaf)
                {
                    return Some(Choice::Allocate(id, key, node.id.clone()));
                }
                let mut other_ask = app.reservations.iter().filter(|(other_ask, _)| !self.is_given_up(app, *other_ask));
                let has_reservation = other_ask.any(|(other_ask, _)| app.asks[*other_ask].id == ask.id);
                if has_reservation || self.now.since(ask.created) <= Duration::from_secs(2) {
                    continue;
                }
                let mut best: Option<(f64, &Node)> = None;
                for node in nodes {
                    let score = ask.resource.fit_in_score(&node.available);
                    if best.is_none_or(|(lowest, _)| score < lowest) {
                        best = Some((score, node));
                    }
                }
                if let Some((_, node)) = best {
                    return Some(Choice::Reserve(id, key, node.id.clone()));
                }
            }
        }
        None
    }
}

/// The latest request with the ID, by which the releases identify it (D-23).
fn last(app: &Application, other_ask: AskKey) -> &Ask {
    let other_ask = &app.asks[other_ask];
    let namesakes = app.asks.iter().map(|(_, ask)| ask).filter(|ask| ask.id == other_ask.id);
    if other_ask.superseded { namesakes.max_by_key(|ask| ask.arrival).unwrap() } else { other_ask }
}

#[test]
fn a_cycle_selects_what_the_specification_requires() {
    let (allocated, reserved, nothing) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let config =
        ProptestConfig { cases: share::so_many(300, 4), failure_persistence: None, ..ProptestConfig::default() };
    let config = contextualize_config(config);
    let cases = config.cases;
    let mut runner = TestRunner::new(config);
    let policies = [(NodeSortPolicy::Fair, "fair"), (NodeSortPolicy::BinPacking, "binpacking")];
    let given = (
        prop::sample::select(&Profile::ALL),
        prop::sample::select(policies.to_vec()),
        prop::collection::vec((0..6usize, 0..5usize, 0..3usize), 1..12),
        stream::steps(Asks::Plain, 120),
    );
    let outcome = runner.run(&given, |(profile, (nodes, policy), setups, steps)| {
        let config = stream::config(profile, policy, &setups);
        stream::run(&mut Scheduler::new(profile), &config, &steps, |scheduler, now| {
            let expected = Model { partition: &scheduler.partitions()[0], profile, nodes, now }.choice();
            let events = scheduler.apply(now, &Command::Cycle);
            let found = events.iter().find_map(|event| match &event.kind {
                EventKind::Allocated { app, ask, node, .. } => {
                    Some(Choice::Allocate(app.clone(), ask.clone(), node.clone()))
                }
                EventKind::Reserved { app, ask, node, .. } => {
                    Some(Choice::Reserve(app.clone(), ask.clone(), node.clone()))
                }
                _ => None,
            });
            assert_eq!(found.unwrap_or(Choice::Nothing), expected, "{profile} at {now}");
            let count = match expected {
                Choice::Nothing => &nothing,
                Choice::Allocate(..) => &allocated,
                Choice::Reserve(..) => &reserved,
            };
            count.set(count.get() + 1);
            events
        });
        Ok(())
    });
    outcome.unwrap();
    let found = (allocated.get(), reserved.get(), nothing.get());
    assert!(found.0 > 13 * cases && found.1 > cases / 3 && found.2 > 13 * cases, "too little of something: {found:?}");
}
