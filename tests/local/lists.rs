use serde_json::Value;

use super::machine::{Machine, until};

fn shown(machine: &Machine, arguments: &[&str]) -> String {
    let (code, text) = machine.reported(&[&["jobs"], arguments].concat());
    assert_eq!(code, 0, "{text}");
    text
}

fn numbers(machine: &Machine, arguments: &[&str]) -> Vec<u64> {
    let found: Value = serde_json::from_str(&shown(machine, &[arguments, &["--json"]].concat())).unwrap();
    found.as_array().unwrap().iter().map(|job| job["number"].as_u64().unwrap()).collect()
}

#[test]
fn an_array_is_one_row_that_opens() {
    let machine = Machine::up(&[]);
    let script = "test $KORNSOLE_ARRAY_INDEX != 7 || exit 3; test $KORNSOLE_ARRAY_INDEX = 9 || exit 0; sleep 60";
    let output = machine.call(&["submit", "--array", "5-9%3", "--name", "sweep", "--", "sh", "-c", script]);
    assert_eq!(output.stdout, b"1-5\n");
    assert_eq!([1, 2, 3, 4].map(|job| machine.wait(job)), [0, 0, 3, 0]);
    machine.until(5, "running");
    let on_hold = machine.submit(&["--hold", "--name", "later"], "true");
    let text = shown(&machine, &[]);
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows.len() == 4 && rows[3] == "2 jobs: 1 running, 1 held", "{text}");
    assert!(rows[1].contains(" 1 running ") && !rows[1].contains("sweep["), "{text}");
    let text = shown(&machine, &["--since", "1h"]);
    assert!(text.contains("1-5  sweep") && text.contains(" 1 running, 1 failed, 3 ok "), "{text}");
    let text = shown(&machine, &["3"]);
    assert!(text.contains("sweep[5]") && text.contains("sweep[9]") && text.contains("exit 3"), "{text}");
    assert_eq!(numbers(&machine, &["1"]), [1, 2, 3, 4, 5], "a number of an array is all of it");
    assert_eq!(numbers(&machine, &["2-3"]), [2, 3]);
    assert_eq!(numbers(&machine, &[&on_hold.to_string()]), [on_hold]);
    assert!(machine.call(&["cancel", "5"]).status.success());
}

#[test]
fn lists_are_filtered_by_state_user_queue_and_name() {
    let machine = Machine::up(&[]);
    let failed = machine.submit(&["--name", "train-1"], "exit 3");
    let ok = machine.submit(&["--name", "train-2"], "true");
    assert_eq!((machine.wait(failed), machine.wait(ok)), (3, 0));
    let runs = machine.submit(&["--name", "serve"], "sleep 60");
    let on_hold = machine.submit(&["--name", "train-3", "--hold"], "true");
    machine.until(runs, "running");
    assert_eq!(numbers(&machine, &[]), [runs, on_hold]);
    assert_eq!(numbers(&machine, &["--state", "failed", "--since", "1d"]), [failed]);
    assert_eq!(numbers(&machine, &["--state", "ended"]), [failed, ok]);
    assert_eq!(numbers(&machine, &["--state", "pending,ok"]), [ok, on_hold]);
    assert_eq!(numbers(&machine, &["--name", "train-*"]), [on_hold]);
    assert_eq!(numbers(&machine, &["--name", "train-*", "--since", "1h"]), [failed, ok, on_hold]);
    let job = machine.job(runs);
    let (user, queue) = (job["user"].as_str().unwrap(), job["queue"].as_str().unwrap());
    assert_eq!(numbers(&machine, &["--user", user, "--queue", queue]).first(), Some(&runs));
    assert_eq!(numbers(&machine, &["--queue", "root.users"]).first(), Some(&runs));
    let none = ["--user", "nobody-else"];
    assert_eq!(numbers(&machine, &none), [0_u64; 0]);
    assert!(shown(&machine, &none).ends_with("no matching jobs\n"));
    let (code, text) = machine.reported(&["jobs", "--state", "done"]);
    assert!(code == 2 && text.contains("pending, ended, running"), "{code} {text}");
}

#[test]
fn a_watched_list_is_printed_again_when_it_changes() {
    use std::process::{Command, Stdio};
    let machine = Machine::up(&[]);
    let job = machine.submit(&[], "sleep 60");
    machine.until(job, "running");
    let file = machine.dir.join("watched");
    let out = std::fs::File::create(&file).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["jobs", "--watch", "--socket"]).arg(machine.socket()).stdout(Stdio::from(out));
    let mut watching = command.spawn().unwrap();
    let text = || std::fs::read_to_string(&file).unwrap();
    until(|| text().contains("1 job: 1 running"));
    machine.submit(&["--hold"], "true");
    until(|| text().contains("2 jobs: 1 running, 1 held"));
    watching.kill().unwrap();
    watching.wait().unwrap();
    assert_eq!(text().matches("REASON").count(), 2, "once for each change: {}", text());
}

/// The scheduler is not given more of an array than can have their turn soon.
#[test]
fn a_large_array_is_queued_in_parts() {
    let machine = Machine::up(&[]);
    assert_eq!(machine.reported(&["local", "drain", "--reason", "a test"]).0, 0);
    let output = machine.call(&["submit", "--array", "1-1500", "--mem", "1M", "--", "true"]);
    assert_eq!(output.stdout, b"1-1500\n");
    let in_state = |state: &str| {
        let jobs: Value = serde_json::from_slice(&machine.call(&["jobs", "--json"]).stdout).unwrap();
        jobs.as_array().unwrap().iter().filter(|job| job["state"] == state).count()
    };
    until(|| in_state("queued") == 100);
    assert_eq!(in_state("waiting"), 1400);
    assert_eq!(machine.job(1500)["reason"], "waits for earlier tasks of its array");
    assert_eq!(machine.reported(&["cancel", "1-600", "--yes"]).0, 0);
    until(|| in_state("waiting") == 800);
    assert_eq!(in_state("queued"), 100);
    assert_eq!(machine.reported(&["cancel", "601-1499", "--yes"]).0, 0);
    assert_eq!(machine.reported(&["local", "resume"]).0, 0);
    assert_eq!(machine.wait(1500), 0, "the last one has its turn too");
}
