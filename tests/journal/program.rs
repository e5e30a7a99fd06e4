//! The real program with `--state`: killed, started again, refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::stage::Scratch;

struct Program {
    child: Child,
    address: String,
}

impl Program {
    fn command(state: &Path, arguments: &[&str]) -> Command {
        let mut command = Self::stateless(arguments);
        command.arg("--state").arg(state);
        command
    }

    fn stateless(arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off"]).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(state: &Path, arguments: &[&str]) -> Self {
        Self::spawn(Self::command(state, arguments))
    }

    fn spawn(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line:?} is no address"));
        Self { address: address.to_owned(), child }
    }

    fn get(&self, path: &str) -> Value {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let (from, to) = (body.find(['{', '[']).unwrap(), body.rfind(['}', ']']).unwrap());
        serde_json::from_str(&body[from..=to]).unwrap_or_else(|error| panic!("{error}: {answer}"))
    }

    /// What there is, without what goes on with time by itself.
    fn tree(&self) -> (Value, Value, Value) {
        let of = |what: &str| self.get(&format!("/ws/v1/partition/default/{what}"));
        let mut apps = of("queue/root.a/applications");
        for app in apps.as_array_mut().into_iter().flatten() {
            app.as_object_mut().unwrap().retain(|key, _| {
                ["applicationID", "applicationState", "usedResource", "queueName", "user"].contains(&&**key)
            });
        }
        (of("queues"), apps, of("nodes"))
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
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
fn a_killed_server_comes_back_as_it_was() {
    let scratch = Scratch::new("program");
    let (state, workload) = (scratch.0.join("state"), scratch.0.join("workload.yaml"));
    std::fs::write(&workload, WORKLOAD).unwrap();
    let arguments = ["--workload", workload.to_str().unwrap(), "--paused"];
    let first = Program::start(&state, &arguments);
    // It rests after its last step; until that is shown there is more to come.
    let mut before = first.tree();
    while before.1.as_array().is_none_or(|apps| apps.iter().all(|app| app["usedResource"]["vcore"] != 3000)) {
        before = first.tree();
    }
    let refused = Program::command(&state, &[]).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("in use by another kornsole"), "{told}");
    first.kill();
    let refused = Program::command(&state, &["--core", "1.8.0"]).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("--core kornsole"), "{told}");
    let second = Program::start(&state, &arguments);
    assert_eq!(second.tree(), before, "the same, and no step was done twice");
    second.kill();
    let third = Program::start(&state, &[]);
    assert_eq!(third.tree(), before, "also without the workload");
    third.kill();
    // The scheduler's own configuration names the folder as well; the flag goes before it.
    let file = scratch.0.join("scheduler.yaml");
    std::fs::write(&file, "state.folder: state\n").unwrap();
    let named = ["--scheduler-config", file.to_str().unwrap()];
    let fourth = Program::spawn(Program::stateless(&named));
    assert_eq!(fourth.tree(), before, "also by the configuration");
    let elsewhere = Program::start(&scratch.0.join("elsewhere"), &named);
    assert_ne!(elsewhere.tree(), before);
    let refused = Program::stateless(&["--state-repair"]).output().unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && told.contains("name its folder with --state DIR"), "{told}");
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

/// The program with other arguments: whether it ended well, and what it said.
fn call(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_kornsole")).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    (output.status.success(), said.concat())
}

#[track_caller]
fn well(arguments: &[&str]) -> String {
    let (well, said) = call(arguments);
    assert!(well, "{arguments:?}: {said}");
    said
}

fn bytes(folder: &Path) -> Vec<(std::ffi::OsString, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut found: Vec<_> = entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap())).collect();
    found.sort();
    found
}

