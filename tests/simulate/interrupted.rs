//! Ctrl-C in a real process: finished runs are stored.

#![cfg(unix)]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::command::{GENERATED, path, simulate};
use super::common::TestDir;

const DEADLINE: Duration = Duration::from_secs(60);

fn interrupted(dir: &Path, arguments: &[&str], when: impl Fn() -> bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    let error = File::create(dir.join(REPORTED)).unwrap();
    command.arg("simulate").args(arguments).current_dir(dir).stdout(Stdio::piped()).stderr(error);
    let mut child = command.spawn().unwrap();
    let started_at = Instant::now();
    while !when() {
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        assert!(started_at.elapsed() < DEADLINE, "what was waited for did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    Output { stderr: std::fs::read(dir.join(REPORTED)).unwrap(), ..output }
}

fn reported(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn so_far(dir: &Path) -> String {
    std::fs::read_to_string(dir.join(REPORTED)).unwrap_or_default()
}

/// Without a terminal, stderr gets the progress every 10 s.
const REPORTED: &str = "said.txt";

fn short_and_long(dir: &TestDir) {
    dir.write("short.toml", GENERATED.replace("2h", "20m"));
    dir.write("long.toml", GENERATED.replace("2h", "20000h"));
}

#[test]
fn finished_runs_are_stored_in_the_named_file_and_reused_by_the_same_command() {
    let dir = TestDir::new();
    short_and_long(&dir);
    let retained = dir.join("runs.jsonl");
    let lines = || std::fs::read_to_string(&retained).map_or(0, |text| text.lines().count());
    let arguments = ["short.toml", "long.toml", "--threads", "1", "--resume", "runs.jsonl"];
    let output = interrupted(&dir, &arguments, || lines() > 0);
    assert_eq!(output.status.code(), Some(130), "{}", reported(&output));
    assert!(
        reported(&output)
            .contains("interrupted after 1 of 2 runs; finished runs are in runs.jsonl; repeat the command to continue"),
        "{}",
        reported(&output)
    );
    assert!(output.stdout.is_empty());
    // The changed values show that the stored lines are not computed again.
    let text = std::fs::read_to_string(&retained).unwrap();
    std::fs::write(&retained, text.replacen("\"ended\":", "\"ended\":7", 1)).unwrap();
    let (code, out, err) = simulate(&[path(&dir.join("short.toml")), "--json", "--resume", path(&retained)]);
    assert!(code == Some(0) && out.contains("\"ended\":7"), "{out}{err}");
}

#[test]
fn without_finished_runs_the_same_command_restarts() {
    let dir = TestDir::new();
    short_and_long(&dir);
    let arguments = ["long.toml", "--threads", "1"];
    let output = interrupted(&dir, &arguments, || so_far(&dir).contains(" requests, "));
    assert_eq!(output.status.code(), Some(130), "{}", reported(&output));
    assert!(
        reported(&output).contains("interrupted after 0 of 1 runs; repeat the command to start again"),
        "{}",
        reported(&output)
    );
    assert!(!dir.join("kornsole-runs.jsonl").exists(), "nothing was finished, and so nothing is kept");
}

#[test]
fn an_interrupted_sweep_shows_which_file_to_resume_from() {
    let dir = TestDir::new();
    short_and_long(&dir);
    let arguments = ["short.toml", "long.toml", "--threads", "1"];
    let output = interrupted(&dir, &arguments, || so_far(&dir).contains("1 of 2 runs ("));
    let words = "interrupted after 1 of 2 runs; finished runs are in kornsole-runs.jsonl; repeat the command with --resume kornsole-runs.jsonl";
    assert!(output.status.code() == Some(130) && reported(&output).contains(words), "{}", reported(&output));
    let retained = dir.join("kornsole-runs.jsonl");
    let (code, out, err) = simulate(&[path(&dir.join("short.toml")), "--json", "--resume", path(&retained)]);
    assert!(code == Some(0) && out.lines().count() == 1, "{out}{err}");
    let output = interrupted(&dir, &arguments, || so_far(&dir).contains("1 of 2 runs ("));
    assert!(reported(&output).contains("--resume kornsole-runs-2.jsonl"), "{}", reported(&output));
}

#[test]
fn an_interrupted_search_stores_its_runs_and_continues_with_them() {
    let dir = TestDir::new();
    dir.write("mix.toml", GENERATED);
    let (file, retained) = (dir.join("mix.toml"), dir.join("runs.jsonl"));
    let target = ["--find", "nodes", "--until", "p95(wait, root.etl) < 1m"];
    let with = |more: &[&str]| simulate(&[&[path(&file)], &target[..], more].concat());
    let (code, out, err) = with(&["--resume", path(&retained)]);
    assert_eq!(code, Some(0), "{err}");
    let text = std::fs::read_to_string(&retained).unwrap();
    assert_eq!(
        text.lines().count(),
        out.lines().filter(|line| line.contains(" yes ") || line.contains(" no ")).count()
    );
    // Like an interruption after two runs: the result is the same.
    let two: String = text.lines().take(2).map(|line| format!("{line}\n")).collect();
    std::fs::write(&retained, two).unwrap();
    assert_eq!(with(&["--resume", path(&retained)]).1, out);
    assert_eq!(std::fs::read_to_string(&retained).unwrap().lines().count(), text.lines().count());
}
