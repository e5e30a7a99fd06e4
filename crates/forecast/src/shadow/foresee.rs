//! The next decision of kornsole, on a fork: cycles up to the first that allocates or frees something.

use std::collections::BTreeSet;

use model::{AppId, AskId, NodeId, Time};
use scheduler::{Command, Event, EventKind, Partition, PartitionCommand, ReleaseReason, Scheduler};

/// So many cycles are tried at most: those before a decision only reserve nodes.
const MOST_CYCLES: u64 = 64;

/// An ask of an application.
pub(super) type AskOf = (AppId, AskId);

/// What kornsole does next.
#[derive(Debug)]
pub(super) struct Foreseen {
    /// The state right before it: with the reservations that cycles made meanwhile.
    pub quiet: Scheduler,
    /// `None`: nothing, before something changes.
    pub next: Option<Next>,
    /// How many cycles that takes.
    pub cycles: u64,
}

/// A decision of kornsole.
#[derive(Debug)]
pub(super) struct Next {
    /// What is allocated, and where.
    pub allocates: Option<(AskOf, NodeId)>,
    /// The placeholder that gives way for it.
    pub replaces: Option<AskId>,
    /// What goes for others: victims of preemption, placeholders that are too small.
    pub frees: BTreeSet<AskOf>,
    /// The state after it.
    pub after: Scheduler,
}

/// A fork with the partition of pods; `None` if it no longer exists.
fn fork(scheduler: &mut Scheduler, partition: &str) -> Option<Scheduler> {
    scheduler.share();
    scheduler.fork(partition)
}

/// What kornsole does next at a time. What is in `gone` has gone already, and is only confirmed by that.
pub(super) fn foresee(
    scheduler: &mut Scheduler,
    partition: &str,
    at: Time,
    gone: &impl Fn(&AskOf) -> bool,
) -> Option<Foreseen> {
    foresee_in(scheduler, partition, at, gone, MOST_CYCLES)
}

/// The same in at most this many cycles.
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

/// The decision in the events of a cycle; `None`: there is none.
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

/// Takes a pending ask out of a scheduler that is only tried.
pub(super) fn withdraw(scheduler: &mut Scheduler, at: Time, (app, ask): &AskOf) {
    let release = PartitionCommand::Release { app: app.clone(), ask: ask.clone() };
    scheduler.apply(at, &Command::from(release));
}

/// The partition of a scheduler.
pub(super) fn part<'s>(scheduler: &'s Scheduler, partition: &str) -> Option<&'s Partition> {
    scheduler.partitions().iter().find(|part| *part.name == *partition)
}
