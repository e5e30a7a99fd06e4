//! Invalid commands are rejected with a reason and change nothing.

use model::{Identity, Profile, Resource, Time};
use proptest::prelude::*;
use scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, Partition, PartitionCommand, Scheduler, Submission};

use super::commands::{self, run, step};

fn amount(memory: i64) -> Resource {
    [("memory", memory)].into_iter().collect()
}

fn ask(app: &str, id: &str, resource: Resource) -> AskSpec {
    AskSpec { app: app.into(), id: id.into(), resource, ..AskSpec::default() }
}

fn node(id: &str, capacity: Resource) -> NodeSpec {
    NodeSpec { id: id.into(), capacity, ..NodeSpec::default() }
}

fn submit(app: &str, queue: &str) -> PartitionCommand {
    let (app, queue) = (app.into(), queue.to_owned());
    PartitionCommand::Submit(Submission { app, queue, who: Identity::new("sue", ["dev"]), ..Submission::default() })
}

/// With node `n` of 9 and application `one` with allocation `t`.
fn bad_input() -> Vec<(PartitionCommand, &'static str)> {
    let other_user = || Identity::new("nobody", ["nobody"]);
    let update =
        |id: &str, capacity| PartitionCommand::UpdateNode { id: id.into(), capacity: Some(capacity), occupied: None };
    let unplaced = AskSpec { placeholder: true, ..ask("one", "ph", amount(1)) };
    vec![
        (PartitionCommand::AddNode(node("n", amount(1))), "already registered"),
        (PartitionCommand::AddNode(node("m", amount(-1))), "negative"),
        (PartitionCommand::AddNode(node("m", amount(i64::MAX))), "too large"),
        (update("n", amount(-1)), "negative"),
        (update("m", amount(1)), "not found"),
        (PartitionCommand::RemoveNode("m".into()), "not found"),
        (PartitionCommand::DrainNode("m".into()), "not found"),
        (PartitionCommand::ResumeNode("m".into()), "not found"),
        (submit("one", "root.b"), "one"),
        (submit("lost", "root.b.x"), "root.b"),
        (PartitionCommand::Ask(ask("two", "t", amount(1))), "no active application"),
        (PartitionCommand::Ask(ask("one", "zero", amount(0))), "is empty"),
        (PartitionCommand::Ask(ask("one", "less", amount(-5))), "is empty"),
        (PartitionCommand::Ask(ask("one", "t", amount(2))), "already allocated"),
        (PartitionCommand::Ask(ask("one", "much", amount(i64::MAX))), "too large"),
        (PartitionCommand::Ask(unplaced), "has no task group"),
        (PartitionCommand::Release { app: "two".into(), ask: "t".into() }, "no active application"),
        (PartitionCommand::Release { app: "one".into(), ask: "u".into() }, "has no request"),
        (PartitionCommand::Remove { app: "two".into() }, "no active application"),
        (PartitionCommand::Kill { app: "two".into(), by: other_user(), reason: String::new() }, "not found"),
        (PartitionCommand::Kill { app: "one".into(), by: other_user(), reason: String::new() }, "no admin access"),
        (PartitionCommand::Move { app: "two".into(), to: "root.b".into(), by: other_user() }, "not found"),
        (
            PartitionCommand::Move { app: "one".into(), to: "root.x".into(), by: Identity::new("sue", [""]) },
            "queue not found",
        ),
        (
            PartitionCommand::Move { app: "one".into(), to: "root.p".into(), by: Identity::new("sue", [""]) },
            "not a leaf",
        ),
    ]
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    let bad = bad_input();
    for profile in Profile::ALL {
        let mut scheduler = Scheduler::new(profile);
        let apply = |scheduler: &mut Scheduler, command: Command| scheduler.apply(Time::ZERO, &command);
        let refused = apply(&mut scheduler, submit("one", "root.a").into());
        assert!(
            matches!(&refused[..], [Event { kind: EventKind::Refused { .. }, .. }]),
            "before there is a configuration"
        );
        apply(&mut scheduler, Command::Configure(commands::configs(profile).swap_remove(0)));
        apply(&mut scheduler, PartitionCommand::AddNode(node("n", amount(9))).into());
        apply(&mut scheduler, submit("one", "root.a").into());
        apply(&mut scheduler, PartitionCommand::Ask(ask("one", "t", amount(1))).into());
        apply(&mut scheduler, Command::Cycle);
        let before = state(&scheduler);
        let elsewhere = Command::In { partition: Some("nowhere".into()), command: submit("three", "root.a") };
        let all = bad.iter().map(|(command, why)| (Command::from(command.clone()), *why));
        for (command, why) in all.chain([(elsewhere, "nowhere")]) {
            // D-23: the releases accept the ID of an allocation again.
            if why == "already allocated" && profile != Profile::Kornsole {
                continue;
            }
            let events = apply(&mut scheduler, command.clone());
            let refusals: Vec<_> = events.iter().filter(|event| is_refusal(&event.kind)).collect();
            assert!(refusals.len() == 1 && format!("{refusals:?}").contains(why), "{profile} {command:?}: {events:?}");
            assert!(state(&scheduler) == before, "{profile} {command:?} changed the state");
        }
    }
}

/// The record of rejected applications is not included.
fn state(scheduler: &Scheduler) -> String {
    let of = |p: &Partition| {
        let counters = (p.allocations_made, p.reservations, p.placeholders, p.state, p.preemption);
        format!("{:?}{:?}{:?}{:?}{counters:?}", p.queues, p.nodes, p.apps, p.usage)
    };
    scheduler.partitions().iter().map(of).collect()
}

const fn is_refusal(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::NodeRejected { .. }
            | EventKind::AskRejected { .. }
            | EventKind::AppRejected { .. }
            | EventKind::Denied { .. }
            | EventKind::Refused { .. }
            | EventKind::ConfigRejected { .. }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_refused_changes_nothing(steps in prop::collection::vec(step(), 1..120)) {
        let mut before = String::new();
        run(Profile::Kornsole, &steps, |scheduler, _, events| {
            let now = state(scheduler);
            let message = events.iter().map(|event| &event.kind).filter(|kind| !matches!(kind, EventKind::AppNew { .. }));
            let message: Vec<_> = message.collect();
            if !message.is_empty() && message.iter().all(|kind| is_refusal(kind)) {
                assert!(before == now, "{message:?} changed the state");
            }
            before = now;
        });
    }
}
