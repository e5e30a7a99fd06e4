//! Random commands with few names, which occur repeatedly.

pub mod reference;

use std::sync::Arc;
use std::time::Duration;

use ::config::{self, Config};
use model::{AppId, AskId, Identity, NodeId, Priority, Profile, QueuePath, Resource, Time};
use proptest::prelude::*;
use scheduler::{AskSpec, Command, Event, GangStyle, NodeSpec, PartitionCommand, Scheduler, Submission, Tuning};

pub const CONFIGS: [&str; 4] = [
    r"
partitions:
  - name: default
    placementrules:
      - {name: provided, create: true}
    queues:
      - name: root
        submitacl: '*'
        adminacl: root
        limits:
          - {limit: ops everywhere, groups: [ops], maxapplications: 3, maxresources: {memory: 9}}
        queues:
          - name: a
            adminacl: sue
            properties: {priority.offset: '5', application.sort.policy: fair}
            resources: {guaranteed: {memory: 5}, max: {memory: 20, vcore: 20}}
            limits:
              - {limit: sue, users: [sue], maxapplications: 2, maxresources: {memory: 6}}
              - {limit: each, users: ['*'], maxapplications: 1, maxresources: {vcore: 5m, gpu: 3}}
              - {limit: dev, groups: [dev], maxapplications: 2, maxresources: {memory: 8}}
              - {limit: others, groups: ['*'], maxresources: {vcore: 6m}}
          - name: b
            maxapplications: 1
            properties: {priority.policy: fence, priority.offset: '2'}
          - name: p
            parent: true
            limits:
              - {limit: each, users: ['*'], maxresources: {memory: 5, vcore: 4m}}
            childtemplate: {maxapplications: 2, resources: {max: {memory: 7}}}
            queues:
              - {name: x, properties: {application.sort.policy: stateaware}}
",
    r"
partitions:
  - name: default
    nodesortpolicy: {type: binpacking}
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: a
            submitacl: sue
            properties: {application.sort.priority: disabled}
            resources: {max: {memory: 3}}
            limits:
              - {limit: sue, users: [sue], maxapplications: 1}
          - name: p
            parent: true
            properties: {priority.policy: fence}
            limits:
              - {limit: ops and qa, groups: [ops, qa], maxapplications: 2, maxresources: {memory: 4}}
            queues:
              - {name: x}
              - {name: y}
",
    r"
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        limits:
          - {limit: bob, users: [bob], maxresources: {memory: 7}}
          - {limit: dev, groups: [dev], maxresources: {vcore: 7m}}
        queues:
          - {name: a, queues: [{name: sub}]}
          - {name: b, maxapplications: 3}
",
    r"
partitions:
  - name: default
    placementrules:
      - {name: provided, create: true}
    queues:
      - name: root
        submitacl: '*'
        properties: {preemption.delay: 1ms}
        queues:
          - name: a
            resources: {guaranteed: {memory: 3, vcore: 3m}}
          - name: b
            properties: {priority.offset: '1'}
            resources: {guaranteed: {memory: 2, vcore: 1m}}
          - name: p
            properties: {preemption.policy: fence}
            resources: {guaranteed: {memory: 8, vcore: 8m}, max: {vcore: 12m}}
            queues:
              - {name: x, resources: {guaranteed: {memory: 2, vcore: 2m}}}
              - {name: y, properties: {priority.policy: fence}, resources: {guaranteed: {vcore: 5m}}}
",
];

/// The configuration with much preemption.
pub const GUARANTEES: usize = 3;

pub const QUEUES: [&str; 8] =
    ["root.a", "root.b", "root.p.x", "root.p.y", "root.p.new", "root.a.sub", "root", "root.p"];

pub fn configs(profile: Profile) -> Vec<Arc<Config>> {
    let read = |text: &&str| Arc::new(config::read(text, profile).config.expect("the configurations above are valid"));
    CONFIGS.iter().map(read).collect()
}

#[derive(Clone, Debug)]
pub enum Step {
    Configure(usize),
    Cycles(u8),
    Clean,
    Advance(u32),
    Do(PartitionCommand),
}

pub fn resource() -> impl Strategy<Value = Resource> {
    let amount = prop_oneof![6 => 0i64..5, 1 => Just(i64::MAX), 1 => -3i64..0];
    prop::collection::vec((prop::sample::select(&["memory", "vcore", "gpu"]), amount), 1..3)
        .prop_map(|pairs| pairs.into_iter().collect())
}

