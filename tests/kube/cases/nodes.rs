use serde_json::{Value, json};

use super::super::schedule::{NODES, Scheduler, check, make, prepare, until};
use super::{Stage, asked, container, create, node, node_of, pod};

fn of_another(name: &str, node: Option<&str>) -> Value {
    let mut spec = json!({"schedulerName": "other", "containers": [container(json!({"cpu": "500m"}))]});
    if let Some(node) = node {
        spec["nodeName"] = json!(node);
    }
    pod(name, json!({"yunikorn.apache.org/app-id": "a"}), json!({}), spec)
}

/// Occupied resources of a node in millicores. Foreign pods are not listed individually.
fn occupied(scheduler: &Scheduler, name: &str) -> i64 {
    node(scheduler, name)["occupied"]["vcore"].as_i64().unwrap_or(0)
}

pub fn foreign(stage: &Stage) {
    prepare(stage);
    create(stage, "/api/v1/namespaces/kube-system/pods", of_another("kt-29", Some("s1")));
    make(stage, &[of_another("kt-06", Some("s1")), of_another("kt-30", None), of_another("kt-31", Some("h1"))]);
    let mut local = pod("kt-31-ours", json!({"queue": "root.a", "applicationId": "kt-31"}), json!({}), json!({}));
    local["spec"]["nodeName"] = json!("h1");
    make(stage, &[local]);
    let scheduler = Scheduler::start(stage);
    assert_eq!(occupied(&scheduler, "s1"), 1000, "KT-06 and KT-29: both count on their node");
    let uid = stage.kubectl(&["-n", "kube-system", "get", "pod", "kt-29", "-o", "jsonpath={.metadata.uid}"]);
    let others = node(&scheduler, "s1")["foreignAllocations"].clone();
    let retained = others.as_array().unwrap().iter().find(|one| one["allocationKey"] == uid.trim());
    let retained = retained.unwrap_or_else(|| panic!("KT-29: {uid} is not among {others}"));
    assert_eq!(retained["resource"]["vcore"], 500, "KT-29: {retained}");
    assert_eq!(retained["allocationTags"]["kubernetes.io/meta/podName"], "kt-29", "KT-29: {retained}");
    let apps = scheduler.get("/ws/v1/partition/default/applications/active");
    assert!(!apps.to_string().contains("\"a\""), "KT-06: {apps}");
    // KT-30: the pod is first seen without a node.
    let target = json!({"target": {"apiVersion": "v1", "kind": "Node", "name": "s2"}, "metadata": {"name": "kt-30"}});
    create(stage, "/api/v1/namespaces/batch/pods/kt-30/binding", target);
    until("KT-30: it counts on its node", || occupied(&scheduler, "s2") == 500);
    // KT-31: the node of two pods appears.
    assert!(node(&scheduler, "h1").is_null());
    create(stage, "/api/v1/nodes", json!({"metadata": {"name": "h1"}}));
    let amounts = json!({"status": {"allocatable": {"cpu": "4", "memory": "16Gi", "pods": "20"}}});
    stage.patch_status("/api/v1/nodes/h1", &amounts);
    until("KT-31: both are adopted", || {
        let local = node(&scheduler, "h1")["allocations"].as_array().map_or(0, Vec::len);
        (local, occupied(&scheduler, "h1")) == (1, 500)
    });
    scheduler.stop();
    stage.kubectl(&["-n", "batch", "delete", "pods", "kt-31", "kt-31-ours", "--grace-period=0", "--force"]);
    stage.kubectl(&["-n", "kube-system", "delete", "pod", "kt-29", "--grace-period=0", "--force"]);
    stage.kubectl(&["delete", "node", "h1"]);
}

fn small(name: &str, more: Value) -> Value {
    let mut spec = json!({"containers": [container(json!({"cpu": "100m"}))]});
    more.as_object().unwrap().iter().for_each(|(key, value)| spec[key.as_str()] = value.clone());
    pod(name, json!({"queue": "root.a", "applicationId": name}), json!({}), spec)
}

fn hosts(hosts: &[&str]) -> Value {
    let term = json!({"matchExpressions": [{"key": "host", "operator": "In", "values": hosts}]});
    json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}})
}

