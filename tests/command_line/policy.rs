use std::path::Path;

use serde_json::Value;

use super::common::TestDir;

const VALUES: &str = "\
yunikornDefaults:
  queues.yaml: |
    partitions:
    - name: default
      placementrules: [{name: provided}, {name: fixed, value: root.dev, filter: {type: allow, groups: [dev]}}]
      queues:
      - name: root
        queues:
        - {name: dev, submitacl: ' dev'}
        - {name: a, submitacl: '*', resources: {guaranteed: {vcore: 10, memory: 20Gi}}}
        - {name: b, submitacl: '*', resources: {guaranteed: {vcore: 16, memory: 32Gi}}}
";

fn dir() -> TestDir {
    let dir = TestDir::new();
    dir.write("values.yaml", VALUES);
    dir
}

fn run(dir: &TestDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    super::kornsole(&**dir, &[&["test"], arguments].concat(), "")
}

#[test]
fn the_example_of_the_page_passes_and_its_commands_work() {
    let dir = dir();
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/policy-tests.md")).unwrap();
    let block = |language: &str| {
        let rest = page.split(&format!("```{language}\n")).nth(1).unwrap();
        rest.split("```").next().unwrap().to_owned()
    };
    dir.write("policy.yaml", block("yaml"));
    let (code, out, _) = run(&dir, &["policy.yaml"]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.starts_with("ok    policy.yaml: developers land in their queue\n"), "{out}");
    assert!(out.ends_with("\n4 passed, 0 failed (core 1.9.0)\n"), "{out}");
    let commands: Vec<String> = block("sh").lines().map(str::to_owned).collect();
    assert_eq!(commands.len(), 3);
    for command in commands {
        let words: Vec<&str> = command
            .split('"')
            .enumerate()
            .flat_map(|(number, part)| if number % 2 == 1 { vec![part] } else { part.split_whitespace().collect() })
            .collect();
        let (code, _, err) = super::kornsole(&*dir, &words[1..], "");
        assert_eq!(code, Some(0), "{command}: {err}");
    }
    assert!(std::fs::read_to_string(dir.join("report.xml")).unwrap().contains("tests=\"4\" failures=\"0\""));
}

const FAILING: &str = "\
config: values.yaml
tests:
- name: good
  place: {user: ann, queue: root.a}
  expect: root.a
- name: wrong queue
  place: {user: sue, groups: [dev]}
  expect: root.a
- name: too many
  nodes: [{capacity: {vcore: 4, memory: 8Gi}}]
  submit: [{app: x, user: ann, queue: root.a, pods: 5, resource: {vcore: 1}}]
  expect: [{app: x, running: all}]
";

#[test]
fn a_failure_is_exit_code_1_with_its_place() {
    let dir = dir();
    dir.write("p.yaml", FAILING);
    let (code, out, _) = run(&dir, &["p.yaml", "--junit", "r.xml"]);
    assert_eq!(code, Some(1));
    assert!(
        out.contains(
            "ok    p.yaml: good\nFAIL  p.yaml: wrong queue\n      p.yaml:6: expected root.a, placed in root.dev\n"
        ),
        "{out}"
    );
    assert!(out.contains("p.yaml:12: x has 4 running and 1 pending pods"), "{out}");
    assert!(out.ends_with("1 passed, 2 failed (core 1.9.0)\n"), "{out}");
    let report = std::fs::read_to_string(dir.join("r.xml")).unwrap();
    assert!(report.contains("<property name=\"core\" value=\"1.9.0\"/>"), "{report}");
    assert!(
        report.contains("failures=\"2\"") && report.contains("message=\"expected root.a, placed in root.dev\""),
        "{report}"
    );
    let (code, out, _) = run(&dir, &["p.yaml", "--json", "--filter", "good"]);
    let one: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &one["passed"], &one["line"]), (Some(0), &Value::Bool(true), &Value::from(3)));
}

#[test]
fn what_cannot_be_run_is_exit_code_2() {
    let dir = dir();
    dir.write("p.yaml", FAILING.replace("expect: root.a\n- name: wrong", "expekt: root.a\n- name: wrong"));
    let (code, _, err) = run(&dir, &["p.yaml"]);
    assert!(code == Some(2) && err.contains("p.yaml:5:3: ") && err.contains("expekt"), "{err}");
    dir.write("p.yaml", FAILING.replace("config: values.yaml\n", ""));
    let (code, _, err) = run(&dir, &["p.yaml"]);
    assert!(code == Some(2) && err.contains("no queue configuration; add `config: queues.yaml`"), "{err}");
    dir.write("p.yaml", FAILING);
    assert_eq!(run(&dir, &["p.yaml", "--filter", "nothing"]).0, Some(2));
    dir.write("values.yaml", VALUES.replace("submitacl: '*'", "submitacls: '*'"));
    let (code, _, err) = run(&dir, &["p.yaml"]);
    assert!(code == Some(2) && err.contains("values.yaml:10:"), "{err}");
}
