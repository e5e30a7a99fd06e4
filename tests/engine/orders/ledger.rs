//! One audit entry per changing act, and one revision per active configuration.

use std::sync::Arc;

use engine::Core;
use engine::audit_log::AuditLog;
use model::{Profile, Time};
use scenario::Workload;
use scheduler::{Command, Event, PartitionCommand};
use view::act::{Act, Actor, ActsFrom, Code, Done, Order, PartitionAct, Refusal};
use view::audit::{AuditEntry, AuditQuery, RevisionSource};

use crate::common::{kill, move_to, user, within};
use crate::orders::stage::{CONFIG, Stage, assert_refusal, owner};

fn all(ledger: &AuditLog) -> Vec<Arc<AuditEntry>> {
    let mut entries = ledger.entries(&AuditQuery { limit: usize::MAX, ..AuditQuery::default() });
    entries.reverse();
    entries
}

fn line(entry: &AuditEntry) -> String {
    let facts = |facts: &[(String, String)]| {
        let facts: Vec<_> = facts.iter().map(|(name, value)| format!("{name}={value}")).collect();
        facts.join(" ")
    };
    let AuditEntry { id, user, address, action, object, code, reason, before, after, .. } = entry;
    let (before, after) = (facts(before), facts(after));
    format!("{id} {user}@{address} {action} {object} [{code}] {reason:?} ({before}) -> ({after})")
}

fn configure(stage: &Stage, text: &str) -> Act {
    let base = Some(stage.core.scheduler().checksum().to_owned());
    Act::Configure { text: text.to_owned(), base, dry_run: false }
}

fn roll_back(stage: &Stage, revision: u64) -> Act {
    Act::Rollback { revision, base: Some(stage.core.scheduler().checksum().to_owned()), dry_run: false }
}

#[test]
fn each_act_leaves_one_entry_with_what_it_found_and_left() {
    let mut stage = Stage::new();
    let sue = Actor { from: ActsFrom::Api { address: "10.0.0.7".into(), request: "r-1".into() }, ..user("sue") };
    stage.refused(&sue, kill("etl"));
    let order = Order::new(move_to("etl", "root.a.y"), "quieter there");
    stage.core.perform(&user("ann"), &order).unwrap_err();
    stage.order(&owner(), Act::Pause).unwrap();
    stage.order(&owner(), within(PartitionAct::DrainNode("n".into()))).unwrap();
    stage.order(&user("ann"), kill("etl")).unwrap();
    stage.order(&user("ann"), kill("none")).unwrap_err();
    let report: Vec<String> = all(stage.core.audit_log()).iter().map(|entry| line(entry)).collect();
    let app = "queue=root.a.x state=Running allocations=3 pending requests=1";
    assert_eq!(
        report,
        [
            format!("1 sue@10.0.0.7 kill etl [ACL_DENIED] \"\" ({app}) -> ()"),
            format!("2 ann@console move etl [TARGET_FULL] \"quieter there\" ({app}) -> ()"),
            "3 owner@console pause scheduler [] \"\" (state=running) -> (state=resting)".to_owned(),
            "4 owner@console drain-node n [] \"\" \
             (state=schedulable capacity=vcore 100 used by others=nothing allocations=3) -> \
             (state=drained capacity=vcore 100 used by others=nothing allocations=3)"
                .to_owned(),
            format!(
                "5 ann@console kill etl [] \"\" ({app}) -> (queue=root.a.x state=Failed allocations=0 pending requests=0)"
            ),
            "6 ann@console kill none [NOT_FOUND] \"\" () -> ()".to_owned(),
        ]
    );
    let first = &all(stage.core.audit_log())[0];
    assert_eq!((first.request.as_str(), first.allowed, first.partition.as_str()), ("r-1", false, "default"));
    assert!(first.why.contains("needs admin access on root.a.x"), "{}", first.why);
}

#[test]
fn what_only_asks_leaves_nothing() {
    let mut stage = Stage::new();
    let dry = Act::Configure { text: String::new(), base: None, dry_run: true };
    stage.order(&owner(), dry).unwrap_err();
    let (app, to, expect_queue) = ("etl".into(), "root.a.y".into(), None);
    stage.order(&user("ann"), within(PartitionAct::Move { app, to, expect_queue, dry_run: true })).unwrap_err();
    stage.order(&owner(), Act::Rollback { revision: 1, base: None, dry_run: true }).unwrap_err();
    assert!(all(stage.core.audit_log()).is_empty());
}

