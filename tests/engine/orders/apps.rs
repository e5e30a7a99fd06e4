use engine::Setup;
use model::{AppState, Profile, QueuePath};
use scheduler::Tuning;
use view::act::{AclKind, Act, Code, Done, LONGEST_REASON, Order, PartitionAct};

use crate::common::{kill, move_to, user, within};
use crate::orders::stage::{Stage, ask, assert_refusal, owner};

#[test]
fn an_administrator_of_the_queue_kills_and_sees_what_was_released() {
    let mut stage = Stage::new();
    let reason = "it writes everywhere".to_owned();
    let Done::Killed(done) = stage.core.perform(&user("ann"), &Order::new(kill("etl"), reason)).unwrap() else {
        panic!("it was killed")
    };
    assert_eq!((done.queue.as_str(), done.state), ("root.a.x", AppState::Failed));
    assert_eq!(done.released.iter().map(|ask| ask.as_str()).collect::<Vec<_>>(), ["t-1", "t-2", "t-3"]);
    assert_eq!(done.canceled.iter().map(|ask| ask.as_str()).collect::<Vec<_>>(), ["big"]);
    let view = stage.view();
    let app = view.partitions[0].app_by_id(&"etl".into()).unwrap();
    assert_eq!(app.message.as_deref(), Some("killed by ann: it writes everywhere"));
    assert!(view.partitions[0].allocated.is_zero());
    assert_refusal(&stage.refused(&user("ann"), kill("etl")), Code::AppTerminated, "it is already Failed");
}

#[test]
fn a_truncated_answer_for_a_large_application_shows_how_much_is_missing() {
    let tuning = Tuning { ending_at_once: 2, ..Tuning::default() };
    let mut stage = Stage::set_up(&Setup { tuning, ..Setup::of(Profile::Kornsole) });
    let Ok(Done::Killed(done)) = stage.order(&user("ann"), kill("etl")) else { panic!("it is killed") };
    assert_eq!((done.state, done.canceled.len(), done.released.len(), done.left), (AppState::Failing, 1, 1, 2));
    assert_refusal(&stage.order(&user("ann"), kill("etl")).unwrap_err(), Code::AppTerminated, "it is already Failed");
    stage.order(&owner(), Act::Pause).unwrap();
    let now = stage.core.now();
    assert_eq!(stage.core.next_wake(), Some(now));
    stage.settle();
    let view = stage.view();
    assert_eq!(view.partitions[0].app_by_id(&"etl".into()).unwrap().state, AppState::Failed);
    assert!(view.partitions[0].allocated.is_zero());
    assert_eq!((stage.core.next_wake(), stage.core.now()), (None, now));
}

#[test]
fn a_rejected_kill_shows_the_missing_permission() {
    let mut stage = Stage::new();
    for other_user in ["sue", "bob", "dev"] {
        let refusal = stage.refused(&user(other_user), kill("etl"));
        let needed = "may not kill etl: needs admin access on root.a.x or a parent";
        assert_refusal(&refusal, Code::AclDenied, &format!("{other_user} {needed}"));
        assert_eq!(refusal.details.queue, Some(QueuePath::new("root.a.x")));
        assert_eq!(refusal.details.access, Some(AclKind::Admin));
        let checked: Vec<_> = refusal.details.checked.iter().map(QueuePath::as_str).collect();
        assert_eq!(checked, ["root.a.x", "root.a", "root"]);
    }
    assert_refusal(&stage.refused(&owner(), kill("etl")), Code::AclDenied, "owner may not kill etl");
    assert_refusal(&stage.refused(&user("ann"), kill("nobody")), Code::NotFound, "application nobody not found");
    let read_only = user("ann").read_only("no token");
    assert_refusal(
        &stage.refused(&read_only, kill("etl")),
        Code::ReadOnly,
        "ann may not kill etl: read-only: no token",
    );
    let elsewhere = view::act::Act::within(&"gone".into(), PartitionAct::Remove { app: "etl".into() });
    assert_refusal(&stage.refused(&user("ann"), elsewhere), Code::NotFound, "partition gone not found");
}

#[test]
fn an_application_that_was_moved_meanwhile_is_not_hit() {
    let mut stage = Stage::new();
    let wrong = PartitionAct::Kill { app: "etl".into(), expect_queue: Some("root.a.y".into()) };
    assert_refusal(
        &stage.refused(&user("ann"), within(wrong)),
        Code::QueueChanged,
        "it is now in root.a.x, not in root.a.y",
    );
    let right = PartitionAct::Kill { app: "etl".into(), expect_queue: Some("root.a.x".into()) };
    assert!(stage.order(&user("ann"), within(right)).is_ok());
}

