use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use serde_json::Value;

use super::machine::{Machine, is_root, until};

const UNPRIVILEGED: Option<u32> = Some(65534);
const DAEMON: Option<u32> = Some(1);

#[test]
fn a_job_runs_as_its_submitter_and_no_other_user_controls_it() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let script = "id -u; id -G; grep -E 'NoNewPrivs|CapEff|CapPrm' /proc/self/status; sleep 60";
    let job = machine.submit_as(UNPRIVILEGED, &["--dir", "/", "--env", "USER=root"], script);
    until(|| machine.logs(job).lines().count() == 5);
    let log = machine.logs(job);
    let words: Vec<&str> = log.split_whitespace().collect();
    assert_eq!(&words[..2], ["65534", "65534"], "{log}");
    assert!(log.contains("CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nNoNewPrivs:\t1"), "{log}");
    let number = job.to_string();
    let changes =
        [&["requeue"][..], &["release"], &["local", "move", "--to", "root.x"], &["local", "priority", "--to", "9"]];
    for command in [&["logs"][..], &["cancel"], &["hold"], &["wait"], &["job"]].into_iter().chain(changes) {
        let output = machine.call_as(DAEMON, &[command, &[&number]].concat());
        let why = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {why}");
        assert!(why.contains("not yours") && output.stdout.is_empty());
    }
    for command in [&["jobs", "--json"][..], &["history", "--json"], &["top", "--json"]] {
        assert_eq!(machine.call_as(DAEMON, command).stdout, b"[]\n", "{command:?}");
    }
    let after = machine.call_as(DAEMON, &["submit", "--after", &number, "--dir", "/", "--", "true"]);
    assert_eq!(after.status.code(), Some(2), "nor can one wait for it");
    let inside = machine.call_as(
        UNPRIVILEGED,
        &["submit", "--dir", "/", "--wait", "--", "ls", machine.dir.join("jobs").to_str().unwrap()],
    );
    assert_ne!(inside.status.code(), Some(0), "what is kept is root's alone");
    assert_eq!(machine.job(job)["state"], "running");
    assert!(machine.call_as(UNPRIVILEGED, &["cancel", &number]).status.success());
    assert_eq!(machine.job(machine.submit_as(DAEMON, &["--dir", "/"], "true"))["queue"], "root.users.daemon");
}

#[test]
fn a_user_that_floods_the_queue_does_not_block_the_guarantee_of_another() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let flood: Vec<u64> = (0..8).map(|_| machine.submit_as(UNPRIVILEGED, &["--dir", "/"], "sleep 300")).collect();
    until(|| flood.iter().filter(|job| machine.job(**job)["state"] == "running").count() == 4);
    let asked = machine.call_as(DAEMON, &["submit", "--where", "--dir", "/", "--", "true"]);
    let reported = String::from_utf8(asked.stdout).unwrap();
    assert!(reported.contains("other jobs are preempted for the guaranteed resources of its queue"), "{reported}");
    let other = machine.submit_as(DAEMON, &["--dir", "/"], "echo mine");
    until(|| machine.job(other)["state"] == "ended");
    assert_eq!(machine.logs(other), "mine\n");
    let again = flood.iter().map(|job| machine.job(*job));
    let waits = again.filter(|job| job["attempts"] == 1 && job["state"] == "queued").count();
    let restarted = flood.iter().filter(|job| machine.job(**job)["attempts"] == 2).count();
    assert_eq!(waits + restarted, 1, "one made room, and is queued again");
}

#[test]
fn a_user_that_floods_with_small_jobs_is_also_preempted() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let small = ["--dir", "/", "--cpu", "1", "--mem", "20M"];
    let flood: Vec<u64> = (0..8).map(|_| machine.submit_as(UNPRIVILEGED, &small, "sleep 300")).collect();
    until(|| flood.iter().filter(|job| machine.job(**job)["state"] == "running").count() == 4);
    let other = machine.submit_as(DAEMON, &["--dir", "/"], "echo mine");
    until(|| machine.job(other)["state"] == "ended");
    assert_eq!(machine.logs(other), "mine\n");
}

