//! Random clusters and steps with few names, so that values are often equal.

use std::sync::Arc;
use std::time::Duration;

use ::config::{self, Config};
use model::{AppId, AskId, Identity, NodeId, Priority, Profile, Resource, Time};
use proptest::prelude::*;
use scheduler::{AskSpec, Command, Event, NodeSpec, PartitionCommand, Scheduler, Submission};

/// The leaves of every configuration below.
pub const LEAVES: [&str; 10] = [
    "root.a",
    "root.b",
    "root.c",
    "root.d",
    "root.p.x",
    "root.p.y",
    "root.p.z",
    "root.f.x",
    "root.f.y",
    "root.f.deep.er",
];

const PROPERTIES: [&str; 6] = [
    "{}",
    "{application.sort.policy: fair}",
    "{application.sort.priority: disabled}",
    "{application.sort.policy: fair, application.sort.priority: disabled}",
    "{application.sort.policy: stateaware}",
    "{priority.offset: '1'}",
];
const RESOURCES: [&str; 5] = [
    "{}",
    "{guaranteed: {memory: 4, vcore: 4m}}",
    "{guaranteed: {memory: 8}, max: {memory: 24}}",
    "{max: {memory: 12, vcore: 12m}}",
    "{guaranteed: {vcore: 2m}}",
];
const MAXIMA: [&str; 3] = ["", "maxapplications: 1", "maxapplications: 2"];

/// A configuration with these leaves, each set up by three numbers.
pub fn config(profile: Profile, node_sort: &str, setups: &[(usize, usize, usize)]) -> Arc<Config> {
    let setup = |at: usize| {
        let (properties, resources, most) = setups[at % setups.len()];
        let most = MAXIMA[most % MAXIMA.len()];
        let comma = if most.is_empty() { "" } else { ", " };
        let (properties, resources) =
            (PROPERTIES[properties % PROPERTIES.len()], RESOURCES[resources % RESOURCES.len()]);
        format!("properties: {properties}, resources: {resources}{comma}{most}")
    };
    let leaf = |name: &str, at: usize| format!("{{name: {name}, {}}}", setup(at));
    let text = format!(
        "partitions:\n  - name: default\n    nodesortpolicy: {{type: {node_sort}}}\n    queues:\n      - name: root\n        submitacl: '*'\n        properties: {}\n        queues:\n          - {}\n          - {}\n          - {}\n          - {}\n          - {{name: p, queues: [{}, {}, {}]}}\n          - {{name: f, properties: {{priority.policy: fence, application.sort.priority: disabled}}, queues: [{}, {}, {{name: deep, queues: [{}]}}]}}\n",
        if setups.len().is_multiple_of(2) { "{}" } else { "{application.sort.priority: disabled}" },
        leaf("a", 0),
        leaf("b", 1),
        leaf("c", 2),
        leaf("d", 3),
        leaf("x", 4),
        leaf("y", 5),
        leaf("z", 6),
        leaf("x", 7),
        leaf("y", 8),
        leaf("er", 9),
    );
    Arc::new(config::read(&text, profile).config.unwrap_or_else(|| panic!("{text}")))
}

/// A step of a history.
#[derive(Clone, Debug)]
pub enum Step {
    Cycles(u8),
    Advance(u32),
    Do(PartitionCommand),
}

/// The features of requests other than size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// No required nodes, preemption, or gangs.
    Plain,
    /// All features.
    Any,
}

fn app() -> impl Strategy<Value = AppId> {
    (0..14u8).prop_map(|n| AppId::from(format!("app-{n}")))
}

fn node() -> impl Strategy<Value = NodeId> {
    (0..6u8).prop_map(|n| NodeId::from(format!("n{n}")))
}

