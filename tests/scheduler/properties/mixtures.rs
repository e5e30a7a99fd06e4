//! Mixtures of repeated IDs, late gangs, backoff, reloads, preemption, removed nodes, with tight sizes and times. Each
//! is also played without shortcuts, and saved and restored. `PROPTEST_RNG_SEED=$RANDOM PROPTEST_CASES=5000 cargo test
//! --test scheduler mixtures` plays others.

use std::sync::Arc;
use std::time::Duration;

use model::{AppId, AskId, Identity, NodeId, Priority, Profile, Resource, Time};
use proptest::prelude::*;
use scheduler::inspect::invariants;
use scheduler::{
    AskSpec, Command, Event, EventKind, GangStyle, NodeSpec, Partition, PartitionCommand, Scheduler, Submission,
};

use super::commands::Step;
use super::saved::again;
use crate::common::share;

/// All have the same leaves.
const CONFIGS: [&str; 4] = [
    "[{name: a}, {name: b, properties: {priority.offset: '3'}}, {name: p, parent: true, queues: [{name: x}, {name: y}]}]",
    "[{name: a, resources: {guaranteed: {memory: 12, vcore: 12m}}, properties: {preemption.delay: 1ms}},
      {name: b, properties: {preemption.delay: 1ms, priority.policy: fence, priority.offset: '1'}},
      {name: p, parent: true, properties: {preemption.policy: fence}, queues: [
        {name: x, resources: {guaranteed: {memory: 8}}, properties: {preemption.delay: 1ms}},
        {name: y, resources: {max: {memory: 16, vcore: 16m}}}]}]",
    "[{name: a, properties: {application.unschedasks.backoff: '1', application.unschedasks.backoff.delay: 2s}},
      {name: b, maxapplications: 1, properties: {priority.offset: '-7'}},
      {name: p, parent: true, properties: {priority.policy: fence, priority.offset: '4'},
        resources: {max: {memory: 24, gpu: 0}}, queues: [{name: x}, {name: y, properties: {application.sort.policy: fair}}]}]",
    "[{name: a, limits: [{limit: each, users: ['*'], maxresources: {memory: 14}, maxapplications: 2}]},
      {name: b}, {name: p, parent: true, resources: {max: {vcore: 0}}, queues: [
        {name: x, resources: {guaranteed: {memory: 6}}, properties: {preemption.delay: 1ms}}, {name: y}]}]",
];
const LEAVES: [&str; 5] = ["root.a", "root.b", "root.p.x", "root.p.y", "root.a"];
const IDS: u8 = 6;
/// Just after each delay, in ms.
const TIMES: [u32; 6] = [300, 2_100, 3_000, 11_000, 16_000, 31_000];

fn configuration(profile: Profile, which: usize) -> Command {
    let queues = CONFIGS[which % CONFIGS.len()];
    let text = format!("partitions: [{{name: default, queues: [{{name: root, submitacl: '*', queues: {queues}}}]}}]");
    Command::Configure(Arc::new(config::read(&text, profile).config.unwrap_or_else(|| panic!("{text}"))))
}

fn app() -> impl Strategy<Value = u8> {
    0..LEAVES.len() as u8
}

fn app_id(app: u8) -> AppId {
    AppId::from(format!("app-{app}"))
}

/// IDs are unique over all applications, as in real clusters.
fn ask_id(app: u8, number: u8) -> AskId {
    AskId::from(format!("t{app}-{number}"))
}

fn node_id() -> impl Strategy<Value = NodeId> {
    (0..3u8).prop_map(|number| NodeId::from(format!("n{number}")))
}

fn amounts(most: i64) -> impl Strategy<Value = Resource> {
    let name = prop::sample::select(&["memory", "vcore", "memory", "vcore", "gpu"]);
    prop::collection::vec((name, 0..most), 1..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn submit(app: u8, hard: bool) -> PartitionCommand {
    let gang_style = if hard { GangStyle::Hard } else { GangStyle::Soft };
    PartitionCommand::Submit(Submission {
        app: app_id(app),
        queue: LEAVES[usize::from(app)].to_owned(),
        who: Identity::new(if app.is_multiple_of(2) { "sue" } else { "bob" }, ["dev"]),
        gang_style,
        placeholder_timeout: Some(Duration::from_secs(10)),
        ..Submission::default()
    })
}

fn ask() -> impl Strategy<Value = PartitionCommand> {
    let priority = prop::sample::select(&[0, 0, 0, 5, -3, 20]);
    let role = prop_oneof![4 => Just((false, None)), 3 => Just((true, Some("g"))), 2 => Just((false, Some("g")))];
    let required = prop::option::weighted(0.06, node_id());
    (app(), 0..IDS, amounts(14), priority, role, required, any::<[bool; 3]>()).prop_map(
        |(app, number, resource, priority, (placeholder, group), required_node, [to, of, first])| {
            PartitionCommand::Ask(AskSpec {
                app: app_id(app),
                id: ask_id(app, number),
                resource,
                priority: Priority(priority),
                placeholder,
                task_group: group.map(Arc::from),
                required_node: required_node.filter(|_| group.is_none()),
                allow_preempt_other: to,
                allow_preempt_self: of,
                originator: first && to,
                ..AskSpec::default()
            })
        },
    )
}

fn node(id: NodeId, memory: i64, gpu: i64) -> PartitionCommand {
    let capacity = [("memory", memory), ("vcore", 20), ("gpu", gpu)].into_iter().collect();
    PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() })
}

