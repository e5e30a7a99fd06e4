//! Attaching to a cluster of 50,000 applications and 5,000 nodes: times until the first screen and all data, a refresh
//! every 2 s with 1% changed applications, and memory.
//!
//! A second process serves like an upstream core: uncompressed, lists in random order. `cargo bench --bench attach`;
//! `-- --seconds N` measures longer.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench is a program for its own people")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use client::Target;
use serde_json::json;
use source::remote::RemoteOptions;
use source::{Focus, FocusKind, Remote, Source};

const TENANTS: usize = 50;
const LEAVES: usize = 20;
const APPS: usize = 50_000;
const NODES: usize = 5_000;
/// Marks the second process as the server.
const SERVE: &str = "KORNSOLE_BENCH_SERVES";

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if std::env::var_os(SERVE).is_some() {
        serve();
        return;
    }
    let seconds = std::env::args().skip_while(|word| word != "--seconds").nth(1).and_then(|text| text.parse().ok());
    let mut server =
        Command::new(std::env::current_exe().unwrap()).env(SERVE, "1").stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    measure(line.trim(), Duration::from_secs(seconds.unwrap_or(60)));
    server.kill().unwrap();
    server.wait().unwrap();
}

fn measure(address: &str, span: Duration) {
    let started = Instant::now();
    let remote = Remote::start(&Target::new(address).unwrap(), RemoteOptions::default()).unwrap();
    remote.set_focus(&Focus { partition: Arc::from("default"), kind: FocusKind::Apps(None) });
    let until = |what: &str, there: &dyn Fn(&view::PartitionView) -> bool| {
        while !remote.view().partitions.first().is_some_and(there) {
            std::thread::sleep(Duration::from_millis(2));
        }
        println!("{what:<44}{:>8.2} s", started.elapsed().as_secs_f64());
    };
    until("first screen: the tree of queues", &|part| part.walk().count() > TENANTS * LEAVES);
    until("all applications", &|part| part.live_apps == APPS);
    until("all nodes", &|part| part.nodes.len() == NODES);
    println!("{:<44}{:>8.2} s", "processor time until then", processor());
    let (cpu, wall, views) = (processor(), Instant::now(), remote.view().generation);
    std::thread::sleep(span);
    let share = 100.0 * (processor() - cpu) / wall.elapsed().as_secs_f64();
    println!("{:<44}{share:>8.1} % of a core", "refresh every 2 s, 1 % of applications change");
    println!("{:<44}{:>8}", "views in that time", remote.view().generation - views);
    for (what, key) in [("memory held", "VmRSS:"), ("memory at most", "VmHWM:")] {
        println!("{what:<44}{:>8.0} MB", memory(key));
    }
}

fn processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    ticks / 100.0
}

fn memory(key: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(key)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1000.0
}

fn leaf(number: usize) -> String {
    format!("root.tenant-{:02}.leaf-{:02}", number % TENANTS, number / TENANTS % LEAVES)
}

/// An application with two allocations and a request, whose quantity depends on `turn`.
fn app(number: usize, turn: u64) -> String {
    let (id, leaf) = (format!("application-{number:05}-of-the-nightly-run"), leaf(number));
    let at = 1_790_000_000_000_000_000_i64 + i64::try_from(number).unwrap() * 1_000_000_000;
    let allocation = |n: usize| {
        json!({"allocationKey": format!("{id}-task-{n}"), "requestTime": at, "allocationTime": at,
            "allocationTags": {"kubernetes.io/meta/podName": format!("{id}-pod-{n}"), "kubernetes.io/meta/namespace": "nightly"},
            "resource": {"memory": 4_000_000_000_i64, "vcore": 2000, "pods": 1}, "priority": "0",
            "nodeId": format!("node-{:04}", (number * 2 + n) % NODES), "applicationId": id})
    };
    let pending = 1000 + i64::try_from(turn).unwrap();
    let body = json!({
        "usedResource": {"memory": 8_000_000_000_i64, "vcore": 4000, "pods": 2},
        "maxUsedResource": {"memory": 8_000_000_000_i64, "vcore": 4000, "pods": 2},
        "pendingResource": {"memory": 4_000_000_000_i64, "vcore": pending, "pods": 1},
        "partition": "default", "queueName": leaf, "submissionTime": at,
        "requests": [{"allocationKey": format!("{id}-task-9"), "requestTime": at, "priority": "0", "applicationId": id,
            "resource": {"memory": 4_000_000_000_i64, "vcore": pending, "pods": 1}, "schedulingAttempted": true,
            "allocationLog": [{"message": "Not enough queue quota", "lastOccurrence": at, "count": 311}]}],
        "allocations": [allocation(0), allocation(1)],
        "applicationState": "Running", "user": format!("user-{:03}", number % 500), "groups": ["people"],
        "stateLog": [{"time": at, "applicationState": "Accepted"}, {"time": at, "applicationState": "Running"}],
        "maxRequestPriority": 0, "startTime": at / 1_000_000, "resourceHistory": {},
    });
    // The ID is first on the wire.
    format!("{{\"applicationID\":\"{id}\",{}", &body.to_string()[1..])
}

