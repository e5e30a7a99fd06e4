//! The releases' records of removed IDs (D-23).

use model::{Profile, Resource};
use scheduler::EventKind;
use scheduler::inspect::invariants;
use scheduler::state::node::Node;

use super::gangs::{gang, member, released};
use super::stage::{Stage, cores, open_root};

const RESIZING: [Profile; 2] = [Profile::V1_8_0, Profile::V1_9_0];

fn two_nodes(profile: Profile) -> Stage {
    let mut stage = Stage::bare(profile, &open_root("{name: q}"));
    stage.play("- node: {id: n0, capacity: {vcore: 100}}\n- node: {id: n1, capacity: {vcore: 100}}");
    stage.submit("a", "root.q");
    stage
}

fn node<'s>(stage: &'s Stage, id: &str) -> &'s Node {
    let nodes = &stage.partition().nodes;
    &nodes[nodes.find(&id.into()).expect("it was added")]
}

fn check_invariants(stage: &Stage) {
    assert_eq!(invariants::violations(stage.scheduler()), [""; 0]);
}

fn is_rejected(stage: &mut Stage, id: &str, resource: &str) -> bool {
    let events = stage.play(&format!("- ask: {{app: a, id: {id}, resource: {resource}}}"));
    events.iter().any(|event| matches!(event, EventKind::AskRejected { .. }))
}

/// While the node is missing, the ID is rejected; afterward it counts as resized.
#[test]
fn d_23_an_id_that_was_lost_with_its_node_stays_allocated() {
    for profile in RESIZING {
        let mut stage = two_nodes(profile);
        stage.ask_for("a", "t", "{vcore: 40}", 0, 1);
        stage.ask_for("a", "u", "{vcore: 10}", 0, 1);
        assert_eq!(stage.nodes(2), "n0 n1");
        stage.play("- removeNode: n0");
        assert!(is_rejected(&mut stage, "t", "{vcore: 40}"), "{profile}");
        stage.play("- node: {id: n0, capacity: {vcore: 100}}");
        assert!(!is_rejected(&mut stage, "t", "{vcore: 40}"));
        assert_eq!((stage.asks(1).as_str(), &stage.queue("root.q").allocated), ("nothing", &cores(10)));
        assert!(!is_rejected(&mut stage, "t", "{vcore: 45}"));
        assert_eq!((&stage.queue("root.q").allocated, &node(&stage, "n0").allocated), (&cores(15), &cores(5)));
        check_invariants(&stage);
        // After a release, the ID can be requested again. The counted resources remain.
        assert_eq!(released(&stage.play("- release: {app: a, id: t}")), [""; 0]);
        assert!(!is_rejected(&mut stage, "t", "{vcore: 20}"));
        assert_eq!(stage.asks(1), "t");
        stage.play("- remove: {app: a}");
        assert!(stage.queue("root.q").allocated.is_zero() && node(&stage, "n0").allocated == cores(5));
        check_invariants(&stage);
    }
}

#[test]
fn d_23_in_other_releases_an_id_that_was_lost_with_its_node_is_new() {
    for profile in [Profile::V1_5_1, Profile::Kornsole] {
        let mut stage = two_nodes(profile);
        stage.ask_for("a", "t", "{vcore: 40}", 0, 1);
        assert_eq!(stage.nodes(1), "n0");
        stage.play("- removeNode: n0");
        stage.ask_for("a", "t", "{vcore: 50}", 0, 1);
        assert_eq!((stage.nodes(1).as_str(), &stage.queue("root.q").allocated), ("n1", &cores(50)), "{profile}");
        check_invariants(&stage);
    }
}

#[test]
fn d_23_a_placeholder_that_timed_out_stays_allocated_unless_its_gang_resumes() {
    for profile in Profile::ALL {
        for (first, again) in [(2, "nothing"), (3, "ph-1")] {
            let mut stage = Stage::bare(profile, &open_root("{name: q}"));
            stage.play("- node: {id: n0, capacity: {vcore: 2}}");
            gang(&mut stage, "g", "root.q", ", placeholderTimeout: 10s", &format!("{{vcore: {first}}}"), first);
            assert_eq!(stage.asks(2), "ph-1 ph-2");
            assert_eq!(released(&stage.play("- advance: 11s")), ["ph-1 Timeout", "ph-2 Timeout"]);
            stage.play("- ask: {app: g, id: ph-1, resource: {vcore: 1}, placeholder: true, taskGroup: tg}");
            let resizes = RESIZING.contains(&profile);
            assert_eq!(stage.asks(1), if resizes { again } else { "ph-1" }, "{profile} {first}");
            check_invariants(&stage);
        }
    }
}

