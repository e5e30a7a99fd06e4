//! Paths that are replaced between submission and start.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::sync::atomic::{AtomicBool, Ordering};

use super::machine::{Machine, is_root, until};

const UNPRIVILEGED: Option<u32> = Some(65534);

#[test]
fn a_replaced_output_path_leads_to_no_file_of_others() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let secret = machine.dir.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let dirs = ["theirs", "renamed"].map(|name| machine.dir.join(name));
    for dir in &dirs {
        fs::create_dir(dir).unwrap();
        chown(dir, UNPRIVILEGED, UNPRIVILEGED).unwrap();
    }
    let file = dirs[0].join("out");
    let flags = ["--hold", "--dir", "/", "--output", file.to_str().unwrap()];
    let release = |job: u64| assert!(machine.call(&["release", &job.to_string()]).status.success());
    let linked = machine.submit_as(UNPRIVILEGED, &flags, "echo theirs");
    let _ = fs::remove_file(&file);
    symlink(&secret, &file).unwrap();
    release(linked);
    machine.wait(linked);
    assert_eq!(fs::read_to_string(&secret).unwrap(), "of root\n");
    fs::remove_file(&file).unwrap();
    let moved = machine.submit_as(UNPRIVILEGED, &flags, "echo theirs");
    let _ = fs::remove_file(&file);
    let roots = machine.dir.join("of-root");
    fs::create_dir(&roots).unwrap();
    fs::set_permissions(&roots, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&dirs[0], dirs[1].join("old")).unwrap();
    symlink(&roots, &dirs[0]).unwrap();
    release(moved);
    machine.wait(moved);
    assert_eq!(fs::read_dir(&roots).unwrap().count(), 0, "nothing was made in a folder of root");
}

#[test]
fn a_daemon_that_is_killed_finds_jobs_in_each_state_again() {
    let mut machine = Machine::up(&[]);
    let ended = machine.submit(&[], "echo done; exit 3");
    assert_eq!(machine.wait(ended), 3);
    let running = machine.submit(&[], "echo begun; sleep 2; exit 4");
    until(|| machine.logs(running) == "begun\n");
    let on_hold = machine.submit(&["--hold"], "exit 5");
    let waiting = machine.submit(&["--after", &on_hold.to_string()], "exit 6");
    let states = |machine: &Machine| [ended, running, on_hold, waiting].map(|job| machine.job(job)["state"].clone());
    let before = states(&machine);
    assert_eq!((&before[0], &before[1], &before[2]), (&"ended".into(), &"running".into(), &"held".into()));
    machine.kill();
    machine.start();
    assert_eq!(states(&machine), before);
    assert_eq!((machine.wait(ended), machine.logs(ended).as_str()), (3, "done\n"));
    assert_eq!((machine.wait(running), machine.logs(running).as_str()), (4, "begun\n"));
    assert_eq!(machine.job(running)["attempts"], 1, "it was not begun again");
    assert!(machine.call(&["release", &on_hold.to_string()]).status.success());
    assert_eq!(machine.wait(on_hold), 5);
}

#[test]
fn an_output_file_that_becomes_a_link_leads_nowhere() {
    change_places("--output", "echo theirs");
}

#[test]
fn an_error_file_that_becomes_a_link_leads_nowhere() {
    change_places("--error", "echo theirs >&2");
}

/// Swaps the file of an option with a link to a file of root while jobs start.
fn change_places(option: &str, script: &str) {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let secret = machine.dir.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let remote = machine.dir.join("theirs");
    fs::create_dir(&remote).unwrap();
    chown(&remote, UNPRIVILEGED, UNPRIVILEGED).unwrap();
    let [out, file, link] = ["out", "file", "link"].map(|name| remote.join(name));
    fs::write(&file, "").unwrap();
    chown(&file, UNPRIVILEGED, UNPRIVILEGED).unwrap();
    let (done, round) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::remove_file(&link);
                symlink(&secret, &link).unwrap();
                fs::rename(&link, &out).unwrap();
                fs::hard_link(&file, &link).unwrap();
                fs::rename(&link, &out).unwrap();
                // A rename between links to the same file does nothing.
                round.store(true, Ordering::Relaxed);
            }
        });
        until(|| round.load(Ordering::Relaxed));
        let flags = ["--dir", "/", option, out.to_str().unwrap(), "--array", "1-40"];
        let number = machine.call_as(UNPRIVILEGED, &[&["submit"][..], &flags, &["--", "sh", "-c", script]].concat());
        let numbers = String::from_utf8(number.stdout.clone()).unwrap();
        let ended = !numbers.is_empty() && machine.call(&["wait", numbers.trim()]).status.code().is_some();
        done.store(true, Ordering::Relaxed);
        assert!(ended, "{number:?}");
    });
    assert_eq!(fs::read_to_string(&secret).unwrap(), "of root\n");
    let written = fs::read_to_string(&file).unwrap();
    assert!(written.lines().all(|line| line == "theirs"), "{written}");
}

#[test]
fn a_restart_finds_jobs_that_wait_and_that_were_canceled() {
    let mut machine = Machine::up(&[]);
    let go = machine.dir.join("go");
    let all = machine.submit(&["--cpu", "4"], &format!("while ! test -e {}; do sleep 0.1; done", go.display()));
    machine.until(all, "running");
    let pending = machine.submit(&["--cpu", "4"], "echo after");
    let (_, reported) = machine.reported(&["submit", "--cpu", "4", "--array", "1-2%1", "--", "sh", "-c", "exit 7"]);
    let limited: u64 = reported.split('-').next().unwrap().parse().unwrap();
    let canceled = machine.submit(&["--hold"], "true");
    assert!(machine.call(&["cancel", &canceled.to_string()]).status.success());
    let retried = machine.submit(&["--hold", "--retry", "1"], "exit 8");
    let states = |machine: &Machine| {
        [all, pending, limited, limited + 1, canceled, retried].map(|job| machine.job(job)["state"].clone())
    };
    machine.until(pending, "queued");
    machine.until(limited, "queued");
    let before = states(&machine);
    for _ in 0..2 {
        machine.kill();
        machine.start();
        assert_eq!(states(&machine), before);
    }
    fs::write(&go, "").unwrap();
    assert!(machine.call(&["release", &retried.to_string()]).status.success());
    let ended = [all, pending, limited, limited + 1, canceled, retried].map(|job| machine.wait(job));
    assert_eq!(ended, [0, 0, 7, 7, 125, 8]);
    assert_eq!((machine.job(retried)["attempts"].clone(), machine.logs(pending)), (2.into(), "after\n".to_owned()));
}
