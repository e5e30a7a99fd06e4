//! `kornsole kube schedule` during failures: no pod is bound twice or forgotten, and the counters agree.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Stage;
use super::schedule::{NODES, PATIENCE, Scheduler, check, make, on_nodes, pod, pods, prepare, until};

fn some(name: &str, count: usize) -> Vec<Value> {
    (0..count).map(|number| pod(&format!("{name}{number}"), "a", "1")).collect()
}

fn freeze(stage: &Stage, seconds: u64) {
    stage.command(&json!({"freeze": seconds}));
}

pub fn hangs(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    for (name, count) in [("p", 4), ("q", 4), ("r", 4)] {
        make(stage, &some(name, count));
        freeze(stage, 2);
        std::thread::sleep(Duration::from_secs(3));
    }
    until("all are bound though the API server hung", || on_nodes(&pods(stage)) == 12);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn killed(stage: &Stage) {
    prepare(stage);
    let first = Scheduler::start(stage);
    make(stage, &some("p", 12));
    // The API server answers only after the scheduler has stopped.
    freeze(stage, 3);
    drop(first);
    std::thread::sleep(Duration::from_secs(4));
    let second = Scheduler::start(stage);
    until("the next one binds the rest", || on_nodes(&pods(stage)) == 12);
    check(stage, &second);
    second.stop();
}

/// kill -9 before the bindings are sent, and before their result is received.
pub fn killed_between(stage: &Stage) {
    for mode in ["before", "after"] {
        prepare(stage);
        let first = Scheduler::launch_by(stage, &stage.through(), &[]).ready();
        stage.command(&json!({"hold": mode}));
        make(stage, &some(&format!("{mode}-"), 6));
        stage.command(&json!({"held": 6}));
        let counted = first.get("/ws/v1/partition/default/nodes");
        let of = |node: &Value| node["allocations"].as_array().map_or(0, Vec::len);
        let assumed: usize = counted.as_array().unwrap().iter().map(of).sum();
        assert_eq!(assumed, 6, "{mode}: all are decided, and count");
        drop(first);
        stage.command(&json!({"hold": null}));
        let places =
            |pods: &[Value]| -> Vec<Value> { pods.iter().map(|pod| pod["spec"]["nodeName"].clone()).collect() };
        let before = pods(stage);
        assert_eq!(on_nodes(&before), if mode == "before" { 0 } else { 6 }, "{mode}");
        let second = Scheduler::start(stage);
        until("the next one has bound all", || on_nodes(&pods(stage)) == 6);
        check(stage, &second);
        if mode == "after" {
            assert_eq!(places(&pods(stage)), places(&before), "what was bound stays where it is");
        }
        let failed = stage.kubectl(&["-n", "batch", "get", "events", "--field-selector", "reason=PodBindFailure"]);
        assert!(!failed.contains(&format!("pod/{mode}-")), "{mode}: none is bound twice: {failed}");
        second.stop();
    }
}

pub fn deleted(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    for round in 0..3 {
        let name = format!("p{round}-");
        make(stage, &some(&name, 6));
        let names: Vec<String> = (0..3).map(|number| format!("{name}{number}")).collect();
        let mut arguments = vec!["-n", "batch", "delete", "pods", "--grace-period=0", "--force", "--wait=false"];
        arguments.extend(names.iter().map(String::as_str));
        stage.kubectl(&arguments);
    }
    until("the others are bound", || on_nodes(&pods(stage)) == 9 && pods(stage).len() == 9);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn bound_by_another(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let both: Vec<Value> = some("p", 9)
        .into_iter()
        .flat_map(|pod| {
            let name = pod["metadata"]["name"].clone();
            let path = format!("/api/v1/namespaces/batch/pods/{}/binding", name.as_str().unwrap());
            let target = json!({"apiVersion": "v1", "kind": "Node", "name": NODES[2]});
            let binding = json!({"metadata": {"name": name}, "target": target});
            [json!(["/api/v1/namespaces/batch/pods", pod]), json!([path, binding, "may fail"])]
        })
        .collect();
    stage.command(&json!({"make": both}));
    until("all are bound, by the one or the other", || on_nodes(&pods(stage)) == 9);
    let counted = || -> usize {
        let nodes = scheduler.get("/ws/v1/partition/default/nodes");
        let of = |node: &Value| node["allocations"].as_array().map_or(0, Vec::len);
        nodes.as_array().unwrap().iter().filter(|node| NODES.contains(&node["nodeID"].as_str().unwrap())).map(of).sum()
    };
    until("the scheduler has each of them once, where it is", || counted() == 9);
    scheduler.stop();
}

pub fn lease_lost(stage: &Stage) {
    prepare(stage);
    let mut scheduler = Scheduler::start(stage);
    let other = json!({"spec": {"holderIdentity": "somebody-else"}}).to_string();
    stage.kubectl(&["-n", "kornsole", "patch", "lease", "kornsole-scheduler", "--type=merge", "-p", &other]);
    let started_at = Instant::now();
    let code = loop {
        if let Some(status) = scheduler.child.try_wait().unwrap() {
            break status.code();
        }
        assert!(started_at.elapsed() < PATIENCE, "it goes on without the lease");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert_eq!(code, Some(1));
    make(stage, &some("p", 1));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(on_nodes(&pods(stage)), 0);
    stage.kubectl(&["-n", "kornsole", "delete", "lease", "kornsole-scheduler"]);
}

pub fn daemon_set(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let of_node = |node: &str| {
        let mut pod = pod(&format!("daemon-{node}"), "a", "500m");
        let owner = json!({"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "d", "controller": true});
        pod["metadata"]["ownerReferences"] = json!([owner]);
        let field = json!({"key": "metadata.name", "operator": "In", "values": [node]});
        let required = json!({"nodeSelectorTerms": [{"matchFields": [field]}]});
        pod["spec"]["affinity"] = json!({"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}});
        pod
    };
    make(stage, &NODES.map(of_node));
    until("each is bound", || on_nodes(&pods(stage)) == NODES.len());
    for pod in pods(stage) {
        let name = pod["metadata"]["name"].as_str().unwrap();
        assert_eq!(name.strip_prefix("daemon-"), pod["spec"]["nodeName"].as_str());
    }
    check(stage, &scheduler);
    scheduler.stop();
}

fn probe(address: &str, path: &str) -> String {
    let Ok(mut stream) = TcpStream::connect(address) else { return String::new() };
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn serves(address: &str) -> bool {
    TcpStream::connect(address).is_ok() && probe(address, "/ws/v1/partitions").contains("default")
}

pub fn probes(stage: &Stage) {
    prepare(stage);
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let (of_first, of_second, reads) = (free(), free(), free());
    let first = Scheduler::launch_with(stage, &["--probes", &of_first]).ready();
    let second = Scheduler::launch_with(stage, &["--probes", &of_second, "--listen", &reads]);
    until("the second one stands by", || probe(&of_second, "/readyz").contains("standby, leader is "));
    let status = |address: &str, path: &str| probe(address, path).split(' ').nth(1).unwrap_or_default().to_owned();
    assert_eq!([status(&of_first, "/readyz"), status(&of_first, "/livez")], ["200", "200"]);
    assert_eq!([status(&of_second, "/readyz"), status(&of_second, "/livez")], ["503", "200"]);
    until("the second one serves reads", || serves(&reads));
    assert!(probe(&reads, "/readyz").contains("standby, leader is "), "{}", probe(&reads, "/readyz"));
    assert_eq!(status(&reads, "/livez"), "200");
    make(stage, &[pod("p0", "a", "1")]);
    until("the standby shows what the leader binds", || {
        probe(&reads, "/ws/v1/partition/default/queue/root.a/applications").contains("\"allocations\":[{")
    });
    first.stop();
    let second = second.ready();
    until("the second one decides", || status(&of_second, "/readyz") == "200");
    second.stop();
}
