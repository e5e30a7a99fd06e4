//! One cycle with an allocation, by the size of the cluster.

use divan::Bencher;

use crate::sizes;
use crate::world::{World, amounts, flat, leaf};

/// Measures cycles with an allocation. `asks` is the number of possible ones.
fn cycles(bencher: Bencher, mut world: World, asks: usize) {
    let mut left = asks;
    bencher.bench_local(|| {
        assert!(left > 0, "the bench ran out of asks");
        left -= 1;
        let events = world.cycle();
        assert!(!events.is_empty());
        events
    });
}

const PLENTY: usize = 20_000;

fn plenty(over: usize) -> usize {
    PLENTY.div_ceil(over)
}

/// Siblings of equal share: equal guaranteed resources and equal requests.
#[divan::bench(args = sizes(&[10, 100, 1000, 10_000], 5), sample_count = 100, sample_size = 50)]
fn by_equal_siblings(bencher: Bencher, queues: usize) {
    let mut world = World::new(&flat(queues, "resources: {guaranteed: {memory: 1000, vcore: 1}}"));
    world.nodes(100, 1_000_000);
    for number in 0..queues {
        world.app(number, &leaf(number));
        world.ask(number, &format!("t{number}"), amounts(10, 10), plenty(queues));
    }
    cycles(bencher, world, queues * plenty(queues));
}

/// Siblings with incomparable requests, sorted as specified without a total order.
#[divan::bench(args = sizes(&[10, 100, 1000, 10_000], 5), sample_count = 100, sample_size = 50)]
fn by_incomparable_siblings(bencher: Bencher, queues: usize) {
    let mut world = World::new(&flat(queues, ""));
    world.nodes(100, 1_000_000);
    let mut asks = 0;
    for number in 0..queues {
        world.app(number, &leaf(number));
        let odd = i64::try_from(number * 7919 % 101).unwrap_or(0);
        world.ask(number, &format!("t{number}"), amounts(10 + odd, 110 - odd), plenty(queues));
        asks += plenty(queues);
    }
    cycles(bencher, world, asks);
}

fn applications(bencher: Bencher, apps: usize, policy: &str) {
    let mut world = World::new(&flat(1, &format!("properties: {{application.sort.policy: {policy}}}")));
    world.nodes(100, 1_000_000);
    for number in 0..apps {
        world.app(number, &leaf(0));
        world.ask(number, &format!("t{number}"), amounts(10, 10), plenty(apps));
    }
    cycles(bencher, world, apps * plenty(apps));
}

#[divan::bench(args = sizes(&[10, 1000, 10_000], 5), sample_count = 100, sample_size = 50)]
fn by_applications_fifo(bencher: Bencher, apps: usize) {
    applications(bencher, apps, "fifo");
}

#[divan::bench(args = sizes(&[10, 1000, 10_000], 5), sample_count = 100, sample_size = 50)]
fn by_applications_fair(bencher: Bencher, apps: usize) {
    applications(bencher, apps, "fair");
}

#[divan::bench(args = sizes(&[100, 1000, 5000, 20_000], 5), sample_count = 100, sample_size = 50)]
fn by_nodes(bencher: Bencher, nodes: usize) {
    let mut world = World::new(&flat(10, ""));
    world.nodes(nodes, 1_000_000);
    for number in 0..10 {
        world.app(number, &leaf(number));
        world.ask(number, &format!("t{number}"), amounts(10, 10), plenty(10));
    }
    cycles(bencher, world, PLENTY);
}

/// Placement creates the queues, because a file cannot nest so deep.
#[divan::bench(args = sizes(&[2, 20, 200], 3), sample_count = 100, sample_size = 50)]
fn by_depth(bencher: Bencher, depth: usize) {
    let config = "partitions:\n  - name: default\n    placementrules: [{name: provided, create: true}]\n    queues:\n      - {name: root, submitacl: '*'}\n";
    let mut world = World::new(config);
    world.nodes(100, 1_000_000);
    world.app(0, &format!("root{}", ".d".repeat(depth)));
    world.ask(0, "t0", amounts(10, 10), PLENTY);
    cycles(bencher, world, PLENTY);
}
