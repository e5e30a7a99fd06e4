//! EX-13, EX-14, EX-16, EX-17: quotas, application maximums, draining and dynamic queues.

use model::{Profile, Resource};
use scheduler::EventKind;

use super::stage::{Stage, cores, open_root};

#[test]
fn ex_13_quotas_along_the_path() {
    let text = open_root(
        "{name: parent, resources: {max: {vcore: 8}}, queues: [{name: leaf1, resources: {max: {vcore: 3}}}, {name: leaf2}]}",
    );
    let mut stage = Stage::bare(Profile::Kornsole, &text);
    stage.play("- node: {id: n0, capacity: {vcore: 10, memory: 100}}");
    for (app, leaf, count) in [("A", "leaf1", 6), ("B", "leaf2", 10)] {
        stage.submit(app, &format!("root.parent.{leaf}"));
        stage.ask_for(app, app, "{vcore: 1, memory: 1}", 0, count);
    }
    let space =
        |vcore: i64, memory: i64| [("vcore", vcore * 1000), ("memory", memory)].into_iter().collect::<Resource>();
    let (leaf1, leaf2) = ("root.parent.leaf1", "root.parent.leaf2");
    assert_eq!((stage.headroom(leaf1), stage.headroom(leaf2)), (space(3, 100), space(8, 100)));
    let mut used = 0;
    for (apps, left1, left2) in
        [("B", 3, 7), ("A", 2, 6), ("B A", 1, 4), ("B A", 0, 2), ("B", 0, 1), ("B", 0, 0), ("nothing", 0, 0)]
    {
        let cycles = apps.split(' ').count();
        used += if apps == "nothing" { 0 } else { i64::try_from(cycles).expect("a few cycles") };
        assert_eq!(stage.apps(cycles), apps);
        assert_eq!(stage.headroom(leaf1), space(left1, 100 - used), "after {used} allocations");
        assert_eq!(stage.headroom(leaf2), space(left2, 100 - used), "after {used} allocations");
    }
    assert_eq!((&stage.queue(leaf1).allocated, &stage.queue(leaf2).allocated), (&space(3, 3), &space(5, 5)));
}

#[test]
fn ex_14_only_so_many_applications_run() {
    let mut stage = Stage::new("{name: q, maxapplications: 2}");
    let apps = ["a1", "a2", "a3"];
    for app in apps {
        stage.submit(app, "root.q");
        stage.ask(app, app, 0, 2);
    }
    let shown = |stage: &Stage| {
        let states = apps.map(|app| stage.app(app)).join(" ");
        format!("{states} {}", stage.queue("root.q").running)
    };
    assert_eq!(shown(&stage), "Accepted Accepted Accepted 0");
    for (allocated, seen) in [
        ("a1", "Starting Accepted Accepted 1"),
        ("a1", "Running Accepted Accepted 1"),
        ("a2", "Running Starting Accepted 2"),
        ("a2", "Running Running Accepted 2"),
    ] {
        assert_eq!((stage.apps(1).as_str(), shown(&stage).as_str()), (allocated, seen));
    }
    let runnable = |events: &[EventKind]| {
        let message = events.iter().filter_map(|event| match event {
            EventKind::AppRunnable { app, runnable, .. } => Some(format!("{app} {runnable}")),
            _ => None,
        });
        message.collect::<Vec<_>>()
    };
    // Cycle 5 reports a3 as blocked, and the sixth does not repeat it.
    assert_eq!(runnable(&stage.play("- schedule: 1")), ["a3 false"]);
    assert_eq!(runnable(&stage.play("- schedule: 1")), [""; 0]);
    stage.play("- release: {app: a1, id: a1-1}");
    assert_eq!(shown(&stage), "Running Running Accepted 2");
    stage.play("- release: {app: a1, id: a1-2}");
    assert_eq!(shown(&stage), "Completing Running Accepted 1");
    assert_eq!(runnable(&stage.play("- schedule: 1")), ["a3 true"]);
    assert_eq!(shown(&stage), "Completing Running Starting 2");
}

fn ex_16_text(with_par: bool) -> String {
    let par = if with_par { ", {name: par, queues: [{name: l1}, {name: l2}]}" } else { "" };
    open_root(&format!("{{name: keep}}{par}"))
        .replace("name: default,", "name: default, placementrules: [{name: provided, create: true}],")
}

fn ex_16_reload(with_par: bool) -> String {
    format!("- config: \"{}\"", ex_16_text(with_par))
}

