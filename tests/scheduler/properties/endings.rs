//! A large application ends in parts, with the same result.

use model::{AppState, Identity, Profile, Time};
use proptest::prelude::*;
use scheduler::inspect::invariants;
use scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, PartitionCommand, Scheduler, Submission, Tuning};

use super::commands::{gang_step, run_on, step};
use super::saved::again;
use crate::common::millicores;

fn tuned(ending_at_once: usize) -> Tuning {
    Tuning { ending_at_once, ..Tuning::default() }
}

fn finish(scheduler: &mut Scheduler, now: Time) -> Vec<Event> {
    let mut events = Vec::new();
    while scheduler.is_unfinished() {
        let wrong = invariants::violations(scheduler);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        events.extend(scheduler.apply(now, &Command::Continue));
    }
    events
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn in_parts_it_ends_as_at_once(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(prop_oneof![step(), gang_step()], 1..120),
        at_once in 1..4usize,
    ) {
        let history = |at_once| {
            let mut all = Vec::new();
            run_on(0, profile, tuned(at_once), steps.iter().cloned(), |scheduler, now, events| {
                all.extend_from_slice(events);
                all.extend(finish(scheduler, now));
                true
            });
            all
        };
        prop_assert_eq!(history(at_once), history(usize::MAX));
    }

    #[test]
    fn counters_are_consistent_after_any_events_between_two_parts(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(prop_oneof![step(), gang_step()], 1..120),
        at_once in 1..4usize,
    ) {
        run_on(0, profile, tuned(at_once), steps.into_iter(), |scheduler, _, _| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            true
        });
    }
}

fn stage() -> Scheduler {
    let text =
        "partitions: [{name: default, queues: [{name: root, submitacl: '*', adminacl: '*', queues: [{name: a}]}]}]";
    let mut scheduler = Scheduler::tuned(Profile::Kornsole, tuned(2));
    let config = config::read(text, Profile::Kornsole).config.unwrap();
    scheduler.apply(Time::ZERO, &Command::Configure(config.into()));
    let node = NodeSpec { id: "n".into(), capacity: millicores(5), ..NodeSpec::default() };
    scheduler.apply(Time::ZERO, &PartitionCommand::AddNode(node).into());
    for (app, count) in [("big", 3), ("other", 2)] {
        let submission =
            Submission { app: app.into(), queue: "root.a".to_owned(), who: sue(), ..Submission::default() };
        scheduler.apply(Time::ZERO, &PartitionCommand::Submit(submission).into());
        scheduler.apply(Time::ZERO, &ask(app, "t", count));
        while scheduler.apply(Time::ZERO, &Command::Cycle).iter().any(Event::is_activity) {}
    }
    scheduler.apply(Time::ZERO, &ask("big", "more", 3));
    scheduler
}

fn sue() -> Identity {
    Identity::new("sue", ["dev"])
}

fn ask(app: &str, id: &str, count: u32) -> Command {
    let spec = AskSpec { app: app.into(), id: id.into(), count, resource: millicores(1), ..AskSpec::default() };
    PartitionCommand::Ask(spec).into()
}

fn kill() -> Command {
    PartitionCommand::Kill { app: "big".into(), by: sue(), reason: String::new() }.into()
}

fn remove() -> Command {
    PartitionCommand::Remove { app: "big".into() }.into()
}

fn released(events: &[Event]) -> usize {
    let gone = |event: &&Event| matches!(event.kind, EventKind::Released { .. } | EventKind::AskRemoved { .. });
    events.iter().filter(gone).count()
}

fn state(scheduler: &Scheduler) -> Option<AppState> {
    scheduler.partitions()[0].app(&"big".into()).map(|app| app.state)
}

#[test]
fn a_finished_application_uses_nothing_and_ends_once() {
    for (end, last) in [(kill(), AppState::Failed), (remove(), AppState::Completed)] {
        let mut scheduler = stage();
        assert_eq!(released(&scheduler.apply(Time::ZERO, &end)), 2);
        assert!(scheduler.is_unfinished() && state(&scheduler).is_some());
        let refusals = [
            (ask("big", "late", 1), "accepts no requests"),
            (kill(), if last == AppState::Failed { "already Failed" } else { "already Completed" }),
            (remove(), "no active application"),
        ];
        for (command, why) in refusals {
            let message = scheduler.apply(Time::ZERO, &command);
            assert_eq!(released(&message), 0);
            assert!(format!("{message:?}").contains(why), "{message:?} for {command:?}");
        }
        let message = scheduler.apply(Time::ZERO, &ask("other", "more", 1));
        assert!(matches!(message[0].kind, EventKind::AskAdded { .. }), "{message:?}");
        let mut restored = again(Profile::Kornsole, &scheduler);
        for scheduler in [&mut scheduler, &mut restored] {
            assert_eq!(released(&finish(scheduler, Time::ZERO)), 4);
            assert_eq!(state(scheduler), None);
            assert_eq!(scheduler.partitions()[0].ended_app(&"big".into()).unwrap().state, last);
            assert_eq!(scheduler.apply(Time::ZERO, &Command::Continue), []);
        }
    }
}

#[test]
fn a_cycle_and_a_reload_find_it_ended() {
    let empty = config::read(config::DEFAULT_CONFIG, Profile::Kornsole).config.unwrap();
    for command in [Command::Cycle, Command::Configure(empty.into())] {
        let mut scheduler = stage();
        scheduler.apply(Time::ZERO, &kill());
        scheduler.apply(Time::ZERO, &ask("other", "more", 3));
        let message = scheduler.apply(Time::ZERO, &command);
        assert_eq!((released(&message), state(&scheduler), scheduler.is_unfinished()), (4, None, false));
    }
}
