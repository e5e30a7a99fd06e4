//! Blocked asks have their turn: with backfill they start as early as without, and without turns they may never start.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;

use crate::inspect::explain::types::{BlockLevel, Place};
use crate::interface::command::{AskSpec, Command, NodeSpec, PartitionCommand, Submission};
use crate::interface::event::EventKind;
use crate::interface::tuning::{Tuning, Turns};
use crate::state::ask_log::TryResult;
use crate::state::partition::Partition;
use crate::state::scheduler::Scheduler;
use model::{AppId, Identity, NodeId, Profile, Resource, Time};

const TREE: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [
    {name: a}, {name: b}, {name: c, resources: {max: {vcore: 5}}}, {name: d, resources: {guaranteed: {vcore: 2}}}]}]}]";

/// What a job requests, how long it may run, and how long it runs, in seconds; `None`: without an end.
#[derive(Clone, Copy, Debug)]
struct Job {
    leaf: char,
    vcore: i64,
    gpu: i64,
    limit: Option<u64>,
    runs: Option<u64>,
}

impl Job {
    const fn new(leaf: char, vcore: i64, limit: Option<u64>) -> Self {
        Self { leaf, vcore, gpu: 0, limit, runs: limit }
    }

    fn resource(&self) -> Resource {
        [("vcore", self.vcore * 1000), ("gpu", self.gpu)].into_iter().filter(|(_, amount)| *amount > 0).collect()
    }
}

#[derive(Clone)]
struct Machine {
    scheduler: Scheduler,
    now: Time,
    jobs: Vec<Job>,
    ends: BTreeMap<(Time, usize), ()>,
    starts: BTreeMap<usize, Time>,
}

fn app(job: usize) -> AppId {
    AppId::from(format!("job-{job:03}"))
}

fn number(app: &AppId) -> usize {
    app.as_str()[4..].parse().unwrap()
}

impl Machine {
    fn new(turns: Turns) -> Self {
        let config = config::read(TREE, Profile::Kornsole).config.expect("the configuration is valid");
        let mut scheduler = Scheduler::tuned(Profile::Kornsole, Tuning { turns, ..Tuning::default() });
        scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(config)));
        let capacity = [("vcore", 10_000), ("gpu", 3)].into_iter().collect();
        let node = NodeSpec { id: NodeId::from("here"), capacity, ..NodeSpec::default() };
        scheduler.apply(Time::ZERO, &PartitionCommand::AddNode(node).into());
        Self { scheduler, now: Time::ZERO, jobs: Vec::new(), ends: BTreeMap::new(), starts: BTreeMap::new() }
    }

    fn submit(&mut self, job: Job) -> usize {
        let number = self.jobs.len();
        self.jobs.push(job);
        let (queue, who) = (format!("root.{}", job.leaf), Identity::new("sue", ["dev"]));
        let submission = Submission { app: app(number), queue, who, ..Submission::default() };
        let ask = AskSpec {
            app: app(number),
            id: "run-1".into(),
            count: 1,
            resource: job.resource(),
            limit: job.limit.map(Duration::from_secs),
            ..AskSpec::default()
        };
        self.now = self.now + Duration::from_millis(1);
        for command in [PartitionCommand::Submit(submission), PartitionCommand::Ask(ask)] {
            self.scheduler.apply(self.now, &command.into());
        }
        number
    }

    fn partition(&self) -> &Partition {
        &self.scheduler.partitions()[0]
    }

    /// Cycles until nothing starts. For each start it calls `each` with the first blocked job and what was free before, and the job.
    fn cycle(&mut self, mut each: impl FnMut(&Self, Option<usize>, &Resource, usize)) {
        loop {
            let (first, free) = (self.first_turn(), self.free());
            let events = self.scheduler.apply(self.now, &Command::Cycle);
            let started = events.iter().find_map(|event| match &event.kind {
                EventKind::Allocated { app, .. } => Some(number(app)),
                _ => None,
            });
            let Some(job) = started else { return };
            each(self, first, &free, job);
            self.starts.insert(job, self.now);
            if let Some(runs) = self.jobs[job].runs {
                self.ends.insert((self.now + Duration::from_secs(runs), job), ());
            }
        }
    }

    /// Returns whether there is one.
    fn advance(&mut self) -> bool {
        let Some((&(at, _), ())) = self.ends.first_key_value() else { return false };
        self.now = self.now.max(at);
        while let Some(((_, job), ())) = self.ends.first_key_value().filter(|((end, _), ())| *end <= at) {
            let job = *job;
            self.ends.remove(&(at, job));
            self.scheduler.apply(self.now, &PartitionCommand::Remove { app: app(job) }.into());
        }
        true
    }

    /// When a job starts if nothing more is submitted; `None`: never.
    fn start_of(&self, job: usize, turns: Turns) -> Option<Time> {
        let mut ahead = self.clone();
        ahead.scheduler.set_tuning(Tuning { turns, ..Tuning::default() });
        loop {
            ahead.cycle(|_, _, _, _| {});
            if let Some(at) = ahead.starts.get(&job) {
                return Some(*at);
            }
            if !ahead.advance() {
                return None;
            }
        }
    }

    /// The blocked job whose turn is first, if it is the first one of its leaf.
    fn first_turn(&self) -> Option<usize> {
        let (app, ask) = *self.partition().turns.first()?;
        let app = self.partition().apps.get(app)?;
        let leaf = &self.partition().queues[app.queue];
        let first = leaf.candidates.iter().next().is_some_and(|rank| rank.app == app.key);
        (first && app.asks.get(ask)?.allocation.is_none()).then(|| number(&app.id))
    }

    fn free(&self) -> Resource {
        self.partition().nodes.iter().next().unwrap().available.clone()
    }
}

