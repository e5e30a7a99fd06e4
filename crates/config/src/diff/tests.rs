use std::fs;
use std::path::Path;

use serde_json::json;

use super::*;
use crate::{Config, read, read_bytes};
use model::Profile;

fn config(text: &str) -> Config {
    let reading = read(text, Profile::Kornsole);
    reading.config.unwrap_or_else(|| panic!("{:#?}\n{text}", reading.faults))
}

fn compared(old: &str, new: &str) -> Diff {
    diff(&config(old), &config(new))
}

fn roots(old: &str, new: &str) -> String {
    let file = |root: &str| format!("partitions: [{{queues: [{{name: root, submitacl: '*', {root}}}]}}]");
    compared(&file(old), &file(new)).to_text()
}

const OLD: &str = "\
partitions:
  - name: default
    placementrules: [{name: user}, {name: tag, value: namespace, create: true}]
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: tenant-a
            adminacl: sue
            resources: {max: {memory: 40G, vcore: 20}}
            properties: {priority.offset: '10', old.one: x}
            limits:
              - {limit: sue and bob, users: [sue, bob], maxresources: {memory: 12G, vcore: 6}}
              - {users: ['*'], maxapplications: 3}
          - name: legacy
            queues: [{name: low}]
          - name: leaf
";

const NEW: &str = "\
# other words, same meaning
partitions:
  - placementrules: [{name: tag, value: namespace, create: true}, {name: provided, filter: {users: [joe]}}]
    preemption: {enabled: false}
    nodesortpolicy: {type: binpacking, resourceweights: {vcore: 4}}
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: leaf
            queues: [{name: Inner}]
          - name: TENANT-A
            adminacl: sue dev
            maxapplications: 20
            resources: {max: {memory: 40000M, vcore: 6}, guaranteed: {memory: 1G}}
            properties: {priority.offset: '5'}
            childtemplate: {maxapplications: 2}
            limits:
              - {users: [sue, bob, joe], maxresources: {memory: 12G, vcore: 5500m}}
              - {groups: [dev], maxapplications: 2}
          - name: tenant-c
            submitacl: ' dev'
            parent: true
            resources: {max: {vcore: 8}}
";

#[test]
fn for_people() {
    let diff = compared(OLD, NEW);
    insta::assert_snapshot!(format!("{}\n{}", diff.to_text(), diff.summary()));
}

#[test]
fn as_json() {
    insta::assert_snapshot!(format!("{:#}", compared(OLD, NEW).to_json()));
}

#[test]
fn what_means_the_same_is_no_difference() {
    for (old, new) in [
        ("queues: [{name: a}, {name: b}]", "queues: [{name: B}, {name: A}]"),
        (
            "queues: [{name: a, resources: {max: {memory: 1G}}}]",
            "queues: [{name: a, resources: {max: {memory: 1000M}}}]",
        ),
        ("queues: [{name: a, adminacl: 'a,b'}]", "queues: [{name: a, adminacl: 'b,a ', resources: {max: {}}}]"),
        ("limits: [{users: [a, b], maxapplications: 1}]", "limits: [{users: [b, a], groups: [], maxapplications: 1}]"),
    ] {
        assert_eq!(roots(old, new), "", "{old}");
    }
    let bare = "partitions: [{queues: [{name: a}]}]";
    let root = "# x\npartitions: [{name: Default, placementrules: [], queues: [{name: root, parent: true, queues: [{name: a}]}]}]";
    assert!(compared(bare, root).is_empty());
}

