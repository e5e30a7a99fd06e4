//! A large removal is rejected unless allowed, from every source (CFG-120).

use std::fs;

use config::AllowedRemoval;
use engine::Setup;
use model::{Profile, QueueState};
use view::NoticeWeight;
use view::act::{Act, Code, Configured, Done, Order, Refusal};
use view::audit::AuditQuery;

use crate::common::TestDir;
use crate::orders::stage::{CONFIG, Stage, assert_refusal, owner};

const HALF: &str = "\
partitions:
  - name: default
    queues: [{name: root, queues: [{name: a, adminacl: ann, queues: [{name: x}, {name: y}]}, {name: c}]}]
";
const FEW: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";

fn configure(stage: &mut Stage, text: &str, allowed: AllowedRemoval, dry_run: bool) -> Result<Configured, Refusal> {
    let base = Some(stage.core.scheduler().checksum().to_owned());
    let order = Order::from(Act::Configure { text: text.to_owned(), base, dry_run }).allowing(allowed);
    match stage.core.perform(&owner(), &order)? {
        Done::Configured(done) => Ok(*done),
        other => panic!("{other:?}"),
    }
}

fn draining(stage: &Stage) -> usize {
    let queues = stage.core.scheduler().partitions()[0].queues.iter();
    queues.filter(|queue| queue.state == QueueState::Draining).count()
}

#[test]
fn an_operation_that_removes_much_is_rejected_with_the_number_of_queues() {
    let dir = TestDir::new();
    let file = dir.write("queues.yaml", CONFIG);
    let mut stage = Stage::retained(Some(file.clone()));
    let allowed = |empty, queues| AllowedRemoval { empty, queues };
    for (text, allowed, of) in [
        ("", allowed(false, None), (6, true)),
        ("# nothing\n", allowed(false, Some(100)), (6, true)),
        (FEW, allowed(true, None), (5, false)),
        (FEW, allowed(false, Some(4)), (5, false)),
    ] {
        let before = stage.snapshot();
        let refusal = configure(&mut stage, text, allowed, false).unwrap_err();
        assert_refusal(&refusal, Code::RemovalNotAllowed, &format!("removes {} of 6 queues", of.0));
        let removal = refusal.details.removal.as_ref().unwrap();
        assert_eq!((removal.queues, removal.empty), of, "{text:?}");
        assert_eq!(stage.snapshot(), before);
        assert_eq!(fs::read_to_string(&file).unwrap(), CONFIG, "the file is as it was");
        let would = configure(&mut stage, text, allowed, true).unwrap();
        assert!(would.dry_run && would.removal.is_large(), "what it would do can be seen");
    }
    assert_eq!(draining(&stage), 0);
    let done = configure(&mut stage, HALF, AllowedRemoval::default(), false).unwrap();
    assert_eq!((done.removal.queues, done.removal.of), (3, 6), "half of them may go");
    configure(&mut stage, FEW, allowed(false, Some(3)), false).unwrap();
    configure(&mut stage, "", allowed(true, None), false).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), "");
}

#[test]
fn a_rollback_follows_the_same_rules() {
    let mut stage = Stage::new();
    let grown = CONFIG.replace("[{name: z}, {name: few, maxapplications: 1}]", &{
        let many: Vec<String> = (0..20).map(|n| format!("{{name: q{n}}}")).collect();
        format!("[{{name: z}}, {}]", many.join(", "))
    });
    configure(&mut stage, &grown, AllowedRemoval::default(), false).unwrap();
    let base = Some(stage.core.scheduler().checksum().to_owned());
    let back = Act::Rollback { revision: 1, base, dry_run: false };
    assert_refusal(&stage.refused(&owner(), back.clone()), Code::RemovalNotAllowed, "removes 20 of 25 queues");
    let allowed = Order::from(back).allowing(AllowedRemoval { empty: false, queues: Some(20) });
    stage.core.perform(&owner(), &allowed).unwrap();
}

#[test]
fn a_changed_file_that_removes_much_is_not_applied() {
    let dir = TestDir::new();
    let file = dir.write("queues.yaml", CONFIG);
    let mut stage = Stage::retained(Some(file.clone()));
    for text in ["", "# all gone\n", FEW, &CONFIG[..CONFIG.find("              - name: y").unwrap()]] {
        fs::write(&file, text).unwrap();
        stage.core.reload("queues.yaml", text.as_bytes());
        let view = stage.view();
        let notice = &view.notices[view.notices.len() - 2];
        assert_eq!(notice.weight, NoticeWeight::Error, "{text:?}: {notice:?}");
        assert!(notice.title.contains("was rejected, the configuration is unchanged"), "{notice:?}");
        assert!(notice.text.contains("--allow-"), "{notice:?}");
        assert_eq!((draining(&stage), stage.core.configuration().unwrap().revision), (0, 1), "{text:?}");
    }
    let entries = stage.core.audit_log().entries(&AuditQuery { limit: 100, ..AuditQuery::default() });
    assert_eq!(entries.len(), 4);
    assert!(entries.iter().all(|entry| !entry.allowed && entry.action == "config"), "{entries:?}");
    fs::write(&file, HALF).unwrap();
    stage.core.reload("queues.yaml", HALF.as_bytes());
    assert_eq!(stage.core.configuration().unwrap().revision, 2);
}

#[test]
fn a_start_can_allow_it_to_the_file() {
    let allowed_removal = AllowedRemoval { empty: false, queues: Some(5) };
    let mut stage = Stage::set_up(&Setup { allowed_removal, ..Setup::of(Profile::Kornsole) });
    stage.core.reload("queues.yaml", b"");
    assert_eq!(draining(&stage), 0);
    stage.core.reload("queues.yaml", FEW.as_bytes());
    assert_eq!(draining(&stage), 5);
}
