//! Random commands against the core's invariants (SCH-240). Few names, so that they repeat; everything is recounted
//! after each command.

mod commands;
mod endings;
mod explain;
mod mixtures;
mod refusals;
mod reloads;
mod saved;
mod soak;

use std::cell::Cell;

use commands::reference::Model;
use commands::{GUARANTEES, Step, gang_step, run, run_from, step};
use config::PreemptionPolicy;
use model::{AppId, AskId, Identity, NodeId, Priority, PriorityPolicy, Profile, Resource};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use scheduler::index::QueueKey;
use scheduler::inspect::invariants;
use scheduler::state::{app::Application, ask::Ask};
use scheduler::{AskSpec, EventKind, NodeSpec, Partition, PartitionCommand, ReleaseReason, Scheduler, Submission};
use view::{AppRow, ViewBuilder};

use crate::common::share;

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn counters_always_add_up(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        run(profile, &steps, |scheduler, _, _| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        });
    }

    #[test]
    fn priority_and_headroom_are_those_of_the_slow_reading(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut model = Model::default();
        run(profile, &steps, |scheduler, _, _| model.compare(profile, scheduler));
    }

    #[test]
    fn the_same_commands_give_the_same_history(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        prop_assert_eq!(run(profile, &steps, |_, _, _| {}), run(profile, &steps, |_, _, _| {}));
    }

    #[test]
    fn allocations_fit(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..120),
    ) {
        run(profile, &steps, |scheduler, _, events| {
            let partition = &scheduler.partitions()[0];
            let replaces = |app: &AppId, ask: &AskId| {
                events.iter().any(|event| {
                    matches!(&event.kind, EventKind::Replacing { app: a, ask: b, .. } if (a, b) == (app, ask))
                })
            };
            for event in events {
                let EventKind::Allocated { app, ask, node, resource, .. } = &event.kind else { continue };
                // The replaced placeholder's resources are taken over unchanged (SCH-143, LIM-012).
                if replaces(app, ask) {
                    continue;
                }
                let node = &partition.nodes[partition.nodes.find(node).unwrap()];
                let application = &partition.apps[partition.app_key(app).unwrap()];
                // A required node is allocated even if draining (SCH-165).
                let last = application.allocations.values().rev().map(|key| &application.asks[*key]);
                let required = &last.into_iter().find(|allocated| allocated.id == *ask).unwrap().rare.required_node;
                assert!(node.schedulable || required.is_some(), "{node:?}");
                assert!(node.available.iter().all(|(name, left)| left >= 0 || resource.amount(name) <= 0), "{node:?}");
                for key in partition.queues.path_up(application.queue) {
                    let queue = &partition.queues[key];
                    let over = |(name, max): (&str, i64)| {
                        resource.amount(name) > 0 && queue.allocated.amount(name) > max.max(0)
                    };
                    assert!(!queue.max.iter().flat_map(Resource::iter).any(over), "{queue:?}");
                }
                assert_within_limits(partition, application, resource);
            }
        });
    }

    /// A request that replaces a placeholder uses its node and at most its resources.
    #[test]
    fn gangs_add_up(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(gang_step(), 1..120),
    ) {
        run(profile, &steps, |scheduler, _, events| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            let mut gone: Option<(&NodeId, Resource)> = None;
            for event in events {
                match &event.kind {
                    EventKind::Released { node, reason: ReleaseReason::Replaced, resource, .. } => {
                        gone = Some((node, resource.clone()));
                    }
                    EventKind::Allocated { node, resource, .. } => {
                        if let Some((freed, size)) = gone.take() {
                            assert!(node == freed && size.at_least(resource), "{events:?}");
                        }
                    }
                    _ => {}
                }
            }
            assert!(gone.is_none(), "{events:?}");
        });
    }

    #[test]
    fn views_follow_the_scheduler(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(step(), 1..120),
        every in 1..7usize,
    ) {
        let mut retained = ViewBuilder::default();
        let mut count = 0;
        let mut last = None;
        run(profile, &steps, |scheduler, now, _| {
            count += 1;
            if count % every != 0 {
                return;
            }
            if let Some(view) = retained.update(now, scheduler) {
                last = Some(view);
            }
            let mut copy = scheduler.clone();
            copy.partitions_mut().iter_mut().for_each(|partition| partition.dirty = None);
            let fresh = ViewBuilder::default().update(now, &mut copy);
            if let (Some(last), Some(fresh)) = (&last, &fresh) {
                assert_eq!(format!("{:#?}", live(last)), format!("{:#?}", live(fresh)));
            }
        });
    }
}

