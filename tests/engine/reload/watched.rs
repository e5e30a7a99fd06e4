use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use engine::{Core, Engine, Setup};
use model::{Identity, Profile, Time};
use scheduler::{PartitionCommand, Submission};
use source::{Embedded, Source};
use view::{ChangeDetail, View};

use crate::common::{TestDir, about};
use crate::reload::stage::ANYTHING;

const WITH: &str =
    "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}, {name: b}]}]}]\n";

fn tree(view: &View) -> Vec<String> {
    view.partitions[0].walk().map(|queue| format!("{} {}", queue.path, queue.state)).collect()
}

#[test]
fn a_faulty_file_is_an_event_and_so_is_its_end() {
    let config = Arc::new(config::read(WITH, Profile::Kornsole).config.unwrap());
    let mut core = Core::set_up(&Setup::of(Profile::Kornsole), config, None).unwrap();
    let reload = |core: &mut Core, text: &str| {
        let seen = core.events().important(Time(u64::MAX), 100).len();
        core.reload("queues.yaml", text.as_bytes());
        let all = core.events().important(Time(u64::MAX), 100);
        all[seen..].iter().map(|(_, record)| (record.detail, record.message.to_string())).collect::<Vec<_>>()
    };
    let faulty = reload(&mut core, "partitions: [");
    assert_eq!((faulty.len(), faulty[0].0), (1, ChangeDetail::CONFIG_REFUSED), "{faulty:?}");
    assert!(faulty[0].1.starts_with("queues.yaml:1:"), "{faulty:?}");
    assert_eq!(reload(&mut core, WITH), [(ChangeDetail::CONFIG_LOADED, String::new())], "what is active again");
    assert_eq!(reload(&mut core, WITH), [], "nothing changed");
}

#[test]
fn edits_of_the_file_drain_remove_and_restore() {
    let dir = TestDir::new();
    let file = dir.write("queues.yaml", WITH);
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
    std::fs::write(dir.join("new"), WITH).unwrap();
    std::fs::rename(dir.join("new"), &file).unwrap();
    becomes(&["root Active", "root.a Active", "root.b Active"]);
    assert!(source.view().partitions[0].app_by_id(&"old".into()).is_some_and(|app| !app.state.is_ended()));
}