#[test]
fn limits_are_matched_by_the_names_in_them() {
    let sue = "{users: [sue], maxapplications: 1}";
    let dev = "{groups: [dev, ops], maxapplications: 2}";
    insta::assert_snapshot!(roots(&format!("limits: [{sue}, {dev}]"), &format!("limits: [{dev}, {sue}]")), @"
    ~ root
        order of limits users sue; groups dev,ops → groups dev,ops; users sue   immediately
    ");
    insta::assert_snapshot!(roots(&format!("limits: [{sue}, {dev}]"), "limits: [{groups: [ops, dev], maxapplications: 2}]"), @"
    ~ root
      - limit users sue: maxapplications 1               immediately
        limit groups ops,dev: groups dev,ops → ops,dev   immediately
    ");
    insta::assert_snapshot!(roots(&format!("limits: [{sue}]"), &format!("limits: [{dev}, {{users: [sue], limit: x, maxapplications: 1, maxresources: {{gpu: 0, memory: 1}}}}]")), @"
    ~ root
      + limit groups dev,ops: maxapplications 2   immediately; running allocations continue
        limit users sue: description none → x     no effect, a description
        limit users sue: max memory none → 1      immediately; running allocations continue
        limit users sue: max gpu none → 0         immediately; running allocations continue
    ");
}

#[test]
fn rules_refer_to_their_neighbors() {
    let rules = |list: &str| {
        config(&format!("partitions: [{{placementrules: [{list}], queues: [{{name: root, queues: [{{name: a}}]}}]}}]"))
    };
    let reported = |old: &str, new: &str| diff(&rules(old), &rules(new)).to_text();
    insta::assert_snapshot!(
        reported("{name: user}, {name: provided}", "{name: tag, value: ns}, {name: user}, {name: provided, create: true}"),
        @"
    ~ partition default
      + placement rule 1: tag ns                        for new applications
        placement rule 3: provided → provided, create   for new applications
    "
    );
    insta::assert_snapshot!(
        reported(
            "{name: user, parent: {name: tag, value: a b}}, {name: provided}",
            "{name: user, parent: {name: tag, value: ns, filter: {type: deny, users: [joe]}}, filter: {}}"
        ),
        @r#"
    ~ partition default
        placement rule 1: user, parent (tag "a b") → user, filter allow, parent (tag ns, filter deny users joe)   for new applications
      - placement rule 2: provided   for new applications
    "#
    );
    let identical = "{name: user, parent: {name: secondarygroup}}";
    assert_eq!(reported(identical, identical), "");
    assert_ne!(reported(identical, "{name: user, parent: secondarygroup}"), "");
    assert_eq!(reported("{name: user, parent: primarygroup}", "{name: user, parent: {name: primarygroup}}"), "");
}

#[test]
fn templates_are_added_and_removed_as_a_whole() {
    insta::assert_snapshot!(
        roots("", "childtemplate: {resources: {guaranteed: {memory: 0}}}"),
        @"
    ~ root
      + child template   for new dynamic queues
    "
    );
    insta::assert_snapshot!(
        roots("childtemplate: {maxapplications: 2, properties: {a: b}}", "childtemplate: {resources: {max: {vcore: 1}}, properties: {a: c}}"),
        @"
    ~ root
        child template: maxapplications 2 → none   for new dynamic queues
        child template: max vcore none → 1         for new dynamic queues
        child template: property a b → c           for new dynamic queues
    "
    );
}

#[test]
fn partitions_are_added_and_removed() {
    let old = "partitions: [{queues: [{name: a}]}, {name: gpu, queues: [{name: root, queues: [{name: x}]}]}]";
    let new = "partitions: [{name: tpu, preemption: {enabled: false}, queues: [{name: y}]}, {queues: [{name: a, maxapplications: 1}]}]";
    let diff = compared(old, new);
    insta::assert_snapshot!(format!("{}{}", diff.to_text(), diff.summary()), @"
    + partition tpu                created immediately
        preemption false
    + root                         active immediately
    + root.y                       active immediately
    ~ partition default
    ~ root.a
        maxapplications none → 1   running applications continue; none starts until the count is below the maximum
    - partition gpu                its queues drain, its applications fail, its nodes are dropped
    1 queue changed, 2 added; 1 partition added, 1 removed
    ");
    assert_eq!(diff.touches(), BTreeSet::from([("default", QueuePath::root())]));
    assert!(diff.touches_partitions());
    let gpu = old.replace("name: x", "name: z");
    assert_eq!(compared(old, &gpu).to_json()["touches"], json!(["gpu/root"]));
}

#[test]
fn admin_access_is_needed_on_the_parent_of_added_removed_and_changed_queues() {
    let file = |queues: &str| format!("partitions: [{{queues: [{{name: root, queues: [{queues}]}}]}}]");
    let diff = compared(
        &file("{name: a, queues: [{name: gone, queues: [{name: below}]}]}, {name: b}"),
        &file(
            "{name: a, parent: true}, {name: b, maxapplications: 1}, {name: c, queues: [{name: d, maxapplications: 1}]}",
        ),
    );
    let touched: Vec<_> = diff.touches().into_iter().map(|(_, queue)| queue.to_string()).collect();
    assert_eq!(touched, ["root", "root.a", "root.a.gone"]);
    let gone: Vec<_> = diff.removed_queues().map(|(_, queue)| queue.to_string()).collect();
    assert_eq!(gone, ["root.a.gone", "root.a.gone.below"]);
    assert!(!diff.touches_partitions());
}

#[test]
fn what_is_written_cannot_drive_a_terminal() {
    let reported = roots("", "properties: {a: \"\\e[2J\"}");
    assert!(!reported.contains('\u{1b}') && reported.contains("\\u{1b}[2J"), "{reported}");
}

#[test]
fn moving_back_undoes() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/configs");
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let configs: Vec<_> =
        names.iter().filter_map(|name| read_bytes(&fs::read(name).unwrap(), Profile::V1_8_0).config).collect();
    assert!(configs.len() > 200);
    for (one, other) in configs.iter().zip(configs.iter().skip(1)) {
        assert!(diff(one, one).is_empty());
        let (there, back) = (diff(one, other), diff(other, one));
        assert_eq!(there.is_empty(), back.is_empty());
        let settings = |diff: &Diff, from: bool| {
            let reported = diff.changes.iter().filter(|change| change.what == What::Changed);
            let mut reported: Vec<_> = reported
                .map(|change| (change.queue.clone(), if from { change.from.clone() } else { change.to.clone() }))
                .collect();
            reported.sort();
            reported
        };
        assert_eq!(settings(&there, true), settings(&back, false));
        assert_eq!(settings(&there, false), settings(&back, true));
    }
}
