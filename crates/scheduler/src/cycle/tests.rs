//! A scheduler that remembers failures must emit the same events as one that forgets them before every cycle.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use crate::interface::command::{AskSpec, Command, NodeSpec, PartitionCommand, Submission};
use crate::interface::event::Event;
use crate::state::ask::Ask;
use crate::state::ask_log::FailureCount;
use crate::state::node::Node;
use crate::state::predicates::Predicates;
use crate::state::scheduler::Scheduler;
use model::{AppId, AskId, Identity, NodeId, Profile, Resource, Time};

/// Four kinds of requests. Each kind has forbidden nodes and avoids the nodes of the next kind.
#[derive(Clone, Debug, Default)]
struct Apart {
    placed: BTreeMap<AskId, NodeId>,
    loosened: [u64; 4],
}

fn kind(id: &str) -> usize {
    id.as_bytes().get(1).map_or(0, |digit| usize::from(digit % 4))
}

impl Predicates for Apart {
    fn pass(&self, ask: &Ask, node: &Node, allocate: bool) -> bool {
        let own = kind(ask.id.as_str());
        let other = |(reserved, at): (&AskId, &NodeId)| kind(reserved.as_str()) == (own + 1) % 4 && *at == node.id;
        let asks = allocate || own.is_multiple_of(2);
        !((own + kind(node.id.as_str())).is_multiple_of(3) || asks && self.placed.iter().any(other))
    }

    fn identical(&self, one: &Ask, other: &Ask) -> bool {
        kind(one.id.as_str()) == kind(other.id.as_str())
    }

    fn loosened(&self, ask: &Ask) -> Option<u64> {
        Some(self.loosened[kind(ask.id.as_str())])
    }

    fn placed(&mut self, ask: &AskId, node: &NodeId) {
        self.placed.insert(ask.clone(), node.clone());
    }

    fn gone(&mut self, ask: &AskId, _node: &NodeId) {
        if self.placed.remove(ask).is_some() {
            self.loosened[(kind(ask.as_str()) + 3) % 4] += 1;
        }
    }

    fn copy(&self) -> Option<Arc<dyn Predicates>> {
        Some(Arc::new(self.clone()))
    }
}

fn scheduler(profile: Profile) -> Scheduler {
    let text = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [
        {name: a, resources: {guaranteed: {memory: 6}, max: {memory: 30}}}, {name: b, properties: {preemption.delay: 1s}}]}]}]";
    let config = config::read(text, profile).config.expect("the configuration is valid");
    let mut scheduler = Scheduler::new(profile);
    scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(config)));
    scheduler.partitions_mut()[0].nodes.set_predicates(Arc::new(Apart::default()));
    for app in 0..20 {
        let (who, queue) = (Identity::new("sue", ["dev"]), if app % 5 == 4 { "root.b" } else { "root.a" });
        let submission = Submission { app: app_id(app), queue: queue.to_owned(), who, ..Submission::default() };
        scheduler.apply(Time::ZERO, &PartitionCommand::Submit(submission).into());
    }
    scheduler
}

fn app_id(number: u8) -> AppId {
    AppId::from(format!("app-{number:02}"))
}

fn command(at: usize, (what, one, two): (u8, u8, u8)) -> Option<PartitionCommand> {
    let amount = |memory: u8| -> Resource { [("memory", i64::from(memory)), ("vcore", 2)].into_iter().collect() };
    let node = NodeId::from(format!("n{}", one % 5));
    Some(match what {
        0..=8 => PartitionCommand::Ask(AskSpec {
            app: app_id(one % 20),
            id: AskId::from(format!("k{}-{at}", two % 4)),
            count: 1,
            resource: amount(1 + two % 3),
            allow_preempt_other: two.is_multiple_of(5),
            allow_preempt_self: true,
            ..AskSpec::default()
        }),
        9..=12 => {
            let of_step = usize::from(two) * (at + 1) / 256;
            let app = app_id(one % 20);
            let ask = (0..4).map(|kind| AskId::from(format!("k{kind}-{of_step}"))).nth(usize::from(one % 4));
            PartitionCommand::Release { app, ask: ask? }
        }
        13 => PartitionCommand::Remove { app: app_id(one % 20) },
        14 | 15 => {
            let capacity = [("memory", i64::from(two % 9)), ("vcore", 10)].into_iter().collect();
            PartitionCommand::AddNode(NodeSpec { id: node, capacity, ..NodeSpec::default() })
        }
        16 => PartitionCommand::DrainNode(node),
        17 => PartitionCommand::ResumeNode(node),
        18 => PartitionCommand::RemoveNode(node),
        _ => return None,
    })
}

type Reasons = Vec<(AskId, Vec<FailureCount>)>;

fn run(profile: Profile, steps: &[(u8, u8, u8)], forgets: bool) -> (Vec<Event>, Reasons) {
    let (mut scheduler, mut now, mut events) = (scheduler(profile), Time::ZERO, Vec::new());
    for (at, step) in steps.iter().enumerate() {
        now = now + Duration::from_millis(if step.0 == 19 { u64::from(step.1) * 40 } else { 1 });
        match command(at, *step) {
            Some(command) => events.extend(scheduler.apply(now, &command.into())),
            None => (0..=step.2 % 8).for_each(|_| {
                if forgets {
                    scheduler.forget_shortcuts();
                }
                events.extend(scheduler.apply(now, &Command::Cycle));
            }),
        }
    }
    let partition = &mut scheduler.partitions_mut()[0];
    partition.count_all_skipped_cycles();
    let asks = partition.apps.iter().flat_map(|(_, app)| app.pending_order.iter().map(|(.., key)| &app.asks[*key]));
    (events, asks.map(|ask| (ask.id.clone(), ask.log.failures().to_vec())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_that_conditions_block_are_retried_when_they_may_fit(
        profile in prop::sample::select(&Profile::ALL),
        first in prop::collection::vec((14..16u8, 0..5u8, 4..9u8), 2..5),
        steps in prop::collection::vec((0..26u8, proptest::num::u8::ANY, proptest::num::u8::ANY), 10..160),
    ) {
        let steps: Vec<_> = first.into_iter().chain(steps).collect();
        let ((quick, reasons), (slow, counted)) = (run(profile, &steps, false), run(profile, &steps, true));
        for (at, (quick, slow)) in quick.iter().zip(&slow).enumerate() {
            prop_assert_eq!(quick, slow, "event {}", at);
        }
        prop_assert_eq!(quick.len(), slow.len());
        prop_assert_eq!(reasons, counted);
    }
}
