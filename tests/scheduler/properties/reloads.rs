//! Random mixtures of reloads, preemption, priorities, fences, GPUs, and zero maximums, under every profile.
//!
//! Each reload changes nine queues while requests are pending and nodes are reserved; nodes gain and lose a GPU. A
//! release's stale values must follow the rules.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::config::{self, Config};
use model::{AppId, AskId, Identity, NodeId, Priority, Profile, Resource, Time};
use proptest::prelude::*;
use scheduler::index::QueueKey;
use scheduler::inspect::invariants;
use scheduler::{AskSpec, Command, Event, EventKind, NodeSpec, Partition, PartitionCommand, Scheduler, Submission};

use crate::common::share;

const LEAVES: [&str; 5] = ["root.a", "root.p.b", "root.p.c", "root.p.q.d", "root.e"];
const PROPERTIES: [&str; 8] = [
    "",
    "priority.offset: '3'",
    "priority.offset: '-2'",
    "priority.policy: fence",
    "priority.policy: fence, priority.offset: '4'",
    "preemption.policy: fence",
    "preemption.policy: disabled",
    "application.sort.priority: disabled",
];
const RESOURCES: [&str; 7] = [
    "{}",
    "{guaranteed: {memory: 4, vcore: 4m}}",
    "{guaranteed: {gpu: 1, memory: 2}}",
    "{guaranteed: {memory: 6}, max: {memory: 9}}",
    "{max: {gpu: 1}}",
    "{max: {memory: 5, vcore: 5m}}",
    "{max: {gpu: 0, memory: 8}}",
];

type Setups = Vec<(usize, usize)>;

#[derive(Clone, Debug)]
enum Step {
    Reload(Setups),
    Cycles(u8),
    Clean,
    Advance(u32),
    Do(PartitionCommand),
}

/// `root.e` is in the file only if the first number is even.
fn config(profile: Profile, setups: &Setups) -> Arc<Config> {
    let settings = |at: usize| {
        let (properties, resources) = setups[at % setups.len()];
        let comma = if PROPERTIES[properties].is_empty() { "" } else { ", " };
        format!(
            "properties: {{preemption.delay: 1ms{comma}{}}}, resources: {}",
            PROPERTIES[properties], RESOURCES[resources]
        )
    };
    // A child's guaranteed resources must fit its parent's maximum, so parents have none.
    let parent = |at: usize| format!("properties: {{{}}}", PROPERTIES[setups[at % setups.len()].0]);
    let e = if setups[0].0.is_multiple_of(2) { format!(", {{name: e, {}}}", settings(4)) } else { String::new() };
    let text = format!(
        "partitions: [{{name: default, queues: [{{name: root, submitacl: '*', {}, queues: [{{name: a, {}}}, {{name: p, {}, queues: [
         {{name: b, {}}}, {{name: c, {}}}, {{name: q, {}, queues: [{{name: d, {}}}]}}]}}{e}]}}]}}]",
        parent(5), settings(0), parent(6), settings(1), settings(2), parent(7), settings(3),
    );
    let reading = config::read(&text, profile);
    reading.config.map(Arc::new).unwrap_or_else(|| panic!("{:?}\n{text}", reading.faults))
}

fn setups() -> impl Strategy<Value = Setups> {
    prop::collection::vec((0..PROPERTIES.len(), 0..RESOURCES.len()), 8)
}

fn app() -> impl Strategy<Value = AppId> {
    (0..8u8).prop_map(|n| AppId::from(format!("app-{n}")))
}

fn node() -> impl Strategy<Value = NodeId> {
    (0..4u8).prop_map(|n| NodeId::from(format!("n{n}")))
}

fn capacity() -> impl Strategy<Value = Resource> {
    (2..9i64, 2..9i64, prop::option::of(0..3i64)).prop_map(|(memory, vcore, gpu)| {
        let names = [("memory", Some(memory)), ("vcore", Some(vcore)), ("gpu", gpu)];
        names.into_iter().filter_map(|(name, amount)| Some((name, amount?))).collect()
    })
}

