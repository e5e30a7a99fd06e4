//! Eight requests for a GPU that no node has, on a full cluster: each view names the cause that time does not remove.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::console::{Driver, Options};
use ::source::Source;
use serde_json::Value;
use view::overview::WaitingNow;

use super::common::{Program, TestDir, kornsole_command};
use super::situations::{NODES, pass, source};

const NEVER: &str = "no node has nvidia.com/gpu";
const RULE: &str = "[[rule]]\nname = 'queue-waits'\nkind = 'waits'\nat = '1s'\nfor = '0s'\nresolve-after = '0s'\n";

/// One application has all cores; `late` waits for cores, and `train` for the GPU.
fn steps() -> String {
    let asks = |app: &str, resource: &str, count: u32| {
        format!(
            "- submit: {{app: {app}, queue: root.{app}, user: ann}}\n\
             - ask: {{app: {app}, id: {app}-ask, resource: {resource}, count: {count}}}\n- schedule: idle\n"
        )
    };
    NODES.to_owned()
        + &asks("busy", "{vcore: 1}", 8)
        + &asks("late", "{vcore: 1}", 9)
        + &asks("train", "{vcore: 2, 'nvidia.com/gpu': 1}", 8)
}

const CONFIG: &str = "  partitions:\n    - name: default\n      queues:\n        - name: root\n          submitacl: '*'\n          queues:\n            - name: busy\n            - name: late\n            - name: train\n";

#[test]
fn an_alert_the_first_page_and_the_column_why_name_the_same_cause() {
    let steps = steps().replace("root.busy", "root.a").replace("root.late", "root.b").replace("root.train", "root.p.c");
    let (source, board) = source(RULE, &(steps + &pass(1)));
    let source = Arc::new(source);
    let mut driver = Driver::new(Arc::clone(&source) as Arc<dyn Source>, Options::default(), 160, 50);
    for _ in 0..6 {
        source.advance(Duration::from_secs(15));
        driver.advance(Duration::from_secs(15));
    }
    let snapshot = board.snapshot();
    let metrics = |queue: &str| {
        let found = snapshot.alerts.iter().find(|one| one.title() == format!("queue-waits: queue root.{queue}"));
        found.unwrap_or_else(|| panic!("{:#?}", snapshot.alerts)).text.clone()
    };
    assert!(metrics("p.c").contains(&format!(", cause: {NEVER}; 1 application in all")), "{}", metrics("p.c"));
    assert!(metrics("b").contains(", cause: queue maximum; 1 application in all"), "{}", metrics("b"));
    let view = source.view();
    let waiting = WaitingNow::of(&view.partitions[0], view.at);
    let causes: Vec<&str> = waiting.causes.iter().map(|one| one.cause).collect();
    assert_eq!(causes, ["no node has resource", "queue maximum"], "the causes of the first page");
    driver.keys("2").unwrap();
    let shown = driver.screen_text();
    let row = shown.lines().find(|line| line.contains("train")).unwrap_or_else(|| panic!("{shown}"));
    assert!(row.contains(NEVER), "{row}");
}

#[test]
fn alerts_explanations_and_json_of_the_program_name_the_same_cause() {
    let dir = TestDir::new();
    let (workload, rules) = (dir.join("w.yaml").display().to_string(), dir.join("alerts.toml").display().to_string());
    fs::write(&workload, format!("version: 1\nname: gpu\nconfig: |\n{CONFIG}steps:\n{}", steps())).unwrap();
    fs::write(&rules, RULE).unwrap();
    let token = dir.token("ann", "dev");
    let tokens = dir.tokens().display().to_string();
    let server = Program::serve(&["--workload", &workload, "--alerts", &rules, "--tokens", &tokens]);
    let run = |arguments: &[&str]| {
        let mut command = kornsole_command(arguments);
        let output = command.args(["--server", &server.url()]).env("KORNSOLE_TOKEN", &token).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let until = Instant::now() + Duration::from_secs(60);
    let listed = loop {
        let listed = run(&["alerts", "list"]);
        if listed.contains("train waits for") {
            break listed;
        }
        assert!(Instant::now() < until, "{listed}");
        std::thread::sleep(Duration::from_millis(200));
    };
    assert!(listed.contains(&format!("cause: {NEVER}")), "{listed}");
    let of_json: Value = serde_json::from_str(&run(&["alerts", "list", "--json"])).unwrap();
    assert!(of_json.to_string().contains(&format!("cause: {NEVER}")), "{of_json:#}");
    let explained: Value = serde_json::from_str(&run(&["explain", "train", "--json"])).unwrap();
    let cause = &explained["cause"];
    assert_eq!((&cause["kind"], &cause["permanent"]), (&"never".into(), &true.into()), "{explained:#}");
    assert_eq!(cause["resource"], "nvidia.com/gpu");
    let text = run(&["explain", "train"]);
    assert!(text.lines().next().is_some_and(|line| line.contains("nvidia.com/gpu, which no node has")), "{text}");
    let all = run(&["explain", "--all"]);
    assert!(all.contains("nvidia.com/gpu, which no node has"), "{all}");
}
