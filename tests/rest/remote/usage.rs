use std::collections::BTreeMap;
use std::process::Output;

use serde_json::{Value, json};

use crate::common::{Program, TestDir, kornsole_command};
use crate::remote::serve::{Answer, Server};
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
- submit: {app: etl, queue: root.tenants.a, user: bob, groups: [dev]}
- ask: {app: etl, id: e, resource: {vcore: 4}}
- schedule: 1
- advance: 10s
- snapshot: end
";

struct Served {
    program: Program,
    token: String,
    state: String,
    dir: TestDir,
}

impl Served {
    fn start() -> Self {
        let dir = TestDir::new();
        let secret = dir.token("ann", "ops");
        let token = dir.write("token", format!("{secret}\n"));
        std::fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let scenario = dir.write("full.yaml", SCENARIO);
        let text = |path: &std::path::Path| path.display().to_string();
        let state = text(&token.with_file_name("state"));
        let (scenario, tokens, token) = (text(&scenario), text(&dir.tokens()), text(&token));
        let program = Program::serve(&[
            "--workload",
            &scenario,
            "--paused",
            "--speed",
            "1000",
            "--tokens",
            &tokens,
            "--state",
            &state,
        ]);
        let served = Self { program, token, state, dir };
        while served.json(&[])["total"]["allocated"]["vcore"].as_u64().is_none_or(|used| used < 70_000) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        served
    }

