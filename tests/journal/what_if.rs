use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::common::{Program, TestDir, kornsole_command, post};
use crate::program::{get, with_state};

const WORKLOAD: &str = "version: 1
name: kept
config: |
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: '*'
          queues: [{name: a, resources: {max: {vcore: 2}}}]
steps:
  - node: {id: n1, capacity: {vcore: 8, memory: 8G}}
  - submit: {app: one, queue: root.a, user: sue}
  - ask: {app: one, id: t, count: 2, resource: {memory: 1G, vcore: 1}}
  - schedule: idle
  - advance: 100s
  - submit: {app: two, queue: root.a, user: sue}
  - ask: {app: two, id: t, count: 1, resource: {memory: 1G, vcore: 1}}
  - schedule: idle
  - advance: 100s
  - submit: {app: three, queue: root.a, user: sue}
";

#[test]
fn it_starts_earlier_and_adds_what_arrived_then() {
    let scratch = TestDir::new();
    let (state, workload) = (scratch.join("state"), scratch.write("workload.yaml", WORKLOAD));
    let server = Program::spawn(with_state(&state, &["--workload", workload.to_str().unwrap(), "--speed", "1000"]));
    // The view shows only journaled changes.
    while !get(&server, "/ws/v1/partition/default/queue/root.a/applications").to_string().contains("three") {
        std::thread::yield_now();
    }
    server.kill();
    let tried = |more: &[&str]| {
        let mut command = kornsole_command(&["whatif", "--for", "5m", "--set", "root.a.max.vcore=8"]);
        let output = command.arg("--state").arg(&state).args(more).output().unwrap();
        let [reported, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.success(), reported + &wrong)
    };
    let (well, now) = tried(&[]);
    assert!(well && now.contains("started      two"), "{now}");
    let (well, before) = tried(&["--at", "1:00"]);
    assert!(well && !before.contains("two"), "{before}");
    let (well, again) = tried(&["--at", "1:45", "--arrivals", "1m"]);
    assert!(well && again.contains("arrivals: 1 application with 1 request,"), "{again}");
    assert!(again.contains("two-again"), "{again}");
    let (well, wrong) = tried(&["--at", "900:00"]);
    assert!(!well && wrong.contains("--at: the state ends at"), "{wrong}");
}

fn bytes(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let is_journal = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        path.is_file() && !name.starts_with("trends") && !name.starts_with("alert")
    };
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).filter(is_journal);
    files.map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

fn answered(server: &Program, path: &str, secret: &str) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer {secret}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {answer}");
    body.to_owned()
}

fn whole(server: &Program, secret: &str) -> String {
    ["/debug/fullstatedump", "/kornsole/v1/events?since=0&limit=10000"]
        .map(|path| answered(server, path, secret))
        .concat()
}

#[test]
fn what_is_tried_leaves_the_journal_the_events_and_the_state_as_they_are() {
    let scratch = TestDir::new();
    let (state, workload) = (scratch.join("state"), scratch.write("workload.yaml", WORKLOAD));
    let secret = scratch.token("ann", "ops");
    let tokens = scratch.tokens();
    let arguments = ["--workload", workload.to_str().unwrap(), "--speed", "1000", "--paused", "--tokens"];
    let arguments: Vec<&str> = arguments.into_iter().chain([tokens.to_str().unwrap()]).collect();
    let server = Program::spawn(with_state(&state, &arguments));
    while !post(&server, "/kornsole/v1/whatif", &secret, "{}").1.to_string().contains("idle")
        || !answered(&server, "/kornsole/v1/server", &secret).contains("\"paused\":true")
    {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let (journal, before) = (bytes(&state), whole(&server, &secret));
    assert!(!journal.is_empty() && before.contains("three"), "{before}");
    let config = "partitions: [{name: default, queues: [{name: root, queues: [{name: z}]}]}]";
    for body in [
        json!({"changes": ["kill one", "set root.a.max.vcore=8", "submit two 50"], "run": {"advance": "1h"}}),
        json!({"changes": ["node remove n1", "demand root x3"], "runtimes": ["5m"]}),
        json!({"config": config, "run": {"cycles": 100}}),
        json!({"steps": [{"node": {"id": "n9", "capacity": {"vcore": 4}}}, {"schedule": "idle"}, {"advance": "1h"}]}),
        json!({"changes": ["kill nobody"]}),
    ] {
        let (status, answer) = post(&server, "/kornsole/v1/whatif", &secret, &body.to_string());
        assert_eq!(status, 200, "{answer:#}");
    }
    assert_eq!(whole(&server, &secret), before);
    assert!(bytes(&state) == journal, "the journal has changed");
}
