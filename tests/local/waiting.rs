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
    let listed = machine.reported(&["jobs"]).1;
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
    waits_for(&machine, second, &format!("; starts in about 2h (when job {first} ends by its time limit)"));
}

#[test]
fn a_large_job_has_its_turn_and_short_ones_start_before_it() {
    let machine = Machine::up(&[]);
    let runs = machine.submit(&["--cpu", "3", "--mem", "100M", "--time", "1h"], "sleep 300");
    machine.until(runs, "running");
    let large = machine.submit(&["--cpu", "4", "--mem", "100M"], "true");
    waits_for(&machine, large, &format!("starts in about 1h (when job {runs} ends by its time limit)"));
    let small = ["--cpu", "1", "--mem", "100M"];
    let unlimited = machine.submit(&small, "true");
    let late = machine.submit(&[&small[..], &["--time", "2h"]].concat(), "true");
    let short = machine.submit(&[&small[..], &["--time", "10m"]].concat(), "true");
    assert_eq!(machine.wait(short), 0, "it ends before the large one can start");
    for job in [unlimited, late] {
        waits_for(&machine, job, &format!("waits for job {large}, which is ahead of it and would start later"));
    }
    assert_eq!(machine.job(large)["state"], "queued");
    assert_eq!(machine.reported(&["local", "edit", &late.to_string(), "--time", "20m"]).0, 0);
    assert_eq!(machine.wait(late), 0, "with a shorter limit it starts before it too");
    machine.reported(&["cancel", &large.to_string()]);
    assert_eq!(machine.wait(unlimited), 0);
}

#[test]
fn without_backfill_none_starts_before_a_blocked_job() {
    let mut machine = Machine::up(&["--no-backfill"]);
    let runs = machine.submit(&["--cpu", "3", "--mem", "100M", "--time", "1h"], "sleep 300");
    machine.until(runs, "running");
    let large = machine.submit(&["--cpu", "4", "--mem", "100M", "--time", "1h"], "true");
    let short = machine.submit(&["--cpu", "1", "--mem", "100M", "--time", "1m"], "true");
    let turn = format!(
        "waits for job {large}, which is ahead of it and would start later; starts in about 2h (when job {large} ends by its time limit)"
    );
    waits_for(&machine, short, &turn);
    machine.kill();
    machine.start();
    waits_for(&machine, short, &turn);
    machine.reported(&["cancel", &runs.to_string()]);
    assert_eq!([machine.wait(large), machine.wait(short)], [0, 0]);
}

/// As many small jobs as anyone likes: each that ends is followed by the next one.
#[test]
fn a_large_job_starts_despite_a_stream_of_small_ones() {
    let machine = Machine::up(&[]);
    let small = ["--cpu", "1", "--mem", "100M"];
    let stream: Vec<u64> = (0..40).map(|at| machine.submit(&small, &format!("sleep 0.{}", 3 + at % 5))).collect();
    let large = machine.submit(&["--cpu", "4", "--mem", "100M", "--priority", "1"], "true");
    machine.wait(large);
    let ended = |job: &&u64| machine.job(**job)["state"] == "ended";
    assert!(stream.iter().filter(ended).count() < stream.len(), "it started before the stream ended");
}

#[test]
fn a_full_queue_names_its_limit_and_who_uses_it() {
    let dir = crate::common::TestDir::new();
    let config = dir.join("queues.yaml");
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
fn a_drained_machine_shows_who_drained_it_and_why() {
    let mut machine = Machine::up(&[]);
    let (code, why) = machine.reported(&["local", "drain"]);
    assert!(code == 2 && why.contains("missing reason; use --reason"), "{code} {why}");
    let runs = machine.submit(&[], "sleep 300");
    machine.until(runs, "running");
    assert_eq!(machine.reported(&["local", "drain", "--reason", "new disk"]).0, 0);
    let waits = machine.submit(&[], "true");
    let user = machine.job(runs)["user"].as_str().unwrap().to_owned();
    let drained = format!("this machine is drained by {user}, since 20");
    waits_for(&machine, waits, &drained);
    for command in [&["jobs"][..], &["top"], &["local", "info"], &["local", "status"], &["job", &waits.to_string()]] {
        let reported = machine.reported(command).1;
        assert!(reported.contains(&drained) && reported.contains(" UTC: new disk\n"), "{command:?}: {reported}");
    }
    let (code, why) = machine.reported(&["local", "drain", "--reason", "again"]);
    assert!(code == 1 && why.contains("new disk"), "{code} {why}");
    machine.kill();
    machine.start();
    assert!(machine.reported(&["local", "info"]).1.contains("new disk"), "it is not forgotten");
    assert_eq!(machine.reported(&["local", "resume"]).0, 0);
    assert_eq!(machine.wait(waits), 0);
    assert!(!machine.reported(&["jobs"]).1.contains("drained"));
    assert_eq!(machine.reported(&["local", "resume"]).0, 1);
}

#[test]
fn a_canceled_job_shows_the_reason() {
    let machine = Machine::up(&[]);
    let runs = machine.submit(&[], "sleep 300");
    machine.until(runs, "running");
    let on_hold = machine.submit(&["--hold"], "true");
    let both = [runs.to_string(), on_hold.to_string()];
    assert_eq!(machine.reported(&["cancel", &both[0], &both[1], "--yes", "--reason", "wrong data"]).0, 0);
    assert_eq!(machine.wait(runs), 125);
    for job in [runs, on_hold] {
        let reason = reason(&machine, job);
        assert!(reason.starts_with("canceled by ") && reason.ends_with(": wrong data"), "{reason}");
    }
    assert!(machine.reported(&["history"]).1.contains(": wrong data"));
    machine.call(&["requeue", &on_hold.to_string()]);
    machine.wait(on_hold);
    assert_eq!(reason(&machine, on_hold), "ok", "a later end has its own reason");
}

#[test]
fn a_rejected_file_is_reported_and_does_not_stop_the_start() {
    let dir = crate::common::TestDir::new();
    let config = dir.join("queues.yaml");
    let queues = |names: &[&str]| {
        let list: String = names.iter().map(|name| format!("          - name: {name}\n")).collect();
        format!(
            "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        queues:\n{list}"
        )
    };
    fs::write(&config, queues(&["first"])).unwrap();
    let mut machine = Machine::up(&["--config", config.to_str().unwrap()]);
    let accepts = |machine: &Machine, queue: &str| machine.reported(&["submit", "--queue", queue, "--", "true"]).0 == 0;
    assert!(accepts(&machine, "root.first"));
    fs::write(&config, queues(&["first", "second"])).unwrap();
    until(|| accepts(&machine, "root.second"));
    fs::write(&config, "partitions: [{name: default, queues: 7}]\n").unwrap();
    let rejected = "queues.yaml was rejected, the configuration is unchanged: ";
    for command in [&["jobs"][..], &["local", "status"]] {
        until(|| machine.reported(command).1.contains(rejected));
    }
    assert!(accepts(&machine, "root.second"), "the one before is active");
    machine.kill();
    machine.start();
    assert!(accepts(&machine, "root.second"), "the last good one is used");
    until(|| machine.reported(&["local", "status"]).1.contains(rejected));
    fs::write(&config, queues(&["first", "second", "third"])).unwrap();
    until(|| accepts(&machine, "root.third"));
    assert!(!machine.reported(&["jobs"]).1.contains("rejected"));
}