fn assert_within_limits(partition: &Partition, app: &Application, allocated: &Resource) {
    let started = app.allocations.len() == 1 && app.log.len() <= 2;
    for bound in app.account.bounds.as_deref().unwrap() {
        let usage = partition.usage.of_bound(&app.account, bound).unwrap();
        let over = |(name, max): (&str, i64)| allocated.amount(name) > 0 && usage.allocated.amount(name) > max.max(0);
        assert!(!bound.limit.max_resources.iter().flat_map(Resource::iter).any(over), "{bound:?} {usage:?}");
        let too_many = bound.limit.max_applications.is_some_and(|max| usage.running.len() as u64 > max);
        assert!(!(started && too_many), "{bound:?} {usage:?}");
    }
}

fn live(view: &view::View) -> impl std::fmt::Debug {
    let partition = &view.partitions[0];
    let queues: Vec<_> = partition.queues.iter().flatten().cloned().collect();
    let apps: Vec<_> = partition.apps.iter().flatten().map(|app| without_counts(app)).collect();
    let ended: Vec<_> = partition.ended.iter().map(|app| (app.id.clone(), app.state)).collect();
    let nodes: Vec<_> = partition.nodes.values().cloned().collect();
    let users: Vec<_> = partition.users.values().chain(partition.groups.values()).cloned().collect();
    let nodes = (nodes, users);
    (queues, apps, ended, nodes, partition.capacity.clone(), partition.allocated.clone(), partition.live_apps)
}

/// An application without its requests' reasons, whose counts are updated only sometimes.
fn without_counts(app: &AppRow) -> impl std::fmt::Debug + use<> {
    let reasons: Vec<_> = (app.notes.iter())
        .map(|(arrival, notes)| {
            let failures: Vec<_> = notes.log.failures().iter().map(|count| count.failure).collect();
            (*arrival, failures, notes.log.attempted(), notes.replaced, notes.preempted)
        })
        .collect();
    (AppRow { notes: imbl::OrdMap::new(), ..app.clone() }, reasons)
}

fn busy() -> impl Strategy<Value = Vec<Step>> {
    let node = |id: &str| NodeSpec {
        id: id.into(),
        capacity: [("memory", 12), ("vcore", 12)].into_iter().collect(),
        ..NodeSpec::default()
    };
    let mut first: Vec<PartitionCommand> = ["n0", "n1"].map(|id| PartitionCommand::AddNode(node(id))).into();
    for (number, queue) in ["root.a", "root.b", "root.p.x", "root.p.y", "root.a", "root.p.new"].into_iter().enumerate()
    {
        let (app, who) = (AppId::from(format!("app-{number}")), Identity::new("bob", ["qa"]));
        let queue = queue.to_owned();
        first.push(PartitionCommand::Submit(Submission { app, queue, who, ..Submission::default() }));
    }
    let then = prop_oneof![
        12 => ask_of(0..6),
        6 => (1..6u8).prop_map(Step::Cycles),
        2 => (1..20_000u32).prop_map(Step::Advance),
        1 => step(),
    ];
    let hogs = (0..6u8, 0..6u8).prop_flat_map(|(one, other)| {
        prop::collection::vec(prop_oneof![ask_of(one..one + 1), ask_of(other..other + 1)], 16)
    });
    (hogs, prop::collection::vec(then, 20..90)).prop_map(move |(hogs, then)| {
        let first = first.iter().cloned().map(Step::Do);
        first.chain(hogs).chain([Step::Cycles(30)]).chain(then).collect()
    })
}

fn ask_of(apps: std::ops::Range<u8>) -> impl Strategy<Value = Step> {
    let amount = prop::collection::vec((prop::sample::select(&["memory", "vcore"]), 1..5i64), 1..3);
    let required = prop::option::weighted(0.05, 0..2u8);
    (apps, 0..40u8, amount, -2..3i32, any::<[bool; 3]>(), required).prop_map(
        |(app, id, amount, priority, [allow_preempt_self, allow_preempt_other, originator], required)| {
            Step::Do(PartitionCommand::Ask(AskSpec {
                app: AppId::from(format!("app-{app}")),
                id: AskId::from(format!("t{id}")),
                resource: amount.into_iter().collect(),
                priority: Priority(priority),
                allow_preempt_self,
                allow_preempt_other,
                originator,
                required_node: required.map(|node| NodeId::from(format!("n{node}"))),
                ..AskSpec::default()
            }))
        },
    )
}

struct Case<'a> {
    after: &'a Partition,
    from: QueueKey,
    victim: &'a Ask,
    to: QueueKey,
    ask: &'a Ask,
}

