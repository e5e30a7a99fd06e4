//! Gangs: EX-14, EX-22, and EX-27.

use model::{AppId, Profile, Resource};
use scheduler::state::app::Application;
use scheduler::{EventKind, ReleaseReason};

use super::stage::{Stage, cores, open_root};

/// A gang of sue with `count` placeholders of one core in task group `tg`.
pub fn gang(stage: &mut Stage, app: &str, queue: &str, more: &str, total: &str, count: u32) {
    let events =
        stage.play(&format!("- submit: {{app: {app}, queue: {queue}, user: sue, placeholder: {total}{more}}}"));
    assert!(events.iter().any(|event| matches!(event, EventKind::AppAccepted { .. })), "{events:?}");
    placeholders(stage, app, "ph", "{vcore: 1}", count);
}

/// Requests placeholders of task group `tg`.
pub fn placeholders(stage: &mut Stage, app: &str, id: &str, size: &str, count: u32) {
    stage.play(&format!(
        "- ask: {{app: {app}, id: {id}, resource: {size}, count: {count}, placeholder: true, taskGroup: tg}}"
    ));
}

/// Adds a real request of task group `tg`.
pub fn member(stage: &mut Stage, app: &str, id: &str, size: &str) {
    stage.play(&format!("- ask: {{app: {app}, id: {id}, resource: {size}, taskGroup: tg}}"));
}

/// The counts of `tg`: placeholders requested, replaced, and timed out.
pub fn counts(app: &Application) -> (u64, u64, u64) {
    let group = &app.task_groups["tg"];
    (group.count, group.replaced, group.timed_out)
}

/// The released allocations with reasons.
pub fn released(events: &[EventKind]) -> Vec<String> {
    let released = events.iter().filter_map(|event| match event {
        EventKind::Released { ask, reason, .. } => Some(format!("{ask} {reason:?}")),
        _ => None,
    });
    released.collect()
}

/// The states of an application in order.
pub fn log(app: &Application) -> String {
    let states = app.log.iter().map(|(_, state)| state.name());
    states.collect::<Vec<_>>().join(" ")
}

/// A finished application.
pub fn ended(stage: &Stage, id: &str) -> Application {
    let ended = stage.partition().ended.iter().find(|app| app.id == AppId::from(id));
    Application::clone(ended.expect("it has ended"))
}

fn half_cores(halves: i64) -> Resource {
    [("vcore", halves * 500)].into_iter().collect()
}

#[test]
fn ex_14_a_starting_gang_counts_against_the_limit() {
    let text = open_root(
        "{name: par, maxapplications: 2, queues: [{name: l1, maxapplications: 2}, {name: l2, maxapplications: 1}]}",
    );
    let mut stage = Stage::bare(Profile::Kornsole, &text);
    stage.play("- node: {id: n0, capacity: {vcore: 10}}");
    gang(&mut stage, "g", "root.par.l1", "", "{vcore: 2}", 1);
    for (app, queue) in [("b", "root.par.l2"), ("c", "root.par.l1")] {
        stage.submit(app, queue);
        stage.ask(app, app, 0, 1);
    }
    assert_eq!(stage.asks(1), "ph");
    assert_eq!(stage.app("g"), "Accepted");
    for queue in ["root.par.l1", "root.par", "root"] {
        assert!(stage.queue(queue).allocating_accepted.contains("g"), "{queue}");
        assert_eq!(stage.queue(queue).running, 0);
    }
    assert_eq!((stage.apps(1).as_str(), stage.app("b")), ("b", "Starting"));
    assert_eq!((stage.apps(1).as_str(), stage.app("c")), ("nothing", "Accepted"));
    assert!(stage.queue("root.par.l1").running + 1 < 2, "its own leaf would have let it run");
}

fn ex_22(profile: Profile, node: u32, more: &str) -> Stage {
    let mut stage = Stage::bare(profile, &open_root("{name: q}"));
    stage.play(&format!("- node: {{id: n0, capacity: {{vcore: {node}}}}}"));
    gang(&mut stage, "g1", "root.q", more, "{vcore: 4}", 4);
    stage
}

/// Queue: allocated, pending; application: real, placeholders; state.
fn row(stage: &Stage) -> (Resource, Resource, Resource, Resource, &'static str) {
    let (queue, app) = (stage.queue("root.q"), stage.application("g1"));
    let both = (queue.allocated.clone(), queue.pending.clone());
    (both.0, both.1, app.allocated.clone(), app.allocated_placeholder.clone(), app.state.name())
}

