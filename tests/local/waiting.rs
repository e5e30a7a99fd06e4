//! Reasons and start times of pending jobs.

use std::fs;

use super::machine::{Machine, until};

fn reason(machine: &Machine, job: u64) -> String {
    machine.job(job)["reason"].as_str().unwrap().to_owned()
}

fn waits_for(machine: &Machine, job: u64, why: &str) {
    let mut last = String::new();
    until(|| {
        last = reason(machine, job);
        last.contains(why) || last.len() > 10_000
    });
    let listed = machine.said(&["jobs"]).1;
    assert!(listed.contains(why), "the list says the same: {listed}");
}

#[test]
fn a_full_machine_names_the_use_and_the_start() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "3", "--time", "2h"], "sleep 300");
    machine.until(first, "running");
    let second = machine.submit(&["--cpu", "2", "--mem", "100M"], "true");
    let user = machine.job(first)["user"].as_str().unwrap().to_owned();
    waits_for(&machine, second, &format!("vcore of this machine reached (3 of 4, requests 2); used by {user} 3"));
    waits_for(&machine, second, &format!("; starts in about 2 h (when job {first} ends by its time limit)"));
}

#[test]
fn a_full_queue_names_its_limit_and_who_uses_it() {
    let folder = crate::common::TestFolder::new();
    let config = folder.join("queues.yaml");
    let text = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        queues:\n          - name: small\n            resources:\n              max: {vcore: 2}\n          - name: few\n            maxapplications: 1\n";
    fs::write(&config, text).unwrap();
    let machine = Machine::up(&["--config", config.to_str().unwrap()]);
    let first = machine.submit(&["--queue", "root.small", "--cpu", "2", "--mem", "100M"], "sleep 300");
    machine.until(first, "running");
    let second = machine.submit(&["--queue", "root.small", "--mem", "100M"], "true");
    let user = machine.job(first)["user"].as_str().unwrap().to_owned();
    waits_for(&machine, second, &format!("max vcore of root.small reached (2 of 2, requests 1); used by {user} 2"));
    let one = machine.submit(&["--queue", "root.few", "--mem", "100M"], "sleep 300");
    machine.until(one, "running");
    let next = machine.submit(&["--queue", "root.few", "--mem", "100M"], "true");
    waits_for(&machine, next, "max running jobs of root.few reached (1 of 1)");
}

#[test]
fn a_drained_machine_says_by_whom_and_why() {
    let mut machine = Machine::up(&[]);
    let (code, why) = machine.said(&["local", "drain"]);
    assert!(code == 2 && why.contains("missing reason; use --reason"), "{code} {why}");
    let runs = machine.submit(&[], "sleep 300");
    machine.until(runs, "running");
    assert_eq!(machine.said(&["local", "drain", "--reason", "new disk"]).0, 0);
    let waits = machine.submit(&[], "true");
    let user = machine.job(runs)["user"].as_str().unwrap().to_owned();
    let drained = format!("this machine is drained by {user}, since 20");
    waits_for(&machine, waits, &drained);
    for command in [&["jobs"][..], &["top"], &["local", "info"], &["local", "status"], &["job", &waits.to_string()]] {
        let said = machine.said(command).1;
        assert!(said.contains(&drained) && said.contains(" UTC: new disk\n"), "{command:?}: {said}");
    }
    let (code, why) = machine.said(&["local", "drain", "--reason", "again"]);
    assert!(code == 1 && why.contains("new disk"), "{code} {why}");
    machine.kill();
    machine.start();
    assert!(machine.said(&["local", "info"]).1.contains("new disk"), "it is not forgotten");
    assert_eq!(machine.said(&["local", "resume"]).0, 0);
    assert_eq!(machine.wait(waits), 0);
    assert!(!machine.said(&["jobs"]).1.contains("drained"));
    assert_eq!(machine.said(&["local", "resume"]).0, 1);
}

#[test]
fn a_job_that_was_canceled_says_why() {
    let machine = Machine::up(&[]);
    let runs = machine.submit(&[], "sleep 300");
    machine.until(runs, "running");
    let held = machine.submit(&["--hold"], "true");
    let both = [runs.to_string(), held.to_string()];
    assert_eq!(machine.said(&["cancel", &both[0], &both[1], "--yes", "--reason", "wrong data"]).0, 0);
    assert_eq!(machine.wait(runs), 125);
    for job in [runs, held] {
        let reason = reason(&machine, job);
        assert!(reason.starts_with("canceled by ") && reason.ends_with(": wrong data"), "{reason}");
    }
    assert!(machine.said(&["history"]).1.contains(": wrong data"));
    machine.call(&["requeue", &held.to_string()]);
    machine.wait(held);
    assert_eq!(reason(&machine, held), "ok", "a later end has its own reason");
}

#[test]
fn a_rejected_file_is_said_and_breaks_no_start() {
    let folder = crate::common::TestFolder::new();
    let config = folder.join("queues.yaml");
    let queues = |names: &[&str]| {
        let list: String = names.iter().map(|name| format!("          - name: {name}\n")).collect();
        format!(
            "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        queues:\n{list}"
        )
    };
    fs::write(&config, queues(&["first"])).unwrap();
    let mut machine = Machine::up(&["--config", config.to_str().unwrap()]);
    let takes = |machine: &Machine, queue: &str| machine.said(&["submit", "--queue", queue, "--", "true"]).0 == 0;
    assert!(takes(&machine, "root.first"));
    fs::write(&config, queues(&["first", "second"])).unwrap();
    until(|| takes(&machine, "root.second"));
    fs::write(&config, "partitions: [{name: default, queues: 7}]\n").unwrap();
    let rejected = "queues.yaml was rejected, the configuration is unchanged: ";
    for command in [&["jobs"][..], &["local", "status"]] {
        until(|| machine.said(command).1.contains(rejected));
    }
    assert!(takes(&machine, "root.second"), "the one before is active");
    machine.kill();
    machine.start();
    assert!(takes(&machine, "root.second"), "the last good one is used");
    until(|| machine.said(&["local", "status"]).1.contains(rejected));
    fs::write(&config, queues(&["first", "second", "third"])).unwrap();
    until(|| takes(&machine, "root.third"));
    assert!(!machine.said(&["jobs"]).1.contains("rejected"));
}