impl Case<'_> {
    fn guarantee(&self, queue: QueueKey) -> Resource {
        let path = self.after.queues.path_up(queue);
        let own = path.iter().map(|key| self.after.queues[*key].guaranteed.as_ref());
        own.fold(None, |min: Option<Resource>, own| Resource::min_permissive_unset(min.as_ref(), own))
            .unwrap_or_default()
    }

    /// A priority as seen outside of the top of `path`, which goes up from a leaf (SCH-068).
    fn seen(&self, priority: Priority, path: &[QueueKey]) -> i64 {
        path.iter().fold(i64::from(priority.0), |seen, key| {
            let properties = &self.after.queues[*key].settings.properties;
            let offset = i64::from(properties.priority_offset);
            if properties.priority_policy == PriorityPolicy::Fence { offset } else { seen + offset }
        })
    }

    /// (3) Not inside one queue.
    fn is_from_another_queue(&self) -> bool {
        self.from != self.to
    }

    /// (6) The victim's priority is at most the preemptor's, under their common queue.
    fn is_no_more_important(&self) -> bool {
        let queues = &self.after.queues;
        let (from, to) = (queues.path_up(self.from), queues.path_up(self.to));
        let common = from.iter().rev().zip(to.iter().rev()).take_while(|(f, t)| f == t).count();
        self.seen(self.victim.priority, &from[..from.len() - common])
            <= self.seen(self.ask.priority, &to[..to.len() - common])
    }

    /// (7) The first fence above the request, including its leaf, is also above the victim.
    fn is_inside_the_fence(&self) -> bool {
        let queues = &self.after.queues;
        let policy = |key: &QueueKey| queues[*key].settings.properties.preemption_policy;
        let fence = queues.path_up(self.to).into_iter().find(|key| policy(key) == PreemptionPolicy::Fence);
        fence.is_none_or(|fence| queues.path_up(self.from).contains(&fence))
            && policy(&self.from) != PreemptionPolicy::Disabled
    }

    /// (2), (5): The victim's queue keeps its guaranteed resources.
    fn leaves_the_guarantee(&self) -> bool {
        let has = &self.after.queues[self.from].allocated;
        let guarantee = self.guarantee(self.from);
        let carried = self.victim.resource.iter().filter(|(_, amount)| *amount > 0);
        carried.map(|(name, _)| name).all(|name| has.amount(name) >= guarantee.amount(name))
    }

    /// (4) The preemptor's queue stays within its guaranteed resources.
    fn is_for_a_queue_under_its_guarantee(&self) -> bool {
        let with_ask = self.after.queues[self.to].allocated.add(&self.ask.resource);
        self.guarantee(self.to).iter().all(|(name, guarantee)| with_ask.amount(name) <= guarantee)
    }
}

fn is_named_once(partition: &Partition, app: &AppId, ask: &AskId) -> bool {
    let application = &partition.apps[partition.app_key(app).unwrap()];
    application.asks.iter().filter(|(_, other)| other.id == *ask).count() == 1
}

/// The laws of preemption (SCH-162) without law (1). The releases satisfy those that do not depend on guaranteed
/// resources.
#[test]
fn the_laws_of_preemption() {
    let (between_queues, on_required) = (Cell::new(0), Cell::new(0));
    let config =
        ProptestConfig { cases: share::so_many(400, 4), failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let outcome = runner.run(&(prop::sample::select(&Profile::ALL), busy()), |(profile, steps)| {
        let mut before: Option<Scheduler> = None;
        run_from(GUARANTEES, profile, &steps, |scheduler, _, events| {
            let before = before.replace(scheduler.clone());
            for event in events {
                let EventKind::Preempted { app, ask, by_app, by_ask, .. } = &event.kind else { continue };
                let [before, after] = [before.as_ref().unwrap(), &*scheduler].map(|at| &at.partitions()[0]);
                // D-23: under 1.5.1 an ID may identify several requests.
                if !is_named_once(before, app, ask) || !is_named_once(before, by_app, by_ask) {
                    continue;
                }
                let (from, victim) = find(before, app, ask);
                let (to, ask) = find(before, by_app, by_ask);
                assert!(victim.rare.required_node.is_none(), "{victim:?}");
                if ask.rare.required_node.is_some() {
                    assert!(victim.priority <= ask.priority, "{victim:?} for {ask:?}");
                    on_required.set(on_required.get() + 1);
                    continue;
                }
                between_queues.set(between_queues.get() + 1);
                let case = Case { after, from, victim, to, ask };
                let mut retained =
                    vec![case.is_from_another_queue(), case.is_no_more_important(), case.is_inside_the_fence()];
                if profile == Profile::Kornsole {
                    retained.push(case.leaves_the_guarantee());
                    retained.push(case.is_for_a_queue_under_its_guarantee());
                }
                assert!(!retained.contains(&false), "{profile}: laws 3, 6, 7, 2 and 4: {retained:?} for {event:?}");
            }
        });
        Ok(())
    });
    outcome.unwrap();
    let found = (between_queues.get(), on_required.get());
    assert!(found.0 > share::so_many(150, 4) && found.1 > share::so_many(50, 4), "too few victims to judge: {found:?}");
}

fn find<'a>(partition: &'a Partition, app: &AppId, ask: &AskId) -> (QueueKey, &'a Ask) {
    let app = &partition.apps[partition.app_key(app).unwrap()];
    (app.queue, &app.asks[app.ask_key(ask).unwrap()])
}
