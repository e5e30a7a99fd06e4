//! KT-01 to KT-40 end to end, with the real API server.

mod configured;
mod gangs;
mod nodes;
mod pods;

use serde_json::{Value, json};

pub use self::configured::{maps, namespaces, recovered};
pub use self::gangs::{hard, originator, soft};
pub use self::nodes::{filters, foreign, ports, preempted};
pub use self::pods::{applications, resources, untouched, users};
use super::Stage;
use super::schedule::{QUEUES, Scheduler, until};

/// The scenario by the start of its name, or another file if API server 1.20 does not support the fields.
const CASES: [(&str, &str); 40] = [
    ("KT-01", "the id of an application"),
    ("KT-02", "the id of an application"),
    ("KT-03", "the id of an application"),
    ("KT-04", "the id of an application"),
    ("KT-05", "the id of an application"),
    ("KT-06", "foreign pods"),
    ("KT-07", "the id of an application"),
    // 1.20 drops `schedulingGates`.
    ("KT-08", "crates/kubernetes/src/tests/mapping.rs: fn kt_08_"),
    ("KT-09", "what a pod asks for"),
    ("KT-10", "what a pod asks for"),
    // 1.20 drops `restartPolicy` of a container.
    ("KT-11", "crates/kubernetes/src/tests/resources.rs: fn kt_11_"),
    ("KT-12", "crates/kubernetes/src/tests/resources.rs: fn kt_12_"),
    ("KT-13", "crates/kubernetes/src/tests/resources.rs: fn kt_13_"),
    // 1.20 drops `resources` of a pod.
    ("KT-14", "crates/kubernetes/src/tests/resources.rs: fn kt_14_"),
    // 1.20 cannot resize pods.
    ("KT-15", "crates/kubernetes/src/tests/resources.rs: fn kt_15_"),
    ("KT-16", "what a pod asks for"),
    ("KT-17", "what a pod asks for"),
    ("KT-18", "quotas of namespaces"),
    ("KT-19", "a hard gang"),
    ("KT-20", "a hard gang"),
    ("KT-21", "a hard gang"),
    ("KT-22", "after a restart the driver"),
    ("KT-23", "the user of a pod"),
    ("KT-24", "a pod is left as it is"),
    ("KT-25", "changes of the ConfigMap"),
    ("KT-26", "changes of the ConfigMap"),
    ("KT-27", "changes of the ConfigMap"),
    ("KT-28", "changes of the ConfigMap"),
    ("KT-29", "foreign pods"),
    ("KT-30", "foreign pods"),
    ("KT-31", "foreign pods"),
    ("KT-32", "selectors, taints"),
    ("KT-33", "selectors, taints"),
    ("KT-34", "selectors, taints"),
    ("KT-35", "host ports"),
    // The requests for a reservation are not visible from outside.
    ("KT-36", "crates/kubernetes/src/predicates/tests/table.rs: fn kt_36_"),
    ("KT-37", "a hard gang"),
    ("KT-38", "a soft gang"),
    ("KT-39", "a pod whose queue is gone"),
    ("KT-40", "a pod of a DaemonSet makes room"),
];

#[test]
fn every_case_has_its_place() {
    for (number, (case, place)) in CASES.iter().enumerate() {
        assert_eq!(*case, format!("KT-{:02}", number + 1));
        let found = match place.split_once(": ") {
            Some((file, name)) if file.ends_with(".rs") => std::fs::read_to_string(file).unwrap().contains(name),
            _ => super::SCENARIOS.iter().any(|(name, _)| name.starts_with(place) && name.contains(case)),
        };
        assert!(found, "{case}: there is no {place}");
    }
}

fn configure(stage: &Stage, change: &Value) {
    let patch = change.to_string();
    stage.kubectl(&["-n", "kornsole", "patch", "configmap", "yunikorn-configs", "--type=merge", "-p", &patch]);
}

fn restore(stage: &Stage, other: &[&str]) {
    let mut data = json!({"queues.yaml": QUEUES});
    other.iter().for_each(|key| data[*key] = Value::Null);
    configure(stage, &json!({"data": data, "binaryData": null}));
}

fn create(stage: &Stage, path: &str, object: Value) {
    stage.command(&json!({"make": [[path, object]]}));
}

fn pod(name: &str, labels: Value, annotations: Value, spec: Value) -> Value {
    let mut pod = json!({"metadata": {"name": name, "labels": labels, "annotations": annotations}, "spec": spec});
    if pod["spec"]["schedulerName"].is_null() {
        pod["spec"]["schedulerName"] = json!("kornsole");
    }
    if pod["spec"]["containers"].is_null() {
        pod["spec"]["containers"] = json!([container(json!({"cpu": "100m"}))]);
    }
    pod
}

fn container(requests: Value) -> Value {
    let limits = requests.as_object().unwrap().iter().filter(|(name, _)| name.contains('/'));
    let limits: Value =
        limits.map(|(name, amount)| (name.clone(), amount.clone())).collect::<serde_json::Map<_, _>>().into();
    json!({"name": "c", "image": "x", "resources": {"requests": requests, "limits": limits}})
}

fn asked(scheduler: &Scheduler, pod: &str) -> (Value, Value) {
    let mut found = None;
    until(&format!("{pod} is asked for"), || {
        let apps = scheduler.get("/ws/v1/partition/default/applications/active");
        found = apps.as_array().unwrap().iter().find_map(|app| {
            let all = [&app["requests"], &app["allocations"]].into_iter().filter_map(Value::as_array).flatten();
            let mut of_pod = all.filter(|ask| ask["allocationTags"]["kubernetes.io/meta/podName"] == pod);
            Some((app.clone(), of_pod.next()?.clone()))
        });
        found.is_some()
    });
    found.unwrap()
}

fn node_of(stage: &Stage, name: &str) -> Option<String> {
    let pod = stage.read("batch", "pod", name);
    pod["spec"]["nodeName"].as_str().map(str::to_owned)
}

fn node(scheduler: &Scheduler, name: &str) -> Value {
    let nodes = scheduler.get("/ws/v1/partition/default/nodes");
    nodes.as_array().unwrap().iter().find(|node| node["nodeID"] == name).cloned().unwrap_or_default()
}
