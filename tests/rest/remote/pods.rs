//! On Kubernetes, a request has the pod's name.

use serde_json::{Value, json};

use crate::remote::observer::Observer;
use crate::remote::serve::{Answer, Server, Set};
use crate::remote::sets::{self, get};

fn with_pods() -> Set {
    let mut set = sets::of("1.8.0");
    let tags = |name: &str| {
        json!({"kubernetes.io/meta/namespace": "team-a", "kubernetes.io/meta/podName": name,
               "kubernetes.io/label/queue": "root.batch"})
    };
    let log = json!([
        {"message": "node(s) didn't match Pod's node selector", "lastOccurrence": 20, "count": 3},
        {"message": "Not enough queue quota", "lastOccurrence": 10, "count": 1},
    ]);
    let app = json!({
        "applicationID": "job-1", "partition": "default", "queueName": "root.tenants.tenant-a.etl", "applicationState": "Running",
        "user": "sue", "submissionTime": 946_684_800_000_000_000_i64,
        "requests": [{"allocationKey": "uid-1", "allocationTags": tags("job-1-exec"), "resource": {"vcore": 1000},
                      "schedulingAttempted": true, "allocationLog": log}],
        "allocations": [{"allocationKey": "uid-2", "allocationTags": tags("job-1-driver"), "resource": {"vcore": 1000, "hugepages-2Mi": 0},
                         "nodeId": "n1"}],
    });
    set.insert(get("/ws/v1/partition/default/applications/active"), Answer::json(json!([app]).to_string()));
    let nodes = get("/ws/v1/partition/default/nodes");
    let mut list: Value = serde_json::from_slice(&set[&nodes].body).unwrap();
    list[0]["foreignAllocations"] = json!([{"allocationKey": "uid-3", "resource": {"memory": 1000},
        "allocationTags": {"kubernetes.io/meta/namespace": "kube-system", "kubernetes.io/meta/podName": "dns"}}]);
    set.insert(nodes, Answer::json(list.to_string()));
    set
}

#[test]
fn requests_are_named_by_their_pods_and_show_why_no_node_fits() {
    let server = Server::start(with_pods());
    let observer = Observer::at(&server.url());
    let app = observer.wait("the application", |view, _| {
        view.partitions.first()?.app_by_id(&"job-1".into()).filter(|app| app.asks.len() == 2).cloned()
    });
    let names: Vec<String> = app.asks.values().map(|ask| ask.name().into_owned()).collect();
    assert_eq!(names, ["team-a/job-1-exec", "team-a/job-1-driver"]);
    let reported = app.asks.values().find_map(|ask| ask.reported.clone());
    assert_eq!(reported.as_deref(), Some("node(s) didn't match Pod's node selector"));
    assert_eq!(&*app.requested, "root.batch");
}

#[test]
fn pods_of_other_schedulers_are_on_their_node_by_name() {
    let server = Server::start(with_pods());
    let observer = Observer::at(&server.url());
    let name = observer.wait("the foreign pod", |view, _| {
        view.partitions.first()?.nodes.values().find_map(|node| node.foreign.first()).map(|one| one.name.clone())
    });
    assert_eq!(&*name, "kube-system/dns");
}
