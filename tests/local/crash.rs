//! A daemon that is killed: jobs run on, and end once, with their own status.

use std::fs;
use std::process::Command;

use super::machine::Machine;

#[test]
fn a_job_outlives_its_daemon_and_is_taken_up_again() {
    let mut machine = Machine::up(&[]);
    let long = machine.submit(&[], "echo before; sleep 2; echo after; exit 5");
    let short = machine.submit(&[], "sleep 0.5; echo done; exit 6");
    machine.until(long, "running");
    machine.until(short, "running");
    machine.kill();
    std::thread::sleep(std::time::Duration::from_secs(1));
    machine.start();
    assert_eq!(machine.wait(short), 6, "it ended while nobody looked");
    assert_eq!(machine.job(long)["state"], "running");
    assert_eq!(machine.wait(long), 5);
    assert_eq!(machine.logs(long), "before\nafter\n");
    assert_eq!(machine.logs(short), "done\n");
}

#[test]
fn killed_at_any_moment_it_loses_and_doubles_no_job() {
    let rounds = std::env::var("KORNSOLE_LOCAL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6_u64);
    let mut machine = Machine::up(&[]);
    let ran = machine.folder.join("ran");
    let mut jobs = Vec::new();
    for round in 0..rounds {
        for status in 1..=4 {
            let script = format!("echo {round}-{status} >> {}; sleep 0.{status}; exit {status}", ran.display());
            jobs.push((machine.submit(&["--cpu", "1", "--no-requeue"], &script), status));
        }
        std::thread::sleep(std::time::Duration::from_millis(round * 37 % 230));
        machine.kill();
        machine.start();
    }
    for (job, status) in &jobs {
        assert_eq!(machine.wait(*job), *status, "{}", machine.job(*job));
    }
    let ran = fs::read_to_string(&ran).unwrap();
    let mut lines: Vec<&str> = ran.lines().collect();
    lines.sort_unstable();
    let before = lines.len();
    lines.dedup();
    assert_eq!((before, lines.len()), (jobs.len(), jobs.len()), "each ran once");
}

#[test]
fn a_job_whose_supervisor_is_killed_is_ended_and_said_to_be_lost() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--no-requeue"], "echo $$; exec sleep 300");
    machine.until(job, "running");
    super::machine::until(|| !machine.logs(job).is_empty());
    let main = machine.logs(job).trim().to_owned();
    let claim = fs::read(machine.folder.join(format!("jobs/jobs/{job}/1/claim.json"))).unwrap();
    let claim: serde_json::Value = serde_json::from_slice(&claim).unwrap();
    assert!(Command::new("kill").args(["-9", &claim["pid"].to_string()]).status().unwrap().success());
    assert_eq!(machine.wait(job), 125);
    assert!(machine.job(job)["reason"].as_str().unwrap().starts_with("lost"));
    super::machine::until(|| {
        let stat = fs::read_to_string(format!("/proc/{main}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}
