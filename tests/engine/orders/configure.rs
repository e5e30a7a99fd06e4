//! Configuration changes: validated, compared, authorized, stored, and loaded; or no change at all.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use engine::Setup;
use model::Profile;
use view::act::{Act, Actor, Code, Configured, Done, LoadedBy, Refusal};

use crate::common::{TestDir, user};
use crate::orders::stage::{CONFIG, Stage, assert_refusal, owner};

fn file(dir: &TestDir) -> PathBuf {
    dir.write("queues.yaml", CONFIG)
}

fn configure(stage: &Stage, text: &str, dry_run: bool) -> Act {
    let base = Some(stage.core.scheduler().checksum().to_owned());
    Act::Configure { text: text.to_owned(), base, dry_run }
}

fn change(stage: &mut Stage, who: &Actor, text: &str) -> Result<Configured, Refusal> {
    let act = configure(stage, text, false);
    match stage.order(who, act)? {
        Done::Configured(done) => Ok(*done),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_tenant_changes_only_its_own_queues() {
    let mut stage = Stage::new();
    let own = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    let before = stage.core.scheduler().checksum().to_owned();
    let bob = configure(&stage, &own, false);
    let refusal = stage.refused(&user("bob"), bob);
    assert_refusal(
        &refusal,
        Code::AclDenied,
        "needs admin access on root.a or a parent, or membership in the scheduler ACL",
    );
    let done = change(&mut stage, &user("ann"), &own).unwrap();
    assert_eq!((done.previous.as_str(), done.revision, done.changes.len()), (before.as_str(), 2, 1));
    assert_eq!(done.checksum, stage.core.scheduler().checksum());
    let written = stage.core.configuration().unwrap();
    assert_eq!((&*written.text, &written.by, written.revision), (&*own, &LoadedBy::User("ann".to_owned()), 2));
    let rules = own.replace(
        "    queues:\n      - name: root",
        "    placementrules: [{name: user}]\n    queues:\n      - name: root",
    );
    let rules = configure(&stage, &rules, false);
    assert_refusal(&stage.refused(&user("ann"), rules), Code::AclDenied, "a whole partition");
    let commented = configure(&stage, &format!("# mine\n{own}"), false);
    assert_refusal(&stage.refused(&user("ann"), commented), Code::AclDenied, "needs admin access on root");
}

#[test]
fn what_belongs_to_a_queue_itself_is_for_the_admins_of_its_parent() {
    let mut stage = Stage::new();
    for own in ["resources: {max: {vcore: 50}}", "limits: [{limit: l, users: [eve], maxapplications: 1}]"] {
        let text = CONFIG.replace("submitacl: ' dev'", &format!("submitacl: ' dev'\n            {own}"));
        let act = configure(&stage, &text, false);
        let refusal = stage.refused(&user("ann"), act);
        assert_refusal(&refusal, Code::AclDenied, "needs admin access on root or a parent, or membership");
    }
    let wider = CONFIG.replace("adminacl: ann", "adminacl: ann,eve");
    let act = configure(&stage, &wider, false);
    assert_refusal(&stage.refused(&user("ann"), act), Code::AclDenied, "needs admin access on root");
    change(&mut stage, &owner(), &wider).unwrap();
    let below = wider.replace("- name: y", "- name: y\n                adminacl: eve");
    change(&mut stage, &user("ann"), &below).unwrap();
    let root = below.replace("- name: root\n", "- name: root\n        adminacl: eve\n");
    let act = configure(&stage, &root, false);
    assert_refusal(&stage.refused(&user("ann"), act), Code::AclDenied, "a whole partition or its root");
}

#[test]
fn a_configuration_that_is_stored_remotely_is_tested_here_and_not_changed() {
    let place = "the ConfigMap yunikorn-configs of namespace yk";
    let setup = Setup { configured_by: Some(Arc::from(place)), ..Setup::of(Profile::Kornsole) };
    let mut stage = Stage::set_up(&setup);
    let other = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    let before = stage.core.scheduler().checksum().to_owned();
    for act in [configure(&stage, &other, false), Act::Rollback { revision: 1, base: None, dry_run: false }] {
        let refusal = stage.refused(&owner(), act);
        assert_refusal(&refusal, Code::NotSupported, place);
    }
    let tried = configure(&stage, &other, true);
    assert!(matches!(stage.order(&owner(), tried), Ok(Done::Configured(_))));
    assert_eq!(stage.core.scheduler().checksum(), before);
}

#[test]
fn a_text_is_compared_with_what_it_is_to_replace() {
    let mut stage = Stage::new();
    let text = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    for base in [None, Some("*".to_owned())] {
        let act = Act::Configure { text: text.clone(), base, dry_run: false };
        assert_refusal(&stage.refused(&owner(), act), Code::ChecksumRequired, "send the checksum");
    }
    let stale = configure(&stage, &text, false);
    change(&mut stage, &user("ann"), &CONFIG.replace("{vcore: 2}", "{vcore: 3}")).unwrap();
    let refusal = stage.refused(&owner(), stale);
    assert_refusal(&refusal, Code::ChecksumMismatch, "another revision by ann is active");
    let unheard = Act::Configure { text: text.clone(), base: Some("0123".to_owned()), dry_run: false };
    assert_refusal(
        &stage.refused(&user("ann"), unheard),
        Code::ChecksumMismatch,
        "no recent configuration has this checksum",
    );
    assert_eq!(refusal.details.current.as_deref(), Some(stage.core.scheduler().checksum()));
    assert_eq!(refusal.details.changed_by.as_deref(), Some("ann"));
}

#[test]
fn a_faulty_text_is_reported_with_every_fault() {
    let mut stage = Stage::new();
    let text = CONFIG.replace("name: y", "name: 'y y'").replace("vcore: 2", "vcore: -2");
    let act = configure(&stage, &text, false);
    let refusal = stage.refused(&owner(), act);
    assert_eq!(refusal.code, Code::ConfigInvalid);
    let codes: Vec<_> = refusal.details.faults.iter().map(|fault| fault.code.as_str()).collect();
    assert!(codes.contains(&"CFG-030") && codes.contains(&"CFG-020"), "{codes:?}");
    // root.a.x has an application and cannot become a parent (CFG-110).
    let parent = configure(&stage, &CONFIG.replace("- name: x", "- {name: x, parent: true}"), false);
    assert_refusal(&stage.refused(&owner(), parent), Code::ConfigInvalid, "root.a.x cannot become a parent");
}

#[test]
fn a_dry_run_shows_what_drains_and_changes_nothing() {
    let mut stage = Stage::new();
    let text = CONFIG.replace("              - name: x\n", "").replace("{name: z}", "{name: z}, {name: new}");
    let before = stage.snapshot();
    let act = configure(&stage, &text, true);
    let Done::Configured(would) = stage.order(&owner(), act).unwrap() else { panic!() };
    assert_eq!(stage.snapshot(), before);
    let names =
        |queues: &[(String, model::QueuePath)]| queues.iter().map(|(_, queue)| queue.to_string()).collect::<Vec<_>>();
    assert_eq!((names(&would.draining), names(&would.created)), (vec!["root.a.x".into()], vec!["root.b.new".into()]));
    assert_eq!(would.what_happens, ["root.a.x will drain: 1 application in it"]);
    let done = change(&mut stage, &owner(), &text).unwrap();
    assert_eq!((done.draining, done.created), (would.draining, would.created));
}

#[test]
fn the_file_is_replaced_whole_and_not_when_it_was_changed_by_hand() {
    let dir = TestDir::new();
    let file = file(&dir);
    let mut stage = Stage::retained(Some(file.clone()));
    let text = CONFIG.replace("{vcore: 2}", "{vcore: 9}");
    change(&mut stage, &user("ann"), &text).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(dir.names(), ["queues.yaml"], "nothing is left beside it");
    // The watch reports nothing new about the same text.
    stage.core.reload("queues.yaml", text.as_bytes());
    assert_eq!(stage.core.configuration().unwrap().revision, 2);
    fs::write(&file, "by hand").unwrap();
    let more = configure(&stage, &text.replace("vcore: 9", "vcore: 8"), false);
    assert_refusal(&stage.refused(&user("ann"), more), Code::ChecksumMismatch, "was changed since it was read");
    assert_eq!(fs::read_to_string(&file).unwrap(), "by hand");
}

#[test]
fn what_a_watch_read_before_an_order_replaced_the_file_is_old() {
    let dir = TestDir::new();
    let file = file(&dir);
    let mut stage = Stage::retained(Some(file));
    let (first, second) = (CONFIG.replace("vcore: 2", "vcore: 3"), CONFIG.replace("vcore: 2", "vcore: 4"));
    change(&mut stage, &owner(), &first).unwrap();
    change(&mut stage, &owner(), &second).unwrap();
    stage.core.reload("queues.yaml", first.as_bytes());
    assert_eq!(&*stage.core.configuration().unwrap().text, second);
}

#[test]
fn a_file_that_cannot_be_written_leaves_everything_as_it_was() {
    let dir = TestDir::new();
    let file = file(&dir);
    let mut stage = Stage::retained(Some(file));
    fs::remove_dir_all(&*dir).unwrap();
    let act = configure(&stage, &CONFIG.replace("{vcore: 2}", "{vcore: 9}"), false);
    assert_refusal(&stage.refused(&user("ann"), act), Code::NotDurable, "is unchanged");
}

#[test]
fn a_manifest_is_replaced_by_a_manifest_only() {
    let manifest = |config: &str| {
        let indented: String = config.lines().map(|line| format!("    {line}\n")).collect();
        format!("kind: ConfigMap\ndata:\n  queues.yaml: |\n{indented}")
    };
    let dir = TestDir::new();
    let file = file(&dir);
    fs::write(&file, manifest(CONFIG)).unwrap();
    let config = config::read_file(manifest(CONFIG).as_bytes(), "queues", Default::default()).config.unwrap();
    let core = engine::Core::new(Default::default(), std::sync::Arc::new(config), None).unwrap();
    let mut stage = Stage { core: core.with_config_text(manifest(CONFIG).as_bytes(), Some(file.clone())) };
    assert_eq!(&*stage.core.configuration().unwrap().queues, CONFIG);
    let text = CONFIG.replace("vcore: 2", "vcore: 9");
    let bare = configure(&stage, &text, false);
    assert_refusal(&stage.refused(&user("ann"), bare), Code::BadRequest, "is a manifest with a queue configuration");
    change(&mut stage, &user("ann"), &manifest(&text)).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), manifest(&text));
}
