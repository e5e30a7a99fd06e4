//! The wall clock is set back or forward between two runs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::program::{Crashed, get, well};
use crate::common::Program;

/// libfaketime from its Debian package, which sets the clock of one process.
fn library() -> Option<PathBuf> {
    let dirs = std::fs::read_dir("/usr/lib").ok()?.filter_map(Result::ok);
    dirs.map(|dir| dir.path().join("faketime/libfaketime.so.1")).find(|library| library.is_file())
}

/// `+2h` is two hours ahead. Waits use the clock of the machine.
fn by_clock<'l>(library: &'l Path, offset: &'l str) -> impl Fn(Command) -> Command + 'l {
    move |mut command| {
        command.env("LD_PRELOAD", library).env("FAKETIME", offset).env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        command
    }
}

fn submitted(server: &Program) -> i64 {
    let apps = get(server, "/ws/v1/partition/default/queue/root.b/applications");
    assert_eq!(apps[0]["usedResource"]["vcore"], 3000, "{apps}");
    apps[0]["submissionTime"].as_i64().unwrap()
}

#[test]
fn a_clock_that_is_set_back_and_forward_between_runs_loses_nothing() {
    let Some(library) = library() else {
        eprintln!("skipped: libfaketime is not installed");
        return;
    };
    let mut crashed = Crashed::by(by_clock(&library, "+2h"));
    let hour = 3600 * 1_000_000_000;
    let now = || i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
    let (mut audit, mut first_submitted) = (crashed.audit.clone(), None);
    for (offset, target) in [("-1h", "2"), ("+0h", "1"), ("+30h", "2")] {
        let server = crashed.serve(by_clock(&library, offset));
        crashed.url = server.url();
        let submitted = submitted(&server);
        assert_eq!(*first_submitted.get_or_insert(submitted), submitted, "{offset}: what was written down stays");
        assert!(submitted > now() + hour, "the first run was ahead");
        let reason = format!("at {offset}");
        let (done, reported) = crashed.ask("sue", &["config", "rollback", target, "--yes", "--reason", &reason]);
        assert!(done, "{offset}: {reported}");
        let before = std::mem::replace(&mut audit, crashed.ask("sue", &["audit"]).1);
        let (old, new): (Vec<&str>, Vec<&str>) = audit.lines().partition(|line| before.lines().any(|old| old == *line));
        assert_eq!(old, before.lines().collect::<Vec<_>>(), "{offset}: every entry is there, in its order");
        assert!(new.iter().any(|line| line.contains(&reason)), "{offset}: {audit}");
        server.kill();
    }
    assert_eq!(well(&["audit", "--state", &crashed.path("state")]), audit);
    let history = well(&["config", "history", "--state", &crashed.path("state")]);
    assert!((1..=6).all(|revision| history.lines().any(|line| line.trim_start().starts_with(&revision.to_string()))));
}
