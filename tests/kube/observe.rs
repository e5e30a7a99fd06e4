use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::Target;
use cluster::kube::{Cluster, Known, Via, Wanted};
use console::{Driver, Options};
use serde_json::{Value, json};
use source::remote::RemoteOptions;
use source::{Remote, Source as _};

use super::fake_api::{Call, FakeApi, Reply};

const PROXY: &str = "/api/v1/namespaces/yunikorn/services/yunikorn-service:yunikorn-core/proxy";
const DEADLINE: Duration = Duration::from_secs(60);

fn recorded() -> HashMap<String, (u16, Vec<u8>)> {
    let dir = Path::new("tests/conformance/rest/1.8.0");
    let index: Vec<Value> = serde_json::from_slice(&std::fs::read(dir.join("index.json")).unwrap()).unwrap();
    let plain = |entry: &&Value| entry["method"] == "GET" && entry["requestHeaders"].get("Accept").is_none();
    let answer = |entry: &Value| {
        let body = std::fs::read(dir.join(entry["file"].as_str().unwrap())).unwrap();
        (entry["path"].as_str().unwrap().to_owned(), (u16::try_from(entry["status"].as_u64().unwrap()).unwrap(), body))
    };
    index.iter().filter(plain).filter(|entry| entry["headers"].get("Content-Encoding").is_none()).map(answer).collect()
}

fn apps(recorded: &[u8]) -> Vec<u8> {
    let mut all: Vec<Value> = serde_json::from_slice(recorded).unwrap();
    let tags = json!({"kubernetes.io/meta/namespace": "team-a", "kubernetes.io/meta/podName": "job-1-driver"});
    let allocation = json!({"allocationKey": "u-0", "allocationTags": tags, "requestTime": 946_684_800_000_000_000_u64, "nodeId": "node-a",
        "resource": {"vcore": 1000, "memory": 1_u64 << 30, "pods": 1}, "priority": "0", "applicationId": "job-1"});
    let app = |id: &str, state: &str, allocation: Value| {
        json!({"applicationID": id, "partition": "default", "queueName": "root.tenants.tenant-a.etl", "submissionTime": 946_684_800_000_000_000_u64,
            "allocations": allocation, "requests": [], "applicationState": state, "user": "sue", "groups": ["dev"], "stateLog": []})
    };
    all.push(app("job-1", "Running", json!([allocation])));
    all.push(app("stuck-1", "New", json!([])));
    all.push(super::seen::picky());
    serde_json::to_vec(&all).unwrap()
}

fn pod(number: usize, name: &str, app: Option<&str>, status: Value) -> Value {
    let scheduler = if app.is_some() { "yunikorn" } else { "default-scheduler" };
    let owner = json!([{"apiVersion": "batch/v1", "kind": "Job", "name": "etl", "uid": "o", "controller": true}]);
    json!({
        "metadata": {"name": name, "namespace": "team-a", "uid": format!("u-{number}"), "resourceVersion": "1", "labels": {"applicationId": app},
                     "ownerReferences": owner},
        "spec": {"schedulerName": scheduler, "nodeName": if number == 9 { None } else { Some("node-a") }, "priorityClassName": "gold",
                 "containers": [{"name": "main", "resources": {"requests": {"cpu": "250m", "memory": "64Mi"}}, "env": [{"name": "PASSWORD", "value": "hunter2"}]}]},
        "status": status,
    })
}

pub fn pods() -> Vec<Value> {
    let waits = json!([{"restartCount": 2, "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image x:9"}}}]);
    let runs = json!([{"ready": true, "restartCount": 0, "state": {"running": {}}}]);
    let claim = json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "persistentvolumeclaim data not found"}]);
    let mut foreign = pod(5, "daemon-5", None, json!({"phase": "Running", "containerStatuses": runs}));
    foreign["metadata"]["labels"] = json!({});
    vec![
        pod(0, "job-1-driver", Some("job-1"), json!({"phase": "Running", "containerStatuses": waits})),
        pod(9, "stuck-1-driver", Some("stuck-1"), json!({"phase": "Pending", "conditions": claim})),
        foreign,
    ]
}

pub fn list(items: &[Value]) -> Reply {
    Reply::json(&json!({"metadata": {"resourceVersion": "5"}, "items": items}))
}

