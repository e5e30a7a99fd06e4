//! Preemptions of the other scheduler: the same victims, other victims, or none.

use std::collections::BTreeSet;

use forecast::shadow::Settings;
use scheduler::PartitionCommand;

use super::play::Stage;

/// `root.g` has guaranteed resources; `root.b` fills the cluster first.
const CONFIG: &str = "
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - {name: g, resources: {guaranteed: {vcore: 2}}, properties: {preemption.delay: 1s}}
    - {name: b, resources: {guaranteed: {vcore: 1}}}
";

fn full() -> Stage {
    let mut stage = Stage::new(CONFIG, Settings::default(), &[("n1", 2), ("n2", 2)]);
    stage.submit("filler", "root.b");
    for (ask, node) in [("f1", "n1"), ("f2", "n2"), ("f3", "n1"), ("f4", "n2")] {
        stage.wait(2_000).ask("filler", ask, 1, 0).wait(2_000);
        stage.decided("filler", ask, node);
    }
    stage.wait(2_000).submit("want", "root.g").ask("want", "w", 1, 0).wait(40_000);
    stage
}

fn ends(stage: &mut Stage, ask: &str) {
    stage.give(PartitionCommand::Release { app: "filler".into(), ask: ask.into() });
}

#[test]
fn victims_that_kornsole_would_select_are_the_same_without_input() {
    let mut stage = full();
    ends(&mut stage, "f3");
    let checks = stage.shadow.take_checks();
    assert_eq!(checks.len(), 1, "{checks:?}");
    assert!(checks[0].is_same() && checks[0].queue.as_str() == "root.b", "{checks:?}");
    assert!(stage.wait(500).decided("want", "w", "n1").verdict.agrees());
}

#[test]
fn other_victims_are_shown_next_to_local_ones() {
    let mut stage = full();
    let victims = BTreeSet::from([("filler".into(), "f2".into())]);
    stage.shadow.freed(stage.at, &victims);
    let checks = stage.shadow.take_checks();
    assert_eq!(checks.len(), 1);
    assert!(!checks[0].is_same());
    assert_eq!(checks[0].local, [("filler".into(), "f3".into())]);
    // The free resources are on the other scheduler's node.
    assert!(stage.wait(500).decided("want", "w", "n2").verdict.agrees());
}

#[test]
fn a_pod_that_ends_by_itself_is_no_victim() {
    let mut stage = full();
    ends(&mut stage, "f2");
    assert!(stage.shadow.take_checks().is_empty(), "ours would have taken f3");
    assert!(stage.wait(500).decided("want", "w", "n2").verdict.agrees());
}