#[test]
fn after_a_crash_it_can_be_told_who_did_what_and_a_changed_configuration_hurts_nothing() {
    let scratch = Scratch::new("crashed");
    let path = |name: &str| scratch.0.join(name).to_str().unwrap().to_owned();
    let (state, queues, tokens) = (path("state"), path("queues.yaml"), path("tokens.yaml"));
    std::fs::write(&queues, QUEUES).unwrap();
    std::fs::write(path("workload.yaml"), WORKLOAD.replace("root.a", "root.b")).unwrap();
    for user in ["sue", "bob"] {
        let token = well(&["token", "new", "--user", user, "--file", &tokens]);
        std::fs::write(path(user), token).unwrap();
        std::fs::set_permissions(path(user), std::fs::Permissions::from_mode(0o600)).unwrap();
    }
    let (workload, sue, bob) = (path("workload.yaml"), path("sue"), path("bob"));
    let serve =
        ["--config", &queues, "--workload", &workload, "--paused", "--tokens", &tokens, "--scheduler-acl", "sue"];
    let first = Program::start(scratch.0.join("state").as_path(), &serve);
    let url = format!("http://{}", first.address);
    let running = |program: &Program| {
        let apps = program.get("/ws/v1/partition/default/queue/root.b/applications");
        apps.as_array().is_some_and(|apps| apps.len() == 1 && apps[0]["usedResource"]["vcore"] == 3000)
    };
    while !running(&first) {}
    let asked = |who: &str, words: &[&str]| {
        let mut all = words.to_vec();
        all.extend(["--server", &url, "--token-file", who]);
        call(&all)
    };
    assert!(!asked(&bob, &["kill", "one", "--reason", "in the way"]).0);
    let bad = QUEUES.replace("- name: a\n", "- name: a\n            resources: {max: {vcore: 1m}}\n");
    std::fs::write(path("bad.yaml"), bad).unwrap();
    let (well_done, said) = asked(&sue, &["apply", &path("bad.yaml"), "--reason", "by mistake"]);
    assert!(well_done, "{said}");
    let (well_done, said) = asked(&sue, &["config", "rollback", "1", "--reason", "as it was"]);
    assert!(well_done, "{said}");
    let (_, audit) = asked(&sue, &["audit"]);
    let (_, history) = asked(&sue, &["config", "history", "--json"]);
    for text in ["bob", "ACL_DENIED", "in the way", "by mistake", "rollback", "as it was"] {
        assert!(audit.contains(text), "{text}: {audit}");
    }
    let (_, busy) = call(&["audit", "--state", &state]);
    assert!(busy.contains(&format!("serving {url}")) && busy.contains("--server"), "{busy}");
    first.kill();

    let before = bytes(scratch.0.join("state").as_path());
    assert_eq!(well(&["audit", "--state", &state]), audit);
    assert_eq!(well(&["config", "history", "--json", "--state", &state]), history);
    assert!(well(&["audit", "--state", &state, "--user", "bob", "--json"]).contains("\"before\""));
    assert_eq!(well(&["config", "show", "1", "--state", &state]), QUEUES);
    let diff = well(&["config", "diff", "1", "2", "--state", &state]);
    assert!(diff.contains("max") && diff.contains("1m"), "{diff}");
    let (_, refused) = call(&["config", "rollback", "2", "--state", &state]);
    assert!(refused.contains("config show 2 --state"), "{refused}");
    assert_eq!(bytes(scratch.0.join("state").as_path()), before, "it was only looked at");
    let (_, nothing) = call(&["audit", "--state", &path("nowhere")]);
    assert!(nothing.contains("holds no state"), "{nothing}");

    std::fs::write(&queues, QUEUES.replace("          - name: b\n", "")).unwrap();
    let second = Program::start(scratch.0.join("state").as_path(), &serve);
    assert!(running(&second), "what ran in the queue that is gone runs on");
    let tree = second.get("/ws/v1/partition/default/queues");
    let children = tree["children"].as_array().unwrap();
    let state_of = |name: &str| children.iter().find(|queue| queue["queuename"] == name).map(|queue| &queue["status"]);
    assert_eq!(state_of("root.b").and_then(Value::as_str), Some("Draining"), "{tree}");
    assert_eq!(state_of("root.a").and_then(Value::as_str), Some("Active"));
}