fn any_job(leaves: &'static str) -> impl Strategy<Value = Job> {
    let leaf = prop::sample::select(leaves.chars().collect::<Vec<_>>());
    let vcore = prop_oneof![4 => 1..4i64, 1 => 4..11i64];
    let limit = prop_oneof![3 => (1..30u64).prop_map(Some), 1 => Just(None)];
    (leaf, vcore, prop_oneof![3 => Just(0i64), 1 => 1..3i64], limit).prop_map(|(leaf, vcore, gpu, limit)| Job {
        vcore: if leaf == 'c' { vcore.min(5) } else { vcore },
        gpu,
        ..Job::new(leaf, vcore, limit)
    })
}

fn any_jobs(leaves: &'static str) -> impl Strategy<Value = Vec<Vec<Job>>> {
    prop::collection::vec(prop::collection::vec(any_job(leaves), 1..8), 1..8)
}

/// Runs jobs with backfill. At each time `each` gets the machine before and after the cycles.
fn run(bunches: &[Vec<Job>], mut each: impl FnMut(&Machine)) -> Machine {
    let mut machine = Machine::new(Turns::Backfilled);
    let mut bunches = bunches.iter();
    loop {
        let bunch = bunches.next();
        for job in bunch.into_iter().flatten() {
            machine.submit(*job);
        }
        machine.cycle(|machine, first, free, job| {
            let Some(first) = first.filter(|first| *first != job) else { return };
            let (first, job) = (machine.jobs[first], machine.jobs[job]);
            if job.leaf != 'd' && job.limit.is_none() {
                for (name, amount) in job.resource().iter() {
                    let wanted = first.resource().amount(name);
                    let left = free.amount(name) - amount;
                    assert!(wanted == 0 || wanted <= left, "{job:?} takes {name} from {first:?}");
                }
            }
        });
        each(&machine);
        if !machine.advance() && bunches.len() == 0 {
            return machine;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Jobs end by their limits; those without one do not end, and are not backfilled ([`run`] checks that).
    #[test]
    fn with_backfill_a_blocked_job_starts_no_later_than_without(bunches in any_jobs("aabc")) {
        run(&bunches, |machine| {
            let Some(first) = machine.first_turn() else { return };
            let [with, without] = [Turns::Backfilled, Turns::Ordered].map(|turns| machine.start_of(first, turns));
            let later = without.is_some_and(|without| with.is_none_or(|with| with > without));
            assert!(!later, "job {first} starts at {with:?}, without backfill at {without:?}");
        });
    }

    /// Where jobs end before their limits, or have none, a blocked one waits no longer than the longest limit in addition.
    #[test]
    fn jobs_that_end_early_delay_a_blocked_one_by_a_limit_at_most(bunches in any_jobs("ab"), part in 1..10u64) {
        let early = |job: &Job| Job { runs: Some(job.limit.map_or(part * 3, |limit| (limit * part / 10).max(1))), ..*job };
        let bunches: Vec<Vec<Job>> = bunches.iter().map(|bunch| bunch.iter().map(early).collect()).collect();
        run(&bunches, |machine| {
            let Some(first) = machine.first_turn() else { return };
            let [with, without] = [Turns::Backfilled, Turns::Ordered].map(|turns| machine.start_of(first, turns));
            let (with, without) = (with.expect("it has its turn"), without.expect("it has its turn"));
            assert!(with <= without + Duration::from_secs(30), "job {first}: {with:?}, {without:?}");
        });
    }

    /// In whatever order jobs come, with guarantees and maxima: what can run here runs, as everything ends.
    #[test]
    fn every_job_has_its_turn(bunches in any_jobs("aabcd")) {
        let ends = |job: &Job| Job { runs: Some(job.runs.unwrap_or(7)), ..*job };
        let bunches: Vec<Vec<Job>> = bunches.iter().map(|bunch| bunch.iter().map(ends).collect()).collect();
        let machine = run(&bunches, |_| {});
        prop_assert_eq!(machine.starts.len(), machine.jobs.len());
        prop_assert!(machine.partition().turns.is_empty());
    }
}

/// A large job behind a stream of small ones: at each end of a small job the next one comes. Returns whether it starts.
fn starts_behind_a_stream(turns: Turns, small: Job, large: Job) -> bool {
    let mut machine = Machine::new(turns);
    for second in 1..=10 {
        machine.submit(Job { runs: Some(second), ..small });
    }
    machine.cycle(|_, _, _, _| {});
    let large = machine.submit(large);
    (0..200).any(|_| {
        machine.submit(small);
        machine.submit(small);
        machine.cycle(|_, _, _, _| {});
        machine.advance();
        machine.cycle(|_, _, _, _| {});
        machine.starts.contains_key(&large)
    })
}

#[test]
fn a_large_job_starts_despite_a_stream_of_small_ones_of_its_queue_and_of_others() {
    let large = Job::new('b', 10, None);
    for small in
        [Job::new('a', 1, Some(5)), Job::new('b', 1, Some(5)), Job { limit: None, ..Job::new('a', 1, Some(5)) }]
    {
        // What profiles do: small ones take whatever becomes free.
        assert!(!starts_behind_a_stream(Turns::Skipped, small, large), "{small:?}");
        assert!(starts_behind_a_stream(Turns::Ordered, small, large), "{small:?}");
        assert!(starts_behind_a_stream(Turns::Backfilled, small, large), "{small:?}");
    }
}

#[test]
fn a_short_job_starts_before_a_blocked_one_that_it_does_not_delay() {
    let mut machine = Machine::new(Turns::Backfilled);
    machine.submit(Job::new('a', 6, Some(100)));
    machine.cycle(|_, _, _, _| {});
    let blocked = machine.submit(Job::new('a', 8, Some(50)));
    let jobs = [(3, Some(101)), (3, Some(99)), (1, None), (1, Some(1000))];
    let [late, short, unlimited, fitting] = jobs.map(|(vcore, limit)| machine.submit(Job::new('a', vcore, limit)));
    machine.cycle(|_, _, _, _| {});
    let started: Vec<usize> = machine.starts.keys().copied().collect();
    assert_eq!(started, [0, short, fitting]);
    let part = machine.partition();
    for job in [late, unlimited] {
        let ask = part.apps[part.app_key(&app(job)).unwrap()].asks.iter().next().unwrap().1;
        assert!(ask.log.found().iter().any(|found| found.found == TryResult::Turn), "{job}");
        assert_eq!(ask.rare.behind, Some(app(blocked)));
    }
    assert_eq!(machine.start_of(blocked, Turns::Backfilled), Some(Time::from_millis(100_001)));
}

#[test]
fn a_queue_below_its_guarantee_is_not_blocked() {
    let mut machine = Machine::new(Turns::Ordered);
    machine.submit(Job::new('a', 6, None));
    machine.cycle(|_, _, _, _| {});
    machine.submit(Job::new('b', 8, None));
    let guaranteed = machine.submit(Job::new('d', 2, None));
    let above = machine.submit(Job::new('d', 1, None));
    machine.cycle(|_, _, _, _| {});
    assert!(machine.starts.contains_key(&guaranteed) && !machine.starts.contains_key(&above));
    let explanation = machine.partition().explain(machine.now, &app(above), None).unwrap();
    let blocker = explanation.first_blocker().unwrap();
    assert_eq!(blocker.level, BlockLevel::Priority);
    assert_eq!(blocker.place, Place::App(app(1), Some("run-1".into())));
    assert_eq!(explanation.asks[0].found.last().map(|found| found.found), Some(TryResult::Turn));
}
