//! Every act creates one audit entry, allowed or rejected, from every source.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use model::Identity;
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Submission};
use view::act::{Act, Actor, ActsFrom, Order, PartitionAct};
use view::audit::{self, ACTIONS, AuditEntry, AuditQuery};
use view::waiting::{Asked, Finding, Question, Sentence as _};

use crate::common::{kill, millicores, move_to, user, within};
use crate::orders::stage::{CONFIG, Stage, ask, owner};

/// A new act does not compile until it has a number.
fn kind(act: &Act) -> usize {
    match act {
        Act::Configure { .. } => 0,
        Act::Rollback { .. } => 1,
        Act::Pause => 2,
        Act::Resume => 3,
        Act::Silence { .. } => 16,
        Act::EndSilence { .. } => 17,
        Act::In { act, .. } => match act {
            PartitionAct::Kill { .. } => 4,
            PartitionAct::Move { .. } => 5,
            PartitionAct::Clean { .. } => 6,
            PartitionAct::Submit(_) => 7,
            PartitionAct::Ask { .. } => 8,
            PartitionAct::Release { .. } => 9,
            PartitionAct::Remove { .. } => 10,
            PartitionAct::AddNode(_) => 11,
            PartitionAct::UpdateNode { .. } => 12,
            PartitionAct::DrainNode(_) => 13,
            PartitionAct::ResumeNode(_) => 14,
            PartitionAct::RemoveNode { .. } => 15,
        },
    }
}

const KINDS: usize = 18;

fn ann(from: &ActsFrom) -> Actor {
    let ann = Actor::from(Identity::new("ann", ["dev"])).scheduler_admin(true);
    Actor { from: from.clone(), ..ann }
}

fn acts(stage: &Stage) -> Vec<Act> {
    let node = || "m".into();
    let spec = NodeSpec { id: node(), capacity: millicores(5_000), ..NodeSpec::default() };
    let (who, queue) = (Identity::new("ann", ["dev"]), "root.a.x".to_owned());
    let submission = Submission { app: "new".into(), queue, who, ..Submission::default() };
    let asks = vec![ask("u", 1, 1000)];
    let base = || Some(stage.core.scheduler().checksum().to_owned());
    let text = CONFIG.replace("{vcore: 2}", "{vcore: 3}");
    vec![
        within(PartitionAct::AddNode(spec)),
        within(PartitionAct::UpdateNode { id: node(), capacity: Some(millicores(6_000)), occupied: None }),
        within(PartitionAct::DrainNode(node())),
        within(PartitionAct::ResumeNode(node())),
        within(PartitionAct::RemoveNode { id: node(), force: false }),
        within(PartitionAct::Submit(submission)),
        within(PartitionAct::Ask { app: "new".into(), asks }),
        within(PartitionAct::Release { app: "new".into(), ask: "u".into() }),
        move_to("new", "root.a.y"),
        kill("new"),
        within(PartitionAct::Remove { app: "etl".into() }),
        within(PartitionAct::Clean { queues: true, applications: true, dry_run: false }),
        Act::Pause,
        Act::Resume,
        Act::Silence { rule: "node-lost".to_owned(), subject: "node m".to_owned(), lasts: Duration::from_secs(60) },
        Act::EndSilence { silence: 1, of: "node-lost of node m".to_owned() },
        Act::Configure { text, base: base(), dry_run: false },
        Act::Rollback { revision: 1, base: base(), dry_run: false },
    ]
}

fn newest(stage: &Stage) -> (Arc<AuditEntry>, u64) {
    let entries = stage.core.audit_log().entries(&AuditQuery { limit: 1, ..AuditQuery::default() });
    (Arc::clone(&entries[0]), stage.core.audit_log().last())
}

