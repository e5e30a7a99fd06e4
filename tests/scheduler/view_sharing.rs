//! Unchanged rows share their memory with the previous view.

use std::fmt::Write as _;
use std::sync::Arc;

use model::{Identity, Profile, Resource, Time};
use scheduler::{AskSpec, Command, NodeSpec, PartitionCommand, Scheduler, Submission};
use view::{View, ViewBuilder};

const LEAVES: usize = 100;
const APPS: usize = 100_000;

fn cluster() -> Scheduler {
    let mut text = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [".to_owned();
    for leaf in 0..LEAVES {
        write!(text, "{{name: q{leaf}}},").expect("writing to a string");
    }
    text.push_str("]}]}]");
    let config = config::read(&text, Profile::Kornsole).config.expect("a valid configuration");
    let mut scheduler = Scheduler::new(Profile::Kornsole);
    let mut apply = |command: Command| scheduler.apply(Time::ZERO, &command);
    apply(Command::Configure(Arc::new(config)));
    let amount = |n: i64| -> Resource { [("memory", n), ("vcore", n)].into_iter().collect() };
    for node in 0..50 {
        let id = format!("node-{node}").into();
        let spec = NodeSpec { id, capacity: amount(1_000_000), ..NodeSpec::default() };
        apply(PartitionCommand::AddNode(spec).into());
    }
    for app in 0..APPS {
        let id = format!("app-{app}");
        let submission = Submission {
            app: id.as_str().into(),
            queue: format!("root.q{}", app % LEAVES),
            who: Identity::new("sue", ["dev"]),
            ..Submission::default()
        };
        apply(PartitionCommand::Submit(submission).into());
        let ask = AskSpec { app: id.into(), id: "t".into(), resource: amount(1), ..AskSpec::default() };
        apply(PartitionCommand::Ask(ask).into());
    }
    scheduler
}

fn differing<T>(
    before: impl IntoIterator<Item = Option<Arc<T>>>,
    after: impl IntoIterator<Item = Option<Arc<T>>>,
) -> usize {
    let same = |(b, a): &(Option<Arc<T>>, Option<Arc<T>>)| match (b, a) {
        (Some(b), Some(a)) => Arc::ptr_eq(b, a),
        (b, a) => b.is_none() && a.is_none(),
    };
    before.into_iter().zip(after).filter(|pair| !same(pair)).count()
}

#[test]
fn one_allocation_among_100_000_applications_touches_its_own_rows_only() {
    let mut scheduler = cluster();
    let mut views = ViewBuilder::default();
    let before: Arc<View> = views.update(Time::ZERO, &mut scheduler).expect("the first view");
    assert_eq!(before.partitions[0].live_apps, APPS);
    assert!(views.update(Time::ZERO, &mut scheduler).is_none(), "nothing happened");

    let now = Time::from_millis(1);
    scheduler.apply(now, &Command::Cycle);
    let after = views.update(now, &mut scheduler).expect("an allocation was made");
    let (before, after) = (&before.partitions[0], &after.partitions[0]);
    assert_eq!(after.allocated.amount("memory"), 1);
    assert_eq!(before.allocated.amount("memory"), 0, "the earlier view stays what it was");

    assert_eq!(differing(before.apps.iter().cloned(), after.apps.iter().cloned()), 1);
    assert_eq!(differing(before.queues.iter().cloned(), after.queues.iter().cloned()), 2, "the leaf and the root");
    let nodes = |view: &view::PartitionView| view.nodes.values().cloned().map(Some).collect::<Vec<_>>();
    assert_eq!(differing(nodes(before), nodes(after)), 1);
    assert_eq!(before.tree_generation, after.tree_generation);
    assert_eq!(before.app_generation, after.app_generation);

    let changed = after.apps.iter().flatten().find(|app| !app.allocated.is_empty()).expect("one has an allocation");
    let old = before.app(changed.slot).expect("it was there before");
    assert!(old.allocated.is_empty() && Arc::ptr_eq(&old.tags, &changed.tags));
}
