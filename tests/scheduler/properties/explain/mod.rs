//! Explanations predict the next cycle: a request is allocated if and only if it has no blocker. [`overview`] checks
//! groups, [`recorded`] recorded scenarios, [`removal`] removed blockers.

mod overview;
mod recorded;
mod removal;

use std::collections::BTreeMap;
use std::time::Duration;

use model::{AppId, AskId, Profile, Time};
use proptest::prelude::*;
use scheduler::inspect::explain::types::{AskExplanation, AskStatus, BlockLevel, Blocker};
use scheduler::state::ask_log::TryResult;
use scheduler::{Command, Event, EventKind, Scheduler, Tuning};

use crate::common::share;

use super::commands::{GUARANTEES, Step, gang_step, run_on, step};

type Explained = BTreeMap<(AppId, AskId), AskExplanation>;

/// Runs one allocation per cycle, so that an event is a decision.
fn each_state(first: usize, profile: Profile, steps: &[Step], mut look: impl FnMut(&Scheduler, Time)) {
    let tuning = Tuning { stuck_after: Duration::from_secs(100), ..Tuning::default() };
    run_on(first, profile, tuning, steps.iter().cloned(), |scheduler, now, _| {
        look(scheduler, now);
        true
    });
}

fn explained(scheduler: &Scheduler, now: Time) -> Explained {
    let partition = &scheduler.partitions()[0];
    let mut all = Explained::new();
    for (_, app) in partition.apps.iter() {
        for (_, ask) in app.asks.iter() {
            if app.asks.iter().filter(|(_, other)| other.id == ask.id).count() > 1 {
                continue;
            }
            let found = partition.explain(now, &app.id, Some(&ask.id)).expect("the ask is there");
            let [one] = found.asks.as_slice() else { panic!("one ask was asked for: {found:?}") };
            if one.status == AskStatus::Waits {
                all.insert((app.id.clone(), ask.id.clone()), one.clone());
            }
        }
    }
    all
}

/// A cycle on a copy without remembered failures, and its allocations.
fn cycle(scheduler: &Scheduler, now: Time) -> (Scheduler, Vec<(AppId, AskId)>, Vec<Event>) {
    let mut fork = scheduler.clone();
    fork.forget_shortcuts();
    for (_, app) in fork.partitions_mut()[0].apps.iter_mut() {
        app.asks.iter_mut().for_each(|(_, ask)| ask.tried = TryResult::Never);
    }
    let events = fork.apply(now, &Command::Cycle);
    let served = events.iter().filter_map(|event| match &event.kind {
        EventKind::Allocated { app, ask, .. } | EventKind::Replacing { app, ask, .. } => {
            Some((app.clone(), ask.clone()))
        }
        _ => None,
    });
    let served = served.collect();
    (fork, served, events)
}

fn compare(scheduler: &Scheduler, now: Time) -> BTreeMap<BlockLevel, u64> {
    let all = explained(scheduler, now);
    let (fork, served, events) = cycle(scheduler, now);
    let mut agreed = BTreeMap::new();
    for ((app, ask), found) in &all {
        let was_served = served.contains(&(app.clone(), ask.clone()));
        let context = || format!("{app} {ask} at {now}: {found:#?}\nbut {served:?}\n{events:#?}");
        assert_eq!(found.blockers.is_empty(), was_served, "{}", context());
        let partition = &fork.partitions()[0];
        let Some(application) = partition.app_key(app).map(|key| &partition.apps[key]) else { continue };
        let Some(tried) = application.ask_key(ask).map(|key| application.asks[key].tried) else { continue };
        // A cycle stops at the blocker that is checked first.
        let Some(first) = found.blockers.iter().map(|blocker| blocker.level).min() else { continue };
        let ordered = found.blockers.is_sorted_by_key(Blocker::resolution);
        assert!(ordered, "{}", context());
        let fits = match tried {
            TryResult::Never => continue,
            TryResult::UserQuota => matches!(first, BlockLevel::User | BlockLevel::Group),
            TryResult::QueueQuota => first == BlockLevel::Queue,
            // 1.5.1 tries every node in vain if usage exceeds a maximum (D-22).
            TryResult::NoNode => {
                let of_commit = found.blockers.iter().any(|one| one.level == BlockLevel::Queue && one.wanted == 0);
                first == BlockLevel::Node || first == BlockLevel::Queue && of_commit
            }
            TryResult::Placeholder => first == BlockLevel::Gang,
            TryResult::Turn => first == BlockLevel::Priority,
        };
        assert!(fits, "tried: {tried:?}; {}", context());
        *agreed.entry(first).or_default() += 1;
    }
    agreed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(40, 4), ..ProptestConfig::default() })]

    #[test]
    fn the_next_cycle_does_what_is_explained(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..100),
    ) {
        each_state(0, profile, &steps, |scheduler, now| {
            compare(scheduler, now);
            overview::compare(scheduler, now);
        });
    }

    #[test]
    fn the_next_cycle_does_what_is_explained_of_gangs(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(gang_step(), 1..100),
    ) {
        each_state(0, profile, &steps, |scheduler, now| {
            compare(scheduler, now);
            overview::compare(scheduler, now);
        });
    }

    #[test]
    fn the_next_cycle_does_what_is_explained_where_much_is_preempted(
        profile in prop::sample::select(&Profile::ALL),
        steps in super::busy(),
    ) {
        each_state(GUARANTEES, profile, &steps, |scheduler, now| {
            compare(scheduler, now);
            overview::compare(scheduler, now);
        });
    }
}