/// It counts as later, so the others wait (D-19).
#[test]
fn d_19_a_spent_ask_is_after_another() {
    let queue =
        "{name: q, properties: {application.unschedasks.backoff: '1', application.unschedasks.backoff.delay: 2s}}";
    for lost in [false, true] {
        let mut stage = Stage::bare(Profile::V1_8_0, &open_root(queue));
        stage.play("- node: {id: n0, capacity: {vcore: 60}}\n- node: {id: n1, capacity: {vcore: 60}}\n- node: {id: n2, capacity: {vcore: 60}}");
        stage.submit("a", "root.q");
        stage.ask_for("a", "t", "{vcore: 40}", -5, 1);
        assert_eq!(stage.nodes(1), "n0");
        stage.play(if lost { "- removeNode: n0" } else { "- release: {app: a, id: t}\n- removeNode: n0" });
        stage.ask_for("a", "big", "{vcore: 91}", 0, 1);
        assert_eq!(stage.asks(1), "nothing");
        stage.ask_for("a", "u", "{vcore: 1}", 9, 1);
        assert_eq!(stage.asks(1), if lost { "nothing" } else { "u" });
    }
}

/// The application loses the second allocation instead, which stays on its node.
#[test]
fn d_23_the_old_release_loses_the_last_allocation_with_the_node_of_the_first() {
    let mut stage = two_nodes(Profile::V1_5_1);
    for (size, on) in [(40, "n0"), (10, "n1")] {
        stage.ask_for("a", "t", &format!("{{vcore: {size}}}"), 0, 1);
        assert_eq!(stage.nodes(1), on);
    }
    assert_eq!(released(&stage.play("- removeNode: n0")), ["t NodeRemoved"]);
    assert_eq!((&stage.queue("root.q").allocated, &stage.application("a").allocated), (&cores(10), &cores(40)));
    assert_eq!(node(&stage, "n1").left_behind.iter().map(|left| left.listed).collect::<Vec<_>>(), [true]);
    assert_eq!(released(&stage.play("- release: {app: a, id: t}")), [""; 0]);
    check_invariants(&stage);
    // 40 exceeds the queue's usage, so it is not subtracted.
    stage.play("- remove: {app: a}");
    assert_eq!(stage.queue("root.q").allocated, cores(10));
}

#[test]
fn d_23_an_allocation_that_its_node_does_not_list_is_not_lost_with_it() {
    let mut stage = Stage::bare(Profile::V1_5_1, &open_root("{name: q}"));
    stage.play("- node: {id: n0, capacity: {vcore: 100}}");
    stage.submit("a", "root.q");
    for size in [40, 10] {
        stage.ask_for("a", "t", &format!("{{vcore: {size}}}"), 0, 1);
        assert_eq!(stage.nodes(1), "n0");
    }
    assert_eq!(released(&stage.play("- removeNode: n0")), ["t NodeRemoved"]);
    assert_eq!((&stage.queue("root.q").allocated, stage.app("a")), (&cores(40), "Running"));
    check_invariants(&stage);
    stage.play("- remove: {app: a}");
    assert!(stage.queue("root.q").allocated.is_zero());
}

#[test]
fn d_23_a_reservation_moves_with_its_ask() {
    let mut stage = two_nodes(Profile::V1_5_1);
    stage.ask_for("a", "u", "{vcore: 60}", 9, 2);
    assert_eq!(stage.nodes(2), "n0 n1");
    stage.ask_for("a", "t", "{vcore: 50}", 0, 1);
    stage.play("- advance: 3s");
    assert_eq!(stage.cycle(), "t>n0");
    stage.ask_for("a", "t", "{vcore: 45}", 0, 1);
    stage.play("- release: {app: a, id: u-2}");
    assert_eq!(stage.cycle(), "t<n0 t@n1");
    assert_eq!(node(&stage, "n1").allocated, cores(50));
    check_invariants(&stage);
}

