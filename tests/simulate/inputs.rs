//! The same objects in each form, from files, patterns, and standard input.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::command::{path, simulate};
use super::common::TestDir;

const NODE: &str = r#"{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "110"}}}"#;

/// A gang of three on a node with room for two.
fn objects(created: Option<&str>) -> Value {
    let groups = r#"[{"name": "w", "minMember": 3, "minResource": {"cpu": "2"}}]"#;
    let pod = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {
            "name": name, "namespace": "ml", "uid": name, "creationTimestamp": created, "labels": {"applicationId": "gang"},
            "annotations": {"yunikorn.apache.org/task-group-name": "w", "yunikorn.apache.org/task-groups": groups},
        }, "spec": {"schedulerName": "yunikorn", "containers": [{"name": "c", "image": "x", "resources": {"requests": {"cpu": "2"}}}]}})
    };
    let node: Value = serde_json::from_str(NODE).unwrap();
    json!({"apiVersion": "v1", "kind": "List", "items": [node, pod("a"), pod("b"), pod("c")]})
}

fn from_stdin(text: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
        .args(["simulate", "-"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

/// The waits of a run.
fn waits(out: &str) -> Value {
    let run: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    run["figures"]["total"]["waits"].clone()
}

#[test]
fn a_gang_waits_for_its_placeholders_in_json_yaml_and_standard_input() {
    let dir = TestDir::new();
    for created in [None, Some("2026-01-01T10:00:00Z")] {
        let list = objects(created);
        // JSON is YAML in flow style; the name says nothing.
        let documents: Vec<String> = list["items"].as_array().unwrap().iter().map(Value::to_string).collect();
        let yaml = documents.join("\n---\n");
        let files = [("pods.json", list.to_string()), ("pods.yaml", list.to_string()), ("pods.txt", yaml.clone())];
        let options = ["--runtime", "5m", "--json"];
        for (name, text) in &files {
            let file = dir.write(name, text);
            let (code, out, err) = simulate(&[&[path(&file)], &options[..]].concat());
            assert_eq!(code, Some(0), "{name}: {out}{err}");
            assert_ne!(waits(&out)["p50"], 0, "{created:?}, {name}: two of three would start at once without the gang");
            let (code, piped) = from_stdin(text, &options);
            assert_eq!((code, waits(&piped)), (Some(0), waits(&out)), "{created:?}, {name}");
        }
    }
}

#[test]
fn events_of_yunikorn_are_a_workload_and_events_of_kubernetes_are_not() {
    let dir = TestDir::new();
    let recorded = std::fs::read_to_string("tests/conformance/rest/1.9.0/31.json").unwrap();
    let file = dir.write("events.json", recorded);
    let (code, out, err) = simulate(&[path(&file), "--runtime", "5m", "--json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(waits(&out)["count"].as_u64() > Some(0), "{out}");
    let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "ml"}, "reason": "Scheduled",
        "involvedObject": {"kind": "Pod", "name": "p1"}, "firstTimestamp": "2024-05-01T10:00:20Z"});
    let list = json!({"apiVersion": "v1", "kind": "List", "items": [event]});
    let file = dir.write("kubernetes.json", list.to_string());
    let (code, out, err) = simulate(&[path(&file), "--node", "vcore=4", "--node-count", "1"]);
    assert!(code == Some(1) && err.contains("no pod to schedule"), "{code:?}: {out}{err}");
}

#[test]
fn a_pattern_is_every_file_that_matches_and_pods_fit_a_node_without_pods() {
    let dir = TestDir::new();
    let mut list = objects(Some("2026-01-01T10:00:00Z"));
    list["items"].as_array_mut().unwrap().remove(0);
    dir.write("one.json", list.to_string());
    dir.write("two.json", list.to_string());
    let pattern = dir.join("*.json");
    let (code, out, err) =
        simulate(&[path(&pattern), "--runtime", "5m", "--node", "vcore=8,memory=64Gi", "--node-count", "1"]);
    assert!(code == Some(0) && out.contains("one.json") && out.contains("two.json"), "{out}{err}");
    assert!(!out.contains("never run"), "{out}");
    let (code, _, err) = simulate(&[path(&dir.join("none*.json"))]);
    assert!(code == Some(1) && err.contains("no file matches"), "{err}");
    let (code, _, err) = simulate(&["-", "-"]);
    assert!(code == Some(2) && err.contains("duplicate `-`"), "{err}");
    let packed = dir.write("pods.xz", b"\xfd7zXZ\0\0");
    let (_, _, err) = simulate(&[path(&packed)]);
    assert!(err.contains("unpack the xz file first"), "{err}");
}
