//! Explanations in a cluster where nearly everything is pending.

use divan::Bencher;
use engine::explain::explained;
use forecast::whatif::{Fork, Pace};
use view::waiting::Asked;

use crate::sizes;
use crate::world::{World, amounts, app, flat, leaf};

/// Half of the queues are at their maximum. Large requests fit no node.
fn in_the_middle(asks: usize) -> World {
    let queues = (asks / 10).max(2);
    let mut world = World::new(&flat(queues, "resources: {max: {memory: 1000, vcore: 1}}"));
    world.nodes((asks / 20).max(1), 40);
    for number in 0..asks / 5 {
        world.app(number, &leaf(number % queues));
        // The free nodes for a size are searched once.
        let size = 41 + i64::try_from(number % 50).unwrap_or(0);
        world.ask(number, "big", amounts(size, size), 4);
        world.ask(number, "small", amounts(1, 1), 1);
    }
    for _ in 0..queues / 2 {
        world.cycle();
    }
    world
}

/// Like [`in_the_middle`], when nothing can be allocated: all queues are at their maximum.
fn waiting(asks: usize) -> World {
    let mut world = in_the_middle(asks);
    world.settle();
    world
}

#[divan::bench(args = sizes(&[10_000, 100_000], 20), sample_count = 20, sample_size = 1)]
fn one_application(bencher: Bencher, asks: usize) {
    let world = waiting(asks);
    bencher.bench_local(|| world.scheduler.partitions()[0].explain(world.now, &app(1), None));
}

#[divan::bench(args = sizes(&[10_000, 100_000], 20), sample_count = 20, sample_size = 1)]
fn fork_of_the_scheduler_s_thread(bencher: Bencher, asks: usize) {
    let mut world = waiting(asks);
    world.scheduler.share();
    bencher.bench_local(move || {
        // As after some cycles since the last fork.
        world.cycle();
        world.scheduler.share();
        fork(&world)
    });
}

fn fork(world: &World) -> Fork {
    Fork::of(&world.scheduler, None, (world.now, Pace::initial(world.now)), None, usize::MAX).expect("it is there")
}

#[divan::bench(args = sizes(&[10_000, 100_000], 20), sample_count = 20, sample_size = 1)]
fn one_application_with_remedies(bencher: Bencher, asks: usize) {
    let mut world = waiting(asks);
    world.scheduler.share();
    let fork = fork(&world);
    bencher.bench_local(|| explained(&fork, &Asked::App(app(1), None), None));
}

/// The same while thousands of requests are allocated first in the next cycles.
#[divan::bench(args = sizes(&[10_000, 100_000], 20), sample_count = 20, sample_size = 1)]
fn with_remedies_in_the_middle(bencher: Bencher, asks: usize) {
    let mut world = in_the_middle(asks);
    world.scheduler.share();
    let fork = fork(&world);
    bencher.bench_local(|| explained(&fork, &Asked::App(app(1), None), None));
}

#[divan::bench(args = sizes(&[10_000, 100_000], 20), sample_count = 20, sample_size = 1)]
fn all_that_waits(bencher: Bencher, asks: usize) {
    let world = waiting(asks);
    bencher.bench_local(|| world.scheduler.partitions()[0].explain_all(world.now, None));
}
