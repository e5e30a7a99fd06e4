//! `kornsole kill` of an application with many pods: the line that counts, the summary, `-v`, and `--json`.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::fake_api::{Call, FakeApi, Reply};
use super::in_terminal::Terminal;
use super::observe::list;

const PODS: usize = 60;
const GONE: usize = 3;
const SUMMARY: [&str; 2] = ["  57 pods: deletion started", "  3 pods: was already deleted"];
/// Ten pods are deleted at one time; the line is drawn every 200 ms.
const DELETION: Duration = Duration::from_millis(300);

fn name(number: usize) -> String {
    format!("many-{number:02}")
}

fn pods() -> Reply {
    let pod = |number: usize| {
        json!({"metadata": {"name": name(number), "namespace": "team-a", "uid": format!("u-{number}"), "labels": {"applicationId": "many"}},
            "spec": {"schedulerName": "yunikorn", "nodeName": "n", "containers": [{"name": "main"}]}, "status": {"phase": "Running"}})
    };
    list(&(0..PODS).map(pod).collect::<Vec<Value>>())
}

fn scheduler(path: &str) -> Reply {
    let queue = |name: &str, children: Value| json!({"queuename": name, "status": "Active", "isLeaf": children == json!([]), "isManaged": true, "children": children});
    let allocation = |number: usize| {
        let tags = json!({"kubernetes.io/meta/namespace": "team-a", "kubernetes.io/meta/podName": name(number)});
        json!({"allocationKey": format!("u-{number}"), "allocationTags": tags, "nodeId": "n", "applicationId": "many",
            "resource": {"vcore": 1000, "pods": 1}, "priority": "0"})
    };
    let allocations: Vec<Value> = (0..PODS).map(allocation).collect();
    let app = json!({"applicationID": "many", "partition": "default", "queueName": "root.a", "submissionTime": 1_i64, "applicationState": "Running",
        "user": "sue", "groups": [], "allocations": allocations, "requests": [], "stateLog": []});
    match path {
        "partitions" => Reply::json(&json!([{"name": "default", "state": "Active"}])),
        "partition/default/queues" => Reply::json(&queue("root", json!([queue("root.a", json!([]))]))),
        "partition/default/applications/active" | "partition/default/queue/root.a/applications" => {
            Reply::json(&json!([app]))
        }
        "config" => Reply::text("partitions: [{name: default, queues: [{name: root, queues: [{name: a}]}]}]\n", false),
        "partition/default/nodes" => Reply::json(&json!([])),
        _ => Reply::no_endpoint(),
    }
}

fn answer(call: &Call) -> Reply {
    let path = call.path.split('?').next().unwrap_or_default();
    if let Some(path) = path.strip_prefix("/ws/v1/") {
        return scheduler(path);
    }
    match (call.method.as_str(), path) {
        ("DELETE", path) => {
            std::thread::sleep(DELETION);
            let gone = (0..GONE).any(|number| path.ends_with(&name(number)));
            if gone {
                Reply::refusal(404, "not found")
            } else {
                Reply::json(&json!({"kind": "Status", "apiVersion": "v1", "status": "Success"}))
            }
        }
        ("POST", _) => {
            let mut review: Value = serde_json::from_str(&call.body).unwrap();
            review["status"] = json!({"allowed": true, "userInfo": {"username": "sue", "groups": []}});
            Reply::json(&review)
        }
        (_, "/api/v1/pods") => pods(),
        (_, "/version") => Reply::json(&json!({"major": "1", "minor": "34", "gitVersion": "v1.34.2"})),
        _ => Reply::refusal(404, "not found"),
    }
}

fn words(fake_api: &FakeApi, more: &[&str]) -> Vec<String> {
    let url = fake_api.url();
    let kill = ["kill", "many", "--yes", "--server", "k8s://here/yunikorn", "--via", &url];
    kill.iter().chain(more).map(|word| (*word).to_owned()).collect()
}

fn piped(fake_api: &FakeApi, more: &[&str]) -> String {
    let dir = fake_api.kubeconfig().parent().unwrap().to_owned();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(words(fake_api, more)).env("KUBECONFIG", fake_api.kubeconfig());
    let output = command.env("XDG_CONFIG_HOME", &dir).env("XDG_STATE_HOME", &dir).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && !error.contains("deleting pods"), "{error}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_line_counts_deleted_pods_and_ends_with_a_line_for_each_outcome() {
    let fake_api = FakeApi::new(answer);
    let kubeconfig = fake_api.kubeconfig().display().to_string();
    let dir = fake_api.kubeconfig().parent().unwrap().display().to_string();
    let environment = [("KUBECONFIG", &*kubeconfig), ("XDG_CONFIG_HOME", &dir), ("XDG_STATE_HOME", &dir)];
    let all = words(&fake_api, &[]);
    let terminal = Terminal::kornsole(&all.iter().map(String::as_str).collect::<Vec<_>>(), &environment);
    assert!(terminal.end().success(), "{}", terminal.screen_text());
    terminal.until_text(SUMMARY[1]);
    let raw = terminal.look(|seen| String::from_utf8_lossy(&seen.raw).into_owned());
    let counts = raw.split("deleting pods of many: ").skip(1).map(|rest| rest.split(' ').next().unwrap());
    let counts: Vec<usize> = counts.map(|count| count.parse().unwrap()).collect();
    assert!(counts.is_sorted() && counts.last() < Some(&PODS), "{counts:?}");
    assert!(counts.iter().filter(|count| **count > 0).count() > 1 && counts.first() != counts.last(), "{counts:?}");
    let screen = terminal.screen_text();
    assert!(!screen.contains("deleting pods") && !screen.contains("many-00"), "{screen}");
    SUMMARY.iter().for_each(|line| assert!(screen.contains(line), "{screen}"));
    assert_eq!(screen.trim().lines().count(), 3, "{screen}");
}

#[test]
fn all_pods_are_printed_with_v_and_json_and_nothing_is_counted_without_a_terminal() {
    let fake_api = FakeApi::new(answer);
    let summary = piped(&fake_api, &[]);
    assert!(SUMMARY.iter().all(|line| summary.contains(line)) && summary.lines().count() == 3, "{summary}");
    let all = piped(&fake_api, &["-v"]);
    let expected = |number: usize| {
        let end = if number < GONE { "was already deleted" } else { "deletion started" };
        format!("  team-a/{}: {end}", name(number))
    };
    assert_eq!(all.lines().skip(1).map(str::to_owned).collect::<Vec<_>>(), (0..PODS).map(expected).collect::<Vec<_>>());
    let object: Value = serde_json::from_str(piped(&fake_api, &["--json"]).trim()).unwrap();
    let pods = object["pods"].as_object().unwrap();
    assert_eq!((pods.len(), &pods["team-a/many-00"]), (PODS, &json!("was already deleted")));
    assert_eq!(pods["team-a/many-59"], "deletion started");
}