/// Its memory is far below the guarantee; without one job, so are its cores.
#[test]
fn a_user_one_core_above_the_guarantee_gives_that_core() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&["--cpu", "2"]);
    let small = ["--dir", "/", "--cpu", "1", "--mem", "20M"];
    let both = [(); 2].map(|()| machine.submit_as(UNPRIVILEGED, &small, "sleep 300"));
    both.iter().for_each(|job| drop(machine.until(*job, "running")));
    let other = machine.submit_as(DAEMON, &small, "echo mine; sleep 2");
    machine.until(other, "running");
    assert_eq!(machine.wait(other), 0);
    let gave = |job: &Value| job["attempts"] == 2 || job["state"] == "queued";
    assert_eq!(both.map(|job| machine.job(job)).iter().filter(|job| gave(job)).count(), 1);
}

#[test]
fn a_core_with_its_memory_and_a_gpu_are_guaranteed() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&["--cpu", "2", "--gpu", "2"]);
    let flags = ["--dir", "/", "--cpu", "1", "--gpu", "1"];
    let flood: Vec<u64> = (0..4).map(|_| machine.submit_as(UNPRIVILEGED, &flags, "sleep 300")).collect();
    until(|| flood.iter().filter(|job| machine.job(**job)["state"] == "running").count() == 2);
    let other = machine.submit_as(DAEMON, &flags, "echo $CUDA_VISIBLE_DEVICES");
    until(|| machine.job(other)["state"] == "ended");
    assert!(["0\n", "1\n"].contains(&machine.logs(other).as_str()));
}

#[test]
fn an_output_file_is_the_submitters() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let dir = machine.dir.join("shared");
    fs::create_dir(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o777)).unwrap();
    let secret = machine.dir.join("secret");
    fs::write(&secret, "mine\n").unwrap();
    let out = dir.join("out");
    let flags = ["--dir", "/", "--output", out.to_str().unwrap()];
    let job = machine.submit_as(UNPRIVILEGED, &flags, "echo written");
    assert_eq!((machine.wait(job), fs::read_to_string(&out).unwrap().as_str()), (0, "written\n"));
    assert_eq!(fs::metadata(&out).unwrap().uid(), 65534, "it is his");
    let job = machine.submit_as(UNPRIVILEGED, &[&flags[..], &["--hold"]].concat(), "echo attack");
    fs::remove_file(&out).unwrap();
    std::os::unix::fs::symlink(&secret, &out).unwrap();
    assert!(machine.call(&["release", &job.to_string()]).status.success());
    assert_eq!((machine.wait(job), fs::read_to_string(&secret).unwrap().as_str()), (126, "mine\n"));
    fs::remove_file(&out).unwrap();
    let flags = ["--dir", "/", "--output", "/root-only/out"];
    let refused = machine.call_as(UNPRIVILEGED, &[&["submit"], &flags[..], &["--", "true"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    let job =
        machine.submit_as(UNPRIVILEGED, &["--dir", "/", "--output", out.to_str().unwrap(), "--hold"], "echo attack");
    fs::write(&out, "of daemon\n").unwrap();
    std::os::unix::fs::chown(&out, Some(1), Some(1)).unwrap();
    assert!(machine.call(&["release", &job.to_string()]).status.success());
    assert_eq!((machine.wait(job), fs::read_to_string(&out).unwrap().as_str()), (126, "of daemon\n"));
}

#[test]
fn what_who_started_the_daemon_had_open_is_closed_to_jobs() {
    if !is_root("two users") {
        return;
    }
    let mut machine = Machine::up(&[]);
    machine.kill();
    let secret = machine.dir.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "exec 7<\"$0\" && exec \"$@\""]).arg(&secret);
    machine.start_by(shell);
    let job = machine.submit_as(UNPRIVILEGED, &["--dir", "/"], "ls /proc/self/fd; cat <&7 || echo closed");
    machine.wait(job);
    let log = machine.logs(job);
    assert!(log.ends_with("closed\n") && !log.contains("of root"), "{log}");
}