fn node(number: usize) -> String {
    let id = format!("node-{number:04}");
    let allocations: Vec<serde_json::Value> = (0..20)
        .map(|n| {
            json!({"allocationKey": format!("application-{n:05}-of-the-nightly-run-task-{number}"), "requestTime": 1_790_000_000_000_000_000_i64,
                "allocationTime": 1_790_000_000_000_000_000_i64, "resource": {"memory": 4_000_000_000_i64, "vcore": 2000, "pods": 1},
                "priority": "0", "nodeId": id, "applicationId": format!("application-{n:05}-of-the-nightly-run")})
        })
        .collect();
    let body = json!({"capacity": {"memory": 256_000_000_000_i64, "vcore": 64000, "pods": 110},
        "allocated": {"memory": 80_000_000_000_i64, "vcore": 40000, "pods": 20},
        "attributes": {"ready": "true", "si/node-partition": "[rm]default", "zone": "a"},
        "allocations": allocations, "schedulable": true, "isReserved": false});
    format!("{{\"nodeID\":\"{id}\",{}", &body.to_string()[1..])
}

fn queue(path: &str, children: &[serde_json::Value]) -> serde_json::Value {
    let names: Vec<&serde_json::Value> = children.iter().map(|child| &child["queuename"]).collect();
    json!({"queuename": path, "status": "Active", "partition": "", "pendingResource": {"memory": 4_000_000_000_i64},
        "maxResource": {"memory": 900_000_000_000_000_i64}, "allocatedResource": {"memory": 8_000_000_000_i64, "vcore": 4000},
        "isLeaf": children.is_empty(), "isManaged": true, "properties": {}, "children": children, "childNames": names,
        "runningApps": 50, "currentPriority": 0, "sortingPolicy": "fifo", "prioritySorting": true, "preemptionEnabled": true,
        "isPreemptionFence": false, "preemptionDelay": "30s", "quotaPreemptionDelay": "0s", "isPriorityFence": false})
}

struct Cluster {
    apps: Vec<String>,
    changed: Vec<String>,
    nodes: Vec<String>,
    queues: String,
    turn: AtomicU64,
}

fn serve() {
    let leaves = |tenant: usize| -> Vec<serde_json::Value> {
        (0..LEAVES).map(|leaf| queue(&format!("root.tenant-{tenant:02}.leaf-{leaf:02}"), &[])).collect()
    };
    let tenants: Vec<serde_json::Value> =
        (0..TENANTS).map(|tenant| queue(&format!("root.tenant-{tenant:02}"), &leaves(tenant))).collect();
    let cluster = Arc::new(Cluster {
        apps: (0..APPS).map(|number| app(number, 0)).collect(),
        changed: (0..APPS).map(|number| app(number, 1)).collect(),
        nodes: (0..NODES).map(node).collect(),
        queues: queue("root", &tenants).to_string(),
        turn: AtomicU64::new(0),
    });
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    println!("{}", listener.local_addr().unwrap());
    std::io::stdout().flush().unwrap();
    for stream in listener.incoming() {
        let (stream, cluster) = (stream.unwrap(), Arc::clone(&cluster));
        std::thread::spawn(move || answer_all(&stream, &cluster));
    }
}

fn answer_all(stream: &TcpStream, cluster: &Cluster) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut line = String::new();
        if !matches!(reader.read_line(&mut line), Ok(size) if size > 0) {
            return;
        }
        let path = line.split(' ').nth(1).unwrap().to_owned();
        loop {
            let mut header = String::new();
            if !matches!(reader.read_line(&mut header), Ok(size) if size > 2) {
                break;
            }
        }
        let (status, kind, body) = answer(&path, cluster);
        let head = format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut stream = stream;
        if stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).is_err() {
            return;
        }
    }
}

fn answer(path: &str, cluster: &Cluster) -> (u16, &'static str, String) {
    const JSON: &str = "application/json; charset=UTF-8";
    let path = path.split('?').next().unwrap();
    let body = match path.strip_prefix("/ws/v1/").unwrap_or(path) {
        "partitions" => json!([{"clusterId": "rm", "name": "default", "state": "Active", "preemptionEnabled": true,
            "capacity": {"capacity": {"memory": 1_000_000_000_000_000_i64}, "usedCapacity": {"memory": 8_000_000_000_i64}},
            "quotaPreemptionEnabled": false, "totalNodes": NODES, "applications": {"total": APPS}}])
        .to_string(),
        "partition/default/queues" => cluster.queues.clone(),
        "partition/default/applications/active" => {
            // Each answer has another order, and 1% of its elements are changed.
            let turn = usize::try_from(cluster.turn.fetch_add(1, Ordering::Relaxed)).unwrap();
            let apps = (0..APPS).map(|n| (n + turn * 7919) % APPS);
            let apps: Vec<&str> = apps
                .map(|n| if (n + turn) % 100 == 0 { cluster.changed[n].as_str() } else { cluster.apps[n].as_str() })
                .collect();
            format!("[{}]\n", apps.join(","))
        }
        "partition/default/nodes" => format!("[{}]\n", cluster.nodes.join(",")),
        "partition/default/applications/completed" | "partition/default/applications/rejected" => "[]\n".to_owned(),
        "partition/default/usage/users" | "partition/default/usage/groups" => "[]\n".to_owned(),
        "events/batch" => json!({"InstanceUUID": "bench", "LowestID": 0, "HighestID": 0, "EventRecords": null}).to_string(),
        _ => return (404, "text/plain; charset=utf-8", "404 page not found\n".to_owned()),
    };
    (200, JSON, body)
}
