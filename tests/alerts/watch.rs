use std::fs;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::source::trends::Storage;
use ::source::{Collector, Source, Trends};

use super::common::{Program, TestDir, kornsole_command};
use super::situations::{NODES, source};

const PATIENCE: Duration = Duration::from_secs(60);

fn serve(dir: &TestDir) -> Program {
    let workload = dir.join("w.yaml");
    let config = "  partitions:\n    - name: default\n      queues:\n        - name: root\n";
    fs::write(&workload, format!("version: 1\nname: two\nconfig: |\n{config}steps:\n{NODES}")).unwrap();
    Program::serve(&["--workload", &workload.display().to_string()])
}

fn watch(server: &Program, dir: &TestDir, arguments: &[&str]) -> Command {
    let mut command = kornsole_command(&["watch", "--server", &server.url()]);
    command.args(arguments).env("XDG_STATE_HOME", dir.join("kept"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn an_alert_ends_it_with_its_own_code_and_measurements_are_stored() {
    let dir = TestDir::new();
    let server = serve(&dir);
    let rules = dir.join("alerts.toml");
    fs::write(&rules, "[[rule]]\nname = 'few'\nkind = 'expression'\nwhen = 'cluster.nodes.up < 3'\n").unwrap();
    let rules = rules.display().to_string();
    let output = watch(&server, &dir, &["--exit-on", "alert", "--alerts", &rules]).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    let reported = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(reported.contains("warning  few: cluster: "), "{}", text(&output));
    let file =
        reported.lines().find(|line| line.ends_with("trends.redb")).unwrap_or_else(|| panic!("{reported}")).to_owned();
    let retained = Trends::retained_in(std::path::Path::new(&file).parent().unwrap());
    let (here, _board) = source("", NODES);
    let here: Arc<dyn Source> = Arc::new(here);
    let collector = Collector::start(&here, Arc::clone(&retained));
    let until = Instant::now() + PATIENCE;
    while !matches!(*retained.storage(), Storage::Writes(_)) {
        assert!(Instant::now() < until, "{:?}", retained.storage());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(retained.rings("default").is_some_and(|rings| rings.newest().is_some()), "nothing was kept");
    drop(collector);
}

#[test]
fn bad_arguments_and_rules_are_refused_before_anything_is_collected() {
    let dir = TestDir::new();
    let server = serve(&dir);
    let rules = dir.join("alerts.toml");
    fs::write(&rules, "[[rule]]\nname = 'few'\nkind = 'expresion'\n").unwrap();
    let rules = rules.display().to_string();
    for (arguments, code, why) in [
        (&["--alerts", rules.as_str()][..], 1, "alerts.toml:3:8"),
        (&["--exit-on", "fire"], 2, "alert"),
        (&["--severity", "critical"], 2, "--exit-on"),
        (&["--exit-on", "alert", "--severity", "bad"], 2, "expected info, warning, or critical"),
    ] {
        let output = watch(&server, &dir, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", text(&output));
        assert!(text(&output).contains(why), "{arguments:?}: {}", text(&output));
    }
    assert!(!dir.join("kept").exists(), "nothing is kept");
}