#[test]
fn every_act_is_entered_once_allowed_or_refused_from_everywhere() {
    let api = ActsFrom::Api { address: "10.0.0.7".into(), request: "r-1".into() };
    for from in [ActsFrom::Console, api, ActsFrom::File("queues.yaml".into()), ActsFrom::Workload] {
        let mut stage = Stage::new();
        let (mut kinds, mut names, mut entries) = (BTreeSet::new(), BTreeSet::new(), 0);
        for mut act in acts(&stage) {
            if let Act::Rollback { base, .. } = &mut act {
                *base = Some(stage.core.scheduler().checksum().to_owned());
            }
            kinds.insert(kind(&act));
            let eve = Actor { from: from.clone(), ..user("eve") };
            let reader = ann(&from).read_only("for reading only");
            for (who, code) in [(&eve, ""), (&reader, "READ_ONLY"), (&ann(&from), "")] {
                let order = Order::new(act.clone(), format!("because of {act}"));
                let outcome = stage.core.perform(who, &order);
                let (entry, last) = newest(&stage);
                entries += 1;
                assert_eq!(last, entries, "{act}: one entry each");
                assert_eq!(outcome.is_ok(), who.scheduler_admin && who.read_only.is_none(), "{act}: {outcome:?}");
                assert_eq!((entry.allowed, entry.user.as_str()), (outcome.is_ok(), who.user()), "{act}");
                assert_eq!(entry.address, audit::address(&from), "{act}");
                let (name, object) = (audit::action(&act), audit::object(&act));
                assert_eq!((entry.action.as_str(), entry.object.as_str()), (name, object), "{act}");
                assert_eq!(entry.reason, order.reason, "{act}");
                assert_eq!(entry.request.is_empty(), !matches!(from, ActsFrom::Api { .. }), "{act}");
                let is_new = ["add-node", "submit"].contains(&name);
                let refused = outcome.as_ref().err();
                // A new object has no facts before, and a rejected act changes none.
                assert!(is_new != entry.before.iter().any(|(_, fact)| !fact.is_empty()) || refused.is_some(), "{act}");
                assert_eq!(entry.after.is_empty(), refused.is_some() || name == "remove-node", "{act}: {entry:?}");
                if let Some(refused) = refused {
                    assert_eq!(entry.code, refused.code.name(), "{act}");
                    assert!(!entry.why.is_empty() && (code.is_empty() || entry.code == code), "{act}: {entry:?}");
                }
                names.insert(name);
                stage.settle();
            }
        }
        assert_eq!(kinds.len(), KINDS, "one of each kind");
        assert_eq!(names.into_iter().collect::<Vec<_>>(), ACTIONS);
    }
}

#[test]
fn an_explanation_names_who_drained_the_node_and_why() {
    let mut stage = Stage::new();
    let drain = Order::new(within(PartitionAct::DrainNode("n".into())), "new disk");
    stage.core.perform(&owner(), &drain).unwrap();
    stage.give(PartitionCommand::Ask(AskSpec { app: "etl".into(), ..ask("small", 1, 1000) }));
    stage.settle();
    let explained =
        |stage: &Stage, of: Asked| match stage.core.explain(&Question { partition: "default".into(), of }).unwrap() {
            Finding::App(found) => found.asks[0].blockers[0].sentence(),
            Finding::Waiting(all) => {
                all.groups.iter().filter_map(|group| Some(group.blocker.as_ref()?.sentence())).collect()
            }
        };
    for of in [Asked::App("etl".into(), Some("small".into())), Asked::Waiting(None)] {
        let sentence = explained(&stage, of.clone());
        let drained = "the nodes that fit are unschedulable, for example n: drained by owner";
        assert!(sentence.contains(drained) && sentence.contains(": new disk"), "{of}: {sentence}");
    }
    // A drain that has ended is not the reason of a later one.
    stage.order(&owner(), within(PartitionAct::ResumeNode("n".into()))).unwrap();
    stage.give(PartitionCommand::DrainNode("n".into()));
    stage.settle();
    let sentence = explained(&stage, Asked::Waiting(None));
    assert!(sentence.contains("for example n: drained") && !sentence.contains("drained by"), "{sentence}");
}