fn ask() -> impl Strategy<Value = PartitionCommand> {
    let amount = |most: i64| prop_oneof![1 => Just(0), 3 => 1..most];
    let size = (amount(4), amount(4), prop_oneof![4 => Just(None), 2 => Just(Some(1)), 1 => Just(Some(0))]);
    let required = prop_oneof![12 => Just(None), 1 => node().prop_map(Some)];
    (app(), 0..40u8, size, -3..6i32, required, any::<[bool; 2]>()).prop_map(
        |(app, id, (memory, vcore, gpu), priority, required_node, [preempts, gives])| {
            let names = [("memory", Some(memory)), ("vcore", Some(vcore)), ("gpu", gpu)];
            PartitionCommand::Ask(AskSpec {
                app,
                id: AskId::from(format!("t{id}")),
                resource: names.into_iter().filter_map(|(name, amount)| Some((name, amount?))).collect(),
                priority: Priority(priority),
                required_node,
                allow_preempt_other: preempts,
                allow_preempt_self: gives,
                ..AskSpec::default()
            })
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let submit = (app(), prop::sample::select(&LEAVES)).prop_map(|(app, queue)| {
        let who = Identity::new("sue", ["dev"]);
        PartitionCommand::Submit(Submission { app, queue: queue.to_owned(), who, ..Submission::default() })
    });
    let add = (node(), capacity())
        .prop_map(|(id, capacity)| PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() }));
    let update = (node(), capacity()).prop_map(|(id, capacity)| PartitionCommand::UpdateNode {
        id,
        capacity: Some(capacity),
        occupied: None,
    });
    let release =
        (app(), 0..40u8).prop_map(|(app, id)| PartitionCommand::Release { app, ask: AskId::from(format!("t{id}")) });
    let command = prop_oneof![
        5 => submit,
        14 => ask(),
        2 => add,
        2 => update,
        1 => node().prop_map(PartitionCommand::RemoveNode),
        6 => release,
        1 => app().prop_map(|app| PartitionCommand::Remove { app }),
    ];
    prop_oneof![
        2 => setups().prop_map(Step::Reload),
        8 => (1..6u8).prop_map(Step::Cycles),
        1 => Just(Step::Clean),
        3 => (1..20_000u32).prop_map(Step::Advance),
        20 => command.prop_map(Step::Do),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let first = |_| {
        let node = |n: u8| {
            let capacity = [("memory", 8), ("vcore", 8), ("gpu", 2)].into_iter().collect();
            let id = NodeId::from(format!("n{n}"));
            Step::Do(PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() }))
        };
        let app = |(n, queue): (usize, &&str)| {
            let (app, who) = (AppId::from(format!("app-{n}")), Identity::new("sue", ["dev"]));
            Step::Do(PartitionCommand::Submit(Submission {
                app,
                queue: (*queue).to_owned(),
                who,
                ..Submission::default()
            }))
        };
        let fills = |app: &str| {
            Step::Do(PartitionCommand::Ask(AskSpec {
                app: AppId::from(app),
                id: AskId::from("fills"),
                count: 7,
                resource: [("memory", 2), ("vcore", 2)].into_iter().collect(),
                allow_preempt_self: true,
                ..AskSpec::default()
            }))
        };
        let first = (0..2).map(node).chain(LEAVES.iter().enumerate().map(app));
        first.chain([fills("app-0"), fills("app-4"), Step::Cycles(8)]).collect::<Vec<_>>()
    };
    (Just(()).prop_map(first), prop::collection::vec(step(), 20..120))
        .prop_map(|(first, then)| first.into_iter().chain(then).collect())
}

