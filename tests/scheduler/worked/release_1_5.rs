use model::Profile;

use super::stage::{Stage, open_root};

#[test]
fn d_22_a_queue_above_its_maximum_gets_nothing_more() {
    let queues = |max: &str| format!("{{name: a, resources: {{max: {{{max}}}}}}}, {{name: b}}");
    for profile in Profile::ALL {
        let mut stage = Stage::by(profile, &queues("vcore: 4"));
        stage.submit("x", "root.a");
        stage.submit("y", "root.b");
        stage.ask_for("x", "cores", "{vcore: 3}", 0, 1);
        assert_eq!(stage.cycle(), "cores@n0");
        stage.play(&format!("- config: |\n    {}", open_root(&queues("vcore: 2")).replace('\n', " ")));
        stage.ask_for("x", "memory", "{memory: 1}", 0, 1);
        if profile != Profile::V1_5_1 {
            assert_eq!(stage.cycle(), "memory@n0", "{profile}: it wants nothing of what is exceeded");
            continue;
        }
        assert_eq!(stage.cycle(), "nothing", "{profile}");
        let why = &stage.explain("x").asks[0].blockers;
        assert_eq!(why.iter().map(|why| (why.limit, why.used, why.missing)).collect::<Vec<_>>(), [(2000, 3000, 1000)]);
        stage.ask_for("y", "beside", "{memory: 1}", 0, 1);
        assert_eq!(stage.cycle(), "beside@n0", "the path of another leaf is not exceeded");
        stage.play("- advance: 2001ms");
        assert_eq!(stage.cycle(), "memory>n0", "every node was tried in vain, so one is reserved");
        assert_eq!(stage.cycle(), "nothing", "neither does the reservation help");
        stage.play("- release: {app: x, id: cores}");
        assert_eq!(stage.cycle(), "memory<n0 memory@n0");
    }
}

/// The resource stays in the cluster's size with 0 (P-04), so its usage blocks the whole cluster.
#[test]
fn d_22_a_name_without_nodes_stops_the_cluster() {
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root("{name: a}, {name: b}"));
        stage.play("- node: {id: n1, capacity: {gpu: 4}}");
        stage.submit("x", "root.a");
        stage.submit("y", "root.b");
        stage.ask_for("x", "gpu", "{gpu: 1}", 0, 1);
        assert_eq!(stage.cycle(), "gpu@n1");
        stage.play("- updateNode: {id: n1, capacity: {memory: 4}}");
        stage.ask_for("y", "memory", "{memory: 1}", 0, 1);
        let stops = profile == Profile::V1_5_1;
        assert_eq!(stage.cycle(), if stops { "nothing" } else { "memory@n1" }, "{profile}");
        stage.play("- release: {app: x, id: gpu}");
        assert_eq!(stage.cycle(), if stops { "memory@n1" } else { "nothing" }, "{profile}");
    }
}

/// 1.5.1 treats a missing resource as unlimited, so preemption is useless.
#[test]
fn sch_157_victims_on_a_node_without_a_resource() {
    let queues =
        "{name: a}, {name: b, resources: {guaranteed: {vcore: 4, gpu: 4}}, properties: {preemption.delay: 1s}},
        {name: c, resources: {guaranteed: {vcore: 1}}}";
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play("- node: {id: n1, capacity: {vcore: 2}}\n- node: {id: n2, capacity: {gpu: 2}}");
        stage.submit("x", "root.c");
        stage.ask_for("x", "s", "{vcore: 1}", 0, 1);
        stage.ask_for("x", "t", "{vcore: 1}", 0, 1);
        assert_eq!([stage.cycle(), stage.cycle()], ["s@n1", "t@n1"]);
        stage.submit("y", "root.b");
        stage.play("- ask: {app: y, id: w, resource: {vcore: 1, gpu: 1}, allowPreemptOther: true}\n- advance: 1s");
        // Without a reservation, because the node can never fit the request.
        assert_eq!(stage.cycle(), if profile == Profile::V1_5_1 { "-t" } else { "nothing" }, "{profile}");
        assert_eq!(stage.cycle(), "nothing", "{profile}");
    }
}

fn priorities(stage: &Stage) -> [i32; 2] {
    ["root", "root.p"].map(|path| {
        let queues = &stage.partition().queues;
        queues[queues.find(&path.into()).expect("it is there")].current_priority().0
    })
}

