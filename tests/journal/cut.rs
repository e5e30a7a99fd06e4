//! Commands on truncated state directories report the damage and show the intact part.

use std::path::Path;

use crate::common::{Program, TestFolder, kornsole_command};
use crate::program::with_state;

/// Returns the exit code, stdout, and stderr.
fn call(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = kornsole_command(arguments).output().unwrap();
    let [printed, said] = [output.stdout, output.stderr].map(|said| String::from_utf8(said).unwrap());
    (output.status.code(), printed, said)
}

fn folder() -> TestFolder {
    let folder = TestFolder::new();
    let queues = folder.write(
        "queues.yaml",
        "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n",
    );
    let server = Program::spawn(with_state(&folder.join("state"), &["--config", queues.to_str().unwrap()]));
    server.kill();
    folder
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
        let (code, printed, said) = call(&[command, &[path]].concat());
        let case = format!("{command:?} with {len} bytes: {code:?}\n{printed}\n{said}");
        assert!(code == Some(1) || code == Some(2), "{case}");
        assert!(said.contains(path) && (said.contains("damaged") || said.contains("is lost")), "{case}");
        assert!(!said.contains("no state") && !said.contains("panicked"), "{case}");
    }
    let refused = with_state(state, &[]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("damaged"), "serve with {len} bytes: {said}");
}

#[test]
fn a_journal_that_was_cut_off_is_said_to_be_damaged() {
    let folder = folder();
    let (state, file) = (folder.join("state"), folder.join("state").join("journal.redb"));
    let whole = std::fs::read(&file).unwrap();
    for len in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&file, &whole[..len]).unwrap();
        damaged(&state, len);
        assert_eq!(std::fs::read(&file).unwrap(), &whole[..len], "it stays as it is");
    }
    let (code, printed, said) = call(&["config", "history", "--state", state.to_str().unwrap()]);
    assert!(code == Some(1) && printed.contains("start"), "{printed}\n{said}");
    assert!(said.contains("1 configurations") || said.contains("intact: records"), "{said}");
}

#[test]
fn a_folder_of_something_else_is_no_state_folder() {
    let folder = TestFolder::new();
    folder.write("letters.txt", "dear");
    let path = folder.join("").to_str().unwrap().to_owned();
    for command in COMMANDS {
        let (code, _, said) = call(&[command, &[path.as_str()]].concat());
        assert!(code != Some(0) && said.contains("has no scheduler state"), "{command:?}: {said}");
    }
}