fn amounts(most: i64) -> impl Strategy<Value = Resource> {
    let name = prop::sample::select(&["memory", "vcore", "memory", "vcore", "gpu"]);
    prop::collection::vec((name, 1..most), 1..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn ask(asks: Asks) -> impl Strategy<Value = PartitionCommand> {
    let any = asks == Asks::Any;
    let required = prop::option::weighted(0.08, node()).prop_map(move |node| node.filter(|_| any));
    let group = prop::option::weighted(0.12, prop::sample::select(&["g", "h"]));
    let group = group.prop_map(move |group| group.filter(|_| any));
    let flags = (prop::bool::weighted(0.25), prop::bool::weighted(0.25), proptest::bool::ANY);
    (app(), 0..30u8, amounts(7), -2..3i32, 1..5u32, required, group, flags).prop_map(
        move |(app, id, resource, priority, count, required_node, group, (preempts, gives, placeholder))| {
            PartitionCommand::Ask(AskSpec {
                app,
                id: AskId::from(format!("t{id}")),
                resource,
                priority: Priority(priority),
                count,
                required_node,
                allow_preempt_other: preempts && any,
                allow_preempt_self: gives,
                placeholder: placeholder && group.is_some(),
                task_group: group.map(Arc::from),
                ..AskSpec::default()
            })
        },
    )
}

fn submit() -> impl Strategy<Value = PartitionCommand> {
    let who = (prop::sample::select(&["sue", "bob"]), prop::sample::select(&["dev", "ops"]));
    (app(), prop::sample::select(&LEAVES), who).prop_map(|(app, queue, (user, group))| {
        let who = Identity::new(user, [group]);
        PartitionCommand::Submit(Submission { app, queue: queue.to_owned(), who, ..Submission::default() })
    })
}

fn step(asks: Asks) -> impl Strategy<Value = Step> {
    let add = (node(), 0..20i64, 0..20i64).prop_map(|(id, memory, vcore)| {
        let capacity = [("memory", memory), ("vcore", vcore), ("gpu", memory % 3)].into_iter().collect();
        PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() })
    });
    let update = (node(), amounts(25)).prop_map(|(id, capacity)| PartitionCommand::UpdateNode {
        id,
        capacity: Some(capacity),
        occupied: None,
    });
    // IDs that `count` derived can be released, too.
    let ask_id = (0..30u8, 0..5u8)
        .prop_map(|(id, number)| AskId::from(if number == 0 { format!("t{id}") } else { format!("t{id}-{number}") }));
    let command = prop_oneof![
        4 => submit(),
        14 => ask(asks),
        2 => add,
        1 => update,
        1 => node().prop_map(PartitionCommand::RemoveNode),
        1 => node().prop_map(PartitionCommand::DrainNode),
        1 => node().prop_map(PartitionCommand::ResumeNode),
        6 => (app(), ask_id).prop_map(|(app, ask)| PartitionCommand::Release { app, ask }),
        1 => app().prop_map(|app| PartitionCommand::Remove { app }),
    ];
    prop_oneof![
        8 => (1..8u8).prop_map(Step::Cycles),
        2 => (1..6000u32).prop_map(Step::Advance),
        20 => command.prop_map(Step::Do),
    ]
}

/// Submits an application of sue to a queue.
pub fn submission(app: &str, queue: &str) -> Step {
    let (app, who) = (AppId::from(app), Identity::new("sue", ["dev"]));
    Step::Do(PartitionCommand::Submit(Submission { app, queue: queue.to_owned(), who, ..Submission::default() }))
}

/// Three nodes, and an application in each leaf.
pub fn first() -> Vec<Step> {
    let node = |n: usize| {
        let capacity = [("memory", 14), ("vcore", 14), ("gpu", 1)].into_iter().collect();
        let spec = NodeSpec { id: NodeId::from(format!("n{n}")), capacity, ..NodeSpec::default() };
        Step::Do(PartitionCommand::AddNode(spec))
    };
    let app = |(n, queue): (usize, &&str)| submission(&format!("app-{n}"), queue);
    (0..3).map(node).chain(LEAVES.iter().enumerate().map(app)).collect()
}

/// That cluster followed by random steps.
pub fn steps(asks: Asks, most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(asks), 10..most).prop_map(|then| first().into_iter().chain(then).collect())
}

/// `cycle` runs each cycle.
pub fn run(
    scheduler: &mut Scheduler,
    config: &Arc<Config>,
    steps: &[Step],
    mut cycle: impl FnMut(&mut Scheduler, Time) -> Vec<Event>,
) -> Vec<Event> {
    let mut now = Time::ZERO;
    let mut all = scheduler.apply(now, &Command::Configure(Arc::clone(config)));
    for step in steps {
        now = now + Duration::from_millis(1);
        match step {
            Step::Cycles(count) => (0..*count).for_each(|_| all.extend(cycle(scheduler, now))),
            Step::Advance(ms) => {
                now = now + Duration::from_millis(u64::from(*ms));
                all.extend(scheduler.apply(now, &Command::Tick));
            }
            Step::Do(command) => all.extend(scheduler.apply(now, &command.clone().into())),
        }
    }
    all
}
