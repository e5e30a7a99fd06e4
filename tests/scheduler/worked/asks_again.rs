//! Repeated IDs in the releases while a request is active (D-23).

use model::Profile;
use scheduler::inspect::invariants;
use scheduler::state::node::Node;

use super::stage::{Stage, cores, open_root};

fn two_nodes(profile: Profile, policy: &str) -> Stage {
    let text = config(policy, 0);
    let mut stage = Stage::bare(profile, &text);
    stage.play("- node: {id: n0, capacity: {vcore: 100}}\n- node: {id: n1, capacity: {vcore: 100}}");
    stage.submit("a", "root.q");
    stage
}

fn config(policy: &str, max_applications: u32) -> String {
    let more = if max_applications == 0 { String::new() } else { format!(", maxapplications: {max_applications}") };
    let text = open_root(&format!("{{name: q{more}}}"));
    text.replace("name: default,", &format!("name: default, nodesortpolicy: {{type: {policy}}},"))
}

fn node<'s>(stage: &'s Stage, id: &str) -> &'s Node {
    let nodes = &stage.partition().nodes;
    &nodes[nodes.find(&id.into()).expect("it was added")]
}

fn check_invariants(stage: &Stage) {
    assert_eq!(invariants::violations(stage.scheduler()), [""; 0]);
}

/// By its size n0 would be next, but it keeps its previous position.
#[test]
fn d_23_a_node_retains_its_position_when_an_allocation_on_it_is_resized() {
    for profile in [Profile::V1_8_0, Profile::V1_9_0] {
        let reload = config("fair", 5);
        let reload = format!("- config: {:?}", reload);
        for (between, next) in [
            ("- advance: 1s", "n1"),
            ("- drainNode: n0\n- resumeNode: n0", "n0"),
            ("- updateNode: {id: n0, capacity: {vcore: 100}}", "n1"),
            ("- updateNode: {id: n0, capacity: {vcore: 101}}", "n0"),
            (reload.as_str(), "n0"),
        ] {
            let mut stage = two_nodes(profile, "fair");
            stage.ask_for("a", "t", "{vcore: 40}", 0, 1);
            assert_eq!(stage.nodes(1), "n0");
            stage.ask_for("a", "t", "{vcore: 1}", 0, 1);
            assert_eq!(node(&stage, "n0").allocated, cores(1));
            stage.ask_for("a", "u", "{vcore: 10}", 0, 1);
            assert_eq!(stage.nodes(1), "n1");
            stage.play(between);
            stage.ask_for("a", "v", "{vcore: 5}", 0, 1);
            assert_eq!(stage.nodes(1), next, "{profile} after {between}");
            check_invariants(&stage);
        }
    }
}

/// Neither creating nor releasing a reservation sorts a node again.
#[test]
fn d_23_a_reservation_refreshes_no_place() {
    let mut stage = two_nodes(Profile::V1_8_0, "fair");
    stage.ask_for("a", "t", "{vcore: 30}", 0, 1);
    stage.ask_for("a", "u", "{vcore: 40}", 0, 1);
    assert_eq!(stage.nodes(2), "n0 n1");
    stage.ask_for("a", "big", "{vcore: 99}", 0, 1);
    stage.play("- advance: 3s");
    stage.ask_for("a", "t", "{vcore: 50}", 0, 1);
    assert_eq!(stage.cycle(), "big>n0", "the first in order");
    stage.play("- release: {app: a, id: big}");
    stage.ask_for("a", "v", "{vcore: 5}", 0, 2);
    assert_eq!(stage.nodes(2), "n0 n1", "n0 has 50 of 100 in use and the place of 30, until v-1 comes");
    check_invariants(&stage);
}

