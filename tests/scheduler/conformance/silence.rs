//! Scenarios that are too small for recorded files.

use model::Profile;
use scheduler::Switches;
use serde_json::{Value, json};

use super::{Case, text};

fn trace(scenario: &str, profile: Profile) -> Vec<String> {
    let case =
        Case { name: "silence".to_owned(), scenario: scenario.to_owned(), old: Vec::new(), new: None, newest: None };
    let text = text(&case, Switches::of(profile), profile);
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).expect("a trace line is JSON");
        let part = |key: &str| line[key].as_str().map(str::to_owned);
        let parts = ["event", "node", "app", "ask", "reason"].into_iter().filter_map(part);
        parts.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(line).collect()
}

const QUEUES: &str = "version: 1
config: |
  partitions:
  - name: default
    queues:
    - name: root
      submitacl: '*'
      queues: [{name: a}, {name: b}]
steps:
";

#[test]
fn a_node_that_is_not_there_gives_no_line() {
    let steps = "- {removeNode: ghost}\n- updateNode: {id: ghost, capacity: {memory: 1}}\n- {drainNode: ghost}\n- {resumeNode: ghost}\n";
    for profile in Profile::ALL {
        assert_eq!(trace(&format!("{QUEUES}{steps}"), profile), ["configAccepted"], "{profile}");
    }
}

#[test]
fn a_placeholder_without_a_task_group_gives_no_line() {
    let steps = "- submit: {app: x, queue: root.a, user: sue}\n\
                 - ask: {app: x, id: p, resource: {memory: 1}, placeholder: true}\n\
                 - ask: {app: y, id: p, resource: {memory: 1}, placeholder: true}\n";
    for profile in Profile::ALL {
        let want = ["configAccepted", "appAccepted x", "askRejected y p"];
        assert_eq!(
            trace(&format!("{QUEUES}{steps}"), profile),
            want,
            "{profile}: an unknown application is another matter"
        );
    }
}

#[test]
fn without_a_partition_a_node_is_rejected_and_a_snapshot_has_its_lists() {
    let scenario =
        "version: 1\nconfig: 'partitions: []'\nsteps:\n- node: {id: n, capacity: {memory: 1}}\n- {snapshot: s}\n";
    for profile in Profile::RELEASES {
        assert_eq!(trace(scenario, profile), ["configAccepted", "nodeRejected n", "snapshot"], "{profile}");
        let case =
            Case { name: "none".to_owned(), scenario: scenario.to_owned(), old: Vec::new(), new: None, newest: None };
        let text = text(&case, Switches::of(profile), profile);
        let snapshot: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
        for list in ["queues", "apps", "nodes", "users", "groups"] {
            assert_eq!(snapshot[list], json!([]), "{list} under {profile}");
        }
    }
}

#[test]
fn releases_of_a_cycle_are_listed_before_its_allocations() {
    let steps = "- node: {id: n, capacity: {memory: 20}}\n\
                 - submit: {app: g, queue: root.a, user: sue, taskGroups: [{name: t, minMember: 1, minResource: {memory: 2}}]}\n\
                 - ask: {app: g, id: p, resource: {memory: 2}, placeholder: true, taskGroup: t}\n\
                 - {schedule: idle}\n\
                 - submit: {app: o, queue: root.b, user: bob}\n\
                 - ask: {app: o, id: z, resource: {memory: 1}}\n\
                 - ask: {app: g, id: r, resource: {memory: 5}, taskGroup: t}\n\
                 - {schedule: 1}\n";
    for profile in Profile::ALL {
        let lines = trace(&format!("{QUEUES}{steps}"), profile);
        let at =
            |line: &str| lines.iter().position(|other| other == line).unwrap_or_else(|| panic!("{line}: {lines:#?}"));
        assert!(at("released g p timeout") < at("allocated n o z"), "{profile}: {lines:#?}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("released")).count(), 1, "{lines:#?}");
    }
}
