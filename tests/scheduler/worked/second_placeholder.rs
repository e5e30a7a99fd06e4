//! SCH-151, SCH-157: a second placeholder waits 15 s before it preempts if victims stop slowly. The first one's node is
//! reserved until then, and no other is found; releases do the same.

use std::sync::Arc;
use std::time::Duration;

use model::{Identity, Profile, Resource, Time};
use scheduler::{AskSpec, Command, EventKind, NodeSpec, PartitionCommand, Scheduler, Submission, Tuning};

use super::stage::open_root;

fn cores(vcore: i64) -> Resource {
    super::stage::cores(vcore)
}

/// A scheduler that waits for confirmed stops; gang y requests two placeholders of one core.
fn gang(profile: Profile, nodes: &[&str]) -> Scheduler {
    let config = open_root(
        "{name: a, resources: {guaranteed: {vcore: 1}}}, {name: b, resources: {guaranteed: {vcore: 4}}, properties: {preemption.delay: 1s}}",
    );
    let config = config::read(&config, profile).config.expect("it is valid");
    let mut scheduler = Scheduler::tuned(profile, Tuning { awaits_stops: true, ..Tuning::default() });
    let mut play = |command: Command| scheduler.apply(Time::ZERO, &command);
    play(Command::Configure(Arc::new(config)));
    for id in nodes {
        play(
            PartitionCommand::AddNode(NodeSpec { id: (*id).into(), capacity: cores(3), ..NodeSpec::default() }).into(),
        );
    }
    let submission = |app: &str, queue: &str, gang: i64| Submission {
        app: app.into(),
        queue: queue.to_owned(),
        who: Identity::new("sue", ["dev"]),
        placeholder_ask: cores(gang),
        ..Submission::default()
    };
    let ask = |app: &str, id: &str, count| AskSpec {
        app: app.into(),
        id: id.into(),
        count,
        resource: cores(1),
        ..AskSpec::default()
    };
    let victims = AskSpec { allow_preempt_self: true, ..ask("x", "t", 3 * nodes.len() as u32) };
    play(PartitionCommand::Submit(submission("x", "root.a", 0)).into());
    play(PartitionCommand::Ask(victims).into());
    (0..3 * nodes.len()).for_each(|_| drop(play(Command::Cycle)));
    play(PartitionCommand::Submit(submission("y", "root.b", 2)).into());
    let placeholders =
        AskSpec { placeholder: true, task_group: Some("g".into()), allow_preempt_other: true, ..ask("y", "p", 2) };
    play(PartitionCommand::Ask(placeholders).into());
    scheduler
}

fn cycle(scheduler: &mut Scheduler, ms: u64, stops: bool) -> Vec<String> {
    let now = Time::ZERO + Duration::from_millis(ms);
    let events = scheduler.apply(now, &Command::Cycle);
    let mut found = Vec::new();
    for event in &events {
        match &event.kind {
            EventKind::Preempted { by_ask, app, ask, .. } => {
                found.push(format!("{by_ask} preempts"));
                if stops {
                    let release = PartitionCommand::Release { app: app.clone(), ask: ask.clone() };
                    scheduler.apply(now, &release.into());
                }
            }
            EventKind::Allocated { ask, .. } => found.push(format!("{ask} is allocated")),
            _ => {}
        }
    }
    found
}

#[test]
fn sch_151_a_second_placeholder_waits_for_15_s_if_it_tried_while_the_node_was_reserved() {
    for profile in Profile::ALL {
        let mut scheduler = gang(profile, &["n1"]);
        assert_eq!(cycle(&mut scheduler, 1_000, false), ["p-1 preempts"], "{profile}");
        assert_eq!(cycle(&mut scheduler, 1_100, false), [""; 0], "{profile}: p-2 tries, and n1 is reserved for p-1");
        for ask in ["t-1", "t-2", "t-3"] {
            let release = PartitionCommand::Release { app: "x".into(), ask: ask.into() };
            let has_events = |events: Vec<_>| !events.is_empty();
            let victim = scheduler.partitions()[0].apps.iter().flat_map(|(_, app)| app.asks.iter().map(|(_, ask)| ask));
            let preempted = victim.filter(|a| a.id.as_str() == ask).any(|a| a.allocation.is_some_and(|a| a.preempted));
            if preempted {
                assert!(has_events(scheduler.apply(Time::ZERO + Duration::from_secs(2), &release.into())));
            }
        }
        assert_eq!(cycle(&mut scheduler, 2_100, false), ["p-1 is allocated"], "{profile}");
        for ms in [2_200, 5_000, 16_099] {
            assert_eq!(cycle(&mut scheduler, ms, false), [""; 0], "{profile}: p-2 tried at 1.1 s");
        }
        assert_eq!(cycle(&mut scheduler, 16_100, false), ["p-2 preempts"], "{profile}");
    }
}

#[test]
fn sch_151_a_second_placeholder_does_not_wait_if_victims_stop_at_once_or_another_node_has_some() {
    for profile in Profile::ALL {
        let mut scheduler = gang(profile, &["n1"]);
        let found: Vec<_> = (0..4).flat_map(|n| cycle(&mut scheduler, 1_000 + 100 * n, true)).collect();
        let want = ["p-1 preempts", "p-1 is allocated", "p-2 preempts", "p-2 is allocated"];
        assert_eq!(found, want, "{profile}");
        let mut scheduler = gang(profile, &["n1", "n2"]);
        let found: Vec<_> = (0..2).flat_map(|n| cycle(&mut scheduler, 1_000 + 100 * n, false)).collect();
        assert_eq!(found, ["p-1 preempts", "p-2 preempts"], "{profile}: each on a node of its own");
    }
}
