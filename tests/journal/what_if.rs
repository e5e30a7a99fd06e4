//! `kornsole whatif --state`: the moment that a folder ends with, an earlier one, and what came in before it once more.

use crate::common::{Program, TestFolder, kornsole_command};
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
fn it_begins_earlier_and_lets_come_in_what_came_in_then() {
    let scratch = TestFolder::new();
    let (state, workload) = (scratch.join("state"), scratch.write("workload.yaml", WORKLOAD));
    let server = Program::spawn(with_state(&state, &["--workload", workload.to_str().unwrap(), "--speed", "1000"]));
    // What is shown is in the journal.
    while !get(&server, "/ws/v1/partition/default/queue/root.a/applications").to_string().contains("three") {
        std::thread::yield_now();
    }
    server.kill();
    let tried = |more: &[&str]| {
        let mut command = kornsole_command(&["whatif", "--for", "5m", "--set", "root.a.max.vcore=8"]);
        let output = command.arg("--state").arg(&state).args(more).output().unwrap();
        let [said, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.success(), said + &wrong)
    };
    let (well, now) = tried(&[]);
    assert!(well && now.contains("started      two"), "{now}");
    // Before it was submitted there is nothing that could start.
    let (well, before) = tried(&["--at", "1:00"]);
    assert!(well && !before.contains("two"), "{before}");
    let (well, again) = tried(&["--at", "1:45", "--arrivals", "1m"]);
    assert!(well && again.contains("arrivals: 1 application with 1 ask,"), "{again}");
    assert!(again.contains("two-again"), "{again}");
    let (well, wrong) = tried(&["--at", "900:00"]);
    assert!(!well && wrong.contains("--at: the state ends at"), "{wrong}");
}
