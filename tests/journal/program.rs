use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::{Program, TestDir, kornsole_command, serve_command};

/// `kornsole serve` with a state directory.
pub fn with_state(state: &Path, arguments: &[&str]) -> Command {
    let mut command = serve_command(arguments);
    command.arg("--state").arg(state);
    command
}

pub fn get(program: &Program, path: &str) -> Value {
    let mut stream = TcpStream::connect(program.address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let (from, to) = (body.find(['{', '[']).unwrap(), body.rfind(['}', ']']).unwrap());
    serde_json::from_str(&body[from..=to]).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

fn tree(program: &Program) -> (Value, Value, Value) {
    let of = |what: &str| get(program, &format!("/ws/v1/partition/default/{what}"));
    let mut apps = of("queue/root.a/applications");
    for app in apps.as_array_mut().into_iter().flatten() {
        app.as_object_mut().unwrap().retain(|key, _| {
            ["applicationID", "applicationState", "usedResource", "queueName", "user"].contains(&&**key)
        });
    }
    (of("queues"), apps, of("nodes"))
}

const WORKLOAD: &str = "version: 1
name: kept
config: |
  partitions:
    - name: default
      queues:
        - name: root
          submitacl: '*'
          queues: [{name: a}]
steps:
  - node: {id: n1, capacity: {vcore: 4, memory: 8G}}
  - submit: {app: one, queue: root.a, user: sue}
  - ask: {app: one, id: t, count: 3, resource: {memory: 1G, vcore: 1}}
  - schedule: idle
";

#[test]
fn a_killed_server_restarts_in_the_same_state() {
    let scratch = TestDir::new();
    let (state, workload) = (scratch.join("state"), scratch.join("workload.yaml"));
    std::fs::write(&workload, WORKLOAD).unwrap();
    let arguments = ["--workload", workload.to_str().unwrap(), "--paused"];
    let first = Program::spawn(with_state(&state, &arguments));
    // The scheduler pauses after its last step; until then the state can change.
    let mut before = tree(&first);
    while before.1.as_array().is_none_or(|apps| apps.iter().all(|app| app["usedResource"]["vcore"] != 3000)) {
        before = tree(&first);
    }
    let refused = with_state(&state, &[]).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("in use by another kornsole"), "{message}");
    first.kill();
    let refused = with_state(&state, &["--core", "1.8.0"]).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("--core kornsole"), "{message}");
    let second = Program::spawn(with_state(&state, &arguments));
    assert_eq!(tree(&second), before, "the same, and no step was done twice");
    second.kill();
    let third = Program::spawn(with_state(&state, &[]));
    assert_eq!(tree(&third), before, "also without the workload");
    third.kill();
    let file = scratch.join("scheduler.yaml");
    std::fs::write(&file, "state.folder: state\n").unwrap();
    let named = ["--scheduler-config", file.to_str().unwrap()];
    let fourth = Program::spawn(serve_command(&named));
    assert_eq!(tree(&fourth), before, "also by the configuration");
    let elsewhere = Program::spawn(with_state(&scratch.join("elsewhere"), &named));
    assert_ne!(tree(&elsewhere), before);
    let refused = serve_command(&["--state-repair"]).output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("use --state DIR"), "{message}");
}

const QUEUES: &str = "partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        adminacl: sue
        queues:
          - name: a
          - name: b
";

fn call(arguments: &[&str]) -> (bool, String) {
    let output = kornsole_command(arguments).output().unwrap();
    let reported = [output.stdout, output.stderr].map(|reported| String::from_utf8(reported).unwrap());
    (output.status.success(), reported.concat())
}

#[track_caller]
pub fn well(arguments: &[&str]) -> String {
    let (well, reported) = call(arguments);
    assert!(well, "{arguments:?}: {reported}");
    reported
}

fn bytes(dir: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<_> = entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect();
    found.sort();
    found
}

/// A server that was killed after two configuration changes and a rejected operation.
pub struct Crashed {
    dir: TestDir,
    pub url: String,
    /// The audit and the configuration history while the server ran.
    pub audit: String,
    history: String,
}

impl Crashed {
    pub fn path(&self, name: &str) -> String {
        self.dir.join(name).to_str().unwrap().to_owned()
    }

    pub fn serve(&self, started: impl Fn(Command) -> Command) -> Program {
        let [queues, workload, tokens] = ["queues.yaml", "workload.yaml", "tokens.yaml"].map(|name| self.path(name));
        let arguments =
            ["--config", &queues, "--workload", &workload, "--paused", "--tokens", &tokens, "--scheduler-acl", "sue"];
        Program::spawn(started(with_state(&self.dir.join("state"), &arguments)))
    }

    /// The program's output about the running server for a user.
    pub fn ask(&self, who: &str, words: &[&str]) -> (bool, String) {
        let token = self.path(who);
        call(&[words, &["--server", &self.url, "--token-file", &token]].concat())
    }

    fn new() -> Self {
        Self::by(|command| command)
    }

