use std::process::Output;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{Program, TestDir, kornsole_command};
use crate::remote::serve::Server;
use crate::remote::sets;
use crate::stage::ask;

const SCENARIO: &str = "\
version: 1
name: full
config: |
  partitions:
  - name: default
    queues:
    - name: root
      submitacl: '*'
      queues:
      - name: tenants
        resources: {max: {vcore: 10}}
        queues:
        - {name: a, resources: {guaranteed: {vcore: 8}}}
        - {name: b, resources: {guaranteed: {vcore: 2}}}
steps:
- node: {id: n1, capacity: {vcore: 64}}
- submit: {app: nightly, queue: root.tenants.b, user: sue, groups: [dev]}
- ask: {app: nightly, id: n, resource: {vcore: 7}}
- schedule: idle
- submit: {app: etl, queue: root.tenants.a, user: bob, groups: [dev]}
- ask: {app: etl, id: e, resource: {vcore: 4}, count: 3}
- schedule: idle
";

struct Served {
    program: Program,
    token: String,
    _dir: TestDir,
}

impl Served {
    fn start() -> Self {
        let dir = TestDir::new();
        let secret = dir.token("ann", "ops");
        let token = dir.write("token", format!("{secret}\n"));
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let scenario = dir.write("full.yaml", SCENARIO);
        let tokens = dir.tokens();
        let text = |path: &std::path::Path| path.display().to_string();
        let program = Program::serve(&["--workload", &text(&scenario), "--paused", "--tokens", &text(&tokens)]);
        let served = Self { program, token: text(&token), _dir: dir };
        // The server answers before the last step of the scenario.
        let start = Instant::now();
        while !out(&served.run(&["explain", "etl"])).contains("  cause ") {
            assert!(start.elapsed() < Duration::from_secs(60), "the scheduler tried nothing");
        }
        served
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let url = self.program.url();
        let server = ["--server", &url, "--token-file", &self.token];
        kornsole_command(&[arguments, &server].concat()).output().unwrap()
    }
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn an_application_that_waits_is_explained_with_a_way_out() {
    let served = Served::start();
    let waits = served.run(&["explain", "etl"]);
    assert_eq!(waits.status.code(), Some(1), "{waits:?}");
    insta::assert_snapshot!(out(&waits));
    let json = served.run(&["explain", "etl", "--ask", "e-2", "--json"]);
    let found: Value = serde_json::from_slice(&json.stdout).unwrap_or_else(|error| panic!("{error}: {json:?}"));
    assert_eq!(found["asks"][0]["allocationKey"], "e-2", "{found:#}");
    let runs = served.run(&["explain", "nightly"]);
    assert_eq!(
        (runs.status.code(), out(&runs).lines().next()),
        (Some(0), Some("nightly in root.tenants.b has no pending requests; it uses 7 cpu in 1 allocation"))
    );
    assert!(out(&runs).contains("n on n1"), "what it got: {runs:?}");
    let missing = served.run(&["explain", "etk"]);
    assert_eq!(missing.status.code(), Some(1));
    let message = String::from_utf8(missing.stderr).unwrap();
    assert!(message.contains("application etk not found") && message.contains("etl"), "{message}");
    insta::assert_snapshot!(out(&served.run(&["fairness"])));
}

#[test]
fn the_remedy_does_what_was_promised() {
    let served = Served::start();
    let before: Value = serde_json::from_slice(&served.run(&["explain", "etl", "--json"]).stdout).unwrap();
    let remedies: Vec<&str> =
        before["remedies"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap()).collect();
    let wait = "wait until nightly ends; the time is unknown";
    assert_eq!(remedies, ["raise the maximum of root.tenants by 1 cpu to 11", wait, "end nightly"]);
    let raised = SCENARIO.replace("max: {vcore: 10}", "max: {vcore: 11}");
    let dir = TestDir::new();
    let file = dir.write("raised.yaml", raised);
    let program = Program::serve(&[
        "--workload",
        &file.display().to_string(),
        "--paused",
        "--tokens",
        &served._dir.tokens().display().to_string(),
    ]);
    let after = Served { program, token: served.token.clone(), _dir: dir };
    let after: Value =
        serde_json::from_slice(&after.run(&["explain", "etl", "--ask", "e-1", "--json"]).stdout).unwrap();
    assert_eq!(after["asks"][0]["status"], "runs", "{after:#}");
}

#[test]
fn all_that_waits_is_listed_by_cause_of_a_server_and_a_scenario() {
    let served = Served::start();
    let all = served.run(&["explain", "--all"]);
    assert_eq!(all.status.code(), Some(1), "{all:?}");
    insta::assert_snapshot!(out(&all));
    let idle = served.run(&["explain", "--all", "--queue", "root.tenants.b"]);
    assert_eq!((idle.status.code(), &*out(&idle)), (Some(0), "no requests wait in root.tenants.b\ncore kornsole\n"));
    let dir = TestDir::new();
    let file = dir.write("full.yaml", SCENARIO).display().to_string();
    let of_file = kornsole_command(&["explain", "etl", "--workload", &file]).output().unwrap();
    let first = |output: &Output| out(output).lines().next().unwrap_or_default().to_owned();
    assert_eq!(
        (of_file.status.code(), first(&of_file)),
        (Some(1), first(&served.run(&["explain", "etl"]))),
        "{of_file:?}"
    );
}

#[test]
fn what_no_time_removes_is_listed_before_a_larger_group() {
    let dir = TestDir::new();
    let scenario = format!("{SCENARIO}- ask: {{app: etl, id: g, resource: {{nvidia.com/gpu: 1}}}}\n- schedule: idle\n");
    let file = dir.write("gpu.yaml", scenario).display().to_string();
    let text = out(&kornsole_command(&["explain", "--all", "--workload", &file]).output().unwrap());
    let gpu = text.find("nvidia.com/gpu").unwrap_or_else(|| panic!("{text}"));
    let cpu = text.find("cpu in root.tenants").unwrap_or_else(|| panic!("{text}"));
    assert!(gpu < cpu, "three requests wait for cpu, one for a resource that no node has:\n{text}");
}

#[test]
fn a_yunikorn_is_explained_on_a_copy_and_missing_data_is_listed() {
    let server = Server::start(sets::of("1.8.0"));
    let url = server.url();
    let output = kornsole_command(&["explain", "--all", "--server", &url]).output().unwrap();
    let text = out(&output);
    assert!(output.status.code().is_some_and(|code| code < 2) && text.contains("node selectors"), "{output:?}");
    let fairness = kornsole_command(&["fairness", "--server", &url]).output().unwrap();
    assert!(fairness.status.success() && out(&fairness).starts_with("QUEUE"), "{fairness:?}");
}

#[test]
fn a_saved_dump_is_explained_as_the_scheduler_that_it_is_of() {
    let served = Served::start();
    let live = served.run(&["explain", "etl"]);
    let dump = ask(served.program.address, "GET", "/debug/fullstatedump", &[], b"").body;
    let dir = TestDir::new();
    let file = dir.write("state.json", dump).display().to_string();
    let of_dump = |arguments: &[&str]| {
        kornsole_command(&[&["explain"], arguments, &["--state", &file]].concat()).output().unwrap()
    };
    let first = |output: &Output| out(output).lines().next().unwrap_or_default().to_owned();
    let waits = of_dump(&["etl"]);
    assert_eq!((waits.status.code(), first(&waits)), (Some(1), first(&live)), "{waits:?}");
    let text = out(&waits);
    assert!(text.contains("raise the maximum of root.tenants by 1 cpu to 11"), "{text}");
    assert!(text.contains("its earlier causes"), "what cannot be known is listed: {text}");
    let all = of_dump(&["--all"]);
    assert_eq!((all.status.code(), first(&all)), (Some(1), first(&served.run(&["explain", "--all"]))), "{all:?}");
    let runs = of_dump(&["nightly"]);
    assert_eq!(runs.status.code(), Some(0), "{runs:?}");
    assert!(out(&runs).contains("n on n1"), "what it got: {runs:?}");
    let missing = of_dump(&["etk"]);
    let message = String::from_utf8_lossy(&missing.stderr);
    assert_eq!(missing.status.code(), Some(1));
    assert!(message.contains("application etk not found") && message.contains("nearest: etl"), "{message}");
    let missing = String::from_utf8(of_dump(&["etl", "--key", "f-1"]).stderr).unwrap();
    assert!(missing.contains("request f-1 not found") && missing.contains("e-1"), "{missing}");
}