/// Submissions, a third of them gangs.
pub fn submit(
    app: impl Strategy<Value = AppId>,
    queue: impl Strategy<Value = &'static str>,
    who: impl Strategy<Value = Identity>,
) -> impl Strategy<Value = PartitionCommand> {
    let style = prop::sample::select(&[GangStyle::Soft, GangStyle::Hard]);
    let gang = prop_oneof![2 => Just(0), 1 => 1..8i64];
    (app, queue, who, gang, style, 1..200u64).prop_map(|(app, queue, who, size, gang_style, time)| {
        PartitionCommand::Submit(Submission {
            app,
            queue: queue.to_owned(),
            who,
            gang_style,
            placeholder_ask: [("memory", size)].into_iter().collect(),
            placeholder_timeout: Some(Duration::from_secs(time)),
            ..Submission::default()
        })
    })
}

pub fn gang_ask() -> impl Strategy<Value = AskId> {
    (0..6u8).prop_map(|n| AskId::from(format!("p{n}")))
}

/// Small requests of few task groups, so that placeholders and real requests match.
pub fn gang_asks(app: impl Strategy<Value = AppId>) -> impl Strategy<Value = PartitionCommand> {
    let group = prop::sample::select(&["g", "h"]);
    (app, gang_ask(), 1..4i64, any::<bool>(), group, 1..4u32, -3..4i32, any::<bool>()).prop_map(
        |(app, id, memory, placeholder, group, count, priority, preempts)| {
            PartitionCommand::Ask(AskSpec {
                app,
                id,
                resource: [("memory", memory)].into_iter().collect(),
                priority: Priority(priority),
                count,
                placeholder,
                task_group: Some(Arc::from(group)),
                allow_preempt_self: true,
                allow_preempt_other: preempts,
                ..AskSpec::default()
            })
        },
    )
}

/// Steps with two gangs: most requests are placeholders or may replace one.
pub fn gang_step() -> impl Strategy<Value = Step> {
    let app = || (0..2u8).prop_map(|n| AppId::from(format!("app-{n}")));
    let node = || (0..3u8).prop_map(|n| NodeId::from(format!("n{n}")));
    let queue = || prop::sample::select(vec!["root.b", "root.p.x", "root.p.new"]);
    let root = || Just(Identity::new("root", ["dev"]));
    let add = (node(), 2..9i64).prop_map(|(id, memory)| {
        let capacity = [("memory", memory)].into_iter().collect();
        PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() })
    });
    let command = prop_oneof![
        6 => submit(app(), queue(), root()),
        20 => gang_asks(app()),
        5 => add,
        2 => node().prop_map(PartitionCommand::RemoveNode),
        1 => node().prop_map(PartitionCommand::DrainNode),
        3 => (app(), gang_ask()).prop_map(|(app, ask)| PartitionCommand::Release { app, ask }),
        1 => app().prop_map(|app| PartitionCommand::Remove { app }),
        1 => (app(), root()).prop_map(|(app, by)| PartitionCommand::Kill { app, by, reason: String::new() }),
        2 => (app(), queue(), root())
            .prop_map(|(app, to, by)| PartitionCommand::Move { app, to: QueuePath::new(to), by }),
    ];
    prop_oneof![
        10 => (1..6u8).prop_map(Step::Cycles),
        3 => (1..40_000u32).prop_map(Step::Advance),
        20 => command.prop_map(Step::Do),
    ]
}

