//! The lock or the file is removed while the program runs.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::program::with_state;
use crate::common::{Program, TestFolder, kornsole_command, post};

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";

struct Served {
    folder: TestFolder,
    token: String,
}

impl Served {
    fn new() -> Self {
        let folder = TestFolder::new();
        folder.write("queues.yaml", QUEUES);
        let token = folder.token("sue", "dev");
        Self { folder, token }
    }

    fn command(&self) -> std::process::Command {
        let [queues, tokens] = ["queues.yaml", "tokens.yaml"].map(|name| self.folder.join(name));
        let arguments = ["--config", queues.to_str().unwrap(), "--tokens", tokens.to_str().unwrap()];
        with_state(&self.state(), &arguments)
    }

    fn state(&self) -> std::path::PathBuf {
        self.folder.join("state")
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
fn a_lock_that_was_removed_lets_nobody_in() {
    let served = Served::new();
    let first = Program::spawn(served.command());
    assert_eq!(served.submit(&first, "one").0, 201);
    for _ in 0..2 {
        fs::remove_file(served.state().join("lock")).unwrap();
        let message = served.refused();
        assert!(message.contains("in use by another kornsole") && message.contains("--state"), "{message}");
        let looked = kornsole_command(&["audit", "--state"]).arg(served.state()).output().unwrap();
        let looked = String::from_utf8(looked.stderr).unwrap();
        assert!(looked.contains("in use by another kornsole"), "{looked}");
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
    take(&served.folder);
    let (status, message) = served.submit(&server, "two");
    assert_eq!(status, 503, "{message}");
    assert!(message.to_string().contains("journal.redb was moved, removed, or replaced"), "{message}");
    give(&served.folder);
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
fn a_folder_that_was_moved_stops_orders_until_it_is_back() {
    let rename = |folder: &Path, from: &str, to: &str| fs::rename(folder.join(from), folder.join(to)).unwrap();
    no_order_while(|folder| rename(folder, "state", "aside"), |folder| rename(folder, "aside", "state"));
    let replace = |folder: &Path| {
        rename(folder, "state", "aside");
        fs::create_dir(folder.join("state")).unwrap();
        fs::copy(folder.join("aside/journal.redb"), folder.join("state/journal.redb")).unwrap();
    };
    let restore = |folder: &Path| {
        fs::remove_dir_all(folder.join("state")).unwrap();
        rename(folder, "aside", "state");
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
fn a_file_that_somebody_wrote_stops_orders_for_good() {
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