/// 18 were requested and replaced by 21; the 18 were allocated, which leaves 3.
#[test]
fn d_23_what_is_pending_in_a_queue_is_never_taken_below_nothing() {
    let mut stage = two_nodes(Profile::V1_5_1);
    stage.ask_for("a", "t", "{vcore: 18}", 0, 1);
    stage.ask_for("a", "t", "{vcore: 21}", 0, 1);
    assert_eq!((stage.asks(1).as_str(), &stage.queue("root.q").pending), ("t", &cores(3)));
    stage.play("- release: {app: a, id: t}");
    stage.play("- release: {app: a, id: t}");
    assert_eq!((&stage.application("a").pending, &stage.queue("root.q").pending), (&cores(-18), &Resource::new()));
    stage.play("- remove: {app: a}");
    assert_eq!(stage.queue("root").pending, cores(18), "nothing takes it off any more");
}

/// The placeholder counts with its old size, the rest as a real allocation.
#[test]
fn d_23_a_resized_placeholder_that_gave_way_leaves_its_queue_a_rest() {
    for profile in RESIZING {
        for (replaced, left) in [(false, 0), (true, 7)] {
            let mut stage = Stage::bare(profile, &open_root("{name: q}"));
            stage.play("- node: {id: n0, capacity: {vcore: 10}}");
            stage.play("- submit: {app: g, queue: root.q, user: sue, placeholder: {vcore: 8}}");
            let ask = |size| {
                format!("- ask: {{app: g, id: ph, resource: {{vcore: {size}}}, placeholder: true, taskGroup: tg}}")
            };
            stage.play(&ask(4));
            assert_eq!(stage.asks(1), "ph");
            stage.play(&ask(6));
            assert_eq!(stage.queue("root.q").allocated, cores(6));
            if replaced {
                member(&mut stage, "g", "r", "{vcore: 5}");
                assert_eq!((stage.asks(1).as_str(), &stage.queue("root.q").allocated), ("r", &cores(5)));
            }
            stage.play("- remove: {app: g}");
            assert_eq!(stage.queue("root.q").allocated, cores(left), "{profile}");
            check_invariants(&stage);
        }
    }
}

#[test]
fn sch_151_no_victims_are_sought_while_every_node_is_reserved() {
    let queues = "{name: a}, {name: b, resources: {guaranteed: {vcore: 4}}, properties: {preemption.delay: 10s}}";
    let nodes = "- node: {id: n0, capacity: {vcore: 4}}\n- node: {id: n1, capacity: {vcore: 4}}";
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root(queues));
        stage.play(nodes);
        stage.submit("one", "root.a");
        stage.submit("two", "root.b");
        stage.play("- ask: {app: one, id: t, resource: {vcore: 3}, count: 2, allowPreemptSelf: true}");
        assert_eq!(stage.nodes(2), "n0 n1");
        let ask = "resource: {vcore: 2}, count: 2, allowPreemptOther: true";
        stage.play(&format!("- ask: {{app: two, id: b, {ask}}}\n- advance: 3s"));
        assert_eq!((stage.cycle().as_str(), stage.cycle().as_str()), ("b-1>n0", "b-2>n1"), "{profile}");
        stage.play("- advance: 11s");
        assert_eq!((stage.cycle().as_str(), stage.cycle().as_str()), ("nothing", "nothing"), "{profile}");
        stage.play("- node: {id: n2, capacity: {vcore: 1}}");
        // 1.5.1 treats a queue without guaranteed resources as protected by its maximum.
        let then = if profile == Profile::V1_5_1 { "nothing" } else { "-t-1" };
        assert_eq!(stage.cycle(), then, "{profile}");
    }
}

/// The resource names of removed nodes remain in the cluster.
#[test]
fn p_04_a_name_remains_when_all_nodes_are_removed() {
    for profile in Profile::ALL {
        let mut stage = Stage::bare(profile, &open_root("{name: q}"));
        stage.play("- node: {id: n0, capacity: {vcore: 4, gpu: 1}}\n- removeNode: n0");
        assert!(stage.queue("root").max.is_none(), "{profile}: unset while there is nothing");
        stage.play("- node: {id: n1, capacity: {vcore: 4}}");
        let gpu = stage.headroom("root.q").get("gpu");
        assert_eq!(gpu, (profile == Profile::V1_5_1).then_some(0), "{profile}");
    }
}
