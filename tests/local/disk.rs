//! Disk errors: acknowledged jobs are retained, new ones are rejected.

use std::fs;
use std::process::Command;

use super::machine::Machine;

#[test]
fn a_directory_without_write_access_rejects_jobs_and_loses_none() {
    let mut machine = Machine::up(&[]);
    let retained = machine.submit(&["--hold"], "echo kept");
    let (jobs, aside) = (machine.dir.join("jobs/jobs"), machine.dir.join("aside"));
    // A file in place of the directory: even root cannot write to it.
    fs::rename(&jobs, &aside).unwrap();
    fs::write(&jobs, "").unwrap();
    for _ in 0..3 {
        let (code, reported) = machine.reported(&["submit", "--", "true"]);
        assert!(code != 0 && reported.contains("cannot save the job"), "{code} {reported}");
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
    fs::remove_file(machine.dir.join("jobs/lock")).unwrap();
    let mut second = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    second.args(["local", "up", "--dir"]).arg(machine.dir.join("jobs"));
    let output = second.arg("--socket").arg(machine.dir.join("run/second.sock")).output().unwrap();
    let reported = String::from_utf8_lossy(&output.stderr);
    let says = |text: &str| reported.contains(text);
    assert!(!output.status.success() && says("in use by another kornsole") && says("with --dir"), "{output:?}");
    assert!(machine.call(&["release", &job.to_string()]).status.success());
    assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, "one\n"));
}

struct ReadOnly(std::path::PathBuf);

impl ReadOnly {
    fn mount(at: &std::path::Path) -> Option<Self> {
        let mut command = Command::new("mount");
        command.args(["--bind", "-o", "ro"]).args([at, at]).stderr(std::process::Stdio::null());
        command.status().is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        assert!(Command::new("umount").arg(&self.0).status().unwrap().success());
    }
}

#[test]
fn a_read_only_directory_loses_nothing_and_is_reported() {
    let mut machine = Machine::up(&[]);
    let go = machine.dir.join("go");
    let running = machine.submit(&[], &format!("while ! test -e {}; do sleep 0.1; done; exit 3", go.display()));
    machine.until(running, "running");
    super::machine::until(|| machine.dir.join(format!("jobs/jobs/{running}/1/main.json")).exists());
    let on_hold = machine.submit(&["--hold"], "echo held");
    let waiting = machine.submit(&["--after", &format!("{running}:any")], "echo waiting");
    let read_only = ReadOnly::mount(&machine.dir.join("jobs/jobs"));
    let Some(read_only) = read_only else { return eprintln!("skipped: a folder cannot be mounted read-only here") };
    let on_hold_text = on_hold.to_string();
    for refused in [
        &["release", &on_hold_text][..],
        &["cancel", &on_hold_text],
        &["local", "priority", &on_hold_text, "--to", "5"],
    ] {
        let (code, reported) = machine.reported(refused);
        assert!(
            code == 1 && reported.contains("cannot save job") && reported.contains("Read-only"),
            "{refused:?}: {reported}"
        );
    }
    let (code, reported) = machine.reported(&["submit", "--", "true"]);
    assert!(code == 1 && reported.contains("cannot save the job"), "{code} {reported}");
    assert_eq!(
        (machine.job(on_hold)["state"].clone(), machine.job(on_hold)["priority"].clone()),
        ("held".into(), 0.into())
    );
    let info = machine.reported(&["local", "info"]).1;
    assert!(info.contains("cannot save jobs, retrying: Read-only file system"), "{info}");
    fs::write(&go, "").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    assert_eq!(machine.job(running)["state"], "running", "its end is not on the disk");
    drop(read_only);
    assert_eq!((machine.wait(running), machine.wait(waiting)), (3, 0));
    let info = machine.reported(&["local", "info"]).1;
    assert!(!info.contains("cannot save"), "{info}");
    machine.kill();
    machine.start();
    assert_eq!(machine.job(on_hold)["state"], "held");
    assert!(machine.call(&["release", &on_hold_text]).status.success());
    assert_eq!((machine.wait(on_hold), machine.logs(on_hold).as_str()), (0, "held\n"));
}
