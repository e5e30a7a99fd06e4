//! Causes of a pending request: the one that time resolves least comes first.

use std::time::UNIX_EPOCH;

use model::Profile;
use serde_json::Value;
use view::waiting::{Blocker, RemedyWords, Resolution, Sentence};
use wire::convert::Wall;
use wire::convert::explain as convert;

use super::stage::{Stage, open_root};

fn stage(queues: &str) -> Stage {
    let mut stage = Stage::bare(Profile::V1_9_0, &open_root(queues));
    for node in ["n0", "n1"] {
        stage.play(&format!("- node: {{id: {node}, capacity: {{vcore: 4, memory: 8}}}}"));
    }
    stage.submit("busy", "root.q");
    stage.ask("busy", "b", 0, 7);
    assert_eq!(stage.asks(8).matches('b').count(), 7);
    stage.submit("a", "root.q");
    stage
}

fn of_a(stage: &Stage) -> (Vec<Resolution>, String, Value) {
    let found = stage.explain("a");
    let mut kinds: Vec<Resolution> = found.asks[0].blockers.iter().map(Blocker::resolution).collect();
    kinds.dedup();
    let json = serde_json::to_value(convert::explained(&found, &Wall::new(UNIX_EPOCH, 1.0))).unwrap();
    (kinds, found.sentence(), json)
}

#[test]
fn a_resource_that_no_node_has_is_listed_before_the_shortage_of_the_closest_node() {
    let mut stage = stage("{name: q}");
    stage.ask_for("a", "t", "{vcore: 2, 'nvidia.com/gpu': 1}", 0, 8);
    let (kinds, sentence, json) = of_a(&stage);
    assert_eq!(kinds, [Resolution::Never, Resolution::End]);
    assert_eq!(sentence, "a in root.q waits for nvidia.com/gpu, which no node has: 1 requested, 0 of 2 nodes have it");
    let cause = &json["cause"];
    assert_eq!((&cause["kind"], &cause["permanent"]), (&"never".into(), &true.into()), "{json:#}");
    assert_eq!((&cause["level"], &cause["resource"]), (&"node".into(), &"nvidia.com/gpu".into()));
    assert_eq!(cause, &json["asks"][0]["cause"]);
    assert_eq!(json["blockedBy"][0]["resource"], "nvidia.com/gpu");
    let remedy = &stage.explain("a").asks[0].remedies[0];
    let reported = remedy.sentence(Default::default());
    assert!(
        reported.ends_with("(0 of 2 nodes have nvidia.com/gpu)") && reported.starts_with("add a node with "),
        "{reported}"
    );
    let all = stage.partition().explain_all(Default::default(), None).unwrap();
    let of_all = serde_json::to_value(convert::waiting(&all, &Wall::new(UNIX_EPOCH, 1.0))).unwrap();
    assert_eq!(of_all["groups"][0]["cause"]["kind"], "never", "{of_all:#}");
    assert_eq!(of_all["groups"][0]["asks"], 8);
}

#[test]
fn groups_are_in_the_order_of_what_removes_their_causes_then_by_number() {
    let mut stage = stage("{name: q}, {name: full, resources: {max: {memory: 1}}}");
    // Three need the end of other work, two a change, and one of each never runs or could run next.
    stage.ask_for("a", "end", "{vcore: 3}", 0, 3);
    for (app, queue, resources, count) in [
        ("held", "root.full", "{memory: 1}", 2),
        ("never", "root.q", "{'nvidia.com/gpu': 1}", 1),
        ("large", "root.q", "{memory: 9}", 2),
    ] {
        stage.submit(app, queue);
        stage.ask_for(app, "t", resources, 0, count);
    }
    stage.submit("one", "root.full");
    stage.ask_for("one", "t", "{memory: 1}", 0, 1);
    stage.asks(1);
    let all = stage.partition().explain_all(Default::default(), None).unwrap();
    let found: Vec<_> =
        all.groups.iter().map(|group| (group.blocker.as_ref().map(Blocker::resolution), group.asks)).collect();
    let order: Vec<_> =
        found.iter().map(|(resolution, asks)| (resolution.is_none(), *resolution, std::cmp::Reverse(*asks))).collect();
    assert!(order.is_sorted(), "{found:?}");
    let kinds: Vec<_> = found.iter().map(|(resolution, _)| *resolution).collect();
    assert_eq!(kinds[..2], [Some(Resolution::Never), Some(Resolution::Never)], "{found:?}");
    assert!(kinds.contains(&Some(Resolution::Change)) && kinds.contains(&Some(Resolution::End)), "{found:?}");
    let largest = found.iter().map(|(_, asks)| *asks).max().unwrap();
    assert!(found[0].1 < largest, "the largest group is not first: {found:?}");
    let first = &all.groups[0];
    assert!(all.sentence().contains(&format!(", {} for ", first.asks)), "{}", all.sentence());
}

