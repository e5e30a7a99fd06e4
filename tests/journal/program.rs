//! The real program with `--state`: killed, started again, refused.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off", "--state"]).arg(state).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn start(state: &Path, arguments: &[&str]) -> Self {
        let mut child = Self::command(state, arguments).spawn().unwrap();
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
}
