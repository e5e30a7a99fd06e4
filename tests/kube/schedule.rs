use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Stage, has};

/// The maximum time for a step.
pub const PATIENCE: Duration = Duration::from_secs(60);
pub const NODES: [&str; 3] = ["s1", "s2", "s3"];
pub const QUEUES: &str = "
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - {name: a}
    - {name: b, resources: {max: {vcore: '5'}}}
    - {name: c, resources: {guaranteed: {vcore: '4'}}, properties: {preemption.delay: 1s}}
";

/// A running scheduler, killed on drop.
pub struct Scheduler {
    pub child: Child,
    lines: BufReader<std::process::ChildStdout>,
    address: Option<String>,
}

impl Scheduler {
    fn launch(stage: &Stage) -> Self {
        Self::launch_with(stage, &[])
    }

    /// Like `begin`, with more options.
    pub fn launch_with(stage: &Stage, options: &[&str]) -> Self {
        Self::launch_by(stage, &stage.kubeconfig, options)
    }

    /// Like [`Self::launch_with`], with another kubeconfig.
    pub fn launch_by(stage: &Stage, kubeconfig: &str, options: &[&str]) -> Self {
        Self::launch_in(stage, &[("KUBECONFIG", kubeconfig)], options)
    }

    /// Like [`Self::launch_with`], with environment variables.
    pub fn launch_in(stage: &Stage, env: &[(&str, &str)], options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
            .args(["kube", "schedule", "--context", "root", "--namespace", "kornsole"])
            .args(if options.contains(&"--listen") { &[][..] } else { &["--listen", "127.0.0.1:0"] })
            .args(if options.contains(&"--user-info") { &[][..] } else { &["--user-info", "trust"] })
            .args(options)
            .env("KUBECONFIG", &stage.kubeconfig)
            .envs(env.iter().copied())
            .env("XDG_CONFIG_HOME", &stage.dir)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines, address: None }
    }

    /// Waits until the scheduler is ready.
    pub fn ready(mut self) -> Self {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        self.address = line.trim().strip_prefix("http://").map(str::to_owned);
        assert!(self.address.is_some(), "it says {line:?}");
        self
    }

    pub fn start(stage: &Stage) -> Self {
        Self::launch(stage).ready()
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address.as_ref().unwrap())
    }

    /// Returns the JSON of its API at a path.
    pub fn get(&self, path: &str) -> Value {
        serde_json::from_str(&self.text(path)).unwrap()
    }

    /// Returns the text of its API at a path.
    pub fn text(&self, path: &str) -> String {
        let address = self.address.as_ref().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Sends SIGTERM and waits for the exit.
    pub fn stop(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Creates nodes, kubelets, namespaces, and queues on the first call.
pub fn prepare(stage: &Stage) {
    let there = stage.kubectl(&["get", "namespaces", "-o", "name"]);
    if !there.contains("namespace/kornsole") {
        let namespaces = ["kornsole", "batch"].map(|name| json!(["/api/v1/namespaces", {"metadata": {"name": name}}]));
        let map = json!({"metadata": {"name": "yunikorn-configs"}, "data": {"queues.yaml": QUEUES}});
        let maps = json!(["/api/v1/namespaces/kornsole/configmaps", map]);
        let nodes = NODES.map(|name| json!(["/api/v1/nodes", {"metadata": {"name": name, "labels": {"host": name}}}]));
        let all: Vec<Value> = namespaces.into_iter().chain([maps]).chain(nodes).collect();
        stage.command(&json!({"make": all}));
        for node in NODES {
            let allocatable = json!({"cpu": "4", "memory": "16Gi", "pods": "20"});
            let body = json!({"status": {"allocatable": allocatable, "capacity": allocatable}});
            stage.patch_status(&format!("/api/v1/nodes/{node}"), &body);
            // The API server taints a new node as not ready.
            let open = json!({"spec": {"taints": null}});
            stage.command(&json!({"patch": format!("/api/v1/nodes/{node}"), "body": open}));
        }
        stage.command(&json!({"fakelet": NODES}));
    }
    stage.kubectl(&["-n", "batch", "delete", "pods", "--all", "--wait=true", "--timeout=60s"]);
}

/// A pod in a queue, with one application per queue.
pub fn pod(name: &str, queue: &str, cpu: &str) -> Value {
    json!({
        "metadata": {"name": name, "labels": {"queue": format!("root.{queue}"), "applicationId": format!("app-{queue}")}},
        "spec": {
            "schedulerName": "kornsole",
            "containers": [{"name": "main", "image": "x", "resources": {"requests": {"cpu": cpu}}}],
        },
    })
}

pub fn make(stage: &Stage, pods: &[Value]) {
    let all: Vec<Value> = pods.iter().map(|pod| json!(["/api/v1/namespaces/batch/pods", pod])).collect();
    stage.command(&json!({"make": all}));
}

pub fn pods(stage: &Stage) -> Vec<Value> {
    let text = stage.kubectl(&["-n", "batch", "get", "pods", "-o", "json"]);
    let list: Value = serde_json::from_str(&text).unwrap();
    list["items"].as_array().unwrap().clone()
}

pub fn on_nodes(pods: &[Value]) -> usize {
    pods.iter().filter(|pod| pod["spec"]["nodeName"].is_string()).count()
}

/// Repeats a check until it succeeds.
pub fn until(what: &str, mut look: impl FnMut() -> bool) {
    let launch = Instant::now();
    while !look() {
        assert!(launch.elapsed() < PATIENCE, "not within a minute: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

fn cpu(pod: &Value) -> i64 {
    let containers = pod["spec"]["containers"].as_array().unwrap();
    let one = |container: &Value| {
        let text = container["resources"]["requests"]["cpu"].as_str().unwrap_or("0");
        text.strip_suffix('m').map_or_else(|| text.parse::<i64>().unwrap() * 1000, |milli| milli.parse().unwrap())
    };
    containers.iter().map(one).sum()
}

/// Checks nodes, selectors, maximums, and the scheduler's counters.
pub fn check(stage: &Stage, scheduler: &Scheduler) {
    let mut by_node: BTreeMap<String, i64> = BTreeMap::new();
    let mut in_b = 0;
    for pod in pods(stage).iter().filter(|pod| pod["spec"]["nodeName"].is_string()) {
        let node = pod["spec"]["nodeName"].as_str().unwrap().to_owned();
        assert!(NODES.contains(&node.as_str()), "{node} has nothing");
        if let Some(host) = pod["spec"]["nodeSelector"]["host"].as_str() {
            assert_eq!(host, node);
        }
        *by_node.entry(node).or_default() += cpu(pod);
        in_b += if pod["metadata"]["labels"]["queue"] == "root.b" { cpu(pod) } else { 0 };
    }
    assert!(by_node.values().all(|used| *used <= 4000), "{by_node:?}");
    assert!(in_b <= 5000, "root.b has {in_b}");
    let nodes = scheduler.get("/ws/v1/partition/default/nodes");
    for node in nodes.as_array().unwrap() {
        let name = node["nodeID"].as_str().unwrap();
        if NODES.contains(&name) {
            let counted = node["allocated"]["vcore"].as_i64().unwrap_or(0);
            assert_eq!(counted, by_node.get(name).copied().unwrap_or(0), "{name}");
        }
    }
}

pub fn thirty_pods(stage: &Stage) {
    prepare(stage);
    // The token file appears later, like the Secret of the Deployment.
    let tokens = stage.dir.join("later-tokens.yaml").display().to_string();
    let scheduler = Scheduler::launch_with(stage, &["--tokens", &tokens]).ready();
    let all: Vec<Value> = (0..15)
        .flat_map(|number| [pod(&format!("a{number}"), "a", "500m"), pod(&format!("b{number}"), "b", "500m")])
        .collect();
    make(stage, &all);
    until("24 of 30 pods are bound", || on_nodes(&pods(stage)) >= 24);
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(on_nodes(&pods(stage)), 24);
    check(stage, &scheduler);
    until("describe says why a pod waits", || {
        let waiting = pods(stage).into_iter().find(|pod| !pod["spec"]["nodeName"].is_string()).unwrap();
        let reported =
            stage.kubectl(&["-n", "batch", "describe", "pod", waiting["metadata"]["name"].as_str().unwrap()]);
        reported.contains("FailedScheduling") && reported.contains("kornsole")
    });
    let queues = stage.works(&["queues", "--server", &scheduler.url()]);
    has(&queues, &["  b ", "pods 5"]);
    explained(stage, &scheduler, &tokens);
    stage.kubectl(&["-n", "batch", "delete", "pod", "a0", "--wait=true"]);
    until("the room of a pod that is gone is taken", || on_nodes(&pods(stage)) == 24);
    check(stage, &scheduler);
    scheduler.stop();
}

fn explained(stage: &Stage, scheduler: &Scheduler, tokens: &str) {
    let waiting = pods(stage).into_iter().find(|pod| !pod["spec"]["nodeName"].is_string()).unwrap();
    let app = waiting["metadata"]["labels"]["applicationId"].as_str().unwrap();
    let name = waiting["metadata"]["name"].as_str().unwrap();
    let url = scheduler.url();
    let (code, _, refused) = stage.run(&["explain", app, "--server", &url]);
    assert!(code != 0 && refused.contains("token"), "{code}: {refused}");
    let token = stage.works(&["token", "new", "--file", tokens, "--user", "ann"]);
    let file = stage.file("later.token", token.trim());
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let (_, explained, why) = stage.run(&["explain", app, "--server", &url, "--token-file", &file]);
    let described = stage.kubectl(&["-n", "batch", "describe", "pod", name]);
    let event = described.lines().find(|line| line.contains("FailedScheduling")).unwrap();
    let words = &event[event.find("waits for").unwrap_or_else(|| panic!("{event}"))..];
    has(&explained, &[&format!("batch/{name} "), words.trim()]);
    assert_eq!(why, "");
}

pub fn gang(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let groups = r#"[{"name": "g", "minMember": 3, "minResource": {"cpu": "1"}}]"#;
    let members: Vec<Value> = (0..3)
        .map(|number| {
            let mut pod = pod(&format!("member-{number}"), "a", "1");
            pod["metadata"]["annotations"] = json!({
                "yunikorn.apache.org/task-groups": groups,
                "yunikorn.apache.org/task-group-name": "g",
            });
            pod
        })
        .collect();
    make(stage, &members);
    until("the members run, and no placeholder is left", || {
        let pods = pods(stage);
        pods.len() == 3 && on_nodes(&pods) == 3
    });
    let reported = stage.kubectl(&["-n", "batch", "get", "events"]);
    has(&reported, &["GangScheduling", "placeholders are created"]);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn preemption(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let first: Vec<Value> = (0..12).map(|number| pod(&format!("a{number}"), "a", "1")).collect();
    make(stage, &first);
    until("queue a has all", || on_nodes(&pods(stage)) == 12);
    make(stage, &[pod("c0", "c", "1")]);
    until("c0 runs", || {
        pods(stage).iter().any(|pod| pod["metadata"]["name"] == "c0" && pod["spec"]["nodeName"].is_string())
    });
    assert_eq!(pods(stage).len(), 12, "one made room");
    let reported = stage.kubectl(&["-n", "batch", "get", "events"]);
    has(&reported, &["Preempted", "preempted for pod batch/c0 of queue root.c"]);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn reload(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    make(stage, &[pod("later", "later", "1")]);
    until("the queue is not there, which is said", || {
        stage.kubectl(&["-n", "batch", "describe", "pod", "later"]).contains("TaskRejected")
    });
    let write = |text: &str| {
        let patch = json!({"data": {"queues.yaml": text}}).to_string();
        stage.kubectl(&["-n", "kornsole", "patch", "configmap", "yunikorn-configs", "--type=merge", "-p", &patch]);
    };
    write("partitions: [{name: default, queues: [{name: root, queues: [{name: 'a b'}]}]}]");
    std::thread::sleep(Duration::from_secs(1));
    write(&QUEUES.replace("    - {name: a}\n", "    - {name: a}\n    - {name: later}\n"));
    until("the pod is bound under the new queues", || on_nodes(&pods(stage)) == 1);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn two(stage: &Stage) {
    prepare(stage);
    let first = Scheduler::start(stage);
    let second = Scheduler::launch(stage);
    let pods_of =
        |from: usize| -> Vec<Value> { (from..from + 4).map(|number| pod(&format!("p{number}"), "a", "1")).collect() };
    make(stage, &pods_of(0));
    until("the first one binds", || on_nodes(&pods(stage)) == 4);
    make(stage, &pods_of(4));
    drop(first);
    let second = second.ready();
    until("the second one binds the rest", || on_nodes(&pods(stage)) == 8);
    check(stage, &second);
    make(stage, &pods_of(8));
    second.stop();
    let third = Scheduler::start(stage);
    until("all are bound", || on_nodes(&pods(stage)) == 12);
    check(stage, &third);
    third.stop();
}

/// A process on the same machine has exited, so its lease is taken over without a wait.
pub fn own_lease(stage: &Stage) {
    prepare(stage);
    let first = Scheduler::start(stage);
    make(stage, &[pod("p0", "a", "1")]);
    until("the first is bound", || on_nodes(&pods(stage)) == 1);
    drop(first);
    let spec = json!({"spec": {"leaseDurationSeconds": 3600}}).to_string();
    stage.kubectl(&["-n", "kornsole", "patch", "lease", "kornsole-scheduler", "--type=merge", "-p", &spec]);
    let second = Scheduler::start(stage);
    make(stage, &[pod("p1", "a", "1")]);
    until("the second is bound", || on_nodes(&pods(stage)) == 2);
    check(stage, &second);
    second.stop();
    let lease = stage.read("kornsole", "lease", "kornsole-scheduler");
    assert_eq!(lease["spec"]["holderIdentity"], "", "a clean stop gives the lease back");
}

pub fn restarted(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    make(stage, &[pod("p0", "a", "1")]);
    until("the first is bound", || on_nodes(&pods(stage)) == 1);
    stage.command(&json!({"restart": true}));
    make(stage, &[pod("p1", "a", "1"), pod("p2", "b", "1")]);
    until("the others are bound after the restart", || on_nodes(&pods(stage)) == 3);
    check(stage, &scheduler);
    scheduler.stop();
}

pub fn bad_input(stage: &Stage) {
    prepare(stage);
    let scheduler = Scheduler::start(stage);
    let annotated = |name: &str, key: &str, text: &str| {
        let mut pod = pod(name, "a", "1");
        pod["metadata"]["labels"]["applicationId"] = json!(name);
        pod["metadata"]["annotations"] = json!({format!("yunikorn.apache.org/{key}"): text});
        pod
    };
    make(stage, &[annotated("groups", "task-groups", "[{"), annotated("user", "user.info", "{nobody")]);
    let mut claims = pod("claims", "a", "1");
    claims["spec"]["volumes"] = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "missing"}}]);
    make(stage, &[claims]);
    until("two run", || on_nodes(&pods(stage)) == 2);
    for (name, words) in [
        ("groups", "its task groups are ignored"),
        ("user", "its annotation user.info "),
        ("claims", "its claim \"missing\" does not exist"),
    ] {
        until(words, || stage.kubectl(&["-n", "batch", "describe", "pod", name]).contains(words));
    }
    check(stage, &scheduler);
    scheduler.stop();
}
