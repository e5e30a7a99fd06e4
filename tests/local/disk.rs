//! The folder of the daemon under faults: jobs that were answered stay, others are refused, and the fault clears.

use std::fs;
use std::process::Command;

use super::machine::Machine;

#[test]
fn a_folder_that_takes_nothing_refuses_jobs_and_loses_none() {
    let mut machine = Machine::up(&[]);
    let retained = machine.submit(&["--hold"], "echo kept");
    let (jobs, aside) = (machine.folder.join("jobs/jobs"), machine.folder.join("aside"));
    // A file in place of the directory: also root cannot write in it.
    fs::rename(&jobs, &aside).unwrap();
    fs::write(&jobs, "").unwrap();
    for _ in 0..3 {
        let (code, said) = machine.said(&["submit", "--", "true"]);
        assert!(code != 0 && said.contains("cannot save the job"), "{code} {said}");
    }
    assert_eq!(machine.live(), 1, "a refused job is not in the list");
    fs::remove_file(&jobs).unwrap();
    fs::rename(&aside, &jobs).unwrap();
    let after = machine.submit(&["--hold"], "echo after");
    machine.kill();
    machine.start();
    for (job, text) in [(retained, "kept\n"), (after, "after\n")] {
        assert!(machine.call(&["release", &job.to_string()]).status.success());
        assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, text));
    }
    assert_eq!(machine.live(), 0);
}

#[test]
fn a_lock_that_was_removed_lets_no_second_daemon_in() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--hold"], "echo one");
    fs::remove_file(machine.folder.join("jobs/lock")).unwrap();
    let mut second = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    second.args(["local", "up", "--dir"]).arg(machine.folder.join("jobs"));
    let output = second.arg("--socket").arg(machine.folder.join("run/second.sock")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("in use by another kornsole"), "{output:?}");
    assert!(machine.call(&["release", &job.to_string()]).status.success());
    assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, "one\n"));
}