#[test]
fn the_socket_and_stored_files_are_private() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let job = machine.submit_as(UNPRIVILEGED, &["--dir", "/", "--env", "SECRET=of-nobody"], "echo $SECRET; sleep 300");
    until(|| !machine.logs(job).is_empty());
    let mode = |path: &str| fs::metadata(machine.dir.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("run"), mode("run/local.sock")), (0o755, 0o666), "everybody may ask, nobody may replace it");
    let retained = ["jobs", "jobs/jobs", "jobs/jobs/1", "jobs/jobs/1/1"].map(mode);
    assert_eq!(retained, [0o700; 4]);
    assert_eq!(mode("jobs/lock"), 0o600);
    let files = ["submitted.json", "job.json", "1/output", "1/claim.json", "1/main.json"]
        .map(|file| mode(&format!("jobs/jobs/1/{file}")));
    assert_eq!(files, [0o600; 5]);
    let main = fs::read(machine.dir.join("jobs/jobs/1/1/main.json")).unwrap();
    let main: serde_json::Value = serde_json::from_slice(&main).unwrap();
    let pid = main["pid"].to_string();
    let script = format!("cat /proc/{pid}/environ /proc/{pid}/fd/1; kill {pid}; ls /proc/{pid}/cwd/; :");
    let other = machine.submit_as(DAEMON, &["--dir", "/"], &script);
    machine.wait(other);
    assert!(!machine.logs(other).contains("of-nobody"), "{}", machine.logs(other));
    assert_eq!(machine.job(job)["state"], "running");
    let environment = machine.submit_as(DAEMON, &["--dir", "/"], "env; cat /proc/$PPID/environ");
    machine.wait(environment);
    assert!(!machine.logs(environment).contains("of-nobody"));
}

#[test]
fn a_daemon_of_root_stores_nothing_where_others_may_write() {
    if !is_root("two users") {
        return;
    }
    let dir = crate::common::TestDir::new();
    for (name, owner, mode) in [("theirs", 65534, 0o700), ("open", 0, 0o777)] {
        let jobs = dir.join(name);
        fs::create_dir(&jobs).unwrap();
        std::os::unix::fs::chown(&jobs, Some(owner), None).unwrap();
        fs::set_permissions(&jobs, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(["local", "up", "--dir"]).arg(&jobs).arg("--socket").arg(dir.join("s"));
        let output = command.output().unwrap();
        let why = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && why.contains("other users can write to it"), "{name}: {why}");
    }
}

#[test]
fn hooks_run_as_the_submitter_and_others_are_requeued() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let flags = ["--dir", "/", "--checkpoint", "id -u; grep CapEff /proc/self/status"];
    let job = machine.submit_as(UNPRIVILEGED, &flags, "echo $$; trap 'exit 0' TERM; while :; do sleep 0.1; done");
    until(|| !machine.logs(job).is_empty());
    assert!(machine.call_as(UNPRIVILEGED, &["cancel", &job.to_string()]).status.success());
    machine.wait(job);
    let log = machine.logs(job);
    assert!(log.contains("\n65534\nCapEff:\t0000000000000000\n"), "{log}");
    let refused = machine.call_as(UNPRIVILEGED, &["submit", "--dir", "/", "--no-preempt", "--", "true"]);
    let why = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && why.contains("adminacl"), "{why}");
    assert_eq!(machine.live(), 0, "nothing was enqueued");
    assert_eq!(machine.wait(machine.submit(&["--no-preempt"], "true")), 0, "root administers every queue");
}
