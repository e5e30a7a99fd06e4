//! Predicts kornsole's next decision on a fork.

use std::collections::BTreeSet;

use model::{AppId, AskId, NodeId, Time};
use scheduler::{Command, Event, EventKind, Partition, PartitionCommand, ReleaseReason, Scheduler};

/// Cycles before a decision only reserve nodes.
const MOST_CYCLES: u64 = 64;

pub(super) type AskOf = (AppId, AskId);

#[derive(Debug)]
pub(super) struct Foreseen {
    /// With reservations of earlier cycles.
    pub quiet: Scheduler,
    /// `None`: nothing, until something changes.
    pub next: Option<Next>,
    pub cycles: u64,
}

#[derive(Debug)]
pub(super) struct Next {
    pub allocates: Option<(AskOf, NodeId)>,
    pub replaces: Option<AskId>,
    /// Preemption victims, and placeholders that are too small.
    pub frees: BTreeSet<AskOf>,
    pub after: Scheduler,
}

fn fork(scheduler: &mut Scheduler, partition: &str) -> Option<Scheduler> {
    scheduler.share();
    scheduler.fork(partition)
}

/// Allocations in `gone` have ended already; freeing them is no decision.
pub(super) fn foresee(
    scheduler: &mut Scheduler,
    partition: &str,
    at: Time,
    gone: &impl Fn(&AskOf) -> bool,
) -> Option<Foreseen> {
    foresee_in(scheduler, partition, at, gone, MOST_CYCLES)
}

pub(super) fn foresee_in(
    scheduler: &mut Scheduler,
    partition: &str,
    at: Time,
    gone: &impl Fn(&AskOf) -> bool,
    most: u64,
) -> Option<Foreseen> {
    let mut quiet = fork(scheduler, partition)?;
    for cycles in 1..=most {
        let mut tried = fork(&mut quiet, partition)?;
        let events = tried.apply(at, &Command::Cycle);
        let moved = events.iter().any(|event| {
            matches!(event.kind, EventKind::Reserved { .. } | EventKind::Unreserved { .. } | EventKind::Released { .. })
        });
        match next(&events) {
            Some((allocates, replaces, frees)) if allocates.is_some() || !frees.iter().all(gone) => {
                return Some(Foreseen { quiet, next: Some(Next { allocates, replaces, frees, after: tried }), cycles });
            }
            _ if moved => quiet = tried,
            _ => return Some(Foreseen { quiet: tried, next: None, cycles }),
        }
    }
    Some(Foreseen { quiet, next: None, cycles: most })
}

type Parts = (Option<(AskOf, NodeId)>, Option<AskId>, BTreeSet<AskOf>);

fn next(events: &[Event]) -> Option<Parts> {
    let (mut allocates, mut replaces, mut frees) = (None, None, BTreeSet::new());
    for event in events {
        match &event.kind {
            EventKind::Allocated { app, ask, node, .. } if allocates.is_none() => {
                allocates = Some(((app.clone(), ask.clone()), node.clone()));
            }
            EventKind::Replacing { placeholder, .. } => replaces = Some(placeholder.clone()),
            EventKind::Released { app, ask, reason, .. } if *reason != ReleaseReason::Replaced => {
                frees.insert((app.clone(), ask.clone()));
            }
            EventKind::Preempted { app, ask, .. }
            | EventKind::QuotaPreempted { app, ask, .. }
            | EventKind::PlaceholderTooSmall { app, placeholder: ask, .. } => {
                frees.insert((app.clone(), ask.clone()));
            }
            _ => {}
        }
    }
    (allocates.is_some() || !frees.is_empty()).then_some((allocates, replaces, frees))
}

pub(super) fn cancel(scheduler: &mut Scheduler, at: Time, (app, ask): &AskOf) {
    let release = PartitionCommand::Release { app: app.clone(), ask: ask.clone() };
    scheduler.apply(at, &Command::from(release));
}

pub(super) fn part<'s>(scheduler: &'s Scheduler, partition: &str) -> Option<&'s Partition> {
    scheduler.partitions().iter().find(|part| *part.name == *partition)
}