    /// Has everything on disk that was executed before: an order that is answered is, and what was before it.
    fn write_all_so_far(&self) {
        let token = format!("Bearer {}", std::fs::read_to_string(&self.token).unwrap().trim());
        let headers = [("Authorization", &*token), ("Content-Type", "application/json")];
        let app = br#"{"app": "idle", "queue": "root.tenants.a"}"#;
        let answer = ask(self.program.address, "POST", "/kornsole/v1/partition/default/applications", &headers, app);
        assert!(answer.status < 300, "{}", answer.text());
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let url = self.program.url();
        kornsole_command(&[&["usage", "--server", &url, "--token-file", &self.token], arguments].concat())
            .output()
            .unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        json(&self.run(&[arguments, &["--json"]].concat()))
    }
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn what_was_used_and_waited_for_is_reported_by_what_one_asks() {
    let served = Served::start();
    let found = served.json(&["--by", "queue,user,application"]);
    let rows = found["rows"].as_array().unwrap();
    let of = |row: &Value| ["queue", "user", "application"].map(|key| row[key].as_str().unwrap().to_owned());
    assert_eq!(
        rows.iter().map(of).collect::<Vec<_>>(),
        [["root.tenants.a", "bob", "etl"].map(str::to_owned), ["root.tenants.b", "sue", "nightly"].map(str::to_owned),]
    );
    let amount = |row: &Value, what: &str| row[what]["vcore"].as_u64().unwrap_or(0);
    // The steps take some milliseconds, which separate the usage of the applications.
    let identical = |one: u64, other: u64| one.abs_diff(other) < 20;
    let time = amount(&rows[1], "allocated") / 7;
    assert!(time >= 10_000 && identical(amount(&rows[0], "waited") / 4, time), "{found:#}");
    let tree = served.json(&["--by", "tree"]);
    let leaf = tree["rows"].as_array().unwrap().iter().find(|row| row["queue"] == "root.tenants.b").unwrap();
    assert!(identical(amount(leaf, "borrowed") / 5, time), "five of seven cores are borrowed: {tree:#}");
    assert!(identical(amount(leaf, "guaranteed") / 2, time), "{tree:#}");
    let leaf = served.json(&["--by", "queue", "--queue", "root.tenants.b"]);
    assert_eq!(leaf["rows"].as_array().map(Vec::len), Some(1), "{leaf:#}");
    assert!(identical(amount(&leaf["rows"][0], "borrowed") / 5, time), "the same of the leaf alone: {leaf:#}");
    assert!(identical(amount(&rows[1], "borrowed") / 5, time), "and of its only application: {found:#}");
    let sue = served.json(&["--by", "priority", "--user", "sue"]);
    assert_eq!((sue["rows"][0]["priority"].as_i64(), &sue["rows"][0]["allocated"]), (Some(0), &rows[1]["allocated"]));
    let price = served.dir.write("prices.toml", "currency = 'EUR'\n[hour]\nvcore = 3600.0\n").display().to_string();
    let table = text(&served.run(&["--by", "user", "--price", &price]));
    let cost = format!("{:.2}", amount(&rows[1], "allocated") as f64 / 1000.0);
    let sue = table.lines().find(|line| line.starts_with("sue")).unwrap_or_default();
    assert!(table.contains("COST EUR") && sue.ends_with(&cost), "{cost}: {table}");
    let csv = text(&served.run(&["--by", "user", "--format", "csv"]));
    assert_eq!(csv.lines().next(), Some("user,allocated_vcore_seconds,waited_vcore_seconds,borrowed_vcore_seconds"));
    let page = text(&served.run(&["--format", "html"]));
    assert!(page.starts_with("<!doctype html>") && page.contains("<svg") && page.ends_with("</html>\n"), "{page}");
}

#[test]
fn the_directory_of_a_finished_scheduler_has_the_same() {
    let served = Served::start();
    let known = served.json(&[]);
    served.program.signal("TERM");
    // The directory is locked until the server has exited.
    let dir = loop {
        let listed = kornsole_command(&["usage", "--state", &served.state, "--json"]).output().unwrap();
        if listed.status.success() {
            break json(&listed);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(dir["rows"], known["rows"]);
}

#[test]
fn a_scheduler_that_is_killed_counts_nothing_twice_and_marks_the_gap() {
    let served = Served::start();
    served.write_all_so_far();
    let known = served.json(&[]);
    served.program.signal("KILL");
    let listed = || kornsole_command(&["usage", "--state", &served.state, "--json"]).output().unwrap();
    let dir = loop {
        let output = listed();
        if output.status.success() {
            break json(&output);
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(dir["rows"], known["rows"], "what was journaled is replayed, once");
    std::thread::sleep(std::time::Duration::from_millis(1_200));
    let tokens = served.dir.tokens().display().to_string();
    let again = Program::serve(&["--tokens", &tokens, "--state", &served.state, "--paused"]);
    let url = again.url();
    let asked = kornsole_command(&["usage", "--server", &url, "--token-file", &served.token, "--json"]).output();
    let restarted = json(&asked.unwrap());
    assert_eq!(restarted["rows"], known["rows"], "while its time stands nothing is added");
    let gap = &restarted["gaps"].as_array().unwrap().last().expect("it stood while nothing ran")["why"];
    assert!(gap.as_str().unwrap().contains("did not run"), "{restarted:#}");
}

#[test]
fn missing_queries_are_reported() {
    let served = Served::start();
    for (arguments, reported) in [
        (&["--by", "colour"][..], "\"colour\"; valid: hour, partition, queue"),
        (&["--by", "queue,queue"], "duplicate queue"),
        (&["--by", "tree,user"], "cannot be split by user"),
        (&["--from", "yesterday"], "invalid time \"yesterday\""),
    ] {
        let refused = served.run(arguments);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{message}");
        assert!(message.contains(reported), "{message}");
    }
}

#[test]
fn of_a_yunikorn_the_ended_allocations_of_live_applications_are_known() {
    let mut set = sets::of("1.8.0");
    let path = sets::get("/ws/v1/partition/default/applications/active");
    let mut apps: Value = serde_json::from_slice(&set[&path].body).unwrap();
    let all = apps.as_array_mut().unwrap();
    assert!(all.len() >= 2);
    let (queue, user) = (all[0]["queueName"].as_str().unwrap().to_owned(), all[0]["user"].as_str().unwrap().to_owned());
    all[0]["resourceHistory"] = json!({
        "resourceUsage": {"m5.large": {"vcore": 1_000_000}, "UNKNOWN": {"vcore": 500_000, "memory": 3_600}},
        "preemptedResource": {"m5.large": {"vcore": 300_000}},
        "placeholderResource": {"UNKNOWN": {"vcore": 20_000}},
    });
    all[1]["resourceHistory"] = json!({"resourceUsage": {"UNKNOWN": {"vcore": 7_000}}});
    set.insert(path, Answer::json(apps.to_string()));
    let yunikorn = Server::start(set);
    let dir = TestDir::new();
    let run = |arguments: &[&str]| {
        let mut command = kornsole_command(&[&["usage", "--server", &yunikorn.url()], arguments].concat());
        command.env("XDG_STATE_HOME", dir.join("none")).output().unwrap()
    };
    let report = json(&run(&["--by", "application", "--json"]));
    let used: BTreeMap<&str, &Value> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["application"].as_str().unwrap(), &row["allocated"]))
        .collect();
    let ids: Vec<&str> =
        apps.as_array().unwrap().iter().take(2).map(|app| app["applicationID"].as_str().unwrap()).collect();
    assert_eq!(used[ids[0]], &json!({"vcore": 1_820_000, "memory": 3_600}), "{report:#}");
    assert_eq!(used[ids[1]], &json!({"vcore": 7_000}), "{report:#}");
    assert_eq!(report["total"]["allocated"]["vcore"], 1_827_000);
    let tree = json(&run(&["--by", "tree", "--user", &user, "--queue", &queue, "--json"]));
    assert!(tree["rows"][0]["allocated"]["vcore"].as_u64() >= Some(1_820_000), "{tree:#}");
    let text = String::from_utf8(run(&[]).stdout).unwrap();
    assert!(text.contains("its own count (resourceHistory)") && !text.contains("WAITED"), "{text}");
    for (arguments, reported) in
        [(&["--by", "hour"][..], "usage by hour is unknown"), (&["--from", "1d"], "does not record usage history")]
    {
        let refused = run(arguments);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert!(refused.status.code() == Some(1) && message.contains(reported), "{message}");
    }
}
