use std::time::{Duration, Instant};

use client::{Limits, Target, Token};
use forecast::twin::Twin;
use scheduler::{Command, EventKind};
use serde_json::Value;
use source::remote::once::Once;

use crate::common::{Program, TestDir, kornsole_command, post};

/// All requests wait for an application that uses the whole cluster.
fn scenario() -> String {
    let mut text = "\
version: 1
name: forecast
config: |
  partitions:
  - name: default
    queues:
    - name: root
      submitacl: '*'
      adminacl: '*'
      properties: {application.sort.policy: fair}
      queues:
      - {name: a, resources: {guaranteed: {vcore: 12}}}
      - {name: b, resources: {guaranteed: {vcore: 16}, max: {vcore: 20}}}
      - name: c
        properties: {priority.offset: '1', application.sort.policy: fifo}
        limits: [{limit: each, users: ['*'], maxresources: {vcore: 9}}]
steps:
"
    .to_owned();
    for node in 0..5 {
        text.push_str(&format!("- node: {{id: n{node}, capacity: {{vcore: {}, memory: 64G}}}}\n", 14 + node));
    }
    text.push_str("- submit: {app: filler, queue: root.a, user: sue}\n");
    for node in 0..5 {
        text.push_str(&format!("- ask: {{app: filler, id: f{node}, resource: {{vcore: {}}}}}\n", 14 + node));
    }
    text.push_str("- schedule: idle\n");
    for number in 0..12 {
        let (queue, user) = (["a", "b", "c"][number % 3], ["ann", "joe"][number % 2]);
        text.push_str(&format!(
            "- advance: 20ms\n- submit: {{app: app-{number}, queue: root.{queue}, user: {user}}}\n- ask: {{app: app-{number}, id: t{number}, \
             count: 8, priority: {}, resource: {{vcore: {}, memory: {}G}}}}\n",
            number % 2,
            1 + number % 2,
            1 + number % 5,
        ));
    }
    text
}

fn decided(twin: &Twin, most: usize) -> Vec<String> {
    let fork = twin.trusted_fork(usize::MAX).unwrap();
    let mut scheduler = fork.scheduler().clone();
    let mut decided = Vec::new();
    for _ in 0..most * 2 {
        for event in scheduler.apply(fork.now(), &Command::Cycle) {
            if let EventKind::Allocated { app, ask, node, .. } = event.kind {
                decided.push(format!("{app}/{ask} on {node}"));
            }
        }
    }
    decided.truncate(most);
    decided
}

fn once(program: &Program, secret: &str) -> Once {
    let target = Target::new(&program.url()).unwrap().with_token(Token::new(secret).unwrap()).unwrap();
    Once::connect(&target, Limits::default()).unwrap()
}

fn paused(program: &Program, secret: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    let once = once(program, secret);
    let is_paused = || {
        let server: Value = serde_json::from_slice(&once.own("server").unwrap()).unwrap();
        server["paused"] == Value::Bool(true)
    };
    while !is_paused() {
        assert!(Instant::now() < until, "the workload does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn happened(url: &str, token: &str) -> Vec<String> {
    let arguments = ["events", "--server", url, "--token-file", token, "--last", "5000", "--json"];
    let output = kornsole_command(&arguments).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap_or_else(|_| panic!("{line}")));
    let allocations =
        lines.filter(|event| (&event["eventChangeType"], &event["eventChangeDetail"]) == (&2.into(), &303.into()));
    let words = |event: Value| {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        format!("{} on {}", text("referenceID"), text("objectID"))
    };
    allocations.map(words).collect()
}

#[test]
fn the_next_fifty_decisions_of_an_attached_scheduler_match_its_copy() {
    let dir = TestDir::new();
    let secret = dir.token("ann", "ops");
    let token = dir.write("token", format!("{secret}\n"));
    std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let (token, file) = (token.display().to_string(), dir.write("forecast.yaml", scenario()).display().to_string());
    for core in ["1.8.0", "kornsole"] {
        let tokens = dir.tokens().display().to_string();
        let program = Program::serve(&[
            "--core",
            core,
            "--workload",
            &file,
            "--paused",
            "--tokens",
            &tokens,
            "--scheduler-acl",
            "ann",
        ]);
        paused(&program, &secret);
        // The cluster is free, and nothing is decided before the resume.
        let killed = post(&program, "/kornsole/v1/partition/default/application/filler/kill", &secret, "{}");
        assert_eq!(killed.0, 200, "{killed:?}");
        let mut once = once(&program, &secret);
        let view = once.look(&[]).unwrap();
        let twin = once.twin("default", view.at).unwrap().unwrap();
        assert_eq!(twin.differs(), [""; 0], "{:?}", twin.unknown());
        let forecast = decided(&twin, 50);
        assert_eq!(forecast.len(), 50, "{forecast:?}");
        let before = happened(&program.url(), &token).len();
        let resumed = post(&program, "/kornsole/v1/scheduler/resume", &secret, "{}");
        assert_eq!(resumed.0, 200, "{resumed:?}");
        let until = Instant::now() + Duration::from_secs(20);
        let mut after = Vec::new();
        while after.len() < 50 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
            after = happened(&program.url(), &token).split_off(before);
        }
        after.truncate(50);
        let names = |forecast: &str| forecast.split_once('/').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
        let forecast: Vec<String> = forecast.iter().map(|one| names(one)).collect();
        assert_eq!(forecast, after, "under {core}");
    }
}