pub fn step() -> impl Strategy<Value = Step> {
    let app = || (0..6u8).prop_map(|n| AppId::from(format!("app-{n}")));
    let ask = || (0..5u8).prop_map(|n| AskId::from(format!("t{n}")));
    let node = || (0..4u8).prop_map(|n| NodeId::from(format!("n{n}")));
    let queue = || prop::sample::select(QUEUES.to_vec());
    let groups = || prop::sample::select(vec![vec!["dev"], vec!["ops", "dev"], vec!["qa"], vec![]]);
    let user = || {
        (prop::sample::select(&["sue", "bob", "root", ""]), groups())
            .prop_map(|(user, groups)| Identity::new(user, groups))
    };
    let submit = submit(app(), queue(), user());
    let gang_asks = gang_asks(app());
    let required = prop_oneof![9 => Just(None), 1 => node().prop_map(Some)];
    let flags = any::<[bool; 3]>();
    let asks = (app(), ask(), resource(), -3..4i32, 1..4u32, required, flags).prop_map(
        |(app, id, resource, priority, count, required_node, flags)| {
            let [allow_preempt_self, allow_preempt_other, originator] = flags;
            PartitionCommand::Ask(AskSpec {
                app,
                id,
                resource,
                priority: Priority(priority),
                count,
                required_node,
                allow_preempt_self,
                allow_preempt_other,
                originator,
                ..AskSpec::default()
            })
        },
    );
    let add = (node(), 0..12i64, 0..12i64).prop_map(|(id, memory, vcore)| {
        let capacity = [("memory", memory), ("vcore", vcore)].into_iter().collect();
        PartitionCommand::AddNode(NodeSpec { id, capacity, ..NodeSpec::default() })
    });
    let update = (node(), resource()).prop_map(|(id, capacity)| PartitionCommand::UpdateNode {
        id,
        capacity: Some(capacity),
        occupied: None,
    });
    let command = prop_oneof![
        4 => submit,
        8 => asks,
        8 => gang_asks,
        3 => add,
        1 => update,
        1 => node().prop_map(PartitionCommand::RemoveNode),
        1 => node().prop_map(PartitionCommand::DrainNode),
        1 => node().prop_map(PartitionCommand::ResumeNode),
        4 => (app(), prop_oneof![ask(), gang_ask()]).prop_map(|(app, ask)| PartitionCommand::Release { app, ask }),
        1 => app().prop_map(|app| PartitionCommand::Remove { app }),
        1 => (app(), user()).prop_map(|(app, by)| PartitionCommand::Kill { app, by, reason: String::new() }),
        2 => (app(), queue(), user())
            .prop_map(|(app, to, by)| PartitionCommand::Move { app, to: QueuePath::new(to), by }),
    ];
    prop_oneof![
        1 => (0..CONFIGS.len()).prop_map(Step::Configure),
        6 => (1..6u8).prop_map(Step::Cycles),
        1 => Just(Step::Clean),
        2 => (1..400_000u32).prop_map(Step::Advance),
        20 => command.prop_map(Step::Do),
    ]
}

/// Performs the steps and returns all events. `look` runs after each command.
pub fn run(profile: Profile, steps: &[Step], look: impl FnMut(&mut Scheduler, Time, &[Event])) -> Vec<Event> {
    run_from(0, profile, steps, look)
}

/// Like [`run`], with another first configuration.
pub fn run_from(
    first: usize,
    profile: Profile,
    steps: &[Step],
    mut look: impl FnMut(&mut Scheduler, Time, &[Event]),
) -> Vec<Event> {
    // The properties of one allocation per cycle apply to several.
    let allocations_per_cycle = 1 + u32::try_from(steps.len() % 3).expect("less than 3");
    let tuning = Tuning { allocations_per_cycle, stuck_after: Duration::from_secs(100), ..Tuning::default() };
    let mut all = Vec::new();
    run_on(first, profile, tuning, steps.iter().cloned(), |scheduler, now, events| {
        look(scheduler, now, events);
        all.extend_from_slice(events);
        true
    });
    all
}

/// Performs steps until none is left or `look` stops.
pub fn run_on(
    first: usize,
    profile: Profile,
    tuning: Tuning,
    steps: impl Iterator<Item = Step>,
    mut look: impl FnMut(&mut Scheduler, Time, &[Event]) -> bool,
) {
    let configs = configs(profile);
    let mut scheduler = Scheduler::tuned(profile, tuning);
    let mut now = Time::ZERO;
    let mut apply = |now: Time, command: Command| {
        let events = scheduler.apply(now, &command);
        look(&mut scheduler, now, &events)
    };
    let mut continues = apply(now, Command::Configure(Arc::clone(&configs[first])));
    for step in steps {
        if !continues {
            return;
        }
        now = now + Duration::from_millis(1);
        continues = match step {
            Step::Configure(which) => apply(now, Command::Configure(Arc::clone(&configs[which]))),
            Step::Cycles(count) => (0..count).all(|_| apply(now, Command::Cycle)),
            Step::Clean => apply(now, Command::Clean),
            Step::Advance(ms) => {
                now = now + Duration::from_millis(u64::from(ms));
                apply(now, Command::Tick)
            }
            Step::Do(command) => apply(now, command.into()),
        };
    }
}
