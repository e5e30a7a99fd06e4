use serde_json::{Value, json};

use super::super::schedule::{NODES, Scheduler, check, make, pods, prepare, until};
use super::{Stage, asked, container, pod};
use crate::has;

fn members(app: &str, parameters: &str) -> Vec<Value> {
    let group = |name: &str, host: Option<&str>| {
        let selector = host.map_or(json!({}), |host| json!({"host": host}));
        json!({"name": name, "minMember": 3, "minResource": {"cpu": "500m"}, "nodeSelector": selector})
    };
    let groups = json!([group("my-group", Some("nowhere")), group("b", None)]).to_string();
    let member = |number: usize| {
        let annotations = json!({
            "yunikorn.apache.org/task-groups": groups, "yunikorn.apache.org/task-group-name": "b",
            "yunikorn.apache.org/schedulingPolicyParameters": parameters,
        });
        let spec = json!({"containers": [container(json!({"cpu": "500m"}))]});
        pod(&format!("{app}-{number}"), json!({"queue": "root.a", "applicationId": app}), annotations, spec)
    };
    (0..3).map(member).collect()
}

fn names(stage: &Stage) -> Vec<String> {
    pods(stage).iter().map(|pod| pod["metadata"]["name"].as_str().unwrap().to_owned()).collect()
}

fn placeholders(stage: &Stage) -> Vec<String> {
    names(stage).into_iter().filter(|name| name.starts_with("tg-")).collect()
}

pub fn hard(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    // KT-19: two spaces between the parameters.
    make(stage, &members("app0001", "placeholderTimeoutInSeconds=4  gangSchedulingStyle=Hard"));
    until("KT-37: all placeholders are made", || placeholders(stage).len() == 6);
    let made = placeholders(stage);
    let of_group = made.iter().filter(|name| name.starts_with("tg-app0001-my-group-") && name.len() == 30);
    assert_eq!(of_group.count(), 3, "KT-21: {made:?}");
    until("KT-37: no placeholder is left", || placeholders(stage).is_empty());
    until("KT-37: its pods failed", || pods(stage).iter().all(|pod| pod["status"]["phase"] == "Failed"));
    let reasons: Vec<Value> = pods(stage).iter().map(|pod| pod["status"]["reason"].clone()).collect();
    assert_eq!(
        reasons,
        [json!("ResourceReservationTimeout"), json!("ResourceReservationTimeout"), json!("ResourceReservationTimeout")]
    );
    // KT-20: one group has no members.
    let mut bad = members("kt-20", "").remove(0);
    let groups = r#"[{"name": "b", "minMember": 0, "minResource": {"cpu": "1"}}]"#;
    bad["metadata"]["annotations"]["yunikorn.apache.org/task-groups"] = json!(groups);
    make(stage, &[bad]);
    until("KT-20: it runs without a gang", || super::node_of(stage, "kt-20-0").is_some());
    assert!(placeholders(stage).is_empty(), "KT-20");
    until("KT-20: that is said", || {
        stage.kubectl(&["-n", "batch", "describe", "pod", "kt-20-0"]).contains("its task groups are ignored")
    });
    scheduler.stop();
}

pub fn soft(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    make(stage, &members("kt-38", "placeholderTimeoutInSeconds=4 gangSchedulingStyle=Soft"));
    until("KT-38: all placeholders are made", || placeholders(stage).len() == 6);
    until("KT-38: the real pods run", || {
        let there = pods(stage);
        there.len() == 3 && there.iter().all(|pod| pod["status"]["phase"] == "Running")
    });
    let reported = stage.kubectl(&["-n", "batch", "get", "events"]);
    has(&reported, &["the gang timed out"]);
    check(stage, &scheduler);
    scheduler.stop();
}

/// KT-22: by name, a placeholder precedes the driver of the same second.
pub fn originator(stage: &Stage) {
    prepare(stage);
    let labels = json!({"queue": "root.a", "applicationId": "kt-22"});
    let running = |name: &str, annotations: Value| {
        let spec = json!({"nodeName": NODES[0], "containers": [container(json!({"cpu": "500m"}))]});
        pod(name, labels.clone(), annotations, spec)
    };
    make(stage, &[running("z-driver", json!({}))]);
    let uid = stage.read("batch", "pod", "z-driver")["metadata"]["uid"].clone();
    let flags = json!({"yunikorn.apache.org/placeholder": "true", "yunikorn.apache.org/task-group-name": "b"});
    let mut placeholder = running("a-placeholder", flags);
    placeholder["metadata"]["ownerReferences"] =
        json!([{"apiVersion": "v1", "kind": "Pod", "name": "z-driver", "uid": uid}]);
    make(stage, &[placeholder]);
    let scheduler = Scheduler::start(stage);
    assert_eq!(asked(&scheduler, "z-driver").1["originator"], json!(true), "KT-22");
    let other = asked(&scheduler, "a-placeholder").1;
    assert!(other["originator"] != json!(true) && other["placeholder"] == json!(true), "KT-22: {other}");
    scheduler.stop();
}
