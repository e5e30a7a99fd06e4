use std::sync::Arc;

use super::{read, run};
use config::Config;
use model::Profile;

const QUEUES: &str = "\
partitions:
- name: default
  placementrules: [{name: provided}, {name: tag, value: namespace}]
  queues:
  - name: root
    queues:
    - {name: dev, submitacl: ' dev'}
    - {name: a, submitacl: '*', resources: {guaranteed: {vcore: 4}}}
    - {name: b, submitacl: '*', resources: {guaranteed: {vcore: 4}}}
";

fn config() -> Arc<Config> {
    Arc::new(config::read(QUEUES, Profile::V1_9_0).config.unwrap())
}

fn failures(cases: &str) -> Vec<String> {
    let reading = read(format!("tests:\n{cases}").as_bytes());
    let file = reading.file.unwrap_or_else(|| panic!("{:?}", reading.faults));
    let run = |case| run(case, &config(), Profile::V1_9_0).unwrap();
    file.cases.iter().flat_map(run).map(|failure| format!("{}: {}", failure.at.line, failure.why)).collect()
}

#[test]
fn a_placement_is_compared_with_the_queue_or_the_rejection() {
    let of = |user: &str, groups: &str, expect: &str| {
        failures(&format!(
            "- name: a\n  place: {{user: {user}, groups: [{groups}], tags: {{namespace: dev}}}}\n  expect: {expect}\n"
        ))
    };
    assert!(of("sue", "dev", "root.dev").is_empty());
    assert!(of("joe", "qa", "rejected").is_empty());
    assert_eq!(of("sue", "dev", "root.a"), ["2: expected root.a, placed in root.dev"]);
    assert_eq!(of("sue", "dev", "rejected"), ["2: expected rejected, placed in root.dev"]);
    let refused = of("joe", "qa", "root.dev");
    assert!(refused[0].starts_with("2: expected root.dev, rejected: "), "{refused:?}");
}

fn faults_of(expect: &str) -> Vec<String> {
    failures(&format!(
        "- name: beside
  nodes: [{{count: 2, capacity: {{vcore: 4, memory: 8Gi}}}}]
  submit:
  - {{app: a, user: ann, queue: root.a, pods: 3, resource: {{vcore: 2}}}}
  - {{app: b, user: bob, queue: root.b, pods: 2, resource: {{vcore: 2}}, at: 10s}}
  expect:
  - {expect}
"
    ))
}

#[test]
fn pods_fit_with_others_or_wait() {
    assert!(faults_of("{app: a, running: all}").is_empty());
    assert!(faults_of("{app: b, running: 1, pending: 1}").is_empty());
    assert_eq!(faults_of("{app: b, running: all}"), ["8: b has 1 running and 1 pending pods"]);
    assert_eq!(faults_of("{app: b, pending: 0}"), ["8: b has 1 pending and 1 running pods"]);
    assert_eq!(faults_of("{app: b, queue: root.a}"), ["8: b is in root.b"]);
    assert_eq!(faults_of("{app: b, rejected: true}"), ["8: b is accepted in root.b"]);
    assert!(faults_of("{queue: root.b, atMost: {vcore: 2}}").is_empty());
    let over = faults_of("{queue: root.a, atMost: 50%}");
    assert_eq!(over, ["8: root.a uses vcore 6 (75%), expected at most 4"]);
}

fn flood(when: &str, queue: &str) -> Vec<String> {
    failures(&format!(
        "- name: share
  nodes: [{{capacity: {{vcore: 8, memory: 8Gi}}}}]
  submit:
  - {{app: flood, user: ann, queue: root.a, pods: 50, resource: {{vcore: 1}}}}
  - {{app: b, user: bob, queue: {queue}, pods: 9, resource: {{vcore: 1}}, at: 1m}}
  {when}
  expect: [{{queue: {queue}, atLeast: 30%}}]
"
    ))
}

#[test]
fn a_queue_gets_its_share_by_preemption_in_time() {
    assert!(flood("within: 5m", "root.b").is_empty());
    assert!(flood("after: 5m", "root.b").is_empty());
    // Preemption starts after 30 s.
    let early = flood("within: 5s", "root.b");
    assert_eq!(early, ["8: root.b uses vcore 0 (0%), expected at least 2.4"]);
    // Without a guarantee it never does.
    let never = failures(
        "- name: dev
  nodes: [{capacity: {vcore: 8}}]
  submit:
  - {app: flood, user: ann, queue: root.a, pods: 50, resource: {vcore: 1}}
  - {app: d, user: bob, groups: [dev], queue: root.dev, pods: 9, resource: {vcore: 1}, at: 1m}
  within: 5m
  expect: [{queue: root.dev, atLeast: 30%}]
",
    );
    assert_eq!(never.len(), 1, "{never:?}");
}

#[test]
fn a_rejected_application_is_reported() {
    let of = |expect: &str| {
        failures(&format!(
            "- name: no access\n  nodes: [{{capacity: {{vcore: 8}}}}]\n  submit: [{{app: x, user: joe, queue: root.dev, resource: {{vcore: \
             1}}}}]\n  expect: [{{app: x, {expect}}}]\n"
        ))
    };
    assert!(of("rejected: true").is_empty());
    assert!(of("running: 1")[0].starts_with("5: x is rejected: "), "{:?}", of("running: 1"));
}

