//! EX-02 to EX-06 and EX-11: priorities.

use super::stage::Stage;

#[test]
fn ex_02_one_queue_with_an_offset() {
    let mut stage = Stage::new("{name: q, properties: {priority.offset: '5'}}");
    for (app, priority) in [("a", 10), ("b", 20)] {
        stage.submit(app, "root.q");
        stage.ask(app, &format!("{app}-1"), priority, 1);
    }
    let after: Vec<_> = (0..3)
        .map(|cycle| (if cycle == 0 { String::new() } else { stage.apps(1) }, stage.priorities(&["root.q", "root"])))
        .collect();
    let table = [("", "25 25"), ("b", "15 15"), ("a", "- -")];
    assert_eq!(after, table.map(|(app, priorities)| (app.to_owned(), priorities.to_owned())));
}

#[test]
fn ex_03_a_fence_below_an_offset_and_ties_between_queues() {
    let mut stage = Stage::new(
        "{name: t1, properties: {priority.offset: '5'}, queues: [
           {name: x, properties: {priority.policy: fence, priority.offset: '2'}}, {name: y}]}, {name: t2}",
    );
    for (app, queue, priorities) in
        [("x", "root.t1.x", &[50, 60][..]), ("y", "root.t1.y", &[3, 1]), ("t2", "root.t2", &[8, 7, 6])]
    {
        stage.submit(app, queue);
        for priority in priorities {
            stage.ask(app, &format!("{app}-P{priority}"), *priority, 1);
        }
    }
    let queues = ["root.t1", "root.t1.x", "root.t1.y", "root.t2"];
    assert_eq!(stage.priorities(&queues), "8 2 3 8");
    for (allocated, priorities) in [
        ("y-P3", "7 2 1 8"),
        ("t2-P8", "7 2 1 7"),
        ("x-P60", "7 2 1 7"),
        ("t2-P7", "7 2 1 6"),
        ("x-P50", "6 - 1 6"),
        ("t2-P6", "6 - 1 -"),
        ("y-P1", "- - - -"),
    ] {
        assert_eq!((stage.asks(1).as_str(), stage.priorities(&queues).as_str()), (allocated, priorities));
    }
}

#[test]
fn ex_04_saturation_and_the_value_of_nothing() {
    let mut stage = Stage::new(
        "{name: par, properties: {priority.offset: '100'}, queues: [
           {name: up, properties: {priority.offset: '2147483647'}},
           {name: down, properties: {priority.offset: '-2147483648'}},
           {name: fen, properties: {priority.policy: fence, priority.offset: '-7'}}]}",
    );
    for (leaf, priority, seen) in [
        ("up", 10, "2147483647 2147483647"),
        ("up", -10, "2147483637 2147483647"),
        ("down", -5, "- -"),
        ("down", 5, "-2147483643 -2147483543"),
        ("fen", i32::MIN, "- -"),
        ("fen", i32::MIN + 1, "-7 93"),
    ] {
        let queue = format!("root.par.{leaf}");
        let app = format!("{leaf}{priority}");
        stage.submit(&app, &queue);
        stage.ask(&app, &app, priority, 1);
        assert_eq!(stage.priorities(&[&queue, "root.par"]), seen, "{leaf}, ask of {priority}");
        // A queue without a visible priority still schedules its requests.
        assert_eq!(stage.apps(1), app);
    }
}

#[test]
fn ex_05_a_fenced_leaf() {
    for (policy, seen) in
        [("fence", ["- -", "3 8", "3 8", "3 8", "- -"]), ("default", ["- -", "3 8", "8 13", "3 8", "- -"])]
    {
        let mut stage = Stage::new(&format!(
            "{{name: p, properties: {{priority.offset: '5'}}, queues: [
               {{name: l, properties: {{priority.policy: {policy}, priority.offset: '3'}}}}]}}"
        ));
        let shown = |stage: &Stage| stage.priorities(&["root.p.l", "root.p"]);
        stage.submit("app-1", "root.p.l");
        stage.submit("app-2", "root.p.l");
        let mut after = vec![shown(&stage)];
        stage.ask("app-1", "t1", 0, 1);
        after.push(shown(&stage));
        stage.ask("app-2", "t2", 5, 1);
        after.push(shown(&stage));
        for app in ["app-2", "app-1"] {
            stage.play(&format!("- remove: {{app: {app}}}"));
            after.push(shown(&stage));
        }
        assert_eq!(after, seen, "{policy}");
    }
}

#[test]
fn ex_06_sorting_by_priority_can_be_switched_off() {
    for (switch, order) in [("enabled", "A A A C C C B B B"), ("disabled", "A B A B A B C C C")] {
        let mut stage = Stage::bare(
            model::Profile::Kornsole,
            &format!(
                "partitions: [{{name: default, queues: [{{name: root, submitacl: '*',
                   properties: {{application.sort.priority: {switch}}}, queues: [
                   {{name: a, resources: {{guaranteed: {{vcore: 10}}}}}},
                   {{name: b, resources: {{guaranteed: {{vcore: 10}}}}}}]}}]}}]"
            ),
        );
        stage.play("- node: {id: n0, capacity: {vcore: 100}}");
        for (app, queue, priority) in [("A", "root.a", 10), ("B", "root.b", 1), ("C", "root.b", 2)] {
            stage.submit(app, queue);
            stage.ask(app, app, priority, 3);
        }
        assert_eq!(stage.apps(9), order, "{switch}");
    }
}

#[test]
fn ex_11_asks_inside_an_application() {
    let mut stage = Stage::new("{name: q}");
    stage.submit("a", "root.q");
    for (id, priority) in [("k1", 0), ("k2", 5), ("k3", 0), ("k4", 9), ("k5", 5)] {
        stage.ask("a", id, priority, 1);
    }
    let mut seen = vec![stage.priorities(&["root.q"])];
    let mut allocated = Vec::new();
    for _ in 0..5 {
        allocated.push(stage.asks(1));
        seen.push(stage.priorities(&["root.q"]));
    }
    assert_eq!(allocated, ["k4", "k2", "k5", "k1", "k3"]);
    assert_eq!(seen, ["9", "5", "5", "0", "0", "-"]);
}
