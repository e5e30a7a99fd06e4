//! `kornsole token` in parallel processes: no change of the file is lost.

use std::collections::BTreeSet;
use std::process::{Child, Output, Stdio};

use crate::common::{TestDir, kornsole_command};

fn start(dir: &TestDir, arguments: &[&str]) -> Child {
    let mut command = kornsole_command(&["token"]);
    command.args(arguments).arg("--file").arg(dir.tokens());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn end(children: Vec<Child>) -> Vec<String> {
    let ended = children.into_iter().map(|child| child.wait_with_output().unwrap());
    ended
        .map(|Output { status, stdout, stderr }| {
            assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
            String::from_utf8(stdout).unwrap()
        })
        .collect()
}

fn ids(dir: &TestDir) -> BTreeSet<String> {
    let listed = end(vec![start(dir, &["list"])]).concat();
    listed.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn many_tokens_that_are_made_at_once_are_all_there() {
    let dir = TestDir::new();
    end((0..30).map(|user| start(&dir, &["new", "--user", &format!("u{user}")])).collect());
    assert_eq!(ids(&dir).len(), 30);
    assert_eq!(dir.names(), ["tokens.yaml"], "nothing is left beside the file");
}

#[test]
fn a_revoked_token_stays_revoked_while_others_are_made() {
    let dir = TestDir::new();
    for round in 0..6 {
        end(vec![start(&dir, &["new", "--user", "eve"])]);
        let known = ids(&dir);
        let mine = known.iter().next_back().unwrap().clone();
        let mut children: Vec<Child> =
            (0..4).map(|user| start(&dir, &["new", "--user", &format!("u{user}")])).collect();
        children.push(start(&dir, &["revoke", &mine]));
        children.extend((4..8).map(|user| start(&dir, &["new", "--user", &format!("u{user}")])));
        end(children);
        let left = ids(&dir);
        assert!(!left.contains(&mine), "round {round}: {mine} is back");
        assert_eq!(left.len(), known.len() + 7, "round {round}");
    }
}

#[test]
fn a_file_that_cannot_be_changed_is_not_made() {
    let dir = TestDir::new();
    let missing = start(&dir, &["revoke", "t-none"]).wait_with_output().unwrap();
    assert!(!missing.status.success() && String::from_utf8_lossy(&missing.stderr).contains("token t-none not found"));
    assert!(dir.names().is_empty());
}
