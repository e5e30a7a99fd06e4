//! EX-23 to EX-25: application states, moves, and kills.

use model::{AppId, Time};
use scheduler::EventKind;

use super::stage::{Stage, cores, open_root};

#[test]
fn ex_23_one_ask() {
    let mut stage = Stage::new("{name: q}");
    let mut states = Vec::new();
    for steps in [
        "- submit: {app: a, queue: root.q, user: sue}",
        "- ask: {app: a, id: t, resource: {vcore: 1}}",
        "- schedule: 1",
        "- advance: 299s",
        "- advance: 1s",
        "- release: {app: a, id: t}",
        "- advance: 29s",
        "- advance: 1s",
        "- advance: 72h",
        "- advance: 24h",
    ] {
        stage.play(steps);
        states.push(stage.app("a"));
    }
    let life = ["New", "Accepted", "Starting", "Starting", "Running", "Completing", "Completing", "Completed"];
    assert_eq!(states[..8], life);
    // 72 h after the end, the next cleanup removes it.
    assert_eq!(states[9], "unknown");
}

#[test]
fn ex_23_two_asks_and_a_late_third() {
    let mut stage = Stage::new("{name: q}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 0, 2);
    let mut states = vec![stage.app("a")];
    for steps in [
        "- schedule: 1",
        "- schedule: 1",
        "- release: {app: a, id: t-1}",
        "- release: {app: a, id: t-2}",
        "- advance: 10s\n- ask: {app: a, id: late, resource: {vcore: 1}}",
        "- advance: 10m",
    ] {
        stage.play(steps);
        states.push(stage.app("a"));
    }
    assert_eq!(states, ["Accepted", "Starting", "Running", "Running", "Completing", "Running", "Running"]);
    assert_eq!(stage.queue("root.q").running, 1);
}

#[test]
fn ex_23_a_canceled_ask_and_an_application_without_asks() {
    let mut stage = Stage::new("{name: q}");
    stage.submit("a", "root.q");
    stage.ask("a", "t", 0, 1);
    stage.play("- release: {app: a, id: t}");
    assert_eq!(stage.app("a"), "Completing");
    stage.submit("silent", "root.q");
    stage.play("- advance: 30s");
    assert_eq!(stage.app("a"), "Completed");
    stage.play("- advance: 1000h");
    assert_eq!((stage.app("silent"), stage.queue("root.q").apps.len()), ("New", 1));
}

#[test]
fn ex_23_rejected() {
    let mut stage = Stage::new("{name: q}");
    stage.play("- submit: {app: a, queue: root.nowhere, user: sue}");
    assert_eq!(stage.app("a"), "Rejected");
}

fn ex_24(max_of_b: u32) -> Stage {
    let text = open_root(&format!(
        "{{name: t, adminacl: ' ops', queues: [{{name: a, resources: {{max: {{vcore: 6}}}}}},
           {{name: b, maxapplications: 1, resources: {{max: {{vcore: {max_of_b}}}}}}}]}},
         {{name: c, submitacl: ' ops', resources: {{max: {{vcore: 8}}}}}}"
    ));
    let mut stage = Stage::bare(model::Profile::Kornsole, &text);
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("m", "root.t.a");
    stage.ask("m", "m-held", 0, 3);
    stage.submit("z", "root.t.b");
    stage.ask("z", "z-held", 0, 2);
    stage.play("- schedule: idle");
    stage.ask("m", "m-waits", 7, 2);
    assert_eq!((stage.app("m"), stage.app("z")), ("Running", "Running"));
    stage
}

fn moves(stage: &mut Stage, to: &str, by: &str) -> Vec<String> {
    stage.refusals(&format!("- move: {{app: m, to: {to}, as: {by}}}"))
}

const KIM: &str = "{user: kim, groups: [ops]}";
const BOB: &str = "{user: bob}";

#[test]
fn ex_24_moves_that_are_refused() {
    let mut stage = ex_24(4);
    for (to, by, why) in [
        ("root.t.b", KIM, "quota of root.t.b exceeded"),
        ("root.t", KIM, "not a leaf"),
        ("root.c", BOB, "no admin access"),
    ] {
        let reported = moves(&mut stage, to, by);
        assert!(reported.len() == 1 && reported[0].contains(why), "{to}: {reported:?}");
        assert!(!reported[0].contains("root.t exceeded"), "what both have in common is not checked");
    }
    let reported = moves(&mut ex_24(8), "root.t.b", KIM);
    assert!(reported.len() == 1 && reported[0].contains("maxapplications of root.t.b"), "{reported:?}");
}

#[test]
fn ex_24_a_move_carries_every_counter() {
    let mut stage = ex_24(4);
    let submitted = |stage: &Stage| {
        let partition = stage.partition();
        partition.apps[partition.app_key(&AppId::from("m")).expect("m lives")].submitted
    };
    let before: Time = submitted(&stage);
    assert_eq!(moves(&mut stage, "root.c", KIM), [""; 0]);
    for (queue, allocated, pending, running, priority) in
        [("root.t.a", 0, 0, 0, "-"), ("root.t", 2, 0, 1, "-"), ("root.c", 3, 2, 1, "7"), ("root", 5, 2, 2, "7")]
    {
        let row = stage.queue(queue);
        let seen = (&row.allocated, &row.pending, row.running, row.current_priority().to_string());
        assert_eq!(seen, (&cores(allocated), &cores(pending), running, priority.to_owned()), "{queue}");
    }
    assert_eq!(submitted(&stage), before);
    assert_eq!(stage.partition().nodes.iter().map(|node| node.allocations.len()).sum::<usize>(), 5);
    let partition = stage.partition();
    let (_, usage) = partition.usage.users.iter().next().expect("sue uses something");
    let used = |path: &str| usage.at(stage.queue(path).key).map(|usage| usage.allocated.clone());
    assert_eq!((used("root.t.a"), used("root.c")), (None, Some(cores(3))));
    assert_eq!(stage.headroom("root.c"), cores(5));
    assert_eq!(stage.apps(3), "m m nothing");
}

#[test]
fn ex_25_killing() {
    let mut stage = ex_24(4);
    let reported = stage.refusals(&format!("- kill: {{app: m, as: {BOB}}}"));
    assert!(reported.len() == 1 && reported[0].contains("no admin access"), "{reported:?}");
    let events = stage.play(&format!("- kill: {{app: m, as: {KIM}}}"));
    let count = |which: fn(&EventKind) -> bool| events.iter().filter(|event| which(event)).count();
    assert_eq!(count(|event| matches!(event, EventKind::AskRemoved { .. })), 2);
    assert_eq!(count(|event| matches!(event, EventKind::Released { .. })), 3);
    let states: Vec<String> = events
        .iter()
        .filter_map(|event| match event {
            EventKind::AppState { state, message, .. } => {
                Some(format!("{state} {}", message.as_deref().unwrap_or_default()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(states, ["Failing killed by kim", "Failed killed by kim"]);
    let a = stage.queue("root.t.a");
    assert_eq!((&a.allocated, a.running, a.managed), (&cores(0), 0, true));
    let ended = &stage.partition().ended[0];
    assert!(ended.log.iter().rev().take(2).all(|(at, _)| Some(*at) == ended.finished), "one command, one clock value");
    stage.play("- clean: true");
    assert_eq!(stage.states(&["root.t.a"]), "Active");
    let reported = stage.refusals(&format!("- kill: {{app: m, as: {KIM}}}"));
    assert!(reported.len() == 1 && reported[0].contains("already Failed"), "{reported:?}");
}