#[test]
fn what_is_wrong_in_a_file_is_reported_with_its_place() {
    for (text, line, words) in [
        ("", 0, "not a map"),
        ("config: q.yaml\n", 1, "has no tests"),
        ("tests:\n- name: a\n  expect: root.a\n", 2, "expected one of `place` and `submit`"),
        ("tests:\n- name: a\n  place: {user: u}\n", 2, "`expect` is missing"),
        ("tests:\n- name: a\n  place: {usr: u}\n  expect: root.a\n", 3, "usr"),
        ("core: 7\ntests:\n- {name: a, place: {user: u}, expect: root.a}\n", 1, "7"),
        (
            "tests:\n- name: a\n  submit: [{app: a, user: u, resource: {vcore: 1}}]\n  expect: [{app: b, running: all}]\n",
            2,
            "no nodes",
        ),
        (
            "tests:\n- name: a\n  nodes: [{capacity: {vcore: 1}}]\n  submit: [{app: a, user: u, resource: {vcore: 1}}]\n  expect: \
             [{queue: root, atLeast: much}]\n",
            5,
            "`atLeast` is \"much\"",
        ),
        (
            "tests:\n- name: a\n  nodes: [{capacity: {vcore: 1}}]\n  submit: [{app: a, user: u, resource: {vcore: 1}}]\n  expect: \
             [{app: b, running: all}]\n",
            5,
            "application b is not submitted",
        ),
    ] {
        let reading = read(text.as_bytes());
        let first = reading.faults.iter().find(|fault| fault.message.contains(words));
        assert!(reading.file.is_none(), "{text}");
        assert_eq!(first.map(|fault| fault.at.line), Some(line), "{text}: {:?}", reading.faults);
    }
}

fn unknown(expect: &str, queue: &str) -> Vec<String> {
    let text = format!(
        "tests:
- name: a
  nodes: [{{count: 2, capacity: {{vcore: 4, memory: 8Gi}}}}]
  submit: [{{app: a, user: ann, groups: [dev], queue: {queue}, tags: {{namespace: dev}}, resource: {{vcore: 2}}}}]
  expect:
  - {expect}
"
    );
    let file = read(text.as_bytes()).file.unwrap();
    let faults = super::unknown_queues(&file, &config(), Profile::V1_9_0).unwrap();
    faults
        .into_iter()
        .map(|fault| format!("{}:{}: {}; {}", fault.at.line, fault.at.column, fault.message, fault.hint))
        .collect()
}

#[test]
fn a_queue_that_neither_exists_nor_is_created_is_an_error() {
    let message = "queue `root.aa` does not exist, and no application of the test is placed in it; write `root.a`";
    assert_eq!(unknown("{queue: root.aa, atMost: 10%}", "root.a"), [format!("6:13: {message}")]);
    assert!(unknown("{queue: ROOT.a, atMost: 90%}", "root.b").is_empty());
    let config = QUEUES.replace("{name: provided}", "{name: provided, create: true}");
    let config = config.replace("- name: root\n", "- name: root\n    submitacl: '*'\n");
    let created = Arc::new(config::read(&config, Profile::V1_9_0).config.unwrap());
    let case = |queue: &str| {
        let text = format!(
            "tests:\n- name: a\n  nodes: [{{capacity: {{vcore: 4}}}}]\n  submit: [{{app: a, user: ann, queue: root.new, resource: \
             {{vcore: 2}}}}]\n  expect: [{{queue: {queue}, atMost: 50%}}]\n"
        );
        let file = read(text.as_bytes()).file.unwrap();
        super::unknown_queues(&file, &created, Profile::V1_9_0).unwrap().len()
    };
    assert_eq!([case("root.new"), case("root.nem")], [0, 1], "placement creates only one of them");
}

#[test]
fn a_resource_that_no_node_has_is_an_error() {
    let of = |submit: &str, expect: &str| {
        let text = format!(
            "tests:\n- name: a\n  nodes: [{{capacity: {{vcore: 4, memory: 1Gi}}}}]\n  submit: [{{app: a, user: u, queue: root.a, \
             resource: {submit}}}]\n  expect: [{expect}]\n"
        );
        let reading = read(text.as_bytes());
        let shown =
            |fault: &config::Fault| format!("{}:{} {}; {}", fault.at.line, fault.at.column, fault.message, fault.hint);
        reading.faults.iter().map(shown).collect::<Vec<_>>()
    };
    let wrong = "no node of the test has `cpu`; write `vcore`; the nodes have memory, vcore";
    let uses = |rest: &str| format!("{{queue: root.a, {rest}}}");
    assert_eq!(of("{vcore: 1}", &uses("atMost: {cpu: 1}")), [format!("5:37 {wrong}")]);
    assert_eq!(of("{cpu: 1}", &uses("atMost: 10%")), [format!("4:56 {wrong}")]);
    let share = of("{vcore: 1}", &uses("atMost: 10%, resource: memroy"));
    assert_eq!(share, ["5:51 no node of the test has `memroy`; write `memory`; the nodes have memory, vcore"]);
    assert!(of("{vcore: 1}", &uses("atMost: {memory: 1Gi}, atLeast: 25%")).is_empty());
}
