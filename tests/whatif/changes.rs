//! Each change has its effect; a rejected one affects no other.

use std::time::Duration;

use forecast::whatif::{Change, Effect, Plan, Span, run, steps};
use model::Profile;

use super::stage::{BOUNDS, CONFIG, STEPS, fork_of, plan, runner, tried};

fn effects(changes: &[&str]) -> Vec<(String, &'static str)> {
    let pair = tried(changes, Span::For(Duration::from_secs(600)));
    assert!(pair.refused.is_empty(), "{:?}", pair.refused);
    pair.comparison.apps.iter().map(|app| (app.app.to_string(), app.effect.name())).collect()
}

#[test]
fn a_larger_maximum_lets_what_waits_start() {
    let pair = tried(&["set root.a.max.vcore=+3"], Span::For(Duration::from_secs(60)));
    let two = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    assert_eq!(two.effect, Effect::Started);
    let (with, without) = (two.with.as_ref().unwrap(), two.without.as_ref().unwrap());
    assert_eq!((with.running, with.waiting, without.running, without.waiting), (3, 1, 0, 4));
    let first = pair.comparison.first.unwrap();
    assert_eq!((first.without, first.with.as_deref()), (None, Some("two/y-1 is allocated on n1")));
    assert!(
        pair.comparison.verdict.starts_with("1 application starts (without the change: does not)"),
        "{}",
        pair.comparison.verdict
    );
    assert!(
        pair.trace.contains(r#""event":"configAccepted""#) && pair.trace.contains(r#""ask":"y-3""#),
        "{}",
        pair.trace
    );
}

#[test]
fn an_administrator_s_changes_are_made_without_rights() {
    assert_eq!(effects(&["kill one"]), [("one".into(), "killed"), ("two".into(), "started")]);
    assert_eq!(effects(&["move two root.b"]), [("two".into(), "started")]);
    assert_eq!(effects(&["submit two 1", "move two-whatif-1 root.b"]), [("two-whatif-1".into(), "started")]);
    assert_eq!(effects(&["demand root.a x0"]), [("two".into(), "endsSooner")]);
    assert_eq!(effects(&["node remove n1"])[0], ("one".into(), "endsSooner"));
    let drained = tried(&["node drain n1", "node add n1"], Span::For(Duration::from_secs(1)));
    let nodes: Vec<&str> = drained.comparison.nodes.keys().map(|node| node.as_str()).collect();
    assert_eq!(nodes, ["n1", "n1-whatif-1"]);
}

#[test]
fn limits_and_properties_are_changed_in_the_text() {
    assert_eq!(effects(&["set root.a.max.vcore=none", "set root.a.limit.user.joe.vcore=1"])[0].1, "started");
    assert_eq!(effects(&["set root.a.maxapplications=3", "set root.b.priority=5"]), []);
    assert_eq!(effects(&["set root.a.property.application.sort.policy=fair"]), []);
}

#[test]
fn a_refused_change_is_reported_and_the_others_are_made() {
    let changes = ["set root.nowhere.max.vcore=1", "kill nobody", "set root.a.max.vcore=8", "move two root"];
    let pair = tried(&changes, Span::For(Duration::from_secs(60)));
    let refused: Vec<(usize, &str)> = pair.refused.iter().map(|step| (step.step, step.what.as_str())).collect();
    assert_eq!(refused, [(0, "set root.nowhere.max.vcore=1"), (1, "kill nobody"), (3, "move two root")]);
    assert!(pair.refused.iter().all(|step| !step.why.is_empty()), "{:?}", pair.refused);
    assert_eq!(pair.comparison.apps[0].effect, Effect::Started);
}

#[test]
fn a_change_is_written_as_it_is_read() {
    for text in [
        "set root.a.max.vcore=+8",
        "set root.a.guaranteed.nvidia.com/gpu=none",
        "set root.a.limit.user.sue.vcore=x0.5",
        "set root.a.limit.group.dev.maxapplications=3",
        "set root.a.property.priority.offset=5",
        "node add n1 4",
        "node resize n1 vcore=+4",
        "move one root.b",
        "submit one 3",
        "submit one 3 priority -5",
        "demand root.a x1.5",
    ] {
        assert_eq!(text.parse::<Change>().unwrap().to_string(), text);
    }
    for wrong in [
        "",
        "set root.a.max.vcore",
        "set root.a=3",
        "submit one 0",
        "demand root.a 2",
        "kill",
        "node burn n1",
        "node resize n1 vcore",
    ] {
        assert!(wrong.parse::<Change>().unwrap_err().contains("write one of"), "{wrong}");
    }
}

#[test]
fn a_node_has_another_size_and_a_copy_another_priority() {
    let smaller =
        tried(&["node resize n1 vcore=x0.5", "set root.a.max.vcore=none"], Span::For(Duration::from_secs(60)));
    assert!(smaller.refused.is_empty(), "{:?}", smaller.refused);
    let two = smaller.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    assert_eq!(two.with.as_ref().unwrap().running, 2);
    let first = |priority: &str| {
        let changes = [&format!("submit two 1 priority {priority}"), "set root.a.max.vcore=4"];
        let pair = tried(&changes, Span::For(Duration::from_secs(60)));
        let copy = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two-whatif-1").unwrap();
        copy.with.as_ref().unwrap().running
    };
    assert_eq!((first("5"), first("-5")), (2, 0));
    let nowhere = tried(&["node resize n9 vcore=1"], Span::Cycles(1));
    assert_eq!(nowhere.refused[0].why, "node n9 not found");
}

#[test]
fn the_first_difference_is_explained_on_the_side_where_it_is_not_decided() {
    let pair = tried(&["set root.a.max.vcore=+3"], Span::For(Duration::from_secs(60)));
    let first = pair.comparison.first.unwrap();
    assert_eq!(first.why_not_with, None, "nothing is decided without the change");
    let why = first.why_not_without.unwrap();
    assert!(why.starts_with("two/y-1") && why.contains("root.a") && why.contains("2 of 2"), "{why}");
    let pair = tried(&["submit two 1"], Span::Cycles(1));
    let why = pair.comparison.first.map(|first| (first.with.unwrap(), first.why_not_without));
    assert_eq!(why, Some(("two-whatif-1 is accepted in root.a".to_owned(), None)), "an application is no ask");
}

#[test]
fn a_queue_below_its_guarantee_and_long_waits_are_counted() {
    let limit = "limits: [{limit: joe, users: [joe], maxresources: {vcore: 1}}]";
    let config = |guaranteed: u64| {
        let resources = format!("resources: {{guaranteed: {{vcore: {guaranteed}}}}}\n            {limit}");
        CONFIG.replace("resources: {max: {vcore: 2}}", &resources)
    };
    let tried = |guaranteed: u64, change: &str, long: u64| {
        let config = config(guaranteed);
        let fork = fork_of(&runner(Profile::Kornsole, &config, STEPS), &config);
        let plan = plan(&[change], Span::For(Duration::from_secs(300)));
        let plan = Plan { long_wait: Duration::from_secs(long), ..plan };
        run(&fork, &plan, BOUNDS, &|| true).unwrap().comparison
    };
    let raised = tried(4, "set root.a.limit.user.joe.vcore=4", 200);
    let (without, with) = &raised.queues["root.a"];
    let (without, with) = (without.as_ref().unwrap(), with.as_ref().unwrap());
    assert_eq!((without.below_guarantee, with.below_guarantee), (Duration::from_secs(300), Duration::ZERO));
    assert_eq!((without.long_waits, with.long_waits), (3, 0));
    assert!(raised.verdict.contains("0 requests wait longer than 3m 20s instead of 3"), "{}", raised.verdict);
    let patient = tried(4, "set root.a.limit.user.joe.vcore=4", 400);
    assert_eq!(patient.total[0].long_waits, 0, "nothing waits as long as that");
    let promised = tried(3, "set root.a.guaranteed.vcore=4", 200).verdict;
    assert!(promised.contains("root.a is below its guarantee for 5m longer"), "{promised}");
}

#[test]
fn a_change_needs_no_time_so_untouched_parts_are_equal() {
    let steps = format!(
        "{STEPS}  - submit: {{app: three, queue: root.b, user: joe}}\n  - ask: {{app: three, id: z, count: 2, resource: {{vcore: 1}}}}\n"
    );
    let fork = fork_of(&runner(Profile::Kornsole, CONFIG, &steps), CONFIG);
    let list = steps::read(r#"[{"node": {"id": "n2", "capacity": {"memory": "1G"}}}]"#).unwrap();
    for changes in [
        plan(&["set root.a.max.memory=1G", "node drain n9"], Span::Idle),
        Plan { steps: list, ..plan(&[], Span::Idle) },
    ] {
        let pair = run(&fork, &changes, BOUNDS, &|| true).unwrap();
        assert_eq!((&pair.comparison.apps, &pair.comparison.first), (&Vec::new(), &None));
    }
}
