//! The lock or the file is removed while the program runs.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::program::with_state;
use crate::common::{Program, TestDir, kornsole_command, post};

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";

struct Served {
    dir: TestDir,
    token: String,
}

impl Served {
    fn new() -> Self {
        let dir = TestDir::new();
        dir.write("queues.yaml", QUEUES);
        let token = dir.token("sue", "dev");
        Self { dir, token }
    }

    fn command(&self) -> std::process::Command {
        let [queues, tokens] = ["queues.yaml", "tokens.yaml"].map(|name| self.dir.join(name));
        let arguments = ["--config", queues.to_str().unwrap(), "--tokens", tokens.to_str().unwrap()];
        with_state(&self.state(), &arguments)
    }

    fn state(&self) -> std::path::PathBuf {
        self.dir.join("state")
    }

    fn submit(&self, server: &Program, app: &str) -> (u16, Value) {
        let body = json!({"app": app, "queue": "root.a"}).to_string();
        post(server, "/kornsole/v1/partition/default/applications", &self.token, &body)
    }

    fn refused(&self) -> String {
        let mut command = self.command();
        let output = command.output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    }
}

#[test]
fn a_removed_lock_admits_no_second_process() {
    let served = Served::new();
    let first = Program::spawn(served.command());
    assert_eq!(served.submit(&first, "one").0, 201);
    for _ in 0..2 {
        fs::remove_file(served.state().join("lock")).unwrap();
        let message = served.refused();
        assert!(message.contains("in use by another kornsole") && message.contains("--state"), "{message}");
        let listed = kornsole_command(&["audit", "--state"]).arg(served.state()).output().unwrap();
        let listed = String::from_utf8(listed.stderr).unwrap();
        assert!(listed.contains("in use by another kornsole"), "{listed}");
    }
    assert_eq!(served.submit(&first, "two").0, 201, "the first one continues");
    first.kill();
    let again = Program::spawn(served.command());
    assert_eq!(served.submit(&again, "one").0, 409, "what was answered is there");
    assert_eq!(served.submit(&again, "two").0, 409);
}

/// No operation is acknowledged between `take` and `give` of the journal.
#[track_caller]
fn no_order_while(take: impl Fn(&Path), give: impl Fn(&Path)) {
    let served = Served::new();
    let server = Program::spawn(served.command());
    assert_eq!(served.submit(&server, "one").0, 201);
    take(&served.dir);
    let (status, message) = served.submit(&server, "two");
    assert_eq!(status, 503, "{message}");
    assert!(message.to_string().contains("journal.redb was moved, removed, or replaced"), "{message}");
    give(&served.dir);
    let mut last = 0;
    for at in 0..100 {
        last = served.submit(&server, &format!("later-{at}")).0;
        if last == 201 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(last, 201, "it continues where it was");
    server.kill();
    let again = Program::spawn(served.command());
    assert_eq!(served.submit(&again, "one").0, 409, "what was answered is there");
    assert_eq!(served.submit(&again, "two").0, 201, "what was refused is not");
}

#[test]
fn a_directory_that_was_moved_rejects_operations_until_it_is_back() {
    let rename = |dir: &Path, from: &str, to: &str| fs::rename(dir.join(from), dir.join(to)).unwrap();
    no_order_while(|dir| rename(dir, "state", "aside"), |dir| rename(dir, "aside", "state"));
    let replace = |dir: &Path| {
        rename(dir, "state", "aside");
        fs::create_dir(dir.join("state")).unwrap();
        fs::copy(dir.join("aside/journal.redb"), dir.join("state/journal.redb")).unwrap();
    };
    let restore = |dir: &Path| {
        fs::remove_dir_all(dir.join("state")).unwrap();
        rename(dir, "aside", "state");
    };
    no_order_while(replace, restore);
}

#[test]
fn a_file_that_was_removed_stops_orders() {
    let served = Served::new();
    let server = Program::spawn(served.command());
    fs::remove_file(served.state().join("journal.redb")).unwrap();
    assert_eq!(served.submit(&server, "one").0, 503);
    let other = Program::spawn({
        fs::remove_file(served.state().join("lock")).unwrap();
        served.command()
    });
    assert_eq!(served.submit(&other, "one").0, 201, "there is nothing in the folder");
    assert_eq!(served.submit(&server, "two").0, 503, "this one has lost it");
}

#[test]
fn a_foreign_file_rejects_all_later_operations() {
    let served = Served::new();
    let server = Program::spawn(served.command());
    let file = served.state().join("journal.redb");
    let copy = fs::read(&file).unwrap();
    assert_eq!(served.submit(&server, "one").0, 201);
    fs::write(&file, &copy[..copy.len() / 2]).unwrap();
    let (status, message) = served.submit(&server, "two");
    assert_eq!(status, 503, "{message}");
    fs::write(&file, &copy).unwrap();
    assert_eq!(served.submit(&server, "three").0, 503, "what is in it is not known any more");
}