fn run(profile: Profile, first: &Setups, steps: &[Step], mut look: impl FnMut(&Scheduler, &Command)) -> Vec<Event> {
    let (mut scheduler, mut now, mut all) = (Scheduler::new(profile), Time::ZERO, Vec::new());
    let mut apply = |now: Time, command: Command| {
        let events = scheduler.apply(now, &command);
        look(&scheduler, &command);
        all.extend(events);
    };
    apply(now, Command::Configure(config(profile, first)));
    for step in steps {
        now = now + Duration::from_millis(1);
        match step {
            Step::Reload(setups) => apply(now, Command::Configure(config(profile, setups))),
            Step::Cycles(count) => (0..*count).for_each(|_| apply(now, Command::Cycle)),
            Step::Clean => apply(now, Command::Clean),
            Step::Advance(ms) => {
                now = now + Duration::from_millis(u64::from(*ms));
                apply(now, Command::Tick);
            }
            Step::Do(command) => apply(now, command.clone().into()),
        }
    }
    all
}

fn fresh(partition: &Partition, key: QueueKey) -> Priority {
    let queue = &partition.queues[key];
    let apps = queue.apps.iter().map(|app| partition.apps[*app].priority());
    let children = queue.children.iter().map(|child| fresh(partition, *child));
    let raw = apps.chain(children).max().unwrap_or(Priority::MIN);
    let properties = &queue.settings.properties;
    raw.seen_outside(properties.priority_policy, properties.priority_offset)
}

/// The queues whose priority differs from the one of their subtree.
fn stale(scheduler: &Scheduler) -> BTreeMap<String, (Priority, Priority)> {
    let Some(partition) = scheduler.partitions().first() else { return BTreeMap::new() };
    let shown = partition.queues.iter().map(|queue| (queue, fresh(partition, queue.key)));
    let differ = shown.filter(|(queue, fresh)| queue.current_priority() != *fresh);
    differ.map(|(queue, fresh)| (queue.path.to_string(), (queue.current_priority(), fresh))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(120, 3), ..ProptestConfig::default() })]

    #[test]
    fn mixtures_add_up(profile in prop::sample::select(&Profile::ALL), first in setups(), steps in steps()) {
        run(profile, &first, &steps, |scheduler, _| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        });
    }

    #[test]
    fn mixtures_are_repeatable(profile in prop::sample::select(&Profile::ALL), first in setups(), steps in steps()) {
        prop_assert_eq!(run(profile, &first, &steps, |_, _| {}), run(profile, &first, &steps, |_, _| {}));
    }

    /// P-02: only a reload makes a priority stale, and only in releases.
    #[test]
    fn only_reloads_leave_priorities_stale(
        profile in prop::sample::select(&Profile::ALL), first in setups(), steps in steps(),
    ) {
        let mut loads = 0;
        run(profile, &first, &steps, |scheduler, command| {
            loads += u32::from(matches!(command, Command::Configure(_)));
            let found = stale(scheduler);
            assert!(profile != Profile::Kornsole && loads > 1 || found.is_empty(), "{profile}, {command:?}: {found:?}");
        });
    }
}

#[test]
fn mixtures_preempt_reserve_and_leave_stale() {
    let (preempted, reserved, stale_after) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 80,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    runner
        .run(&(setups(), steps()), |(first, steps)| {
            let events = run(Profile::V1_8_0, &first, &steps, |scheduler, command| {
                if matches!(command, Command::Configure(_)) && !stale(scheduler).is_empty() {
                    stale_after.set(stale_after.get() + 1);
                }
            });
            let count = |of: fn(&EventKind) -> bool| events.iter().filter(|event| of(&event.kind)).count();
            preempted.set(preempted.get() + count(|kind| matches!(kind, EventKind::Preempted { .. })));
            reserved.set(reserved.get() + count(|kind| matches!(kind, EventKind::Reserved { .. })));
            Ok(())
        })
        .expect("nothing is asserted");
    let found = (preempted.get(), reserved.get(), stale_after.get());
    assert!(found.0 > 5 && found.1 > 30 && found.2 > 30, "too little of something: {found:?}");
}
