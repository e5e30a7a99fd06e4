//! EX-07 to EX-10 and EX-12: shares, sort policies, and nodes.

use model::Profile;

use super::stage::{Stage, open_root};

fn shares(sorting: &str, allocated: [u32; 4]) -> String {
    let guaranteed = [500, 300, 200, 200];
    let queue = |i: usize| {
        let g = guaranteed[i];
        format!("{{name: q{i}, resources: {{guaranteed: {{memory: {g}, vcore: {g}m}}}}}}")
    };
    let queues: Vec<String> = (0..4).map(queue).collect();
    let text = open_root(&queues.join(", "))
        .replace("submitacl: '*'", &format!("submitacl: '*', properties: {{application.sort.priority: {sorting}}}"));
    let mut stage = Stage::bare(Profile::V1_5_1, &text);
    stage.play("- node: {id: n0, capacity: {memory: 100000, vcore: 100}}");
    for (i, amount) in allocated.into_iter().enumerate() {
        let app = format!("q{i}");
        stage.submit(&app, &format!("root.q{i}"));
        stage.ask_for(&app, &format!("{app}-held"), &format!("{{memory: {amount}, vcore: {amount}m}}"), 0, 1);
        assert_eq!(stage.apps(1), app);
    }
    for (i, priority) in [1, 1, 1, 3].into_iter().enumerate() {
        stage.ask_for(&format!("q{i}"), &format!("q{i}-more"), "{memory: 1, vcore: 1m}", priority, 1);
    }
    stage.apps(4)
}

#[test]
fn ex_07_fair_share_with_guarantees() {
    assert_eq!(shares("disabled", [300, 200, 100, 100]), "q3 q2 q0 q1");
    assert_eq!(shares("disabled", [200, 300, 100, 100]), "q0 q3 q2 q1");
    assert_eq!(shares("enabled", [300, 200, 100, 100]), "q3 q2 q0 q1");
    assert_eq!(shares("enabled", [200, 300, 100, 100]), "q3 q0 q2 q1");
}

#[test]
fn ex_07_lists_of_shares_not_single_numbers() {
    let mut stage = Stage::by(
        Profile::V1_5_1,
        "{name: a, resources: {guaranteed: {memory: 10, vcore: 10}}},
         {name: b, resources: {guaranteed: {memory: 20, vcore: 5}}},
         {name: c, resources: {guaranteed: {memory: 5}}},
         {name: d, resources: {guaranteed: {memory: 40, vcore: 0}}}",
    );
    for app in ["a", "b", "c", "d"] {
        stage.submit(app, &format!("root.{app}"));
        stage.ask_for(app, app, "{memory: 2, vcore: 1}", 0, 4);
    }
    assert_eq!(stage.apps(16), "a b c d a b a b a b d c d c d c");
}

#[test]
fn ex_08_with_and_without_a_guarantee() {
    for (profile, order) in [
        (Profile::Kornsole, "b a b b b b b b b b b b b b b a a a a a"),
        (Profile::V1_5_1, "b a b b b b b b b b b b b b b a a a a a"),
        (Profile::V1_8_0, "b a a a a a a a a a a b a a b b b b b b"),
    ] {
        let mut stage =
            Stage::bare(profile, &open_root("{name: a}, {name: b, resources: {guaranteed: {memory: 10G, vcore: 10}}}"));
        stage.play("- node: {id: n0, capacity: {memory: 100G, vcore: 100}}");
        for (app, count) in [("a", 12), ("b", 14)] {
            stage.submit(app, &format!("root.{app}"));
            stage.ask_for(app, app, "{memory: 1G, vcore: 1}", 0, count);
        }
        assert_eq!(stage.apps(20), order, "{profile}");
    }
}

#[test]
fn ex_09_applications_by_fair() {
    let mut stage = Stage::new("{name: q, properties: {application.sort.policy: fair}}");
    for app in ["A", "B", "C"] {
        stage.submit(app, "root.q");
    }
    for (app, resource) in [("A", "{vcore: 2}"), ("B", "{vcore: 1}"), ("C", "{vcore: 1500m}")] {
        stage.ask_for(app, app, resource, 0, 3);
    }
    assert_eq!(stage.apps(9), "A B C B C A B C A");
}

#[test]
fn ex_10_stateaware() {
    let started = || {
        let mut stage = Stage::by(Profile::V1_5_1, "{name: q, properties: {application.sort.policy: stateaware}}");
        for (app, priority) in [("A", 0), ("B", 5)] {
            stage.submit(app, "root.q");
            stage.ask(app, app, priority, 1);
        }
        assert_eq!(stage.apps(2), "A nothing");
        assert_eq!((stage.app("A"), stage.app("B")), ("Starting", "Accepted"));
        stage
    };
    let mut stage = started();
    stage.ask("A", "A2", 0, 1);
    assert_eq!(stage.apps(2), "A B");
    assert_eq!((stage.app("A"), stage.app("B")), ("Running", "Starting"));

    // Without a second request, B waits until A's time as Starting is over.
    let mut stage = started();
    stage.play("- advance: 299s");
    assert_eq!(stage.apps(1), "nothing");
    stage.play("- advance: 1s");
    assert_eq!((stage.app("A"), stage.apps(1).as_str()), ("Running", "B"));
}

#[test]
fn ex_12_nodes_fair_and_binpacking() {
    for (policy, order) in [("fair", "n1 n2 n3 n1 n2 n3 n1 n2"), ("binpacking", "n1 n1 n1 n1 n1 n2 n2 n2")] {
        let text = open_root("{name: q}")
            .replace("name: default,", &format!("name: default, nodesortpolicy: {{type: {policy}}},"));
        let mut stage = Stage::bare(Profile::Kornsole, &text);
        for node in ["n1", "n2", "n3"] {
            stage.play(&format!("- node: {{id: {node}, capacity: {{vcore: 10, memory: 10000}}}}"));
        }
        stage.submit("a", "root.q");
        stage.ask_for("a", "a", "{vcore: 2, memory: 1000}", 0, 8);
        assert_eq!(stage.nodes(8), order, "{policy}");
    }
}

#[test]
fn ex_12_weights_decide_between_nodes_that_are_half_full() {
    let text = |weights: &str, policy: &str| {
        open_root("{name: q}").replace(
            "name: default,",
            &format!("name: default, nodesortpolicy: {{type: {policy}, resourceweights: {{{weights}}}}},"),
        )
    };
    for (weights, policy, first) in [
        ("vcore: 4, memory: 1", "fair", "n1"),
        ("vcore: 4, memory: 1", "binpacking", "n2"),
        ("vcore: 1, memory: 1", "fair", "n1"),
        ("vcore: 1, memory: 1", "binpacking", "n1"),
    ] {
        let mut stage = Stage::bare(Profile::Kornsole, &text(weights, policy));
        stage.submit("a", "root.q");
        for (node, used) in [("n1", "{vcore: 500m, memory: 12000}"), ("n2", "{vcore: 1500m, memory: 4000}")] {
            stage.play(&format!("- node: {{id: {node}, capacity: {{vcore: 2, memory: 16000}}}}"));
            stage.play(&format!("- ask: {{app: a, id: {node}-used, resource: {used}, requiredNode: {node}}}"));
            assert_eq!(stage.nodes(1), node);
        }
        stage.ask_for("a", "t", "{memory: 1000, vcore: 100m}", 0, 1);
        assert_eq!(stage.nodes(1), first, "{weights}, {policy}");
    }
}
