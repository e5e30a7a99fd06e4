use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cluster::kube::Via;
use serde_json::{Value, json};

use super::observe::until;
use super::{Stage, failures, has, operators};

const NAMESPACE: &str = "twins";
const QUEUE: &str = "root.tenants.tenant-a.etl";
const PARTITION: &str = "/ws/v1/partition/default";
const WITHOUT: [&str; 2] = ["the resource manager's own conditions", "whether a request can preempt"];

const APPS: [(&str, &str); 4] = [
    ("picky", r#"{"nodeSelector": {"disk": "tape"}}"#),
    ("closed", r#"{"nodeSelector": {"disk": "ssd"}}"#),
    ("stored", r#"{"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]}"#),
    ("fast", r#"{"nodeSelector": {"disk": "nvme"}}"#),
];

fn prepare(stage: &Stage) {
    if stage.kubectl(&["get", "namespaces", "-o", "name"]).contains("namespace/twins") {
        return;
    }
    let node =
        |name: &str, disk: &str| json!(["/api/v1/nodes", {"metadata": {"name": name, "labels": {"disk": disk}}}]);
    let class = json!({"metadata": {"name": "kept", "annotations": {"yunikorn.apache.org/allow-preemption": "false"}}, "value": 7});
    let terms = json!([{"matchExpressions": [{"key": "rack", "operator": "In", "values": ["9"]}]}]);
    let volume = json!({"metadata": {"name": "far"}, "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"],
        "local": {"path": "/x"}, "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}});
    let claim = json!({"metadata": {"name": "data", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"volumeName": "far", "storageClassName": "", "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}});
    let mut all = vec![
        json!(["/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}]),
        node("t1", "ssd"),
        node("t2", "nvme"),
        json!(["/apis/scheduling.k8s.io/v1/priorityclasses", class]),
        json!(["/api/v1/persistentvolumes", volume]),
        json!([format!("/api/v1/namespaces/{NAMESPACE}/persistentvolumeclaims"), claim]),
    ];
    for (name, spec) in APPS {
        let mut spec: Value = serde_json::from_str(spec).unwrap();
        spec["schedulerName"] = json!("yunikorn");
        spec["priorityClassName"] = json!("kept");
        spec["containers"] =
            json!([{"name": "main", "image": "x", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]);
        let pod = json!({"metadata": {"name": name, "labels": {"applicationId": name, "queue": QUEUE}}, "spec": spec});
        all.push(json!([format!("/api/v1/namespaces/{NAMESPACE}/pods"), pod]));
    }
    stage.command(&json!({"make": all}));
    for name in ["t1", "t2"] {
        // The API server taints a new node as not ready.
        let open = json!({"spec": {"taints": null}});
        stage.command(&json!({"patch": format!("/api/v1/nodes/{name}"), "body": open}));
    }
}

fn uid(stage: &Stage, name: &str) -> String {
    stage.read(NAMESPACE, "pods", name)["metadata"]["uid"].as_str().unwrap().to_owned()
}

fn asked() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() - Duration::from_secs(60);
    since.as_secs() * 1_000_000_000
}

fn wanted(count: i64) -> Value {
    json!({"vcore": 1000 * count, "memory": count << 30, "pods": count})
}

fn emptied(queue: &mut Value, pending: &Value) {
    let fields = queue.as_object_mut().unwrap();
    fields.remove("allocatedResource");
    fields.remove("pendingResource");
    let name = fields["queuename"].as_str().unwrap();
    if QUEUE == name || QUEUE.starts_with(&format!("{name}.")) {
        fields.insert("pendingResource".to_owned(), pending.clone());
    }
    for child in fields.get_mut("children").and_then(Value::as_array_mut).into_iter().flatten() {
        emptied(child, pending);
    }
}

/// Each application has a pending request and a pending pod.
pub fn serve(stage: &Stage) {
    prepare(stage);
    let text = std::fs::read_to_string("tests/conformance/rest/1.8.0/02.json").unwrap();
    let mut queues: Value = serde_json::from_str(&text).unwrap();
    emptied(&mut queues, &wanted(4));
    let asked = asked();
    let app = |name: &str| {
        let tags = json!({"kubernetes.io/meta/namespace": NAMESPACE, "kubernetes.io/meta/podName": name});
        let ask = json!({"allocationKey": uid(stage, name), "allocationTags": tags, "requestTime": asked, "resource": wanted(1), "priority": "0",
            "pendingCount": 1, "applicationId": name});
        json!({"applicationID": name, "partition": "default", "queueName": QUEUE, "submissionTime": asked, "requests": [ask], "allocations": [],
            "pendingResource": wanted(1), "applicationState": "Accepted", "user": "sue", "groups": ["dev"], "stateLog": []})
    };
    let node = |name: &str| {
        let all = json!({"vcore": 8000, "memory": 16_i64 << 30, "pods": 110});
        json!({"nodeID": name, "capacity": all, "available": all, "allocated": {}, "allocations": [], "schedulable": true})
    };
    let apps: Vec<Value> = APPS.iter().map(|(name, _)| app(name)).collect();
    let nodes: Vec<Value> = ["t1", "t2"].map(node).to_vec();
    stage.command(&json!({"answers": {
        format!("{PARTITION}/queues"): queues, format!("{PARTITION}/applications/active"): apps, format!("{PARTITION}/nodes"): nodes,
    }}));
}

fn explained(stage: &Stage, app: &str, context: &str) -> String {
    let (code, out, err) = stage.run(&["explain", app, "--server", &format!("k8s://{context}")]);
    assert!(code == 0 || code == 1 && err.is_empty(), "{code}: {err}{out}");
    out
}

fn has_none(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part:?} in {text}");
    }
}

/// The results of the filters in the command and on the console.
pub fn filters(stage: &Stage) {
    serve(stage);
    let picky = explained(stage, "picky", "root");
    has(
        &picky,
        &[
            "failed plugin: 'NodeAffinity' node(s) didn't match Pod's node affinity/selector (2x)",
            "how long a request has waited",
        ],
    );
    has_none(&picky, &WITHOUT);
    has_none(&picky, &["listed", "pods of"]);
    // 1.8.0 shows a cordoned node as schedulable.
    has_none(&explained(stage, "closed", "root"), &["failed plugin"]);
    stage.kubectl(&["cordon", "t1"]);
    has(
        &explained(stage, "closed", "root"),
        &["'NodeUnschedulable' node(s) were unschedulable (1x)", "'NodeAffinity'"],
    );
    stage.kubectl(&["uncordon", "t1"]);
    stage.kubectl(&["taint", "node", "t1", "twins=yes:NoSchedule"]);
    has(&explained(stage, "closed", "root"), &["'TaintToleration' node(s) had untolerated taint {twins: yes} (1x)"]);
    stage.kubectl(&["taint", "node", "t1", "twins-"]);
    has(&explained(stage, "stored", "root"), &["'VolumeBinding' node(s) had volume node affinity conflict (2x)"]);
    let mut driver = failures::console(stage, Via::PortForward);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["picky", "stored"]);
    driver.keys(":app picky<ret>").unwrap();
    until(&mut driver, &["twins/picky"]);
    driver.keys("x").unwrap();
    until(&mut driver, &["NodeAffinity"]);
    has_none(&driver.screen_text(), &WITHOUT);
    stage.saw(&driver.screen_text());
    stage.command(&json!({"answers": {}}));
}

/// The user sees which filters are not evaluated.
pub fn not_listed(stage: &Stage) {
    serve(stage);
    let volumes = "may not be listed: the volumes of 1 pod are not evaluated";
    let stored = explained(stage, "stored", "admin");
    has(
        &stored,
        &[volumes, "persistent volumes, persistent volume claims", "priority classes may not be listed: 4 pods"],
    );
    assert_eq!(stored.matches("not be listed").count(), 2, "{stored}");
    has_none(&stored, &WITHOUT);
    has_none(&stored, &["failed plugin"]);
    has(&explained(stage, "picky", "admin"), &["'NodeAffinity'", volumes]);
    let blind = explained(stage, "picky", "eve");
    has(&blind, &["nodes and pods may not be listed: node selectors, taints, affinity, and volumes are not evaluated"]);
    has_none(&blind, &["failed plugin"]);
    stage.command(&json!({"answers": {}}));
}

pub fn what_if(stage: &Stage) {
    serve(stage);
    let tried =
        stage.works(&["whatif", "--server", "k8s://root", "--change", "node add t2 1", "--for", "10m", "--json"]);
    let tried: Value = serde_json::from_str(&tried).unwrap();
    let of = |name: &str| {
        let uid = uid(stage, name);
        let lines = tried["trace"].as_array().unwrap().iter().map(ToString::to_string);
        lines.filter(|line| line.contains("allocated") && line.contains(&uid)).collect::<Vec<_>>().join("\n")
    };
    assert!(of("fast").contains("\"t2") && of("closed").contains("\"t1\""), "{tried:#}");
    assert_eq!((of("picky"), of("stored")), (String::new(), String::new()), "{tried:#}");
    let unknown = tried["unknown"].to_string();
    has_none(&unknown, &WITHOUT);
    let text = stage.works(&["whatif", "--server", "k8s://admin", "--set", "root.system.priority=5", "--for", "1m"]);
    has(&text, &["may not be listed: the volumes of 1 pod are not evaluated"]);
    let mut driver = failures::console(stage, Via::PortForward);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys(":whatif<ret>").unwrap();
    until(&mut driver, &["WHAT IF", "no changes yet"]);
    driver.keys(":suppose node add t2 1<ret>").unwrap();
    until(&mut driver, &["with 1 change: node add t2 1"]);
    driver.keys("}").unwrap();
    until(&mut driver, &["WHAT IF, 1m"]);
    stage.saw(&driver.screen_text());
    stage.command(&json!({"answers": {}}));
}

/// Applications of a SparkApplication, of a RayCluster, and of a Job are explained and tried as others are.
pub fn operated(stage: &Stage) {
    serve(stage);
    operators::define(stage);
    let template = json!({"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}});
    for (app, version, kind, plural, spec) in [
        ("picky", "sparkoperator.k8s.io/v1beta2", "SparkApplication", "sparkapplications", json!({"size": 1})),
        ("closed", "ray.io/v1", "RayCluster", "rayclusters", json!({"size": 1})),
        ("fast", "batch/v1", "Job", "jobs", json!({"template": template})),
    ] {
        let (name, (group, _)) = (format!("{app}-owner"), version.split_once('/').unwrap());
        let path = format!("/apis/{version}/namespaces/{NAMESPACE}/{plural}");
        let object = json!({"apiVersion": version, "kind": kind, "metadata": {"name": name}, "spec": spec});
        stage.command(&json!({"make": [[path, object]]}));
        let uid = stage.read(NAMESPACE, &format!("{plural}.{group}"), &name)["metadata"]["uid"].clone();
        let owner = json!({"apiVersion": version, "kind": kind, "name": name, "uid": uid, "controller": true});
        let body = json!({"metadata": {"ownerReferences": [owner]}});
        stage.command(&json!({"patch": format!("/api/v1/namespaces/{NAMESPACE}/pods/{app}"), "body": body}));
        let answer = explained(stage, app, "root");
        let node_affinity = "didn't match Pod's node affinity/selector";
        assert_eq!(answer.contains(node_affinity), app == "picky", "{answer}");
        let text =
            stage.works(&["whatif", "--server", "k8s://root", "--change", &format!("kill {app}"), "--for", "1m"]);
        has(&text, &["1 application is killed", app]);
    }
    let mut driver = failures::console(stage, Via::PortForward);
    driver.keys("2").unwrap();
    until(&mut driver, &["fast", "picky"]);
    driver.keys(":app fast<ret>").unwrap();
    until(&mut driver, &["twins/fast"]);
    until(&mut driver, &[&format!("Job {NAMESPACE}/fast-owner")]);
    stage.saw(&driver.screen_text());
    stage.command(&json!({"answers": {}}));
}
