//! `kornsole run` on large scenarios, in parts. The real core was measured with the same shapes: leaves in three
//! levels, half of them fair.

#![allow(clippy::expect_used, reason = "a bench is a program for its own people")]

use std::fmt::Write as _;

use ::scenario::{self, Scenario, Silent, Sink, Trace};
use divan::Bencher;
use model::Profile;
use scheduler::{Event, Scheduler};

fn main() {
    divan::main();
}

/// The program's allocator; the table lists allocations next to the times.
#[global_allocator]
static ALLOCATOR: divan::AllocProfiler<mimalloc::MiMalloc> = divan::AllocProfiler::new(mimalloc::MiMalloc);

/// `fill` is the requests' share of the cluster, in percent.
#[derive(Clone, Copy, Debug)]
struct Shape {
    nodes: u64,
    leaves: u64,
    apps: u64,
    asks: u64,
    fill: u64,
}

const SHAPES: [Shape; 4] = [
    Shape { nodes: 2000, leaves: 25, apps: 200, asks: 10_000, fill: 80 },
    Shape { nodes: 2000, leaves: 100, apps: 1000, asks: 50_000, fill: 80 },
    Shape { nodes: 5000, leaves: 400, apps: 4000, asks: 100_000, fill: 80 },
    Shape { nodes: 2000, leaves: 100, apps: 1000, asks: 50_000, fill: 200 },
];
const SMALL: Shape = Shape { nodes: 20, leaves: 10, apps: 20, asks: 100, fill: 200 };

fn shapes() -> Vec<Shape> {
    if std::env::args().any(|argument| argument == "--bench") { SHAPES.to_vec() } else { vec![SMALL] }
}

struct Draw(u64);

impl Draw {
    fn between(&mut self, least: u64, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        least + (self.0 >> 33) % (most - least + 1)
    }
}

fn text(shape: Shape) -> String {
    let Shape { nodes, leaves, apps, asks, fill } = shape;
    let mut out = "version: 1\nname: large\nconfig: |\n  partitions:\n    - name: default\n      queues:\n        - name: root\n          submitacl: '*'\n          queues:\n".to_owned();
    let per = leaves.isqrt().max(1);
    let tenant = |leaf: u64| (leaf / per, leaf % per);
    for leaf in 0..leaves {
        let (parent, child) = tenant(leaf);
        if child == 0 {
            put(&mut out, format_args!("            - name: t{parent}\n              queues:\n"));
        }
        let (memory, vcore, offset) = (1 + leaf % 7, 1 + leaf % 5, leaf % 3);
        let policy = if leaf % 2 == 1 { "fair" } else { "fifo" };
        put(
            &mut out,
            format_args!(
                "                - name: q{child}\n                  resources: {{guaranteed: {{memory: {memory}G, vcore: {vcore}}}}}\n"
            ),
        );
        put(
            &mut out,
            format_args!(
                "                  properties: {{application.sort.policy: {policy}, priority.offset: \"{offset}\"}}\n"
            ),
        );
    }
    out += "steps:\n";
    let millicores = (asks * 1500 * 100 / fill / nodes).max(2000);
    for node in 0..nodes {
        let memory = millicores * 4;
        put(
            &mut out,
            format_args!("  - node: {{id: node-{node:05}, capacity: {{memory: {memory}M, vcore: {millicores}m}}}}\n"),
        );
    }
    let mut draw = Draw(42);
    for app in 0..apps {
        let (parent, child) = tenant(app % leaves);
        let (user, group) = (app % 97, app % 13);
        put(
            &mut out,
            format_args!(
                "  - submit: {{app: app-{app:05}, queue: root.t{parent}.q{child}, user: user{user}, groups: [g{group}]}}\n"
            ),
        );
        let (memory, vcore, priority, count) =
            (draw.between(1, 7), draw.between(500, 2500), draw.between(0, 4), asks / apps);
        put(
            &mut out,
            format_args!(
                "  - ask: {{app: app-{app:05}, id: t{app}, resource: {{memory: {memory}G, vcore: {vcore}m}}, priority: {priority}, count: {count}}}\n"
            ),
        );
    }
    out + "  - schedule: idle\n  - snapshot: end\n"
}

fn put(out: &mut String, line: std::fmt::Arguments<'_>) {
    out.write_fmt(line).expect("writing to a text cannot fail");
}

fn read(text: &str) -> Scenario {
    scenario::read(text).scenario.expect("the generated scenario is right")
}

fn run(scenario: &Scenario, sink: &mut impl Sink) {
    let config = scenario.embedded_config(Profile::Kornsole).expect("it brings its configuration");
    scenario::run(scenario, config, Profile::Kornsole, sink).expect("it goes to memory");
}

#[divan::bench(args = shapes(), sample_count = 10, sample_size = 1)]
fn reading(bencher: Bencher, shape: Shape) {
    let text = text(shape);
    bencher.bench_local(|| read(&text));
}

#[divan::bench(args = shapes(), sample_count = 10, sample_size = 1)]
fn running(bencher: Bencher, shape: Shape) {
    let scenario = read(&text(shape));
    bencher.bench_local(|| run(&scenario, &mut Silent));
}

#[derive(Default)]
struct Retained(Vec<(i64, Vec<Event>)>);

impl Sink for Retained {
    fn events(&mut self, step: i64, events: &[Event]) -> std::io::Result<()> {
        self.0.push((step, events.to_vec()));
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> std::io::Result<()> {
        Ok(())
    }
}

#[divan::bench(args = shapes(), sample_count = 10, sample_size = 1)]
fn printing(bencher: Bencher, shape: Shape) {
    let mut retained = Retained::default();
    run(&read(&text(shape)), &mut retained);
    bencher.bench_local(|| {
        let mut trace = Trace::new(Vec::new());
        for (step, events) in &retained.0 {
            trace.events(*step, events).expect("it goes to memory");
        }
        trace.finish().expect("it goes to memory")
    });
}

#[divan::bench(args = shapes(), sample_count = 10, sample_size = 1)]
fn everything(bencher: Bencher, shape: Shape) {
    let text = text(shape);
    bencher.bench_local(|| {
        let mut trace = Trace::new(Vec::new());
        run(&read(&text), &mut trace);
        trace.finish().expect("it goes to memory")
    });
}