#[test]
fn a_move_shows_source_target_and_effect() {
    let mut stage = Stage::new();
    let refusal = stage.refused(&user("ann"), move_to("etl", "root.b.z"));
    assert_refusal(&refusal, Code::AclDenied, "ann may not move etl: needs submit access on root.b.z or a parent");
    let dry = PartitionAct::Move { app: "etl".into(), to: "root.a.y".into(), expect_queue: None, dry_run: true };
    let before = stage.snapshot();
    let full = stage.order(&user("ann"), within(dry)).unwrap_err();
    assert_refusal(&full, Code::TargetFull, "quota of root.a.y exceeded");
    assert_eq!(stage.snapshot(), before);
    stage.order(&user("ann"), within(PartitionAct::Release { app: "etl".into(), ask: "t-1".into() })).unwrap();
    let dry = PartitionAct::Move { app: "etl".into(), to: "root.a.y".into(), expect_queue: None, dry_run: true };
    let before = stage.snapshot();
    let Done::Moved(would) = stage.order(&user("ann"), within(dry)).unwrap() else { panic!("a dry run") };
    assert_eq!(stage.snapshot(), before, "a dry run changes nothing");
    assert!(would.dry_run && would.effects[0].starts_with("2 allocations keep running"), "{:?}", would.effects);
    let Done::Moved(done) = stage.order(&user("ann"), move_to("etl", "root.a.y")).unwrap() else { panic!("a move") };
    assert_eq!((done.from.as_str(), done.to.as_str(), done.dry_run), ("root.a.x", "root.a.y", false));
    assert_eq!(done.effects, would.effects);
    let view = stage.view();
    assert_eq!(view.partitions[0].app_by_id(&"etl".into()).unwrap().queue.as_str(), "root.a.y");
}

#[test]
fn each_impossible_target_shows_the_reason() {
    let mut stage = Stage::new();
    let ann = user("ann");
    assert_refusal(
        &stage.refused(&ann, move_to("etl", "root.a.nowhere")),
        Code::NotFound,
        "queue root.a.nowhere not found",
    );
    assert_refusal(&stage.refused(&ann, move_to("etl", "root.b")), Code::TargetNotLeaf, "root.b is not a leaf");
    assert_refusal(&stage.refused(&ann, move_to("etl", "root.a.x")), Code::SameQueue, "it is already in root.a.x");
    assert_refusal(
        &stage.refused(&user("bob"), move_to("etl", "root.b.z")),
        Code::AclDenied,
        "admin access on root.a.x",
    );
    let full = stage.refused(&ann, move_to("etl", "root.a.y"));
    assert_eq!(full.details.reasons.len(), 1);
    assert_eq!(full.details.reasons[0].queue, Some(QueuePath::new("root.a.y")));
}

#[test]
fn everything_that_does_not_fit_is_reported_at_once() {
    let mut stage = Stage::new();
    let text = crate::orders::stage::CONFIG.replace("adminacl: bob", "adminacl: ann").replace(
        "maxapplications: 1",
        "maxapplications: 1, resources: {max: {vcore: 1}}, limits: [{users: [sue], maxresources: {vcore: 1}}]",
    );
    let base = stage.core.scheduler().checksum().to_owned();
    let configure = view::act::Act::Configure { text, base: Some(base), dry_run: false };
    stage.order(&owner(), configure).unwrap();
    stage.submit("other", "root.b.few");
    stage.give(scheduler::PartitionCommand::Ask(scheduler::AskSpec { app: "other".into(), ..ask("o", 1, 1000) }));
    stage.settle();
    let refusal = stage.refused(&user("ann"), move_to("etl", "root.b.few"));
    let codes: Vec<_> = refusal.details.reasons.iter().map(|reason| reason.code).collect();
    assert_eq!(codes, [Code::TargetFull, Code::TargetAppLimit, Code::UserLimit], "{refusal}");
    assert_eq!(refusal.code, Code::TargetFull);
}

#[test]
fn a_reason_that_is_too_long_is_not_cut_but_refused() {
    let mut stage = Stage::new();
    let order = |reason: String| Order::new(kill("etl"), reason);
    let refusal = stage.core.perform(&user("ann"), &order("é".repeat(LONGEST_REASON + 1))).unwrap_err();
    assert_refusal(&refusal, Code::BadRequest, "501 characters");
    assert!(stage.core.perform(&user("ann"), &order("é".repeat(LONGEST_REASON))).is_ok());
}
