//! Commands on truncated state directories report the damage and show the intact part.

use std::path::Path;

use crate::common::{Program, TestDir, kornsole_command};
use crate::program::with_state;

fn call(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = kornsole_command(arguments).output().unwrap();
    let [printed, reported] = [output.stdout, output.stderr].map(|reported| String::from_utf8(reported).unwrap());
    (output.status.code(), printed, reported)
}

fn dir() -> TestDir {
    let dir = TestDir::new();
    let queues = dir.write(
        "queues.yaml",
        "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n",
    );
    let server = Program::spawn(with_state(&dir.join("state"), &["--config", queues.to_str().unwrap()]));
    server.kill();
    dir
}

const COMMANDS: [&[&str]; 6] = [
    &["audit", "--state"],
    &["config", "history", "--state"],
    &["config", "show", "--state"],
    &["usage", "--state"],
    &["explain", "--all", "--state"],
    &["alerts", "replay", "--state"],
];

fn damaged(state: &Path, len: usize) {
    let path = state.to_str().unwrap();
    for command in COMMANDS {
        let (code, printed, reported) = call(&[command, &[path]].concat());
        let case = format!("{command:?} with {len} bytes: {code:?}\n{printed}\n{reported}");
        assert!(code == Some(1) || code == Some(2), "{case}");
        assert!(reported.contains(path) && (reported.contains("damaged") || reported.contains("is lost")), "{case}");
        assert!(!reported.contains("no state") && !reported.contains("panicked"), "{case}");
    }
    let refused = with_state(state, &[]).output().unwrap();
    let reported = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && reported.contains("damaged"), "serve with {len} bytes: {reported}");
}

#[test]
fn a_truncated_journal_is_reported_as_damaged() {
    let dir = dir();
    let (state, file) = (dir.join("state"), dir.join("state").join("journal.redb"));
    let whole = std::fs::read(&file).unwrap();
    for len in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&file, &whole[..len]).unwrap();
        damaged(&state, len);
        assert_eq!(std::fs::read(&file).unwrap(), &whole[..len], "it stays as it is");
    }
    let (code, printed, reported) = call(&["config", "history", "--state", state.to_str().unwrap()]);
    assert!(code == Some(1) && printed.contains("start"), "{printed}\n{reported}");
    assert!(reported.contains("1 configurations") || reported.contains("intact: records"), "{reported}");
}

#[test]
fn a_foreign_directory_is_rejected() {
    let dir = TestDir::new();
    dir.write("letters.txt", "dear");
    let path = dir.join("").to_str().unwrap().to_owned();
    for command in COMMANDS {
        let (code, _, reported) = call(&[command, &[path.as_str()]].concat());
        assert!(code != Some(0) && reported.contains("has no scheduler state"), "{command:?}: {reported}");
    }
}