/// p.b has an offset of 100 and a pending request of priority 0; then p becomes a fence.
fn stale(profile: Profile) -> Stage {
    let config = |p: &str| {
        open_root(&format!(
            "{{name: p, {p} queues: [{{name: b, properties: {{priority.offset: '100'}}}}, {{name: c}}]}}"
        ))
    };
    let mut stage = Stage::bare(profile, &config(""));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.p.b");
    stage.submit("y", "root.p.b");
    stage.submit("z", "root.p.c");
    stage.ask("y", "before", 0, 1);
    stage.ask("x", "first", 0, 1);
    let fence = config("properties: {priority.policy: fence},").replace('\n', " ");
    stage.play(&format!("- config: |\n    {fence}"));
    let root = if profile == Profile::Kornsole { 0 } else { 100 };
    assert_eq!(priorities(&stage), [root, 0], "{profile}: the reload handed nothing up");
    stage
}

/// P-02: a priority goes up to the root, even past unchanged levels.
#[test]
fn p_02_what_hands_up_priorities() {
    let fresh = [
        ("the first ask of an application", "- ask: {app: z, id: new, resource: {vcore: 1}, priority: -5}"),
        ("a more important ask", "- ask: {app: x, id: new, resource: {vcore: 1}, priority: 1}"),
        ("the withdrawal of one than which none is more important", "- release: {app: x, id: first}"),
        ("an allocation of such a one", "- schedule: 1"),
        ("the end of an application", "- remove: {app: x}"),
    ];
    let not = [
        ("an equally important ask", "- ask: {app: x, id: new, resource: {vcore: 1}, priority: 0}"),
        ("a less important ask", "- ask: {app: x, id: new, resource: {vcore: 1}, priority: -1}"),
        (
            "the withdrawal of a less important ask",
            "- ask: {app: x, id: new, resource: {vcore: 1}, priority: -1}\n- release: {app: x, id: new}",
        ),
    ];
    for profile in Profile::RELEASES {
        for (what, step) in fresh {
            let mut stage = stale(profile);
            stage.play(step);
            assert_eq!(priorities(&stage), [0, 0], "{profile}: {what}");
        }
        for (what, step) in not {
            let mut stage = stale(profile);
            stage.play(step);
            assert_eq!(priorities(&stage), [100, 0], "{profile}: {what}");
        }
    }
}

/// P-06: since 1.8.0 the spent request is removed, too.
#[test]
fn p_02_the_end_of_an_allocation_notifies_the_parents_of_its_ask() {
    for profile in Profile::RELEASES {
        for (priority, decides) in [(1, true), (0, true), (-1, false)] {
            let mut stage = stale_with_running(profile, priority);
            stage.play("- release: {app: x, id: runs}");
            let root = if decides && profile != Profile::V1_5_1 { 0 } else { 100 };
            assert_eq!(priorities(&stage), [root, 0], "{profile}: an ask of priority {priority}");
        }
    }
}

fn stale_with_running(profile: Profile, priority: i32) -> Stage {
    let config =
        |p: &str| open_root(&format!("{{name: p, {p} queues: [{{name: b, properties: {{priority.offset: '100'}}}}]}}"));
    let mut stage = Stage::bare(profile, &config(""));
    stage.play("- node: {id: n1, capacity: {vcore: 10}}");
    stage.submit("x", "root.p.b");
    stage.ask("x", "runs", priority, 1);
    assert_eq!(stage.cycle(), "runs@n1");
    stage.ask("x", "waits", 0, 1);
    stage.play(&format!("- config: |\n    {}", config("properties: {priority.policy: fence},").replace('\n', " ")));
    assert_eq!(priorities(&stage), [100, 0], "{profile}");
    stage
}

/// SCH-062: a removed queue passes the remaining priority up to the root.
#[test]
fn p_02_a_removed_queue_notifies_its_parents() {
    let without =
        "{name: p, properties: {priority.policy: fence}, queues: [{name: b, properties: {priority.offset: '100'}}]}";
    for profile in Profile::RELEASES {
        let mut stage = stale(profile);
        stage.play("- remove: {app: z}");
        assert_eq!(priorities(&stage), [0, 0], "{profile}: an application without asks that ends");
        let open = without.replace("fence", "default").replace("}]}", "}, {name: c}]}");
        stage.play(&format!("- config: |\n    {}", open_root(&open).replace('\n', " ")));
        assert_eq!(priorities(&stage), [0, 100], "{profile}");
        stage.play(&format!("- config: |\n    {}", open_root(without).replace('\n', " ").replace("fence", "default")));
        assert_eq!(priorities(&stage), [0, 100], "{profile}: c drains");
        stage.play("- clean: true");
        assert_eq!(priorities(&stage), [100, 100], "{profile}: c is gone");
    }
}
