use std::process::Command;

use super::machine::{Machine, until};

#[test]
fn a_job_that_runs_too_long_is_ended() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--time", "1s"], "trap 'echo asked' TERM; sleep 60 & wait; sleep 60");
    assert_eq!(machine.wait(job), 124);
    assert_eq!((machine.logs(job).as_str(), &machine.job(job)["reason"]), ("asked\n", &"time limit".into()));
}

#[test]
fn a_job_gets_no_more_memory_than_it_asked_for() {
    let machine = Machine::up(&[]);
    let info = String::from_utf8(machine.call(&["local", "info"]).stdout).unwrap();
    assert!(info.contains("limits: "), "it says what is enforced: {info}");
    // `tail` stores a line without an end in memory.
    let script = "head -c 300000000 /dev/zero | tail -n 1 > /dev/null";
    let small = machine.submit(&["--mem", "60M"], script);
    assert_ne!(machine.wait(small), 0, "{info}");
    let large = machine.submit(&["--mem", "3G"], script);
    assert_eq!(machine.wait(large), 0, "{}", machine.logs(large));
    if !info.contains("cgroup v2 below") {
        eprintln!("skipped: that memory is counted for a job as a whole needs a cgroup: {info}");
        return;
    }
    assert_eq!(machine.job(small)["reason"], "memory limit");
    assert!(machine.job(large)["max_memory"].as_u64().unwrap() > 300_000_000);
}

#[test]
fn a_gpu_belongs_to_one_job() {
    let machine = Machine::up(&["--gpu", "2"]);
    let script = "echo $CUDA_VISIBLE_DEVICES; sleep 60";
    let jobs = [machine.submit(&["--gpu", "1"], script), machine.submit(&["--gpu", "1"], script)];
    let third = machine.submit(&["--gpu", "2"], script);
    let mut seen = jobs.map(|job| {
        until(|| !machine.logs(job).is_empty());
        machine.logs(job)
    });
    let first = seen[0].clone();
    seen.sort_unstable();
    assert_eq!(seen, ["0\n", "1\n"]);
    assert_eq!(machine.job(third)["state"], "queued");
    let flags = ["--env", "CUDA_VISIBLE_DEVICES=0,1", "--env", "ROCR_VISIBLE_DEVICES=0,1"];
    let none = machine.submit(&flags, "echo none $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES");
    machine.wait(none);
    assert_eq!(machine.logs(none), "none\n");
    machine.call(&["cancel", &third.to_string()]);
    machine.call(&["cancel", &jobs[0].to_string()]);
    machine.wait(jobs[0]);
    let again =
        machine.submit(&[&flags[..], &["--gpu", "1"]].concat(), "echo $CUDA_VISIBLE_DEVICES $ROCR_VISIBLE_DEVICES");
    machine.wait(again);
    assert_eq!(machine.logs(again).split_whitespace().collect::<Vec<_>>(), ["0"; 2].map(|_| first.trim()));
}

#[test]
fn the_last_part_of_a_long_output_is_stored() {
    let machine = Machine::up(&["--output", "64k"]);
    let job = machine.submit(&[], "seq 1 100000");
    machine.wait(job);
    let retained = machine.logs(job);
    assert!(retained.ends_with("99999\n100000\n") && retained.len() <= 128 << 10, "{} bytes", retained.len());
    assert!(retained.len() >= 32 << 10 && !retained.starts_with("1\n"), "{} bytes", retained.len());
    let dir = machine.dir.join(format!("jobs/jobs/{job}/1"));
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().metadata().unwrap().len());
    assert!(files.sum::<u64>() < 160 << 10, "it takes no more of the disk");
    assert_eq!(machine.job(job)["lost_output"], 0, "what was not kept was not lost");
}

#[test]
fn more_jobs_run_than_the_daemon_was_given_files() {
    let mut machine = Machine::up(&[]);
    machine.kill();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -Sn 48; exec \"$@\"", "sh"]);
    machine.start_by(shell);
    let small = |_| machine.submit(&["--cpu", "0.05", "--mem", "40M"], "ulimit -n; sleep 60");
    let jobs: Vec<u64> = (0..60).map(small).collect();
    until(|| jobs.iter().all(|job| machine.job(*job)["state"] == "running" && !machine.logs(*job).is_empty()));
    let own = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap().stdout;
    assert_eq!(machine.logs(jobs[59]).as_bytes(), own, "a job has as many as its submitter");
}