#[test]
fn of_the_requests_of_an_application_the_one_that_never_runs_is_named() {
    let mut stage = stage("{name: q}");
    stage.ask_for("a", "waits", "{vcore: 3}", 9, 1);
    stage.ask_for("a", "never", "{memory: 9}", 0, 1);
    let found = stage.explain("a");
    assert_eq!(found.asks[0].id.as_str(), "waits", "requests stay in the order of a cycle");
    assert!(found.asks[0].blockers.iter().all(|one| one.resolution() == Resolution::End), "{found:#?}");
    assert_eq!(found.sentence(), "a in root.q waits for memory on one node: 9 requested, the largest node has 8");
}

#[test]
fn a_reached_maximum_is_listed_before_a_full_queue_and_full_nodes() {
    let mut stage = stage("{name: q, resources: {max: {vcore: 7, memory: 4}}}");
    stage.ask_for("a", "t", "{vcore: 2, memory: 5}", 0, 1);
    let (kinds, sentence, json) = of_a(&stage);
    assert_eq!(kinds, [Resolution::Never, Resolution::Change, Resolution::End], "{json:#}");
    assert_eq!(sentence, "a in root.q waits for memory in root.q: 5 requested at the same time, above its maximum 4");
    // No completion of other work helps.
    let ends =
        stage.explain("a").asks[0].remedies.iter().map(|one| one.sentence(Default::default())).collect::<Vec<_>>();
    assert_eq!(ends.iter().filter(|one| one.starts_with("end ")).count(), 1, "{ends:?}");
    stage.play("- release: {app: a, id: t}");
    stage.ask_for("a", "u", "{vcore: 2}", 0, 1);
    let (kinds, _, json) = of_a(&stage);
    assert_eq!(kinds, [Resolution::Change, Resolution::End]);
    assert_eq!((&json["cause"]["kind"], &json["cause"]["permanent"]), (&"change".into(), &false.into()), "{json:#}");
}

#[test]
fn what_only_unschedulable_nodes_could_take_needs_a_change() {
    let mut stage = stage("{name: q}");
    stage.play("- node: {id: n2, capacity: {vcore: 16}}\n- drainNode: n2");
    stage.ask_for("a", "t", "{vcore: 9}", 0, 1);
    let (kinds, sentence, json) = of_a(&stage);
    assert_eq!(kinds, [Resolution::Change]);
    assert!(sentence.ends_with("the nodes that fit are unschedulable, for example n2"), "{sentence}");
    assert_eq!(json["cause"]["permanent"], true);
}

#[test]
fn what_the_next_cycles_serve_waits_for_its_turn() {
    let mut stage = stage("{name: q}");
    stage.ask("a", "t", 0, 1);
    let (kinds, _, json) = of_a(&stage);
    assert_eq!((kinds.as_slice(), &json["cause"]), ([].as_slice(), &Value::Null));
    stage.ask("a", "u", 5, 1);
    let found = stage.explain("a");
    assert_eq!(found.asks[1].blockers[0].resolution(), Resolution::Turn, "{found:#?}");
    assert!(!found.asks[1].blockers[0].is_permanent());
}
