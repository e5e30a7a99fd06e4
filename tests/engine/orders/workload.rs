use config::AllowedRemoval;
use model::Identity;
use scheduler::{AskSpec, NodeSpec, Submission};
use view::act::{Actor, Code, Done, MOST_ASKS, Order, PartitionAct};

use crate::common::{millicores, user, within};
use crate::orders::stage::{Stage, ask, assert_refusal, owner};

fn sue() -> Actor {
    Actor::from(Identity::new("sue", ["dev"]))
}

fn submission(app: &str, queue: &str, who: &Actor) -> Submission {
    Submission { app: app.into(), queue: queue.to_owned(), who: who.identity.clone(), ..Submission::default() }
}

#[test]
fn users_submit_in_their_own_name_if_allowed() {
    let mut stage = Stage::new();
    let submit = |app, queue, who: &Actor| within(PartitionAct::Submit(submission(app, queue, who)));
    let Done::Submitted(done) = stage.order(&sue(), submit("one", "root.b.z", &sue())).unwrap() else { panic!() };
    assert_eq!(done.queue.as_str(), "root.b.z");
    assert_refusal(
        &stage.refused(&sue(), submit("one", "root.b.z", &sue())),
        Code::Exists,
        "an active application has this id",
    );
    let others = submit("two", "root.b.z", &user("bob"));
    assert_refusal(&stage.refused(&sue(), others), Code::AclDenied, "only with their own user name");
    let ann = user("ann");
    let refusal = stage.order(&ann, submit("two", "root.b.z", &ann)).unwrap_err();
    assert_refusal(&refusal, Code::NotPlaced, "root.b.z");
    // A forced submission goes to the recovery queue, to which no user may submit (ACL-026).
    let mut forced = submission("two", "root.b.z", &ann);
    forced.tags.insert("application.create.force".to_owned(), "true".to_owned());
    assert_refusal(&stage.refused(&ann, within(PartitionAct::Submit(forced))), Code::AclDenied, "root.@recovery@");
}

#[test]
fn requests_are_created_all_or_none_by_the_owner_of_the_application() {
    let mut stage = Stage::new();
    let make = |asks: Vec<AskSpec>| within(PartitionAct::Ask { app: "etl".into(), asks });
    let bad = make(vec![ask("u", 2, 500), ask("nothing", 1, 0)]);
    assert_refusal(&stage.refused(&sue(), bad), Code::BadRequest, "is empty");
    let huge = make(vec![ask("u", 1, i64::MAX - 2_000_000), ask("v", 1, i64::MAX - 2_000_000)]);
    assert_refusal(&stage.refused(&sue(), huge), Code::BadRequest, "is too large: the sum");
    let many = make(vec![ask("u", u32::MAX, 1)]);
    assert_refusal(&stage.refused(&sue(), many), Code::BadRequest, &format!("1 to {MOST_ASKS} requests"));
    assert_refusal(&stage.refused(&sue(), make(vec![ask("t-1", 1, 500)])), Code::Exists, "is already allocated");
    assert_refusal(
        &stage.refused(&user("bob"), make(vec![ask("u", 1, 500)])),
        Code::AclDenied,
        "admin access on root.a.x",
    );
    let Done::Asked(done) = stage.order(&sue(), make(vec![ask("u", 2, 500), ask("w", 1, 500)])).unwrap() else {
        panic!()
    };
    assert_eq!(done.asks.iter().map(|ask| ask.as_str()).collect::<Vec<_>>(), ["u-1", "u-2", "w"]);
    let Done::Asked(_) = stage.order(&user("ann"), make(vec![ask("more", 1, 500)])).unwrap() else { panic!() };
}

#[test]
fn releases_and_cancels_and_removes() {
    let mut stage = Stage::new();
    let release = |id: &str| within(PartitionAct::Release { app: "etl".into(), ask: id.into() });
    assert_refusal(&stage.refused(&user("bob"), release("t-1")), Code::AclDenied, "root.a.x");
    assert_refusal(&stage.refused(&sue(), release("t-9")), Code::NotFound, "allocation t-9 not found");
    let outcome = |done| match done {
        Done::Released(done) => done.allocated,
        other => panic!("{other:?}"),
    };
    assert!(outcome(stage.order(&sue(), release("t-1")).unwrap()));
    assert!(!outcome(stage.order(&sue(), release("big")).unwrap()));
    let Done::Removed(done) = stage.order(&sue(), within(PartitionAct::Remove { app: "etl".into() })).unwrap() else {
        panic!()
    };
    assert_eq!(done.released.len(), 2);
    assert_eq!(stage.view().partitions[0].live_apps, 0);
}

#[test]
fn nodes_are_for_the_scheduler_acl() {
    let mut stage = Stage::new();
    let drain = || within(PartitionAct::DrainNode("n".into()));
    assert_refusal(&stage.refused(&user("ann"), drain()), Code::AclDenied, "needs membership in the scheduler ACL");
    stage.order(&owner(), drain()).unwrap();
    assert!(!stage.view().partitions[0].nodes["n"].schedulable);
    let add = |id: &str, vcore| {
        within(PartitionAct::AddNode(NodeSpec { id: id.into(), capacity: millicores(vcore), ..NodeSpec::default() }))
    };
    assert_refusal(&stage.refused(&owner(), add("n", 5)), Code::Exists, "already registered");
    assert_refusal(&stage.refused(&owner(), add("m", -5)), Code::BadRequest, "negative capacity");
    assert_refusal(&stage.refused(&owner(), within(PartitionAct::ResumeNode("m".into()))), Code::NotFound, "node m");
    let remove = |force| within(PartitionAct::RemoveNode { id: "n".into(), force });
    assert_refusal(&stage.refused(&owner(), remove(false)), Code::NodeInUse, "3 allocations would be released");
    let Done::Node(done) = stage.order(&owner(), remove(true)).unwrap() else { panic!() };
    assert_eq!(done.released.len(), 3);
}

#[test]
fn cleaning_up_lists_what_was_removed_and_what_blocks_the_rest() {
    let mut stage = Stage::new();
    let text =
        "partitions: [{name: default, queues: [{name: root, queues: [{name: b, queues: [{name: z}]}]}]}]".to_owned();
    let base = stage.core.scheduler().checksum().to_owned();
    let act = view::act::Act::Configure { text, base: Some(base), dry_run: false };
    let allowed = AllowedRemoval { empty: false, queues: Some(4) };
    stage.core.perform(&owner(), &Order::from(act).allowing(allowed)).unwrap();
    let clean = |dry_run| within(PartitionAct::Clean { queues: true, applications: true, dry_run });
    assert_refusal(&stage.refused(&user("ann"), clean(true)), Code::AclDenied, "admin access on root");
    let cleaned = |done| match done {
        Done::Cleaned(done) => done,
        other => panic!("{other:?}"),
    };
    let before = stage.snapshot();
    let would = cleaned(stage.order(&owner(), clean(true)).unwrap());
    assert_eq!(stage.snapshot(), before, "a dry run changes nothing");
    let mut did = cleaned(stage.order(&owner(), clean(false)).unwrap());
    did.dry_run = true;
    assert_eq!(would, did);
    let removed: Vec<_> = did.removed_queues.iter().map(ToString::to_string).collect();
    assert_eq!(removed, ["root.b.few", "root.a.y"]);
    let retained: Vec<_> =
        did.retained.iter().map(|retained| (retained.queue.as_str(), retained.why.as_str())).collect();
    assert_eq!(retained, [("root.a.x", "1 application"), ("root.a", "1 application")]);
    assert!(stage.view().partitions[0].queue_at(&"root.a.y".into()).is_none());
}
