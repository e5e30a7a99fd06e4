//! A supervisor runs several jobs, each with its own exit status and usage.

use std::fs;
use std::process::Command;

use serde_json::Value;

use super::machine::{Machine, until};

fn supervisor(machine: &Machine, job: u64) -> u64 {
    let claim = machine.dir.join(format!("jobs/jobs/{job}/1/claim.json"));
    until(|| claim.exists());
    let claim: Value = serde_json::from_slice(&fs::read(claim).unwrap()).unwrap();
    claim["pid"].as_u64().unwrap()
}

fn is_listed(pid: u64) -> bool {
    fs::exists(format!("/proc/{pid}")).unwrap()
}

#[test]
fn a_second_job_has_none_of_the_values_of_the_first() {
    let machine = Machine::up(&[]);
    let go = machine.dir.join("go");
    let script = "i=0; while test $i -lt 1000000; do i=$((i + 1)); done; echo busy; exit 3";
    let busy = machine.submit(&["--cpu", "4"], script);
    let script = format!("echo next; while ! test -e {}; do sleep 0.1; done; exit 4", go.display());
    let next = machine.submit(&["--cpu", "4"], &script);
    assert_eq!(machine.wait(busy), 3);
    until(|| !machine.logs(next).is_empty());
    let one = supervisor(&machine, busy);
    assert_eq!(supervisor(&machine, next), one, "it takes the one that waits");
    let used = |json: &Value| json["cpu_ms"].as_u64().unwrap();
    let top: Value = serde_json::from_str(&machine.reported(&["top", "--json"]).1).unwrap();
    assert!(top[0]["processes"][0]["name"] == "sh" && used(&top[0]) < 100, "while it runs: {top}");
    fs::write(&go, "").unwrap();
    assert_eq!(machine.wait(next), 4);
    let (first, second) = (machine.job(busy), machine.job(next));
    assert!(used(&first) >= 100 && used(&second) < 100, "afterwards: {first} {second}");
    assert_eq!((machine.logs(busy), machine.logs(next)), ("busy\n".to_owned(), "next\n".to_owned()));
    until(|| !is_listed(one));
}

#[test]
fn killed_while_it_waits_it_loses_no_job() {
    let machine = Machine::up(&[]);
    for round in 0..5 {
        let job = machine.submit(&[], "exit 3");
        assert_eq!(machine.wait(job), 3, "round {round}: {}", machine.job(job));
        let waits = supervisor(&machine, job).to_string();
        // The supervisor may have exited on a slow machine.
        let _ = Command::new("kill").args(["-9", &waits]).stderr(std::process::Stdio::null()).status();
    }
}

#[test]
fn ended_is_ended_though_its_supervisor_has_another_job() {
    let mut machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "exit 3");
    let second = machine.submit(&["--cpu", "4"], "echo begun; sleep 300");
    assert_eq!(machine.wait(first), 3);
    until(|| !machine.logs(second).is_empty());
    assert_eq!(supervisor(&machine, first), supervisor(&machine, second));
    machine.kill();
    let file = machine.dir.join(format!("jobs/jobs/{first}/job.json"));
    let retained = fs::read_to_string(&file).unwrap();
    let state = |line: &&str| serde_json::from_str::<Value>(line).unwrap()["state"] == "running";
    fs::write(&file, retained.lines().find(state).unwrap()).unwrap();
    machine.start();
    assert_eq!(machine.wait(first), 3, "{}", machine.job(first));
    assert_eq!(machine.job(second)["state"], "running");
    assert!(machine.call(&["cancel", &second.to_string()]).status.success());
    assert_eq!(machine.wait(second), 125);
}