pub fn filters(stage: &Stage) {
    prepare(stage);
    stage.kubectl(&["cordon", "s1"]);
    let scheduler = Scheduler::launch_with(stage, &["--core", "1.9.0"]).ready();
    assert_eq!(node(&scheduler, "s1")["schedulable"], json!(false), "KT-32");
    stage.kubectl(&["uncordon", "s1"]);
    until("KT-32: the node is open", || node(&scheduler, "s1")["schedulable"] == json!(true));
    stage.kubectl(&["taint", "node", "s1", "kt=34:NoSchedule"]);
    let here = json!({"host": "s1"});
    let tolerates = json!([{"key": "kt", "operator": "Equal", "value": "34", "effect": "NoSchedule"}]);
    // The filters must know the taint before the pods appear.
    until("KT-34: the taint is seen", || {
        stage.kubectl(&["-n", "batch", "delete", "pod", "probe", "--ignore-not-found", "--grace-period=0", "--force"]);
        make(stage, &[small("probe", json!({"nodeSelector": here}))]);
        std::thread::sleep(std::time::Duration::from_millis(500));
        node_of(stage, "probe").is_none()
    });
    make(
        stage,
        &[
            small("kt-33-selector-none", json!({"nodeSelector": {"host": "nowhere"}})),
            small("kt-33-selector", json!({"nodeSelector": {"host": "s2"}})),
            small("kt-33-affinity-none", json!({"affinity": hosts(&["nowhere"])})),
            small("kt-33-affinity", json!({"affinity": hosts(&["s3", "nowhere"])})),
            small("kt-34-without", json!({"nodeSelector": here})),
            small("kt-34-elsewhere", json!({})),
            small("kt-34-with", json!({"nodeSelector": here, "tolerations": tolerates})),
        ],
    );
    for (name, wanted) in [("kt-33-selector", "s2"), ("kt-33-affinity", "s3"), ("kt-34-with", "s1")] {
        until(&format!("{name} is bound"), || node_of(stage, name).is_some());
        assert_eq!(node_of(stage, name).as_deref(), Some(wanted), "{name}");
    }
    until("KT-34: it goes elsewhere", || node_of(stage, "kt-34-elsewhere").is_some_and(|node| node != "s1"));
    for name in ["kt-33-selector-none", "kt-33-affinity-none", "kt-34-without"] {
        let (_, ask) = asked(&scheduler, name);
        assert!(ask["nodeId"].is_null() && node_of(stage, name).is_none(), "{name}: {ask}");
    }
    check(stage, &scheduler);
    stage.kubectl(&["taint", "node", "s1", "kt-"]);
    until("KT-34: the taint is gone", || node_of(stage, "kt-34-without").as_deref() == Some("s1"));
    scheduler.stop();
}

pub fn ports(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let with = |name: &str, protocol: &str, ip: &str| {
        let port = json!({"containerPort": 80, "hostPort": 8001, "protocol": protocol, "hostIP": ip});
        let mut one = container(json!({"cpu": "100m"}));
        one["ports"] = json!([port]);
        small(name, json!({"nodeSelector": {"host": "s1"}, "containers": [one]}))
    };
    make(stage, &[with("kt-35", "TCP", "127.0.0.1")]);
    until("KT-35: the first is bound", || node_of(stage, "kt-35").is_some());
    make(
        stage,
        &[
            with("kt-35-same", "TCP", "127.0.0.1"),
            with("kt-35-all", "TCP", "0.0.0.0"),
            with("kt-35-udp", "UDP", "127.0.0.1"),
            with("kt-35-other", "TCP", "127.0.0.2"),
        ],
    );
    for name in ["kt-35-udp", "kt-35-other"] {
        until(&format!("{name} is bound"), || node_of(stage, name).is_some());
    }
    for name in ["kt-35-same", "kt-35-all"] {
        let (_, ask) = asked(&scheduler, name);
        assert!(ask["nodeId"].is_null() && node_of(stage, name).is_none(), "{name}: {ask}");
    }
    scheduler.stop();
}

/// KT-40: only the pod that allows preemption and is not the first of its application is stopped.
pub fn preempted(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let here = |name: &str, cpu: &str, may: &str| {
        let spec = json!({"nodeSelector": {"host": NODES[0]}, "containers": [container(json!({"cpu": cpu}))]});
        let annotations = json!({"yunikorn.apache.org/allow-preemption": may});
        pod(name, json!({"queue": "root.a", "applicationId": "kt-40"}), annotations, spec)
    };
    for (name, cpu, may) in [("kt-40-first", "1", "false"), ("kt-40-second", "1", "false"), ("kt-40-last", "2", "true")]
    {
        make(stage, &[here(name, cpu, may)]);
        until(&format!("{name} is bound"), || node_of(stage, name).is_some());
    }
    let field = json!({"key": "metadata.name", "operator": "In", "values": [NODES[0]]});
    let required = json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
    let spec = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}},
        "containers": [container(json!({"cpu": "1"}))]});
    let mut daemon = pod("kt-40-daemon", json!({"queue": "root.b", "applicationId": "daemon"}), json!({}), spec);
    let owner = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "d", "controller": true});
    daemon["metadata"]["ownerReferences"] = json!([owner]);
    make(stage, &[daemon]);
    until("KT-40: the pod of the DaemonSet is there", || node_of(stage, "kt-40-daemon").as_deref() == Some(NODES[0]));
    let left = stage.kubectl(&["-n", "batch", "get", "pods", "-o", "name"]);
    assert!(left.contains("kt-40-first") && left.contains("kt-40-second") && !left.contains("kt-40-last"), "{left}");
    let reported = stage.kubectl(&["-n", "batch", "get", "events", "--field-selector", "reason=Preempted"]);
    assert!(reported.contains("kt-40-last") && !reported.contains("kt-40-first"), "{reported}");
    check(stage, &scheduler);
    scheduler.stop();
}