fn step() -> impl Strategy<Value = Step> {
    let update = (node_id(), 6..24i64, any::<bool>()).prop_map(|(id, memory, vcore)| {
        let capacity = [("memory", memory), (if vcore { "vcore" } else { "gpu" }, 20)].into_iter().collect();
        PartitionCommand::UpdateNode { id, capacity: Some(capacity), occupied: None }
    });
    let command = prop_oneof![
        30 => ask(),
        4 => (app(), any::<bool>()).prop_map(|(app, hard)| submit(app, hard)),
        8 => (app(), 0..IDS).prop_map(|(app, number)| PartitionCommand::Release { app: app_id(app), ask: ask_id(app, number) }),
        1 => app().prop_map(|app| PartitionCommand::Remove { app: app_id(app) }),
        2 => node_id().prop_map(PartitionCommand::RemoveNode),
        4 => (node_id(), 10..24i64, 0..3i64).prop_map(|(id, memory, gpu)| node(id, memory, gpu)),
        2 => update,
        1 => node_id().prop_map(PartitionCommand::DrainNode),
        1 => node_id().prop_map(PartitionCommand::ResumeNode),
    ];
    prop_oneof![
        24 => command.prop_map(Step::Do),
        14 => (1..5u8).prop_map(Step::Cycles),
        6 => prop::sample::select(&TIMES).prop_map(Step::Advance),
        2 => (0..CONFIGS.len()).prop_map(Step::Configure),
        1 => Just(Step::Clean),
    ]
}

fn mixture() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 20..110).prop_map(|then| {
        let nodes = ["n0", "n1"].map(|id| node(NodeId::from(id), 20, 1));
        let apps = (0..LEAVES.len() as u8).map(|app| submit(app, app == 1));
        nodes.into_iter().chain(apps).map(Step::Do).chain(then).collect()
    })
}

fn ending() -> Vec<Step> {
    let apps = (0..LEAVES.len() as u8).map(|app| Step::Do(PartitionCommand::Remove { app: app_id(app) }));
    let nodes = ["n0", "n1", "n2"].map(|id| Step::Do(PartitionCommand::RemoveNode(NodeId::from(id))));
    apps.chain(nodes).chain([Step::Advance(31_000), Step::Clean]).collect()
}

fn play(
    profile: Profile,
    steps: &[Step],
    mut before: impl FnMut(&mut Scheduler, bool),
    mut after: impl FnMut(&Scheduler, &[Event]),
) -> (Scheduler, Vec<Event>) {
    let (mut scheduler, mut now, mut all) = (Scheduler::new(profile), Time::ZERO, Vec::new());
    let mut apply = |scheduler: &mut Scheduler, now, command: &Command| {
        before(scheduler, matches!(command, Command::Cycle));
        let events = scheduler.apply(now, command);
        after(scheduler, &events);
        all.extend(events);
    };
    apply(&mut scheduler, now, &configuration(profile, 0));
    for step in steps {
        now = now + Duration::from_millis(1);
        match step {
            Step::Configure(which) => apply(&mut scheduler, now, &configuration(profile, *which)),
            Step::Cycles(count) => (0..*count).for_each(|_| apply(&mut scheduler, now, &Command::Cycle)),
            Step::Clean => apply(&mut scheduler, now, &Command::Clean),
            Step::Advance(ms) => {
                now = now + Duration::from_millis(u64::from(*ms));
                apply(&mut scheduler, now, &Command::Tick);
            }
            Step::Do(command) => apply(&mut scheduler, now, &command.clone().into()),
        }
    }
    (scheduler, all)
}

fn assert_fits(partition: &Partition, events: &[Event]) {
    for event in events {
        let EventKind::Allocated { node, resource, in_place: false, .. } = &event.kind else { continue };
        let node = &partition.nodes[partition.nodes.find(node).unwrap()];
        let over = |(name, amount): (&str, i64)| amount > 0 && node.available.amount(name) < 0;
        assert!(!resource.iter().any(over), "{event:?} on {node:?}");
    }
}

/// Only what a release miscounts or leaks may be left.
fn assert_ended(profile: Profile, partition: &Partition) {
    assert!(partition.apps.iter().next().is_none() && partition.nodes.is_empty());
    assert_eq!((partition.reservations, partition.placeholders), (0, 0));
    for queue in partition.queues.iter().filter(|_| !partition.miscounted) {
        let sums = [&queue.allocated, &queue.pending, &queue.preempting];
        assert!(sums.iter().all(|sum| sum.is_zero()) && queue.reserved.is_empty(), "{queue:?}");
    }
    let users: Vec<_> = partition.usage.users.iter().map(|(_, tracker)| tracker).collect();
    assert!(profile != Profile::Kornsole || !partition.miscounted && users.is_empty(), "{users:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(240, 4), ..ProptestConfig::default() })]

    #[test]
    fn mixtures_add_up_and_repeat(
        profile in prop::sample::select(&Profile::ALL),
        steps in mixture(),
        every in 1..9usize,
    ) {
        let steps: Vec<Step> = steps.into_iter().chain(ending()).collect();
        let (plain, events) = play(profile, &steps, |_, _| {}, |scheduler, events| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            assert_fits(&scheduler.partitions()[0], events);
        });
        assert_ended(profile, &plain.partitions()[0]);
        let forget = |scheduler: &mut Scheduler, cycle| if cycle { scheduler.forget_shortcuts() };
        let (_, forgetful) = play(profile, &steps, forget, |_, _| {});
        prop_assert_eq!(&events, &forgetful);
        let mut count = 0;
        let rebuild = |scheduler: &mut Scheduler, _| {
            count += 1;
            if count % every == 0 {
                *scheduler = again(profile, scheduler);
            }
        };
        let (_, rebuilt) = play(profile, &steps, rebuild, |_, _| {});
        prop_assert_eq!(&events, &rebuilt);
    }
}
