//! The journal is a change's commit point; a start completes interrupted ones.

use std::fs;
use std::path::Path;

use ::engine::journal::{Dir, RunningJournal};
use ::engine::{Core, Engine};
use model::{Profile, QueueState};
use std::sync::Arc;
use view::act::Act;
use view::audit::RevisionSource;

use crate::common::TestDir;

use super::stage::{ask, engine, perform, setup, submit};

const OLD: &str = "partitions:
  - name: default
    queues:
      - name: root
        adminacl: '*'
        queues: [{name: a, submitacl: '*'}, {name: b, submitacl: '*'}]
";
const NEW: &str = "# b goes
partitions:
  - name: default
    queues:
      - name: root
        adminacl: '*'
        queues: [{name: a, submitacl: '*'}]
";

fn start(state: &Path, file: &Path) -> (Core, RunningJournal) {
    let setup = setup();
    let bytes = fs::read(file).unwrap();
    let fresh = Box::new(|workload| {
        let config = config::read(std::str::from_utf8(&bytes).unwrap(), Profile::Kornsole).config.ok_or("no")?;
        Ok(Core::set_up(&setup, Arc::new(config), workload)?.with_config_text(&bytes, Some(file.to_owned())))
    });
    let (mut core, retained) = Dir::open(state, false).unwrap().start(&setup, 1.0, None, fresh).unwrap();
    core.attach_config_file(file, fs::read(file).unwrap());
    (core, retained)
}

fn configure(engine: &Engine, text: &str, base: &str) {
    let act = Act::Configure { text: text.to_owned(), base: Some(config::checksum(base.as_bytes())), dry_run: false };
    perform(engine, act).unwrap();
}

fn state_of(core: &Core, queue: &str) -> Option<QueueState> {
    let queues = &core.scheduler().partitions()[0].queues;
    queues.find_text(queue).map(|key| queues[key].state)
}

#[test]
fn a_start_finishes_a_change_that_was_cut_off() {
    let scratch = TestDir::new();
    let (state, file) = (scratch.join("state"), scratch.join("queues.yaml"));
    fs::write(&file, OLD).unwrap();
    let engine = engine(start(&state, &file));
    configure(&engine, NEW, OLD);
    assert_eq!(fs::read_to_string(&file).unwrap(), NEW);
    drop(engine);
    fs::write(&file, OLD).unwrap();
    let (core, retained) = start(&state, &file);
    assert_eq!(fs::read_to_string(&file).unwrap(), NEW, "the change was decided");
    let written = core.configuration().unwrap();
    assert_eq!((&*written.text, written.revision), (NEW, 2));
    assert_eq!(core.audit_log().revision(2).and_then(|revision| revision.text.clone()).as_deref(), Some(NEW));
    drop((core, retained));
    let (core, _retained) = start(&state, &file);
    assert_eq!(core.configuration().unwrap().revision, 2, "and it stays at that");
}

#[test]
fn a_file_that_was_edited_meanwhile_is_applied_and_affects_no_allocation() {
    let scratch = TestDir::new();
    let (state, file) = (scratch.join("state"), scratch.join("queues.yaml"));
    fs::write(&file, OLD).unwrap();
    let engine = engine(start(&state, &file));
    perform(&engine, submit("app", "root.b")).unwrap();
    perform(&engine, ask("app", 2)).unwrap();
    drop(engine);
    fs::write(&file, NEW).unwrap();
    let (core, _retained) = start(&state, &file);
    assert_eq!(state_of(&core, "root.b"), Some(QueueState::Draining));
    let part = &core.scheduler().partitions()[0];
    assert_eq!(part.app(&"app".into()).unwrap().asks.len(), 2, "what was there is there");
    assert_eq!(core.configuration().unwrap().revision, 2);
    assert_eq!(core.audit_log().revision(2).map(|revision| revision.source), Some(RevisionSource::File));
}

#[test]
fn a_start_without_the_file_uses_the_active_configuration() {
    let scratch = TestDir::new();
    let (state, file) = (scratch.join("state"), scratch.join("queues.yaml"));
    fs::write(&file, OLD).unwrap();
    let first = engine(start(&state, &file));
    configure(&first, NEW, OLD);
    drop(first);
    let setup = setup();
    let fresh = Box::new(|_| Err("there is something already".to_owned()));
    let (core, _retained) = Dir::open(&state, false).unwrap().start(&setup, 1.0, None, fresh).unwrap();
    assert_eq!(core.configuration().map(|written| &*written.text), Some(NEW));
    assert_eq!(state_of(&core, "root.b"), Some(QueueState::Draining));
}

#[test]
fn that_a_file_was_refused_is_known_after_a_restart() {
    let scratch = TestDir::new();
    let (state, file) = (scratch.join("state"), scratch.join("queues.yaml"));
    fs::write(&file, OLD).unwrap();
    let reload = |core: &mut Core, text: &str| {
        fs::write(&file, text).unwrap();
        core.reload("queues.yaml", text.as_bytes());
        let notices = core.take_view().map(|view| view.notices.iter().map(|one| one.title.clone()).collect::<Vec<_>>());
        notices.unwrap_or_default()
    };
    let (mut core, retained) = start(&state, &file);
    let notices = reload(&mut core, "partitions: [");
    assert!(notices.last().is_some_and(|title| title.contains("was rejected")), "{notices:?}");
    drop(engine((core, retained)));
    let (mut core, _retained) = start(&state, &file);
    let again = "queues.yaml is the active configuration again";
    let reported = |notices: Vec<String>| notices.iter().filter(|title| *title == again).count();
    assert_eq!(reported(reload(&mut core, OLD)), 1);
    assert_eq!(core.configuration().unwrap().revision, 1, "nothing else was ever in force");
    assert_eq!(reported(reload(&mut core, &format!("{OLD}# no change\n"))), 1, "once");
}
