//! The wall clock is set back and forth while the daemon is away.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::machine::Machine;

/// libfaketime from its Debian package, which sets the clock of one process.
fn library() -> Option<PathBuf> {
    let dirs = std::fs::read_dir("/usr/lib").ok()?.filter_map(Result::ok);
    dirs.map(|dir| dir.path().join("faketime/libfaketime.so.1")).find(|library| library.is_file())
}

/// A daemon whose clock has this offset; waits use the clock of the machine.
fn restart(machine: &mut Machine, library: &Path, offset: &str) {
    machine.kill();
    let mut command = Command::new("env");
    let set = [format!("LD_PRELOAD={}", library.display()), format!("FAKETIME={offset}")];
    command.args(set).arg("FAKETIME_DONT_FAKE_MONOTONIC=1");
    machine.start_by(command);
}

fn shown(machine: &Machine, job: u64) -> [Value; 3] {
    let report = machine.job(job);
    ["state", "started", "attempts"].map(|key| report[key].clone())
}

#[test]
fn a_clock_that_is_set_back_and_forth_loses_and_ends_no_job() {
    let Some(library) = library() else {
        eprintln!("skipped: libfaketime is not installed");
        return;
    };
    let mut machine = Machine::up(&[]);
    restart(&mut machine, &library, "+2h");
    let ended = machine.submit(&[], "exit 3");
    assert_eq!(machine.wait(ended), 3);
    let go = machine.dir.join("go");
    let waits = format!("while ! test -e {}; do sleep 0.1; done; exit 4", go.display());
    let running = machine.submit(&["--cpu", "1", "--time", "20m"], &waits);
    let on_hold = machine.submit(&["--hold"], "exit 5");
    let after = machine.submit(&["--after", &format!("{on_hold}:any")], "exit 6");
    machine.until(running, "running");
    let all = [ended, running, on_hold, after];
    let before = all.map(|job| shown(&machine, job));
    let mut newest = after;
    for offset in ["-1h", "+30h", "+0h"] {
        restart(&mut machine, &library, offset);
        assert_eq!(all.map(|job| shown(&machine, job)), before, "{offset}: each job is where it was");
        let new = machine.submit(&["--cpu", "1"], "exit 7");
        assert_eq!((machine.wait(new), new), (7, newest + 1), "{offset}: numbers continue");
        newest = new;
    }
    std::fs::write(&go, "").unwrap();
    assert_eq!(machine.wait(running), 4, "its time limit is that of a stopwatch");
    assert!(machine.call(&["release", &on_hold.to_string()]).status.success());
    assert_eq!([on_hold, after].map(|job| machine.wait(job)), [5, 6]);
    let history: Value = serde_json::from_slice(&machine.call(&["history", "--json"]).stdout).unwrap();
    assert_eq!(history.as_array().unwrap().len(), 7, "{history}");
}