    /// Creates the state with changed start commands.
    pub fn by(started: impl Fn(Command) -> Command) -> Self {
        let dir = TestDir::new();
        dir.write("queues.yaml", QUEUES);
        dir.write("workload.yaml", WORKLOAD.replace("root.a", "root.b"));
        let mut crashed = Self { dir, url: String::new(), audit: String::new(), history: String::new() };
        for user in ["sue", "bob"] {
            let token = well(&["token", "new", "--user", user, "--file", &crashed.path("tokens.yaml")]);
            let file = crashed.dir.write(user, token);
            std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        let server = crashed.serve(started);
        crashed.url = server.url();
        while !one_runs(&server) {}
        assert!(!crashed.ask("bob", &["kill", "one", "--yes", "--reason", "in the way"]).0);
        let bad = QUEUES.replace("- name: a\n", "- name: a\n            resources: {max: {vcore: 1m}}\n");
        crashed.dir.write("bad.yaml", bad);
        let (done, reported) =
            crashed.ask("sue", &["apply", &crashed.path("bad.yaml"), "--yes", "--reason", "by mistake"]);
        assert!(done, "{reported}");
        let (done, reported) = crashed.ask("sue", &["config", "rollback", "1", "--yes", "--reason", "reset"]);
        assert!(done, "{reported}");
        crashed.audit = crashed.ask("sue", &["audit"]).1;
        crashed.history = crashed.ask("sue", &["config", "history", "--json"]).1;
        let (_, busy) = call(&["audit", "--state", &crashed.path("state")]);
        assert!(busy.contains(&format!("serving {}", crashed.url)) && busy.contains("--server"), "{busy}");
        server.kill();
        crashed
    }
}

fn one_runs(program: &Program) -> bool {
    let apps = get(program, "/ws/v1/partition/default/queue/root.b/applications");
    apps.as_array().is_some_and(|apps| apps.len() == 1 && apps[0]["usedResource"]["vcore"] == 3000)
}

#[test]
fn after_a_crash_the_directory_lists_all_changes_and_is_only_read() {
    let crashed = Crashed::new();
    for text in ["bob", "ACL_DENIED", "in the way", "by mistake", "rollback", "reset"] {
        assert!(crashed.audit.contains(text), "{text}: {}", crashed.audit);
    }
    let state = crashed.path("state");
    let before = bytes(state.as_ref());
    assert_eq!(well(&["audit", "--state", &state]), crashed.audit);
    assert_eq!(well(&["config", "history", "--json", "--state", &state]), crashed.history);
    assert!(well(&["audit", "--state", &state, "--user", "bob", "--json"]).contains("\"before\""));
    assert_eq!(well(&["config", "show", "1", "--state", &state]), QUEUES);
    let diff = well(&["config", "diff", "1", "2", "--state", &state]);
    assert!(diff.contains("max") && diff.contains("1m"), "{diff}");
    let (_, refused) = call(&["config", "rollback", "2", "--state", &state]);
    assert!(refused.contains("config show 2 --state"), "{refused}");
    assert_eq!(bytes(state.as_ref()), before, "it was only looked at");
    let (_, nothing) = call(&["audit", "--state", &crashed.path("nowhere")]);
    assert!(nothing.contains("has no scheduler state"), "{nothing}");
}

#[test]
fn after_a_crash_a_file_without_a_busy_queue_drains_it() {
    let crashed = Crashed::new();
    crashed.dir.write("queues.yaml", QUEUES.replace("          - name: b\n", ""));
    let second = crashed.serve(|command| command);
    assert!(one_runs(&second), "what ran in the queue that is gone runs on");
    let queues = get(&second, "/ws/v1/partition/default/queues");
    let children = queues["children"].as_array().unwrap();
    let state_of = |name: &str| children.iter().find(|queue| queue["queuename"] == name).map(|queue| &queue["status"]);
    assert_eq!(state_of("root.b").and_then(Value::as_str), Some("Draining"), "{queues}");
    assert_eq!(state_of("root.a").and_then(Value::as_str), Some("Active"));
}

#[test]
fn after_a_crash_an_empty_file_drains_nothing_now_and_at_the_next_start() {
    let crashed = Crashed::new();
    crashed.dir.write("queues.yaml", "");
    let states = |program: &Program| {
        let queues = get(program, "/ws/v1/partition/default/queues");
        let children = queues["children"].as_array().unwrap().clone();
        children.iter().map(|queue| format!("{} {}", queue["queuename"], queue["status"])).collect::<Vec<_>>()
    };
    for start in 1..=2 {
        let server = crashed.serve(|command| command);
        assert!(one_runs(&server), "start {start}");
        assert_eq!(states(&server), [r#""root.a" "Active""#, r#""root.b" "Active""#], "start {start}");
        server.kill();
    }
    let (_, audit) = call(&["audit", "--state", &crashed.path("state")]);
    assert!(audit.contains("it is empty and removes 2 of 2 queues"), "the refusal is replayed: {audit}");
}
