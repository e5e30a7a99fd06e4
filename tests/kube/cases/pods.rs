use serde_json::{Value, json};

use super::super::schedule::{Scheduler, make, prepare};
use super::{Stage, asked, configure, container, node_of, pod, restore};
use crate::schedule::until;

/// KT-01 to KT-05 and KT-07: pod, labels, annotations, and ID; `UID` stands for the pod's UID.
const IDS: [(&str, &str, &str, &str, &str); 6] = [
    ("KT-01", "a label before an annotation", r#"{"D/app-id": "a"}"#, r#"{"D/app-id": "b"}"#, "a"),
    ("KT-02", "an annotation before the old label", r#"{"applicationId": "c"}"#, r#"{"D/app-id": "b"}"#, "b"),
    ("KT-03", "the old label before Spark's", r#"{"applicationId": "c", "spark-app-selector": "d"}"#, "{}", "c"),
    ("KT-04", "the namespace's", "{}", "{}", "yunikorn-batch-autogen"),
    ("KT-05", "one of its own", r#"{"D/app-id": "batch-uniqueautogen"}"#, "{}", "batch-UID"),
    ("KT-07", "not ignored", "{}", r#"{"D/app-id": "b", "D/ignore-application": "true"}"#, "b"),
];

fn read(text: &str) -> Value {
    serde_json::from_str(&text.replace("D/", "yunikorn.apache.org/")).unwrap()
}

fn name(case: &str) -> String {
    case.to_lowercase()
}

pub fn applications(stage: &Stage) {
    prepare(stage);
    let all = IDS.map(|(case, _, labels, annotations, _)| {
        let mut labels = read(labels);
        labels["queue"] = json!("root.a");
        pod(&name(case), labels, read(annotations), json!({}))
    });
    make(stage, &all);
    let uid = |case: &str| stage.read("batch", "pod", &name(case))["metadata"]["uid"].as_str().unwrap().to_owned();
    let scheduler = Scheduler::start(stage);
    for (case, what, .., wanted) in IDS {
        let id = asked(&scheduler, &name(case)).0["applicationID"].clone();
        assert_eq!(id, wanted.replace("UID", &uid(case)), "{case}: {what}");
    }
    scheduler.stop();
    let key = "admissionController.filtering.generateUniqueAppId";
    configure(stage, &json!({"data": {key: "true"}}));
    let scheduler = Scheduler::start(stage);
    let id = asked(&scheduler, "kt-04").0["applicationID"].clone();
    assert_eq!(id, format!("batch-{}", uid("KT-04")));
    scheduler.stop();
    restore(stage, &[key]);
}

fn labels(case: &str) -> Value {
    json!({"queue": "root.a", "applicationId": name(case)})
}

pub fn resources(stage: &Stage) {
    prepare(stage);
    let gpu = "nvidia.com/gpu";
    let of = |memory: &str, cpu: &str, gpus: &str| container(json!({"memory": memory, "cpu": cpu, gpu: gpus}));
    let named = |mut one: Value, name: &str| {
        one["name"] = json!(name);
        one
    };
    let kt_09 = json!({"containers": [of("500M", "1", "1"), named(of("1024M", "2", "4"), "d")]});
    let kt_10 = json!({
        "containers": [of("2000M", "4.096", "2"), named(of("5000M", "1.024", "2"), "d")],
        "initContainers": [named(of("4096M", "0.5", "1"), "i"), named(of("10000M", "5.12", "4"), "j")],
    });
    let kt_16 = json!({"containers": [container(json!({}))]});
    let kt_17 = |owner: &str| {
        let field = json!({"key": "metadata.name", "operator": "In", "values": ["s2"]});
        let required = json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
        let spec = json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}},
            "containers": [container(json!({"cpu": "64"}))]});
        let mut pod = pod(&format!("kt-17-{}", owner.to_lowercase()), labels("KT-17"), json!({}), spec);
        let owner = json!({"apiVersion": "apps/v1", "kind": owner, "name": "o", "uid": "o", "controller": true});
        pod["metadata"]["ownerReferences"] = json!([owner]);
        pod
    };
    let one = |case: &str, spec: Value| pod(&name(case), labels(case), json!({}), spec);
    let all = [one("KT-09", kt_09), one("KT-10", kt_10), one("KT-16", kt_16), kt_17("DaemonSet"), kt_17("ReplicaSet")];
    let scheduler = Scheduler::start(stage);
    make(stage, &all);
    let amounts = |name: &str| asked(&scheduler, name).1["resource"].clone();
    assert_eq!(amounts("kt-09"), json!({"memory": 1_524_000_000, "vcore": 3000, gpu: 5, "pods": 1}), "KT-09");
    assert_eq!(amounts("kt-10"), json!({"memory": 10_000_000_000_u64, "vcore": 5120, gpu: 4, "pods": 1}), "KT-10");
    assert_eq!(amounts("kt-16"), json!({"pods": 1}), "KT-16");
    until("KT-16: a pod without requests is bound", || node_of(stage, "kt-16").is_some());
    let required = |name: &str| asked(&scheduler, name).1["requiredNodeId"].clone();
    assert_eq!(required("kt-17-daemonset"), json!("s2"), "KT-17");
    assert!(matches!(required("kt-17-replicaset").as_str(), None | Some("")), "KT-17");
    scheduler.stop();
}

/// KT-23: without an admission controller, the annotation counts only with `--user-info trust`.
pub fn users(stage: &Stage) {
    prepare(stage);
    let info = json!({"yunikorn.apache.org/user.info": r#"{"user": "ann", "groups": ["dev"]}"#});
    make(stage, &[pod("kt-23", labels("KT-23"), info, json!({}))]);
    for (policy, user) in [("ignore", "nobody"), ("trust", "ann")] {
        let scheduler = Scheduler::launch_with(stage, &["--user-info", policy]).ready();
        assert_eq!(asked(&scheduler, "kt-23").0["user"], user, "KT-23: {policy}");
        scheduler.stop();
    }
}

/// KT-24: only the node and the status of a pod are changed.
pub fn untouched(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let labels = json!({"app": "yunikorn", "queue": "root.a"});
    make(
        stage,
        &[
            pod("kt-24", labels, json!({}), json!({})),
            pod("kt-24-other", json!({}), json!({}), json!({"schedulerName": "other"})),
        ],
    );
    until("KT-24: it is bound", || node_of(stage, "kt-24").is_some());
    let now = stage.read("batch", "pod", "kt-24");
    assert_eq!(now["metadata"]["labels"], json!({"app": "yunikorn", "queue": "root.a"}));
    assert!(now["metadata"]["annotations"].is_null() && now["spec"]["schedulerName"] == "kornsole", "{now}");
    let other = stage.read("batch", "pod", "kt-24-other");
    assert!(other["spec"]["nodeName"].is_null() && other["metadata"]["labels"].is_null(), "{other}");
    scheduler.stop();
}
