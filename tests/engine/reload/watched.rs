//! A running engine whose file is edited: drain, removal and return, as everybody sees them.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use kornsole::config;
use kornsole::engine::{Core, Engine, Setup};
use kornsole::model::{Identity, Profile};
use kornsole::scheduler::{PartitionCommand, Submission};
use kornsole::source::{Embedded, Source};
use kornsole::view::View;

use crate::common::{TestFolder, about};
use crate::reload::stage::ANYTHING;

const WITH: &str =
    "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, {name: b}]}]}]\n";

fn tree(view: &View) -> Vec<String> {
    view.partitions[0].walk().map(|queue| format!("{} {}", queue.path, queue.state)).collect()
}

#[test]
fn edits_of_the_file_drain_remove_and_bring_back() {
    let folder = TestFolder::new();
    let file = folder.write("queues.yaml", WITH);
    let config = Arc::new(config::read(WITH, Profile::Kornsole).config.unwrap());
    let clean_every = Duration::from_millis(100);
    let setup = Setup { clean_every, allowed_removal: ANYTHING, ..Setup::of(Profile::Kornsole) };
    let mut core = Core::set_up(&setup, config, None).unwrap();
    let who = Identity::new("joe", ["dev"]);
    let queue = "root.b".to_owned();
    let submission = Submission { app: "old".into(), queue, who: who.clone(), ..Submission::default() };
    core.apply(&PartitionCommand::Submit(submission).into());
    let mut engine = Engine::start(core, 1.0).unwrap();
    engine.watch(&file, WITH.as_bytes().to_vec()).unwrap();
    let source = Embedded::new(engine, about("test"), who);
    let (wake, woken) = channel();
    source.on_change(Box::new(move || {
        // The test may have ended.
        let _ = wake.send(());
    }));
    let becomes = |expected: &[&str]| {
        while tree(&source.view()) != expected {
            let message = woken.recv_timeout(Duration::from_secs(20));
            assert!(message.is_ok(), "{expected:?} does not come, there is {:?}", tree(&source.view()));
        }
    };
    std::fs::write(&file, WITH.replace("{name: a}, {name: b}", "{name: c}")).unwrap();
    becomes(&["root Active", "root.b Draining", "root.c Active"]);
    std::fs::write(folder.join("new"), WITH).unwrap();
    std::fs::rename(folder.join("new"), &file).unwrap();
    becomes(&["root Active", "root.a Active", "root.b Active"]);
    assert!(source.view().partitions[0].app_by_id(&"old".into()).is_some_and(|app| !app.state.is_ended()));
}
