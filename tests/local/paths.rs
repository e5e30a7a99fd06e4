//! Paths that are replaced between submission and start, and a daemon that is killed with jobs in each state.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, chown, symlink};

use super::machine::{Machine, is_root, until};

const NOBODY: Option<u32> = Some(65534);

#[test]
fn a_replaced_output_path_leads_to_no_file_of_others() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    let secret = machine.folder.join("secret");
    fs::write(&secret, "of root\n").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600)).unwrap();
    let folders = ["theirs", "renamed"].map(|name| machine.folder.join(name));
    for folder in &folders {
        fs::create_dir(folder).unwrap();
        chown(folder, NOBODY, NOBODY).unwrap();
    }
    let file = folders[0].join("out");
    let flags = ["--hold", "--dir", "/", "--output", file.to_str().unwrap()];
    let release = |job: u64| assert!(machine.call(&["release", &job.to_string()]).status.success());
    // The file becomes a link to the file of root.
    let linked = machine.submit_as(NOBODY, &flags, "echo theirs");
    let _ = fs::remove_file(&file);
    symlink(&secret, &file).unwrap();
    release(linked);
    machine.wait(linked);
    assert_eq!(fs::read_to_string(&secret).unwrap(), "of root\n");
    fs::remove_file(&file).unwrap();
    // The folder becomes a link to a folder of root.
    let moved = machine.submit_as(NOBODY, &flags, "echo theirs");
    let _ = fs::remove_file(&file);
    let roots = machine.folder.join("of-root");
    fs::create_dir(&roots).unwrap();
    fs::set_permissions(&roots, fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(&folders[0], folders[1].join("old")).unwrap();
    symlink(&roots, &folders[0]).unwrap();
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
    let held = machine.submit(&["--hold"], "exit 5");
    let waiting = machine.submit(&["--after", &held.to_string()], "exit 6");
    let states = |machine: &Machine| [ended, running, held, waiting].map(|job| machine.job(job)["state"].clone());
    let before = states(&machine);
    assert_eq!((&before[0], &before[1], &before[2]), (&"ended".into(), &"running".into(), &"held".into()));
    machine.kill();
    machine.start();
    assert_eq!(states(&machine), before);
    assert_eq!((machine.wait(ended), machine.logs(ended).as_str()), (3, "done\n"));
    assert_eq!((machine.wait(running), machine.logs(running).as_str()), (4, "begun\n"));
    assert_eq!(machine.job(running)["attempts"], 1, "it was not begun again");
    assert!(machine.call(&["release", &held.to_string()]).status.success());
    assert_eq!(machine.wait(held), 5);
}
