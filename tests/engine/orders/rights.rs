//! Property: a rejected operation changes nothing, and the view predicts each rejection.

use proptest::prelude::*;
use scheduler::{AskSpec, NodeSpec, Submission};
use view::act::{Act, Actor, Done, PartitionAct};

use crate::common::{millicores, user, within};
use crate::orders::stage::{Stage, ask, owner};

fn actors() -> impl Strategy<Value = Actor> {
    let names = prop::sample::select(vec!["ann", "bob", "sue", "eve"]);
    prop_oneof![names.prop_map(user), Just(owner()), Just(owner().read_only("as the test says"))]
}

fn acts() -> impl Strategy<Value = Act> {
    let app = || prop::sample::select(vec!["etl", "one", "gone"]).prop_map(|app| app.into());
    let queue = || prop::sample::select(vec!["root.a.x", "root.a.y", "root.b.z", "root.b.few", "root.b", "root.c"]);
    let id = || prop::sample::select(vec!["t-1", "t-2", "big", "none"]);
    let node = || prop::sample::select(vec!["n", "m"]);
    prop_oneof![
        app().prop_map(|app| within(PartitionAct::Kill { app, expect_queue: None })),
        (app(), queue())
            .prop_map(|(app, queue)| { within(PartitionAct::Kill { app, expect_queue: Some(queue.into()) }) }),
        (app(), queue(), any::<bool>()).prop_map(|(app, to, dry_run)| {
            within(PartitionAct::Move { app, to: to.into(), expect_queue: None, dry_run })
        }),
        (app(), id(), -1..2000_i64).prop_map(|(app, id, amount)| {
            within(PartitionAct::Ask { app, asks: vec![ask(id, 1, amount), AskSpec { count: 2, ..ask(id, 2, 100) }] })
        }),
        (app(), id()).prop_map(|(app, ask)| within(PartitionAct::Release { app, ask: ask.into() })),
        app().prop_map(|app| within(PartitionAct::Remove { app })),
        (app(), queue()).prop_map(|(app, queue)| {
            let who = user("sue").identity;
            within(PartitionAct::Submit(Submission { app, queue: queue.into(), who, ..Submission::default() }))
        }),
        (node(), -5..100_000_i64).prop_map(|(id, vcore)| {
            within(PartitionAct::AddNode(NodeSpec {
                id: id.into(),
                capacity: millicores(vcore),
                ..NodeSpec::default()
            }))
        }),
        (node(), any::<bool>()).prop_map(|(id, force)| within(PartitionAct::RemoveNode { id: id.into(), force })),
        node().prop_map(|id| within(PartitionAct::DrainNode(id.into()))),
        any::<bool>().prop_map(|dry_run| { within(PartitionAct::Clean { queues: true, applications: true, dry_run }) }),
        Just(Act::Pause),
        Just(Act::Resume),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn what_is_refused_changes_nothing(orders in prop::collection::vec((actors(), acts()), 1..30)) {
        let mut stage = Stage::new();
        stage.submit("one", "root.a.y");
        for (who, act) in orders {
            let before = stage.snapshot();
            let seen = stage.view().may(&who, &act);
            let submits = matches!(&act, Act::In { act: PartitionAct::Submit(_), .. });
            let dry_run = act.is_dry_run();
            let outcome = stage.order(&who, act);
            if let Err(seen) = &seen {
                prop_assert_eq!(outcome.as_ref().err(), Some(seen), "the view says it is refused");
            }
            prop_assert!(who.read_only.is_none() || outcome.is_err());
            if (outcome.is_err() && !submits) || dry_run {
                prop_assert_eq!(stage.snapshot(), before, "{:?}", outcome);
            }
            if let Ok(Done::Paused | Done::Resumed) = outcome {
                prop_assert!(who.scheduler_admin);
            }
            stage.settle();
            prop_assert_eq!(scheduler::inspect::invariants::violations(stage.core.scheduler()), Vec::<String>::new());
        }
    }
}
