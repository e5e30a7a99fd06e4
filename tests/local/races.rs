//! Paths that are replaced while a daemon of root opens them for a user.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use super::machine::{Machine, is_root, until};

const NOBODY: Option<u32> = Some(65534);

/// Alternates `theirs/name` between the result of `make` and a link to `secret`.
fn swapped<T>(theirs: &Path, secret: &Path, make: impl Fn(&Path) + Sync, run: impl FnOnce(&Path) -> T) -> T {
    let (name, own, link) = (theirs.join("name"), theirs.join("own"), theirs.join("link"));
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
    let (theirs, secret) = (machine.folder.join("theirs"), machine.folder.join("of-root"));
    for folder in [&theirs, &secret] {
        fs::create_dir(folder).unwrap();
    }
    chown(&theirs, NOBODY, NOBODY).unwrap();
    fs::write(secret.join("secret.sh"), text).unwrap();
    fs::set_permissions(secret.join("secret.sh"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o700)).unwrap();
    (machine, theirs, secret)
}

#[test]
fn a_job_enters_no_directory_that_its_user_may_not_enter() {
    if !is_root("two users") {
        return;
    }
    let (machine, theirs, secret) = stage("of root\n");
    let make = |own: &Path| {
        let _ = fs::create_dir(own);
        let _ = chown(own, NOBODY, NOBODY);
    };
    let statuses = swapped(&theirs, &secret, make, |name| {
        let submit = ["submit", "--dir", name.to_str().unwrap(), "--", "sh", "-c", "ls; touch made"];
        let mut statuses = Vec::new();
        for _ in 0..40 {
            let answer = machine.call_as(NOBODY, &submit);
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
    let (machine, theirs, secret) = stage("#!/bin/sh\necho of-root\n");
    let make = |own: &Path| {
        let _ = fs::write(own, "#!/bin/sh\necho theirs\n");
        let _ = chown(own, NOBODY, NOBODY);
    };
    let logs = swapped(&theirs, &secret.join("secret.sh"), make, |name| {
        let mut logs = Vec::new();
        for _ in 0..20 {
            let answer = machine.call_as(NOBODY, &["submit", "--dir", "/", name.to_str().unwrap()]);
            assert!(!String::from_utf8_lossy(&answer.stderr).contains("of-root"), "{answer:?}");
            let Ok(job) = String::from_utf8_lossy(&answer.stdout).trim().parse::<u64>() else { continue };
            machine.wait(job);
            logs.push(machine.logs(job));
        }
        logs
    });
    assert!(logs.iter().all(|log| !log.contains("of-root")), "{logs:?}");
}

fn up(folder: &Path, jobs: &Path, socket: &Path) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["local", "up", "--dir"]).arg(jobs).arg("--socket").arg(socket).current_dir(folder);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_daemon_of_root_uses_no_path_that_others_can_replace() {
    if !is_root("two users") {
        return;
    }
    let folder = crate::common::TestFolder::new();
    let (theirs, own) = (folder.join("theirs"), folder.join("own"));
    fs::create_dir_all(theirs.join("below")).unwrap();
    fs::create_dir(&own).unwrap();
    chown(&theirs, NOBODY, NOBODY).unwrap();
    let open = folder.join("open");
    fs::create_dir(&open).unwrap();
    fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).unwrap();
    symlink(theirs.join("below"), folder.join("link")).unwrap();
    for (jobs, socket) in [
        (theirs.join("below/jobs"), own.join("s")),
        (folder.join("link/jobs"), own.join("s")),
        (open.join("jobs"), own.join("s")),
        (own.join("jobs"), theirs.join("s")),
        (own.join("jobs"), theirs.join("below/s")),
        (own.join("jobs"), folder.join("link/s")),
        (own.join("jobs"), open.join("s")),
    ] {
        let (code, why) = up(&folder, &jobs, &socket);
        let said = why.contains("other users can write to it and replace its contents");
        assert!(code == Some(1) && said, "{} {}: {why}", jobs.display(), socket.display());
        assert!(!socket.exists(), "{}", socket.display());
    }
    // The daemon does not follow a link at the path of the socket.
    let secret = folder.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&secret, own.join("s")).unwrap();
    let (code, why) = up(&folder, &own.join("jobs"), &own.join("s"));
    assert!(code == Some(1) && why.contains("is not a socket"), "{why}");
    assert_eq!(fs::metadata(&secret).unwrap().permissions().mode() & 0o777, 0o600);
}