fn scheduler(path: &str, recorded: Option<(u16, &[u8])>) -> Reply {
    if let Some(asked) = path.strip_prefix("/ws/v1/events/batch?start=") {
        return super::seen::events(asked.starts_with("0&"));
    }
    let (status, body) = match recorded {
        Some((_, body)) if path.ends_with("/applications/active") => (200, apps(body)),
        Some((_, body)) if path.ends_with("/nodes") => (200, super::seen::nodes(body)),
        Some((status, body)) => (status, body.to_vec()),
        None => (404, b"404 page not found\n".to_vec()),
    };
    Reply { status, body, ..Reply::json(&Value::Null) }
}

/// A cluster with a recorded YuniKorn; `pods` answers the list of pods.
pub fn cluster(pods: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> FakeApi {
    let answers = recorded();
    FakeApi::new(move |call| {
        if let Some(path) = call.path.strip_prefix(PROXY) {
            return scheduler(path, answers.get(path).map(|(status, body)| (*status, body.as_slice())));
        }
        let (path, query) = call.path.split_once('?').unwrap_or((&call.path, ""));
        match path {
            "/api/v1/pods" => pods(call),
            "/api/v1/namespaces/yunikorn/services/yunikorn-service" => {
                let ports = json!([{"name": "yunikorn-core", "port": 9080}]);
                Reply::json(
                    &json!({"metadata": {"name": "yunikorn-service", "namespace": "yunikorn"}, "spec": {"ports": ports}}),
                )
            }
            _ if query.contains("watch=true") => Reply::lines(&[], true),
            "/api/v1/nodes/node-a" => Reply::json(
                &json!({"metadata": {"name": "node-a"}, "status": {"nodeInfo": {"kubeletVersion": "v1.34.2"}}}),
            ),
            "/api/v1/nodes" => {
                let conditions = json!([{"type": "Ready", "status": "True"}, {"type": "DiskPressure", "status": "True", "message": "disk is full"}]);
                let taints = json!([{"key": "gpu", "value": "a100", "effect": "NoSchedule"}]);
                list(&[
                    json!({"metadata": {"name": "node-a", "labels": {"zone": "eu-1"}}, "spec": {"unschedulable": true, "taints": taints},
                    "status": {"conditions": conditions, "nodeInfo": {"kubeletVersion": "v1.34.2"}}}),
                    json!({"metadata": {"name": "node-b"}, "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "KubeletNotReady"}]}}),
                ])
            }
            "/api/v1/namespaces" => {
                let own = json!({"yunikorn.apache.org/parentqueue": "root.tenants.tenant-a", "yunikorn.apache.org/namespace.quota": "{\"cpu\": \"5\"}"});
                list(&[json!({"metadata": {"name": "team-a", "annotations": own}})])
            }
            "/api/v1/namespaces/team-a/pods/job-1-driver" => {
                let mut whole = pod(0, "job-1-driver", Some("job-1"), json!({"phase": "Running"}));
                whole["metadata"]["managedFields"] = json!([{"manager": "kubelet"}]);
                Reply::json(&whole)
            }
            "/api/v1/namespaces/team-a/pods/job-1-driver/log" if query.contains("previous=true") => {
                Reply::text("the run before\nERROR it ended\n", false)
            }
            "/api/v1/namespaces/team-a/pods/job-1-driver/log" => {
                assert!(query.contains("container=main") && query.contains("follow=true"), "{query}");
                let lines: String = (0..100).map(|number| format!("line {number}\n")).collect();
                Reply::text(&format!("{lines}needle in the hay\n\u{1b}[31mthe last line\u{1b}[0m\n"), true)
            }
            "/apis/events.k8s.io/v1/namespaces/team-a/events" => {
                assert!(query.contains("regarding.uid%3Du-0"), "{query}");
                let pulled = json!({"reason": "BackOff", "note": "Back-off pulling image", "type": "Warning", "deprecatedCount": 3,
                    "deprecatedSource": {"component": "kubelet"}, "deprecatedLastTimestamp": "2026-01-01T00:00:05Z"});
                let bound = json!({"reason": "Scheduled", "note": "bound to node-a", "type": "Normal", "reportingController": "yunikorn",
                    "eventTime": "2026-01-01T00:00:01.000000Z"});
                list(&[pulled, bound])
            }
            "/apis/scheduling.k8s.io/v1/priorityclasses" => {
                list(&[json!({"metadata": {"name": "gold"}, "value": 1000})])
            }
            _ => Reply::refusal(404, "not found"),
        }
    })
}

/// A console attached over the service proxy.
pub fn console(fake_api: &FakeApi) -> (Arc<Remote>, Driver) {
    let known = Known::of(&[fake_api.kubeconfig()]).unwrap();
    let context = known.context(None).unwrap();
    let namespace = Some("yunikorn".to_owned());
    let wanted = Wanted { namespace, via: Some(Via::Proxy), ..Wanted::default() };
    let target = Target::of_cluster(Arc::new(Cluster::new(known, context, wanted))).unwrap();
    let options = RemoteOptions { every: Duration::from_millis(200), ..RemoteOptions::default() };
    let remote = Arc::new(Remote::start(&target, options).unwrap());
    let driver = Driver::new(Arc::clone(&remote) as Arc<_>, Options::default(), 160, 50);
    (remote, driver)
}

/// Waits until the screen contains all texts.
#[track_caller]
pub fn until(driver: &mut Driver, texts: &[&str]) {
    let started_at = Instant::now();
    loop {
        driver.advance(Duration::from_millis(300)).refresh();
        let screen = driver.screen_text();
        let left: Vec<&&str> = texts.iter().filter(|text| !screen.contains(**text)).collect();
        if left.is_empty() {
            return;
        }
        assert!(started_at.elapsed() < DEADLINE, "no {left:?} in\n{screen}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn pods_nodes_namespaces_and_classes_are_on_the_pages() {
    let fake_api =
        cluster(|call| if call.path.contains("watch=true") { Reply::lines(&[], true) } else { list(&pods()) });
    let (_remote, mut driver) = console(&fake_api);
    until(&mut driver, &["tenant-a", "etl"]);
    driver.keys("2").unwrap();
    until(&mut driver, &["job-1", "stuck-1", "1 pod ImagePullBac", "1 pod Unschedulable"]);
    driver.keys(":app job-1<ret>").unwrap();
    until(&mut driver, &["POD", "RST", "ImagePullBackOff     2"]);
    driver.keys("i").unwrap();
    until(
        &mut driver,
        &["trouble", "ImagePullBackOff: pod team-a/job-1-driver: no such image x:9", "1 ImagePullBackOff; 2 restarts"],
    );
    until(&mut driver, &["Job team-a/etl (1 pod)"]);
    driver.keys(":app stuck-1<ret>i").unwrap();
    let stuck = "Unschedulable: pod team-a/stuck-1-driver: persistentvolumeclaim";
    until(&mut driver, &[stuck, "data not found", "not asked", "team-a/stuck-1-driver Pending"]);
    driver.keys("3").unwrap();
    until(&mut driver, &["node-a", "cordoned"]);
    driver.keys(":node node-a<ret>i").unwrap();
    until(&mut driver, &["DiskPressure True: disk is full", "gpu=a100:NoSchedule", "v1.34.2", "zone=eu-1"]);
    until(&mut driver, &["team-a/daemon-5 cpu 0.25, mem 64Mi Running, by default-scheduler"]);
    assert!(!driver.screen_text().contains("hunter2"));
}

fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
}

#[test]
fn fifty_thousand_pods_use_bounded_memory_and_do_not_delay_metrics() {
    const PODS: usize = 50_000;
    let seen = Arc::new(AtomicBool::new(false));
    let metrics_seen = Arc::clone(&seen);
    let fake_api = cluster(move |call| {
        if call.path.contains("watch=true") {
            return Reply::lines(&[], true);
        }
        let from: usize = call.path.split("continue=").nth(1).map_or(0, |from| from.parse().unwrap());
        let end = (from + 500).min(PODS);
        let one = |number: usize| {
            let app = format!("app-{}", number / 50);
            pod(number + 10, &format!("{app}-{number}"), Some(&app), json!({"phase": "Running"}))
        };
        let items: Vec<Value> = (from..end).map(one).collect();
        let rest = if end < PODS { end.to_string() } else { String::new() };
        while end == PODS && !metrics_seen.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        Reply::json(&json!({"metadata": {"resourceVersion": "5", "continue": rest}, "items": items}))
    });
    let (before, started_at) = (resident(), Instant::now());
    let (remote, mut driver) = console(&fake_api);
    until(&mut driver, &["tenant-a", "etl"]);
    let metrics = started_at.elapsed();
    seen.store(true, Ordering::Relaxed);
    let count = || remote.view().kubernetes.as_ref().map_or(0, |all| all.pod_count());
    while count() < PODS {
        assert!(started_at.elapsed() < Duration::from_secs(120), "{} of them came", count());
        std::thread::sleep(Duration::from_millis(10));
    }
    let (took, grown) = (started_at.elapsed(), resident().saturating_sub(before) >> 20);
    eprintln!("first figures in {metrics:?}, {PODS} pods in {took:?}, {grown} MiB more");
    assert!(grown < 200, "{grown} MiB");
}
