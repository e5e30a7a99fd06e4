//! A removed blocker is absent, and the next one is first.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use config::LimitConfig;
use model::{AppId, AskId, NodeId, Profile, Resource, Time};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use scheduler::inspect::explain::types::{AskExplanation, AskStatus, BlockLevel, Blocker, Place, RemedyKind};
use scheduler::usage::Side;
use scheduler::{Command, NodeSpec, Partition, PartitionCommand, Scheduler};

use super::super::commands::{Step, step};
use super::{each_state, explained};

type Removed = BTreeMap<BlockLevel, (u64, u64)>;

fn larger(resource: &Resource, blocker: &Blocker) -> Resource {
    let name = blocker.resource.as_deref().unwrap();
    let mut larger = resource.clone();
    larger.set(name, blocker.limit + blocker.missing);
    larger
}

fn change_limit(part: &mut Partition, app: &AppId, blocker: &Blocker, change: impl Fn(&mut LimitConfig)) -> bool {
    let (side, queue) = match &blocker.place {
        Place::User(_, queue) => (Side::User, part.queues.find(queue).unwrap()),
        Place::Group(_, queue) => (Side::Group, part.queues.find(queue).unwrap()),
        other => panic!("{other:?} is no limit"),
    };
    let key = part.app_key(app).unwrap();
    let bounds = part.apps[key].account.bounds.iter_mut().flatten();
    let Some(bound) = bounds.into_iter().find(|bound| (bound.side, bound.queue) == (side, queue)) else {
        // Decided at the first attempt, which has not happened.
        return false;
    };
    let mut limit = LimitConfig::clone(&bound.limit);
    change(&mut limit);
    bound.limit = Arc::new(limit);
    true
}

fn remove(fork: &mut Scheduler, now: Time, app: &AppId, ask: &AskExplanation, blocker: &Blocker) -> bool {
    let part = &mut fork.partitions_mut()[0];
    let command: Command = match (blocker.level, &blocker.place) {
        (BlockLevel::Queue, Place::Queue(path)) => {
            let key = part.queues.find(path).unwrap();
            part.queues[key].max = part.queues[key].max.as_ref().map(|max| larger(max, blocker));
            return true;
        }
        (BlockLevel::QueueApps, Place::Queue(path)) => {
            let key = part.queues.find(path).unwrap();
            let max = u64::try_from(blocker.limit + blocker.missing).unwrap();
            Arc::make_mut(&mut part.queues[key].settings).max_applications = Some(max);
            return true;
        }
        (BlockLevel::User | BlockLevel::Group, _) => {
            return change_limit(part, app, blocker, |limit| {
                limit.max_resources = limit.max_resources.as_ref().map(|max| larger(max, blocker));
            });
        }
        (BlockLevel::UserApps | BlockLevel::GroupApps, _) => {
            let max = u64::try_from(blocker.limit + blocker.missing).ok();
            return change_limit(part, app, blocker, |limit| limit.max_applications = max);
        }
        (BlockLevel::State | BlockLevel::Priority, Place::App(other, _)) if other != app => {
            PartitionCommand::Remove { app: other.clone() }.into()
        }
        (BlockLevel::Stalled, Place::App(app, Some(ask))) => {
            PartitionCommand::Release { app: app.clone(), ask: ask.clone() }.into()
        }
        (BlockLevel::Partition, _) => add_node(ask.resource.clone()),
        (BlockLevel::Node, _) => match ask.remedies.iter().find_map(|remedy| match &remedy.steps[0] {
            RemedyKind::AddNode { size, .. } => Some(size.clone()),
            _ => None,
        }) {
            Some(size) => add_node(size),
            None => return false,
        },
        _ => return false,
    };
    fork.apply(now, &command);
    true
}

fn add_node(capacity: Resource) -> Command {
    PartitionCommand::AddNode(NodeSpec { id: NodeId::from("spare"), capacity, ..NodeSpec::default() }).into()
}

fn is_served(blockers: &[Blocker]) -> bool {
    blockers.iter().all(|blocker| matches!(blocker.level, BlockLevel::Priority | BlockLevel::Stalled))
}

/// `None` if the blocker cannot be removed, an inner `None` if the request is no longer pending.
pub fn without(
    scheduler: &Scheduler,
    now: Time,
    (app, ask): (&AppId, &AskId),
    found: &AskExplanation,
    blocker: &Blocker,
) -> Option<Option<AskExplanation>> {
    let mut fork = scheduler.clone();
    if !remove(&mut fork, now, app, found, blocker) {
        return None;
    }
    fork.forget_shortcuts();
    Some(again(&fork, now, app, ask))
}

/// Whether two blockers are the same check at the same place.
pub fn is_same(one: &Blocker, other: &Blocker) -> bool {
    let all = |blocker: &Blocker| (blocker.level, blocker.place.clone(), blocker.resource.clone());
    all(one) == all(other)
}

fn remove_each(scheduler: &Scheduler, now: Time, removed: &mut Removed) {
    for ((app, ask), found) in explained(scheduler, now) {
        if found.resource.iter().any(|(_, amount)| amount > 1 << 40) {
            continue;
        }
        for blocker in &found.blockers {
            let Some(Some(after)) = without(scheduler, now, (&app, &ask), &found, blocker) else { continue };
            let context = || format!("{app} {ask}: {blocker:?}\nof {found:#?}\nafterwards {after:#?}");
            assert!(!after.blockers.iter().any(|other| is_same(other, blocker)), "it is still there: {}", context());
            let count = removed.entry(blocker.level).or_default();
            count.0 += 1;
            if found.blockers.len() == 1 {
                count.1 += 1;
                assert!(is_served(&after.blockers), "it was the only one: {}", context());
            }
        }
        let remedies = found.remedies.iter().filter(|remedy| remedy.enough);
        for size in
            remedies.filter_map(|r| if let RemedyKind::AddNode { size, .. } = &r.steps[0] { Some(size) } else { None })
        {
            let mut fork = scheduler.clone();
            fork.apply(now, &add_node(size.clone()));
            let after = again(&fork, now, &app, &ask).unwrap();
            assert!(is_served(&after.blockers), "a node of {size} was promised to do: {found:#?}\nbut {after:#?}");
        }
    }
}

fn again(fork: &Scheduler, now: Time, app: &AppId, ask: &AskId) -> Option<AskExplanation> {
    let found = fork.partitions()[0].explain(now, app, Some(ask))?;
    found.asks.into_iter().next().filter(|ask| ask.status == AskStatus::Waits)
}

#[test]
fn a_blocker_that_is_taken_away_leaves_the_next_one() {
    let config = ProptestConfig { cases: 90, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let removed = RefCell::new(Removed::new());
    let strategy = (prop::sample::select(&Profile::ALL), 0..3usize, prop::collection::vec(step(), 1..100));
    let outcome = runner.run(&strategy, |(profile, first, steps): (Profile, usize, Vec<Step>)| {
        each_state(first, profile, &steps, |scheduler, now| remove_each(scheduler, now, &mut removed.borrow_mut()));
        Ok(())
    });
    outcome.unwrap();
    let removed = removed.into_inner();
    for level in [BlockLevel::UserApps, BlockLevel::User] {
        assert!(removed.get(&level).is_some_and(|(all, _)| *all > 5), "{level:?}: {removed:?}");
    }
    for level in [BlockLevel::QueueApps, BlockLevel::Stalled, BlockLevel::Group, BlockLevel::Queue, BlockLevel::Node] {
        assert!(removed.get(&level).is_some_and(|(all, only)| *all > 20 && *only > 0), "{level:?}: {removed:?}");
    }
}
