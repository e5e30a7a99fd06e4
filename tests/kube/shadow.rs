//! `kornsole kube shadow` with the real API server: recorded scenarios as pods, bound as the real core decided.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use ::scenario::{self, StepKind};
use scheduler::{AskSpec, PartitionCommand};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Stage;
use super::fake_api::{FakeApi, Reply};

const NAMES: [&str; 4] = ["appsort-019", "appsort-022", "priority-012", "appsort-010"];
const PATIENCE: Duration = Duration::from_secs(60);
const NAMESPACE: &str = "shade";

struct Shadow {
    child: Child,
    lines: Receiver<Value>,
    served: String,
    metrics: String,
    core: String,
}

impl Shadow {
    /// Starts one, and waits until it has taken everything over. `via`: the way to the REST API of the scheduler.
    fn start(stage: &Stage, via: &str) -> Self {
        let tokens = stage.dir.join("shadow-tokens.yaml").display().to_string();
        let token = stage.works(&["token", "new", "--file", &tokens, "--user", "ann"]);
        stage.file("shadow.token", token.trim());
        let mut child = Command::new(env!("CARGO_BIN_EXE_kornsole"))
            .args(["kube", "shadow", "root", "--namespace", "shadowed", "--scheduler-name", "recorded", "--json"])
            .args(["--listen", "127.0.0.1:0", "--tokens", &tokens, "--metrics", "127.0.0.1:0", "--via", via])
            .env("KUBECONFIG", &stage.kubeconfig)
            .env("XDG_CONFIG_HOME", &stage.dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut reported = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut behind = |words: &str| {
            let line =
                reported.find_map(|line| line.unwrap().split_once(words).map(|(_, rest)| rest.trim().to_owned()));
            line.expect("it ended")
        };
        let core = behind("comparing with ");
        let metrics = behind("metrics on ");
        let served = behind("serving on ");
        behind("watching: ");
        std::thread::spawn(move || reported.for_each(drop));
        let out = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { child, lines, served, metrics, core }
    }

    fn next(&self, count: usize) -> Vec<Value> {
        (0..count)
            .map(|number| self.lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no {number} of {count}")))
            .collect()
    }

    fn get(address: &str) -> String {
        let (host, path) = address.strip_prefix("http://").unwrap().split_once('/').unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    fn stop(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn recorded(name: &str) -> (scenario::Scenario, Vec<Value>) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios");
    let read = |ending: &str| std::fs::read_to_string(dir.join(format!("{name}.{ending}")));
    let trace = read("1.8.jsonl").or_else(|_| read("jsonl")).unwrap();
    let lines = trace.lines().map(|line| serde_json::from_str(line).unwrap());
    let decisions = lines.filter(|line: &Value| line["event"] == "allocated").collect();
    (scenario::read(&read("yaml").unwrap()).scenario.unwrap(), decisions)
}

fn pods_of(ask: &AskSpec, queue: &str) -> Vec<Value> {
    let requests = json!({
        "cpu": format!("{}m", ask.resource.amount("vcore")), "memory": ask.resource.amount("memory").to_string(),
    });
    let one = |id: model::AskId| {
        let mut spec = json!({
            "schedulerName": "recorded",
            "containers": [{"name": "main", "image": "x", "resources": {"requests": requests}}],
        });
        if ask.priority.0 != 0 {
            spec["priorityClassName"] = json!(class(ask.priority.0));
        }
        let labels = json!({"applicationId": ask.app.as_str(), "queue": queue});
        json!([format!("/api/v1/namespaces/{NAMESPACE}/pods"), {"metadata": {"name": id.as_str(), "labels": labels}, "spec": spec}])
    };
    ask.ids().map(one).collect()
}

fn class(priority: i32) -> String {
    format!("recorded-{priority}").replace("--", "-minus-")
}

fn prepare(stage: &Stage, scenario: &scenario::Scenario) -> Vec<String> {
    let mut all: Vec<Value> = ["shadowed", NAMESPACE]
        .map(|name| json!(["/api/v1/namespaces", {"metadata": {"name": name}}, "may fail"]))
        .to_vec();
    let data = json!({"data": {"queues.yaml": scenario.config_text().unwrap()}});
    let map = json!({"metadata": {"name": "yunikorn-configs"}, "data": {}});
    all.push(json!(["/api/v1/namespaces/shadowed/configmaps", map, "may fail"]));
    let mut priorities: Vec<i32> = Vec::new();
    let mut nodes = Vec::new();
    for step in &scenario.steps {
        match &step.kind {
            StepKind::Command(PartitionCommand::Ask(ask)) => priorities.push(ask.priority.0),
            StepKind::Command(PartitionCommand::AddNode(node)) => nodes.push(node.clone()),
            _ => {}
        }
    }
    priorities.sort_unstable();
    priorities.dedup();
    for priority in priorities.into_iter().filter(|priority| *priority != 0) {
        let object = json!({"metadata": {"name": class(priority)}, "value": priority});
        all.push(json!(["/apis/scheduling.k8s.io/v1/priorityclasses", object, "may fail"]));
    }
    all.extend(nodes.iter().map(|node| json!(["/api/v1/nodes", {"metadata": {"name": node.id.as_str()}}])));
    stage.command(&json!({"make": all}));
    stage.command(&json!({"patch": "/api/v1/namespaces/shadowed/configmaps/yunikorn-configs", "body": data}));
    for node in &nodes {
        let amount = |name: &str| node.capacity.amount(name);
        let allocatable =
            json!({"cpu": format!("{}m", amount("vcore")), "memory": amount("memory").to_string(), "pods": "100000"});
        let body = json!({"status": {"allocatable": allocatable, "capacity": allocatable}});
        stage.patch_status(&format!("/api/v1/nodes/{}", node.id), &body);
        // The API server taints a new node as not ready.
        let open = json!({"spec": {"taints": null}});
        stage.command(&json!({"patch": format!("/api/v1/nodes/{}", node.id), "body": open}));
    }
    nodes.iter().map(|node| node.id.to_string()).collect()
}

fn micros(time: OffsetDateTime) -> String {
    let seconds = time.replace_nanosecond(0).unwrap().format(&Rfc3339).unwrap();
    format!("{}.{:06}Z", seconds.trim_end_matches('Z'), time.microsecond())
}

/// An Event with the time of the decision, then the binding.
fn bind(stage: &Stage, pod: &str, uid: &str, node: &str) {
    bind_at(stage, OffsetDateTime::from(SystemTime::now()), (pod, uid), node);
}

fn bind_at(stage: &Stage, at: OffsetDateTime, (pod, uid): (&str, &str), node: &str) {
    let event = json!({
        "metadata": {"name": format!("{pod}.{uid}"), "namespace": NAMESPACE},
        "eventTime": micros(at),
        "reportingController": "yunikorn", "reportingInstance": "yunikorn-1", "action": "Scheduled", "reason": "Scheduled",
        "type": "Normal", "note": "it is assigned",
        "regarding": {"apiVersion": "v1", "kind": "Pod", "namespace": NAMESPACE, "name": pod, "uid": uid},
    });
    let binding = json!({"metadata": {"name": pod}, "target": {"apiVersion": "v1", "kind": "Node", "name": node}});
    stage.command(&json!({"make": [
        [format!("/apis/events.k8s.io/v1/namespaces/{NAMESPACE}/events"), event],
        [format!("/api/v1/namespaces/{NAMESPACE}/pods/{pod}/binding"), binding],
    ]}));
}

fn uids(stage: &Stage) -> BTreeMap<String, String> {
    let text = stage.kubectl(&["-n", NAMESPACE, "get", "pods", "-o", "json"]);
    let list: Value = serde_json::from_str(&text).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let one = |pod: &Value| (text(&pod["metadata"]["name"]), text(&pod["metadata"]["uid"]));
    list["items"].as_array().unwrap().iter().map(one).collect()
}

pub fn agrees(stage: &Stage) {
    for name in NAMES {
        let last = name == NAMES[NAMES.len() - 1];
        agrees_with(stage, name, if last { Play::Whole } else { Play::Plain });
    }
}

/// All decisions within 10 ms, with Events in reverse order, are not a difference.
pub fn burst(stage: &Stage) {
    NAMES.iter().for_each(|name| agrees_with(stage, name, Play::Burst));
}

/// The same, but the scheduler reports over REST when it decided: all of it is settled.
pub fn burst_over_rest(stage: &Stage) {
    NAMES.iter().for_each(|name| agrees_with(stage, name, Play::Rest));
    let newer = rest(Arc::default(), false);
    let shadow = Shadow::start(stage, &newer.url());
    assert_eq!(shadow.core, "1.9.0", "the release that it watches");
    shadow.stop();
}

/// The REST API of a scheduler of 1.8, or of 1.9 without `utilization`, with these events.
fn rest(events: Arc<Mutex<Vec<Value>>>, utilization: bool) -> FakeApi {
    FakeApi::new(move |call| match call.path.split('?').next().unwrap_or_default() {
        "/ws/v1/partitions" => {
            Reply::json(&json!([{"name": "default", "preemptionEnabled": true, "quotaPreemptionEnabled": false}]))
        }
        "/ws/v1/partition/default/queues" => Reply::json(&json!({"queuename": "root", "childNames": ["root.a"]})),
        "/ws/v1/scheduler/node-utilization" if utilization => Reply::json(&json!([])),
        "/ws/v1/events/batch" => {
            let events = events.lock().unwrap();
            let start = call.path.split_once("start=").map_or("0", |(_, rest)| rest.split('&').next().unwrap());
            let from = start.parse::<usize>().unwrap().min(events.len());
            Reply::json(&json!({
                "InstanceUUID": "one", "LowestID": 0, "HighestID": events.len().saturating_sub(1), "EventRecords": events[from..],
            }))
        }
        _ => Reply::no_endpoint(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Play {
    Plain,
    Whole,
    Burst,
    Rest,
}

fn agrees_with(stage: &Stage, name: &str, play: Play) {
    let (scenario, decisions) = recorded(name);
    let nodes = prepare(stage, &scenario);
    let events = Arc::new(Mutex::new(Vec::new()));
    let rest = rest(Arc::clone(&events), true);
    let via = if play == Play::Rest { rest.url() } else { "none".to_owned() };
    let shadow = Shadow::start(stage, &via);
    assert_eq!(shadow.core, "1.8.0");
    let mut queues = BTreeMap::new();
    let mut pods = Vec::new();
    for step in &scenario.steps {
        match &step.kind {
            StepKind::Command(PartitionCommand::Submit(app)) => drop(queues.insert(app.app.clone(), app.queue.clone())),
            StepKind::Command(PartitionCommand::Ask(ask)) => pods.extend(pods_of(ask, &queues[&ask.app])),
            _ => {}
        }
    }
    for of_app in pods.chunk_by(|one, other| one[1]["metadata"]["labels"] == other[1]["metadata"]["labels"]) {
        stage.command(&json!({"make": of_app}));
        // Pod times have a resolution of seconds and define the order of applications.
        std::thread::sleep(Duration::from_millis(1_100));
    }
    let uids_of = uids(stage);
    std::thread::sleep(Duration::from_secs(3));
    let step = Duration::from_millis(9) / u32::try_from(decisions.len()).unwrap();
    let end = OffsetDateTime::from(SystemTime::now());
    for (number, line) in (0..).zip(&decisions) {
        let pod = line["ask"].as_str().unwrap();
        let burst = matches!(play, Play::Burst | Play::Rest);
        let at = if burst { end - step * number } else { OffsetDateTime::from(SystemTime::now()) };
        let decided = i64::try_from((end + step * number).unix_timestamp_nanos()).unwrap();
        events.lock().unwrap().push(json!({
            "type": 2, "objectID": line["app"], "referenceID": uids_of[pod], "eventChangeType": 2, "eventChangeDetail": 200,
            "timestampNano": decided,
        }));
        bind_at(stage, at, (pod, &uids_of[pod]), line["node"].as_str().unwrap());
    }
    let compared = shadow.next(decisions.len());
    if play == Play::Burst {
        let settled = |line: &&Value| line["verdict"] == "same" || line["verdict"] == "equal";
        let different: Vec<&Value> =
            compared.iter().filter(|line| !settled(line) && line["verdict"] != "unsettled").collect();
        assert!(different.is_empty(), "{name}: {different:?}");
        assert!(compared.iter().filter(settled).count() * 2 > compared.len(), "{name}: most are settled: {compared:?}");
        return leave(stage, shadow, &nodes);
    }
    for (line, decision) in compared.iter().zip(&decisions) {
        assert_eq!(line["pod"], json!(format!("{NAMESPACE}/{}", decision["ask"].as_str().unwrap())));
        assert!(line["verdict"] == "same" || line["verdict"] == "equal", "{name}: {line}");
        let source = if play == Play::Rest { "rest-event" } else { "scheduled-event" };
        assert_eq!((&line["node"], &line["source"]), (&decision["node"], &json!(source)), "{line}");
    }
    if play == Play::Whole {
        planted(stage, &shadow, &nodes[0]);
        serves(stage, &shadow, decisions.len());
    }
    leave(stage, shadow, &nodes);
}

fn leave(stage: &Stage, shadow: Shadow, nodes: &[String]) {
    shadow.stop();
    stage.kubectl(&["-n", NAMESPACE, "delete", "pods", "--all", "--grace-period=0", "--force"]);
    nodes.iter().for_each(|node| drop(stage.kubectl(&["delete", "node", node])));
}

fn planted(stage: &Stage, shadow: &Shadow, node: &str) {
    let spec = json!({
        "schedulerName": "recorded", "nodeSelector": {"disk": "fast"},
        "containers": [{"name": "main", "image": "x", "resources": {"requests": {"cpu": "1"}}}],
    });
    let metadata = |name: &str| json!({"name": name, "labels": {"applicationId": name, "queue": "root.a"}});
    let path = format!("/api/v1/namespaces/{NAMESPACE}/pods");
    let pods = ["planted", "waits"].map(|name| json!([path, {"metadata": metadata(name), "spec": spec}]));
    stage.command(&json!({"make": pods}));
    let uid = uids(stage)["planted"].clone();
    std::thread::sleep(Duration::from_secs(3));
    bind(stage, "planted", &uid, node);
    let line = shadow.next(1).remove(0);
    assert_eq!((&line["verdict"], &line["rule"]), (&json!("illegal"), &json!("predicate")), "{line}");
    assert!(line["cause"].as_str().unwrap().contains("NodeAffinity"), "{line}");
}

fn serves(stage: &Stage, shadow: &Shadow, decisions: usize) {
    let apps = stage.works(&["apps", "--server", &shadow.served]);
    super::has(&apps, &["app-001", "root.a", "planted"]);
    let token = stage.dir.join("shadow.token").display().to_string();
    let (code, waits, why) = stage.run(&["explain", "waits", "--server", &shadow.served, "--token-file", &token]);
    assert_eq!(code, 1, "{waits}{why}");
    super::has(&(waits + &why), &["node affinity/selector"]);
    let refused = stage.fails(&["kill", "app-001", "--yes", "--server", &shadow.served, "--token-file", &token]);
    super::has(&refused, &["read-only"]);
    let metrics = Shadow::get(&format!("{}/", shadow.metrics.trim_end_matches('/')).replace("/metrics/", "/metrics"));
    let count = |line: &str| line.rsplit_once(' ').unwrap().1.parse::<usize>().unwrap();
    let of = |verdict: &str| -> usize {
        let verdict = format!("verdict=\"{verdict}\"}}");
        metrics.lines().filter(|line| line.contains(&verdict)).map(count).sum()
    };
    assert_eq!((of("same") + of("equal"), of("illegal")), (decisions, 1), "{metrics}");
    let report: Value = serde_json::from_str(&Shadow::get(&format!("{}/kornsole/v1/shadow", shadow.served))).unwrap();
    let planted = &report["differences"][0];
    assert_eq!(
        (&report["total"]["decisions"], &planted["rule"]),
        (&json!(decisions + 1), &json!("predicate")),
        "{report}"
    );
    stage.works(&["play", "--server", &shadow.served, "recordings/kubernetes/shadow.tape"]);
}

/// The role can read what the shadow follows, and cannot write.
pub fn role(stage: &Stage) {
    let file = stage.dir.join("shadow.yaml").display().to_string();
    let of = ["--namespace", "shadowed", "--group", "only-shadow"];
    let printed = stage.works(&[&["kube", "manifests", "--role", "shadow"], &of[..]].concat());
    std::fs::write(&file, &printed).unwrap();
    stage.kubectl(&["apply", "-f", &file]);
    let known = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        stage.can("shadow", &["watch", "pods", "-A"])
    });
    assert!(known, "it may not watch pods");
    for what in ["nodes", "persistentvolumes", "priorityclasses.scheduling.k8s.io", "events.events.k8s.io"] {
        assert!(stage.can("shadow", &["list", what, "-A"]), "{what}");
    }
    for verb in ["create", "update", "patch", "delete"] {
        for what in ["pods", "pods/binding", "pods/status", "configmaps", "events.events.k8s.io", "nodes"] {
            assert!(!stage.can("shadow", &[verb, what, "-n", "shadowed"]), "{verb} {what}");
        }
    }
    assert!(!stage.can("shadow", &["get", "secrets", "-A"]));
}