fn ex_16_draining() -> Stage {
    let mut stage = Stage::bare(Profile::Kornsole, &ex_16_text(true));
    stage.play("- node: {id: n0, capacity: {vcore: 10}}");
    stage.submit("a", "root.par.l1");
    stage.ask("a", "t1", 0, 1);
    assert_eq!(stage.apps(1), "a");
    stage.play(&ex_16_reload(false));
    assert_eq!(stage.states(&EX_16_QUEUES), "Active Draining Draining Draining");
    stage.play("- clean: true");
    assert_eq!(stage.states(&EX_16_QUEUES), "Active Draining Draining gone");
    stage.ask("a", "t2", 0, 1);
    assert_eq!(stage.apps(1), "a");
    stage
}

const EX_16_QUEUES: [&str; 4] = ["root.keep", "root.par", "root.par.l1", "root.par.l2"];

#[test]
fn ex_16_draining_and_removal_in_steps() {
    let mut stage = ex_16_draining();
    for (app, queue) in [("b", "root.par.l1"), ("c", "root.par.new")] {
        let reported = stage.refusals(&format!("- submit: {{app: {app}, queue: {queue}, user: sue}}"));
        assert!(reported.len() == 1 && reported[0].contains("root.par"), "{reported:?}");
    }
    stage.play("- advance: 1h\n- clean: true\n- release: {app: a, id: t1}\n- release: {app: a, id: t2}\n- clean: true");
    assert_eq!((stage.app("a"), stage.states(&EX_16_QUEUES).as_str()), ("Completing", "Active Draining Draining gone"));
    stage.play("- advance: 30s");
    assert_eq!((stage.app("a"), stage.states(&EX_16_QUEUES).as_str()), ("Completed", "Active Draining Draining gone"));
    stage.play("- clean: true");
    assert_eq!(stage.states(&EX_16_QUEUES), "Active gone gone gone");
}

#[test]
fn ex_16_a_queue_that_is_configured_again_is_active_again() {
    let mut stage = ex_16_draining();
    stage.play(&ex_16_reload(true));
    assert_eq!((stage.app("a"), stage.states(&EX_16_QUEUES).as_str()), ("Running", "Active Active Active Active"));
    assert_eq!(stage.queue("root.par.l1").allocated, cores(2));
    stage.submit("b", "root.par.l1");
}

#[test]
fn ex_16_moving_the_last_application_out_removes_the_queue() {
    let mut stage = ex_16_draining();
    stage.play(&format!(
        "- config: \"{}\"",
        ex_16_text(false).replace("submitacl: '*'", "submitacl: '*', adminacl: kim")
    ));
    let reported = stage.refusals("- move: {app: a, to: root.keep, as: {user: kim}}");
    assert_eq!(reported, [""; 0]);
    stage.play("- clean: true");
    assert_eq!(stage.states(&EX_16_QUEUES), "Active gone gone gone");
    assert_eq!(stage.queue("root.keep").allocated, cores(2));
}

#[test]
fn ex_17_dynamic_queues() {
    let text = open_root(
        "{name: par, parent: true, properties: {priority.offset: '5', application.sort.priority: disabled},
          childtemplate: {maxapplications: 3, properties: {application.sort.policy: fair}, resources: {max: {vcore: 4}}}}",
    )
    .replace("name: default,", "name: default, placementrules: [{name: provided, create: true}],");
    let mut stage = Stage::bare(Profile::Kornsole, &text);
    stage.play("- node: {id: n0, capacity: {vcore: 10}}");
    stage.submit("a", "root.par.x.y");
    stage.ask("a", "t", 7, 1);
    let queues = ["root.par.x.y", "root.par.x", "root.par"];
    let (x, y) = (stage.queue("root.par.x"), stage.queue("root.par.x.y"));
    assert!(!x.managed && !x.leaf && x.settings.merged.is_empty() && x.settings.max_applications.is_none());
    assert!(
        !y.managed && y.leaf && y.settings.properties.sort_by_priority && y.settings.properties.priority_offset == 0
    );
    assert_eq!(y.settings.properties.app_sort, config::AppSortPolicy::Fair);
    assert_eq!((y.settings.max_applications, y.max.clone()), (Some(3), Some(cores(4))));
    assert_eq!(stage.priorities(&queues), "7 7 12");
    assert_eq!(stage.apps(1), "a");
    stage.play("- release: {app: a, id: t}\n- clean: true");
    assert_eq!((stage.app("a"), stage.states(&queues).as_str()), ("Completing", "Active Active Active"));
    stage.play("- advance: 30s");
    assert_eq!((stage.app("a"), stage.states(&queues).as_str()), ("Completed", "Active Active Active"));
    stage.play("- clean: true");
    assert_eq!(stage.states(&queues), "gone gone Active");
}
