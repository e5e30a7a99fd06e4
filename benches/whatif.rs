//! What-if with 100,000 requests in 10,000 queues: the fork, and two runs that allocate all.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use divan::Bencher;
use engine::forecast::on_two_threads;
use forecast::whatif::{Arrivals, Bounds, Change, Fork, LONG_WAIT, Pace, Plan, Span, Step, run_by};
use model::{AppId, AskId, Identity, NodeId, Profile, Resource, Time};
use scheduler::{AskSpec, Command, NodeSpec, PartitionCommand, Scheduler, Submission};

fn main() {
    divan::main();
}

/// The program's allocator; the table lists allocations next to the times.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

const PER_QUEUE: usize = 10;
const NODES: usize = 1000;

fn leaves() -> usize {
    if std::env::args().any(|argument| argument == "--bench") { 10_000 } else { 10 }
}

fn text(leaves: usize) -> String {
    let mut text =
        "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n        queues:\n"
            .to_owned();
    for leaf in 0..leaves {
        let _written = writeln!(text, "          - {{name: q{leaf:05}, resources: {{max: {{vcore: 20}}}}}}");
    }
    text
}

fn cores(count: i64) -> Resource {
    [("vcore", count * 1000), ("memory", count << 30)].into_iter().collect()
}

/// One application per leaf with ten requests that fit and are not allocated.
fn state(leaves: usize) -> (Scheduler, Time, Arc<str>) {
    let text = text(leaves);
    let mut scheduler = Scheduler::new(Profile::Kornsole);
    let config = config::read(&text, Profile::Kornsole).config.expect("the configuration is valid");
    let now = Time::from_millis(1);
    scheduler.apply(now, &Command::Configure(Arc::new(config)));
    for node in 0..NODES {
        let id = NodeId::from(format!("node-{node:05}"));
        let spec = NodeSpec { id, capacity: cores(200), ..NodeSpec::default() };
        scheduler.apply(now, &PartitionCommand::AddNode(spec).into());
    }
    for leaf in 0..leaves {
        let (app, queue) = (AppId::from(format!("app-{leaf:05}")), format!("root.q{leaf:05}"));
        let who = Identity::new("sue", ["dev"]);
        let submission = Submission { app: app.clone(), queue, who, ..Submission::default() };
        scheduler.apply(now, &PartitionCommand::Submit(submission).into());
        let ask =
            AskSpec { app, id: AskId::from("t"), count: PER_QUEUE as u32, resource: cores(1), ..AskSpec::default() };
        scheduler.apply(now, &PartitionCommand::Ask(ask).into());
    }
    (scheduler, now, Arc::from(text))
}

fn fork((scheduler, now, text): &(Scheduler, Time, Arc<str>)) -> Fork {
    let moment = (*now, Pace::initial(*now));
    Fork::of(scheduler, None, moment, Some(Arc::clone(text)), usize::MAX).expect("there is a partition")
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn fork_of_all(bencher: Bencher) {
    let state = state(leaves());
    bencher.bench_local(|| fork(&state));
}

#[divan::bench(sample_count = 1, sample_size = 1)]
fn the_state_itself(bencher: Bencher) {
    bencher.bench_local(|| state(leaves()));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn pair(bencher: Bencher) {
    let fork = fork(&state(leaves()));
    let change: Change = "set root.q00003.max.vcore=5".parse().expect("it is a change");
    let plan = Plan {
        steps: vec![Step::Change(change)],
        span: Span::For(Duration::from_secs(60)),
        runtimes: Vec::new(),
        seed: None,
        arrivals: Arrivals::default(),
        long_wait: LONG_WAIT,
        node_groups: Vec::new(),
    };
    let bounds = Bounds { cycles: 10_000_000, trace_lines: 10_000 };
    bencher.bench_local(|| {
        let pair = run_by(&fork, &plan, bounds, &|| true, &on_two_threads).expect("it ends");
        assert_eq!(pair.comparison.total[0].waiting, 0);
        assert_eq!(pair.comparison.total[1].waiting, 5);
        pair
    });
}
