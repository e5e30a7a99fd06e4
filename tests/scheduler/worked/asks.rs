//! Repeated requests with the same ID (D-23).

use model::Profile;
use scheduler::inspect::invariants;
use scheduler::inspect::invariants::Invariant;
use scheduler::{EventKind, Switches};

use super::stage::{Stage, cores};

fn again(stage: &mut Stage, id: &str, resource: &str, priority: i32) -> Vec<EventKind> {
    stage.play(&format!("- ask: {{app: a, id: {id}, resource: {resource}, priority: {priority}}}"))
}

fn is_rejected(events: &[EventKind]) -> bool {
    events.iter().any(|event| matches!(event, EventKind::AskRejected { .. }))
}

fn sizes(stage: &Stage) -> Vec<i64> {
    let app = stage.application("a");
    app.allocations.values().map(|ask| app.asks[*ask].resource.amount("vcore")).collect()
}

fn check_invariants(stage: &Stage) {
    assert_eq!(invariants::violations(stage.scheduler()), [""; 0]);
}

#[test]
fn sch_013_a_pending_ask_is_replaced() {
    let mut stage = Stage::new("{name: q}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 0, 1);
    stage.ask("a", "u", 0, 1);
    again(&mut stage, "t", "{vcore: 2}", -1);
    assert_eq!(stage.queue("root.q").pending, cores(3));
    assert_eq!(stage.asks(3), "u t nothing", "with the new priority it stands behind u, and nowhere else");
    assert_eq!(sizes(&stage), [1000, 2000]);
    assert!(is_rejected(&again(&mut stage, "t", "{vcore: 3}", 0)), "allocated already: ids are unique");
    assert_eq!((stage.queue("root.q").pending.is_zero(), sizes(&stage)), (true, vec![1000, 2000]));
    check_invariants(&stage);
}

#[test]
fn sch_080_the_old_release_tries_a_replaced_ask_at_its_old_place_too() {
    let mut stage = Stage::by(Profile::V1_5_1, "{name: q}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 1, 1);
    stage.ask("a", "u", 0, 1);
    again(&mut stage, "t", "{vcore: 2}", -1);
    assert_eq!(stage.queue("root.q").pending, cores(3), "the old one is not counted");
    assert_eq!(stage.priorities(&["root.q"]), "1", "but its priority is, until it is allocated");
    assert_eq!(stage.asks(1), "t", "and it is tried, as it was");
    assert_eq!(stage.priorities(&["root.q"]), "0");
    assert_eq!((sizes(&stage), &stage.queue("root.q").pending), (vec![1000], &cores(2)));
    assert_eq!(stage.asks(3), "u t nothing");
    assert_eq!(sizes(&stage), [1000, 1000, 2000]);
    assert_eq!(stage.queue("root.q").pending, cores(-1), "what was counted once was taken off twice");
    check_invariants(&stage);
    // The pending resources of the root are negative: no cycle finds anything (SCH-044).
    stage.submit("b", "root.q");
    stage.ask("b", "t", 0, 1);
    assert_eq!(stage.asks(1), "nothing");
    // The ID identifies the last allocation; the miscount is removed with the application.
    stage.play("- release: {app: a, id: t}");
    assert_eq!(sizes(&stage), [1000, 1000], "the one made last");
    stage.play("- release: {app: a, id: t}");
    assert_eq!(sizes(&stage), [1000, 1000], "of the other the application knows nothing");
    stage.play("- remove: {app: a}");
    assert_eq!((stage.app("a"), stage.asks(1).as_str()), ("Completed", "t"));
    check_invariants(&stage);
}

#[test]
fn sch_013_the_old_release_allocates_the_same_id_again() {
    let mut stage = Stage::by(Profile::V1_5_1, "{name: q}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 0, 1);
    assert_eq!(stage.asks(1), "t");
    assert!(!is_rejected(&again(&mut stage, "t", "{vcore: 3}", 0)));
    assert_eq!(stage.asks(2), "t nothing");
    assert_eq!((sizes(&stage), &stage.queue("root.q").allocated), (vec![1000, 3000], &cores(4)));
    stage.play("- release: {app: a, id: t}");
    assert_eq!((sizes(&stage), &stage.queue("root.q").allocated), (vec![1000], &cores(1)));
    stage.play("- release: {app: a, id: t}");
    assert_eq!((sizes(&stage), stage.app("a")), (vec![1000], "Running"), "it cannot be released any more");
    check_invariants(&stage);
}

#[test]
fn sch_170_a_superseded_ask_does_not_keep_an_application_running() {
    let mut stage = Stage::by(Profile::V1_5_1, "{name: q}");
    stage.play("- node: {id: n1, capacity: {vcore: 1}}");
    stage.submit("a", "root.q");
    again(&mut stage, "t", "{vcore: 1000}", 0);
    stage.ask("a", "u", 1, 1);
    assert_eq!(stage.asks(1), "u");
    stage.play("- advance: 3s");
    assert_eq!(stage.cycle(), "t>n0", "no room: the node is kept for it");
    again(&mut stage, "t", "{vcore: 2}", 0);
    stage.play("- release: {app: a, id: t}\n- release: {app: a, id: u}");
    assert_eq!(stage.application("a").pending_order.len(), 1, "the superseded one is left");
    assert_eq!(stage.app("a"), "Completing");
    stage.play("- advance: 60s");
    assert_eq!((stage.app("a"), stage.partition().reservations), ("Completed", 0));
    check_invariants(&stage);
}

#[test]
fn sch_013_the_new_release_resizes_in_place() {
    let mut stage = Stage::by(Profile::V1_8_0, "{name: q, resources: {max: {vcore: 8}}}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 1, 1);
    stage.ask("a", "u", 0, 1);
    let events = again(&mut stage, "t", "{vcore: 2}", -1);
    let resized = |event: &EventKind| matches!(event, EventKind::AskResized { allocated: false, .. });
    assert!(events.iter().any(resized), "{events:?}");
    assert_eq!(stage.queue("root.q").pending, cores(3));
    assert_eq!((stage.asks(3), sizes(&stage)), ("t u nothing".to_owned(), vec![2000, 1000]), "it kept its place");
    // Neither the queue nor the node is checked.
    again(&mut stage, "t", "{vcore: 2000}", 0);
    assert_eq!(sizes(&stage), [2_000_000, 1000]);
    let partition = stage.partition();
    let node = partition.nodes.iter().next().expect("there is one");
    assert_eq!((&stage.queue("root.q").allocated, node.available.amount("vcore")), (&cores(2001), -1_001_000));
    let user = partition.usage.users.find("sue").and_then(|key| partition.usage.users.get(key));
    let used = user.and_then(|user| user.at(stage.queue("root.q").key)).map(|usage| usage.allocated.clone());
    assert_eq!(used, Some(cores(2001)));
    stage.ask("a", "v", 0, 1);
    assert_eq!(stage.asks(1), "nothing");
    again(&mut stage, "t", "{vcore: 1}", 0);
    assert_eq!(stage.asks(2), "v nothing", "smaller again: there is room");
    assert!(again(&mut stage, "t", "{vcore: 1}", 5).is_empty(), "the same size says nothing");
    stage.play("- release: {app: a, id: t}\n- release: {app: a, id: u}\n- release: {app: a, id: v}");
    assert_eq!((stage.app("a"), stage.queue("root.q").allocated.is_zero()), ("Completing", true));
    check_invariants(&stage);
}

#[test]
fn the_suspended_invariants_are_named() {
    let of = |profile| Switches::of(profile).suspended();
    let names =
        |profile| of(profile).into_iter().filter(|(switch, _)| switch.starts_with("ask_again")).collect::<Vec<_>>();
    assert_eq!(names(Profile::Kornsole), []);
    assert_eq!(names(Profile::V1_5_1), [("ask_again_pending", Invariant::Pending)]);
    assert_eq!(names(Profile::V1_8_0), [("ask_again_allocated", Invariant::Maximum)]);
}
