//! Paths that are replaced while a daemon of root opens them for a user.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use super::machine::{Machine, is_root, until};

const UNPRIVILEGED: Option<u32> = Some(65534);

/// Alternates `theirs/name` between the result of `make` and a link to `secret`.
fn swapped<T>(remote: &Path, secret: &Path, make: impl Fn(&Path) + Sync, run: impl FnOnce(&Path) -> T) -> T {
    let (name, own, link) = (remote.join("name"), remote.join("own"), remote.join("link"));
    let (done, round) = (AtomicBool::new(false), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                make(&own);
                let _ = fs::remove_file(&name);
                let _ = fs::rename(&own, &name);
                let _ = fs::remove_file(&link);
                symlink(secret, &link).unwrap();
                // A link cannot replace a directory, so the directory is moved away first.
                let _ = fs::rename(&name, &own);
                let _ = fs::rename(&link, &name);
                round.store(true, Ordering::Relaxed);
            }
        });
        until(|| round.load(Ordering::Relaxed));
        let found = run(&name);
        done.store(true, Ordering::Relaxed);
        found
    })
}

/// A directory of user nobody, and one of root with a file of this text.
fn stage(text: &str) -> (Machine, std::path::PathBuf, std::path::PathBuf) {
    let machine = Machine::up(&[]);
    let (remote, secret) = (machine.dir.join("theirs"), machine.dir.join("of-root"));
    for dir in [&remote, &secret] {
        fs::create_dir(dir).unwrap();
    }
    chown(&remote, UNPRIVILEGED, UNPRIVILEGED).unwrap();
    fs::write(secret.join("secret.sh"), text).unwrap();
    fs::set_permissions(secret.join("secret.sh"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o700)).unwrap();
    (machine, remote, secret)
}

#[test]
fn a_job_enters_no_directory_that_its_user_may_not_enter() {
    if !is_root("two users") {
        return;
    }
    let (machine, remote, secret) = stage("of root\n");
    let make = |own: &Path| {
        let _ = fs::create_dir(own);
        let _ = chown(own, UNPRIVILEGED, UNPRIVILEGED);
    };
    let statuses = swapped(&remote, &secret, make, |name| {
        let submit = ["submit", "--dir", name.to_str().unwrap(), "--", "sh", "-c", "ls; touch made"];
        let mut statuses = Vec::new();
        for _ in 0..40 {
            let answer = machine.call_as(UNPRIVILEGED, &submit);
            let Ok(job) = String::from_utf8_lossy(&answer.stdout).trim().parse::<u64>() else { continue };
            statuses.push(machine.wait(job));
            assert!(!machine.logs(job).contains("secret"), "{}", machine.logs(job));
        }
        statuses
    });
    assert!(statuses.iter().all(|status| [0, 1, 126].contains(status)), "{statuses:?}");
    assert_eq!(fs::read_dir(&secret).unwrap().count(), 1, "nothing was made in a directory of root");
}

#[test]
fn a_script_is_read_as_who_submits_it() {
    if !is_root("two users") {
        return;
    }
    let (machine, remote, secret) = stage("#!/bin/sh\necho of-root\n");
    let make = |own: &Path| {
        let _ = fs::write(own, "#!/bin/sh\necho theirs\n");
        let _ = chown(own, UNPRIVILEGED, UNPRIVILEGED);
    };
    let logs = swapped(&remote, &secret.join("secret.sh"), make, |name| {
        let mut logs = Vec::new();
        for _ in 0..20 {
            let answer = machine.call_as(UNPRIVILEGED, &["submit", "--dir", "/", name.to_str().unwrap()]);
            assert!(!String::from_utf8_lossy(&answer.stderr).contains("of-root"), "{answer:?}");
            let Ok(job) = String::from_utf8_lossy(&answer.stdout).trim().parse::<u64>() else { continue };
            machine.wait(job);
            logs.push(machine.logs(job));
        }
        logs
    });
    assert!(logs.iter().all(|log| !log.contains("of-root")), "{logs:?}");
}

fn up(dir: &Path, jobs: &Path, socket: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["local", "up", "--dir"]).arg(jobs).arg("--socket").arg(socket).current_dir(dir);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_daemon_of_root_uses_no_path_that_others_can_replace() {
    if !is_root("two users") {
        return;
    }
    let dir = crate::common::TestDir::new();
    let (remote, own) = (dir.join("theirs"), dir.join("own"));
    fs::create_dir_all(remote.join("below")).unwrap();
    fs::create_dir(&own).unwrap();
    chown(&remote, UNPRIVILEGED, UNPRIVILEGED).unwrap();
    let open = dir.join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    symlink(remote.join("below"), dir.join("link")).unwrap();
    for (jobs, socket) in [
        (remote.join("below/jobs"), own.join("s")),
        (dir.join("link/jobs"), own.join("s")),
        (open.join("jobs"), own.join("s")),
        (own.join("jobs"), remote.join("s")),
        (own.join("jobs"), remote.join("below/s")),
        (own.join("jobs"), dir.join("link/s")),
        (own.join("jobs"), open.join("s")),
    ] {
        let (code, why) = up(&dir, &jobs, &socket);
        let reported = why.contains("other users can write to it and replace its contents");
        assert!(code == Some(1) && reported, "{} {}: {why}", jobs.display(), socket.display());
        assert!(!socket.exists(), "{}", socket.display());
    }
    let secret = dir.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&secret, own.join("s")).unwrap();
    let (code, why) = up(&dir, &own.join("jobs"), &own.join("s"));
    assert!(code == Some(1) && why.contains("is not a socket"), "{why}");
    assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
}