#[test]
fn ex_22_a_gang_is_allocated_and_replaced() {
    for (profile, first) in
        [(Profile::Kornsole, "Starting"), (Profile::V1_5_1, "Starting"), (Profile::V1_8_0, "Running")]
    {
        let mut stage = ex_22(profile, 10, ", placeholderTimeout: 60s");
        assert_eq!(stage.asks(3), "ph-1 ph-2 ph-3");
        assert_eq!(stage.app("g1"), "Accepted");
        assert!(stage.queue("root.q").allocating_accepted.contains("g1"));
        assert_eq!(stage.asks(1), "ph-4");
        assert_eq!((stage.app("g1"), stage.queue("root.q").running), (first, 1));
        assert_eq!(stage.priorities(&["root.q"]), "-");
        assert!(stage.queue("root.q").allocating_accepted.is_empty());

        member(&mut stage, "g1", "m1", "{vcore: 1}");
        member(&mut stage, "g1", "m2", "{vcore: 500m}");
        let halves = half_cores;
        assert_eq!(row(&stage), (halves(8), halves(3), halves(0), halves(8), first));
        let events = stage.play("- schedule: 1");
        let starts = |event: &&EventKind| matches!(event, EventKind::Replacing { .. });
        assert_eq!(events.iter().find(starts).map(|event| format!("{event:?}")), {
            let kind = EventKind::Replacing {
                app: "g1".into(),
                ask: "m1".into(),
                placeholder: "ph-1".into(),
                node: "n0".into(),
            };
            Some(format!("{kind:?}"))
        });
        assert_eq!(released(&events), ["ph-1 Replaced"]);
        assert_eq!(row(&stage), (halves(8), halves(1), halves(2), halves(6), first));
        assert_eq!(released(&stage.play("- schedule: 1")), ["ph-2 Replaced"]);
        assert_eq!(row(&stage), (halves(7), halves(0), halves(3), halves(4), "Running"));
        let node = stage.partition().nodes.iter().next().expect("n0 is there");
        assert_eq!(node.allocated, halves(7));

        assert_eq!(released(&stage.play("- advance: 60s")), ["ph-3 Timeout", "ph-4 Timeout"]);
        assert_eq!(row(&stage), (halves(3), halves(0), halves(3), halves(0), "Running"));
        assert_eq!(counts(stage.application("g1")), (4, 2, 2), "{profile}");
    }
}

#[test]
fn ex_22_an_incomplete_soft_gang_continues_without_placeholders() {
    let mut stage = ex_22(Profile::Kornsole, 2, ", placeholderTimeout: 60s, gangStyle: Soft");
    assert_eq!(stage.asks(3), "ph-1 ph-2 nothing");
    let events = stage.play("- advance: 60s");
    let timed_out = |event: &&EventKind| matches!(event, EventKind::AskRemoved { reason: ReleaseReason::Timeout, .. });
    assert_eq!(events.iter().filter(timed_out).count(), 2);
    assert_eq!(released(&events), ["ph-1 Timeout", "ph-2 Timeout"]);
    let app = stage.application("g1");
    assert_eq!((app.pending.is_zero(), app.message.as_deref()), (true, Some("ResourceReservationTimeout")));
    assert_eq!(counts(app), (4, 0, 4));
    member(&mut stage, "g1", "m", "{vcore: 1}");
    assert_eq!(stage.asks(1), "m");
    assert_eq!(log(stage.application("g1")), "Accepted Resuming Accepted Starting");
}

#[test]
fn ex_22_an_incomplete_hard_gang_fails() {
    let mut stage = ex_22(Profile::Kornsole, 2, ", placeholderTimeout: 60s, gangStyle: Hard");
    assert_eq!(stage.asks(3), "ph-1 ph-2 nothing");
    assert_eq!(released(&stage.play("- advance: 60s")), ["ph-1 Timeout", "ph-2 Timeout"]);
    let app = ended(&stage, "g1");
    assert_eq!((log(&app).as_str(), counts(&app)), ("Accepted Failing Failed", (4, 0, 4)));
    assert_eq!(app.message.as_deref(), Some("ResourceReservationTimeout"));
    assert_eq!((&stage.queue("root.q").allocated, stage.queue("root.q").apps.len()), (&cores(0), 0));
}

/// The core's own tests cover the unfinished replacement.
#[test]
fn ex_27_allocations_and_reservations_on_a_removed_node() {
    let mut stage = Stage::bare(Profile::Kornsole, &open_root("{name: q}"));
    stage.play("- node: {id: n1, capacity: {vcore: 2}}");
    stage.submit("a", "root.q");
    stage.ask("a", "k", 0, 1);
    stage.submit("b", "root.q");
    stage.ask_for("b", "large", "{vcore: 2}", 0, 1);
    assert_eq!(stage.asks(1), "k");
    stage.play("- node: {id: n2, capacity: {vcore: 1}}\n- advance: 3s\n- schedule: 1");
    assert_eq!(stage.partition().reservations, 1);
    let events = stage.play("- removeNode: n1");
    assert_eq!(released(&events), ["k NodeRemoved"]);
    assert_eq!((stage.app("a"), stage.application("a").asks.len()), ("Completing", 0));
    assert_eq!((stage.partition().reservations, stage.application("b").pending.clone()), (0, cores(2)));
    assert_eq!(stage.partition().capacity(), cores(1));
    let report = |which: fn(&EventKind) -> bool| events.iter().position(which).expect("it was reported");
    let gone = report(|event| matches!(event, EventKind::NodeRemoved { .. }));
    assert!(report(|event| matches!(event, EventKind::Released { .. })) < gone);
}