#[test]
fn d_23_binpacking_also_uses_the_previous_position() {
    let mut stage = two_nodes(Profile::V1_9_0, "binpacking");
    stage.ask_for("a", "t", "{vcore: 40}", 0, 1);
    stage.ask_for("a", "t", "{vcore: 1}", 0, 1);
    assert_eq!(stage.nodes(1), "n0", "pending: its size is what counts");
    stage.ask_for("a", "t", "{vcore: 96}", 0, 1);
    stage.ask_for("a", "u", "{vcore: 5}", 0, 1);
    assert_eq!(stage.nodes(1), "n1", "n0 is first and has no room");
    stage.ask_for("a", "t", "{vcore: 3}", 0, 1);
    stage.ask_for("a", "v", "{vcore: 5}", 0, 1);
    assert_eq!(stage.nodes(1), "n1", "n0 has the place of 1 in 100");
    check_invariants(&stage);
}

/// The application knows only the last; the first is removed with its node.
#[test]
fn d_23_the_old_release_forgets_the_previous_meaning_of_an_id() {
    let mut stage = two_nodes(Profile::V1_5_1, "fair");
    for (size, on) in [(40, "n0"), (10, "n1"), (50, "n1")] {
        stage.ask_for("a", "t", &format!("{{vcore: {size}}}"), 0, 1);
        assert_eq!(stage.nodes(1), on);
    }
    assert_eq!(stage.queue("root.q").allocated, cores(100));
    let released = |stage: &mut Stage| super::gangs::released(&stage.play("- release: {app: a, id: t}"));
    assert_eq!(released(&mut stage), ["t Stopped"]);
    assert_eq!((&stage.queue("root.q").allocated, &node(&stage, "n1").allocated), (&cores(50), &cores(10)));
    assert_eq!(released(&mut stage), [""; 0], "the others cannot be named any more");
    stage.play("- remove: {app: a}");
    assert!(stage.queue("root.q").allocated.is_zero() && stage.app("a") == "Completed");
    let left = |id| node(&stage, id).left_behind.iter().map(|left| left.listed).collect::<Vec<_>>();
    assert_eq!((left("n0"), left("n1")), (vec![true], vec![false]), "n1 listed the last one in its place");
    assert_eq!((&node(&stage, "n0").allocated, &node(&stage, "n1").allocated), (&cores(40), &cores(10)));
    check_invariants(&stage);
    stage.play("- removeNode: n0");
    check_invariants(&stage);
}

#[test]
fn d_23_a_release_ends_the_allocation_before_the_ask() {
    let mut stage = two_nodes(Profile::V1_5_1, "fair");
    stage.ask_for("a", "t", "{vcore: 40}", 0, 1);
    assert_eq!(stage.nodes(1), "n0");
    stage.ask_for("a", "t", "{vcore: 200}", 0, 1);
    assert_eq!(super::gangs::released(&stage.play("- release: {app: a, id: t}")), ["t Stopped"]);
    assert_eq!(stage.queue("root.q").pending, cores(200), "the ask stays");
    stage.play("- release: {app: a, id: t}");
    assert!(stage.queue("root.q").pending.is_zero() && stage.app("a") == "Completing");
    check_invariants(&stage);
}

/// Reservations belong to the ID, and the allocation of either request ends them.
#[test]
fn d_23_a_reservation_stays_with_the_id() {
    let mut stage = two_nodes(Profile::V1_5_1, "fair");
    stage.ask_for("a", "u", "{vcore: 60}", 9, 2);
    assert_eq!(stage.nodes(2), "n0 n1");
    stage.ask_for("a", "t", "{vcore: 50}", 5, 1);
    stage.play("- advance: 3s");
    assert_eq!(stage.cycle(), "t>n0");
    stage.ask_for("a", "t", "{vcore: 45}", 0, 1);
    assert_eq!(stage.priorities(&["root.q"]), "5", "the priority stays, too");
    stage.play("- advance: 3s");
    assert_eq!((stage.cycle().as_str(), stage.partition().reservations), ("nothing", 1), "not a second one");
    stage.play("- release: {app: a, id: u-1}");
    assert_eq!(stage.cycle(), "t<n0 t@n0");
    assert_eq!(stage.partition().reservations, 0);
    check_invariants(&stage);
}
