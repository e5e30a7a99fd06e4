//! Two real users on one machine, with a daemon of root.

use super::machine::{Machine, is_root, until};

const NOBODY: Option<u32> = Some(65534);
const DAEMON: Option<u32> = Some(1);

#[test]
fn a_job_runs_as_who_submitted_it_and_is_nobody_elses() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let script = "id -u; id -G; grep -E 'NoNewPrivs|CapEff|CapPrm' /proc/self/status; sleep 60";
    let job = machine.submit_as(NOBODY, &["--dir", "/", "--env", "USER=root"], script);
    until(|| machine.logs(job).lines().count() == 5);
    let log = machine.logs(job);
    let told: Vec<&str> = log.split_whitespace().collect();
    assert_eq!(&told[..2], ["65534", "65534"], "{log}");
    assert!(log.contains("CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1"), "{log}");
    let number = job.to_string();
    for command in [&["logs"][..], &["cancel"], &["hold"], &["wait"], &["job"]] {
        let output = machine.call_as(DAEMON, &[command, &[&number]].concat());
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {why}");
        assert!(why.contains("not yours") && output.stdout.is_empty());
    }
    assert_eq!(machine.call_as(DAEMON, &["jobs", "--json"]).stdout, b"[]\n");
    let after = machine.call_as(DAEMON, &["submit", "--after", &number, "--dir", "/", "--", "true"]);
    assert_eq!(after.status.code(), Some(2), "nor can one wait for it");
    let inside = machine.call_as(
        NOBODY,
        &["submit", "--dir", "/", "--wait", "--", "ls", machine.folder.join("jobs").to_str().unwrap()],
    );
    assert_ne!(inside.status.code(), Some(0), "what is kept is root's alone");
    assert_eq!(machine.job(job)["state"], "running");
    assert!(machine.call_as(NOBODY, &["cancel", &number]).status.success());
    assert_eq!(machine.job(machine.submit_as(DAEMON, &["--dir", "/"], "true"))["queue"], "root.users.daemon");
}

#[test]
fn who_floods_the_queue_does_not_keep_the_other_from_his_guarantee() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let flood: Vec<u64> = (0..8).map(|_| machine.submit_as(NOBODY, &["--dir", "/"], "sleep 300")).collect();
    until(|| flood.iter().filter(|job| machine.job(**job)["state"] == "running").count() == 4);
    let other = machine.submit_as(DAEMON, &["--dir", "/"], "echo mine");
    until(|| machine.job(other)["state"] == "ended");
    assert_eq!(machine.logs(other), "mine\n");
    let again = flood.iter().map(|job| machine.job(*job));
    let waits = again.filter(|job| job["attempts"] == 1 && job["state"] == "queued").count();
    let begun_again = flood.iter().filter(|job| machine.job(**job)["attempts"] == 2).count();
    assert_eq!(waits + begun_again, 1, "one made room, and is queued again");
}
