//! A scheduler that remembers failures emits the same events as one that forgets them.

use model::{AskId, NodeId, Priority, Profile};
use proptest::prelude::*;
use scenario::{Sink, Trace};
use scheduler::state::ask_log::FailureCount;
use scheduler::{AskSpec, Command, Partition, PartitionCommand, Scheduler};

use crate::common::share;

use super::stream::{self, Asks, Step};

fn state(scheduler: &Scheduler) -> String {
    let mut trace = Trace::new(Vec::new());
    trace.snapshot(0, "end", scheduler).unwrap();
    String::from_utf8(trace.finish().unwrap()).unwrap()
}

fn reasons(scheduler: &mut Scheduler) -> Vec<(AskId, Vec<FailureCount>)> {
    let partitions = scheduler.partitions_mut().iter_mut();
    let of_partition = |partition: &mut Partition| {
        partition.count_all_skipped_cycles();
        let pending =
            partition.apps.iter().flat_map(|(_, app)| app.pending_order.iter().map(|(.., key)| &app.asks[*key]));
        pending.map(|ask| (ask.id.clone(), ask.log.failures().to_vec())).collect::<Vec<_>>()
    };
    partitions.flat_map(of_partition).collect()
}

fn compare(
    profile: Profile,
    policy: &str,
    setups: &[(usize, usize, usize)],
    steps: &[Step],
) -> Result<(), TestCaseError> {
    let config = stream::config(profile, policy, setups);
    let (mut quick, mut forgetful) = (Scheduler::new(profile), Scheduler::new(profile));
    let message = stream::run(&mut quick, &config, steps, |scheduler, now| scheduler.apply(now, &Command::Cycle));
    let rebuilt = stream::run(&mut forgetful, &config, steps, |scheduler, now| {
        scheduler.forget_shortcuts();
        scheduler.apply(now, &Command::Cycle)
    });
    for (at, (message, rebuilt)) in message.iter().zip(&rebuilt).enumerate() {
        prop_assert_eq!(message, rebuilt, "event {}", at);
    }
    prop_assert_eq!(message.len(), rebuilt.len());
    prop_assert_eq!(state(&quick), state(&forgetful));
    prop_assert_eq!(reasons(&mut quick), reasons(&mut forgetful));
    Ok(())
}

fn ask(app: &str, id: &str, count: u32, wanted: &[(&str, i64)], priority: i32, required: Option<&str>) -> Step {
    Step::Do(PartitionCommand::Ask(AskSpec {
        app: app.into(),
        id: id.into(),
        count,
        resource: wanted.iter().copied().collect(),
        priority: Priority(priority),
        required_node: required.map(NodeId::from),
        ..AskSpec::default()
    }))
}

/// They sleep only until headroom exceeds the lesser value.
#[test]
fn a_leaf_wakes_when_capacity_for_the_last_failed_request_is_free() {
    let mut steps = stream::first();
    steps.extend([
        ask("app-4", "t0", 3, &[("memory", 1), ("vcore", 3)], 0, None),
        Step::Cycles(3),
        stream::submission("app-12", "root.d"),
        ask("app-0", "t0", 3, &[("vcore", 3)], 0, None),
        ask("app-4", "t1", 4, &[("vcore", 3)], 0, None),
        ask("app-3", "t0", 1, &[("gpu", 4)], 2, None),
        Step::Cycles(6),
        ask("app-0", "t1", 2, &[("vcore", 2)], 0, None),
        Step::Cycles(3),
        ask("app-12", "t0", 3, &[("vcore", 3)], 0, None),
        ask("app-0", "t2", 3, &[("memory", 4)], 0, Some("n0")),
        Step::Cycles(8),
    ]);
    compare(Profile::Kornsole, "binpacking", &[(0, 0, 0); 4], &steps).unwrap();
}

fn crowd() -> Vec<Step> {
    let mut steps = Vec::new();
    for number in 0..30_u32 {
        let app = format!("many-{number}");
        steps.push(stream::submission(&app, if number % 5 == 4 { "root.b" } else { "root.a" }));
        steps.push(Step::Do(PartitionCommand::Ask(AskSpec {
            app: app.as_str().into(),
            id: app.as_str().into(),
            count: 1 + number % 7 / 6,
            resource: [("memory", 3 + i64::from(number % 3)), ("vcore", 2)].into_iter().collect(),
            allow_preempt_other: number % 4 != 3,
            allow_preempt_self: true,
            ..AskSpec::default()
        })));
        if number % 10 == 9 {
            steps.extend([Step::Cycles(5), Step::Advance(1000)]);
        }
    }
    steps
}

fn in_two_leaves(step: Step) -> Step {
    match step {
        Step::Do(PartitionCommand::Submit(mut submission)) => {
            submission.queue = if submission.queue.ends_with('x') { "root.b" } else { "root.a" }.to_owned();
            Step::Do(PartitionCommand::Submit(submission))
        }
        Step::Do(PartitionCommand::Ask(ask)) => {
            let allow_preempt_other = ask.allow_preempt_other || ask.count % 2 == 1;
            Step::Do(PartitionCommand::Ask(AskSpec { allow_preempt_other, required_node: None, ..ask }))
        }
        Step::Advance(ms) => Step::Advance(ms.saturating_mul(4)),
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(200, 4), ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_changes_nothing(
        profile in prop::sample::select(&Profile::ALL),
        policy in prop::sample::select(&["fair", "binpacking"]),
        setups in prop::collection::vec((0..6usize, 0..5usize, 0..3usize), 1..12),
        steps in stream::steps(Asks::Any, 150),
    ) {
        compare(profile, policy, &setups, &steps)?;
    }

    #[test]
    fn what_is_passed_together_changes_nothing(
        profile in prop::sample::select(&Profile::ALL),
        setups in prop::collection::vec((0..6usize, 0..5usize, Just(0)), 1..3),
        steps in stream::steps(Asks::Any, 100),
    ) {
        let steps: Vec<Step> = crowd().into_iter().chain(steps).map(in_two_leaves).collect();
        compare(profile, "fair", &setups, &steps)?;
    }
}