#[test]
fn a_file_that_changes_is_entered_whether_it_is_good_or_not() {
    let mut stage = Stage::new();
    stage.core.reload("queues.yaml", CONFIG.as_bytes());
    assert!(all(stage.core.audit_log()).is_empty(), "the same text is not a change");
    stage.core.reload("queues.yaml", b"partitions: 3\n");
    stage.core.reload("queues.yaml", CONFIG.replace("{vcore: 2}", "{vcore: 3}").as_bytes());
    let report = all(stage.core.audit_log());
    assert_eq!((report.len(), report[0].code.as_str(), report[1].allowed), (2, "CONFIG_INVALID", true));
    assert!(report[0].why.contains("queues.yaml:1") && report[0].after.is_empty(), "{}", report[0].why);
    assert_eq!((report[1].address.as_str(), report[1].user.as_str()), ("file queues.yaml", ""));
    assert_eq!(report[1].after[1].1, stage.core.scheduler().checksum());
    let newest = &stage.core.audit_log().revisions(None, 1)[0];
    assert_eq!((newest.number, newest.source, newest.changes), (2, RevisionSource::File, 1));
}

#[test]
fn a_rollback_is_a_new_revision_with_the_old_text() {
    let mut stage = Stage::new();
    let bad = CONFIG.replace("{vcore: 2}", "{vcore: 1m}");
    let act = configure(&stage, &bad);
    let before = stage.core.scheduler().checksum().to_owned();
    stage.core.perform(&user("ann"), &Order::new(act, "smaller")).unwrap();
    let stale = Act::Rollback { revision: 1, base: Some(before), dry_run: false };
    assert_refusal(&stage.refused(&user("ann"), stale), Code::ChecksumMismatch, "by ann");
    let missing = roll_back(&stage, 9);
    assert_refusal(&stage.refused(&user("ann"), missing), Code::NotFound, "revision 9 not found");
    let foreign = roll_back(&stage, 1);
    assert_refusal(&stage.refused(&user("bob"), foreign), Code::AclDenied, "bob may not roll the configuration back");
    let act = roll_back(&stage, 1);
    let done = stage.order(&user("ann"), act).unwrap();
    let Done::Configured(done) = done else { panic!("{done:?}") };
    assert_eq!((done.revision, done.changes.len()), (3, 1));
    assert_eq!(&*stage.core.configuration().unwrap().text, CONFIG);
    let report: Vec<_> = stage.core.audit_log().revisions(None, 9);
    let report: Vec<_> =
        report.iter().map(|rev| (rev.number, rev.source, rev.by.as_str(), rev.reason.as_str(), rev.changes)).collect();
    let back = (3, RevisionSource::Rollback(1), "ann", "", 1);
    assert_eq!(
        report,
        [back, (2, RevisionSource::Console, "ann", "smaller", 1), (1, RevisionSource::Start, "", "", 0)]
    );
    let page = stage.core.events().page(engine::Numbering::All, 0, 10_000);
    let events = page.records.iter().filter(|(_, record)| record.detail.0 == 906);
    let events: Vec<_> = events.map(|(_, record)| record.message.to_string()).collect();
    assert_eq!(events, ["ann restored revision 1 as revision 3"]);
}

#[test]
fn the_same_acts_give_the_same_ledger() {
    let run = || {
        let mut stage = Stage::new();
        let outcomes: Vec<Result<Done, Refusal>> = vec![
            stage.order(&user("bob"), kill("etl")),
            stage.order(&user("ann"), kill("etl")),
            stage.order(&owner(), Act::Resume),
        ];
        (outcomes, all(stage.core.audit_log()))
    };
    assert_eq!(run(), run());
}

struct Steps(Option<Vec<Command>>);

impl Workload for Steps {
    fn next(&self) -> Option<Time> {
        self.0.as_ref().map(|_| Time::ZERO)
    }

    fn act(&mut self, _now: Time) -> Vec<Command> {
        self.0.take().unwrap_or_default()
    }

    fn observe(&mut self, _now: Time, _events: &[Event]) {}
}

#[test]
fn of_a_workload_only_what_a_person_could_have_ordered_is_entered() {
    let read = |text: &str| Arc::new(config::read(text, Profile::Kornsole).config.unwrap());
    let submit = |app: &str| {
        let (who, queue) = (user("sue").identity, "root.b.z".to_owned());
        let submission = scheduler::Submission { app: app.into(), queue, who, ..Default::default() };
        PartitionCommand::Submit(submission).into()
    };
    let kill =
        |by: &str| PartitionCommand::Kill { app: "one".into(), by: user(by).identity, reason: "old".to_owned() }.into();
    let steps = vec![
        submit("one"),
        kill("ann"),
        kill("bob"),
        Command::Configure(read(&CONFIG.replace("{vcore: 2}", "{vcore: 5}"))),
    ];
    let mut core = Core::new(Profile::Kornsole, read(CONFIG), Some(Box::new(Steps(Some(steps))))).unwrap();
    core.run_until(Time::from_millis(1), 1000);
    let report: Vec<_> = all(core.audit_log());
    let report: Vec<_> =
        report.iter().map(|entry| (entry.user.as_str(), entry.action.as_str(), entry.code.as_str())).collect();
    assert_eq!(report, [("ann", "kill", "ACL_DENIED"), ("bob", "kill", ""), ("", "config", "")]);
    assert!(all(core.audit_log()).iter().all(|entry| entry.address == "workload"));
}
