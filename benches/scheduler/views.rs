//! Taking a view for the console and the REST server.

use divan::Bencher;
use view::ViewBuilder;

use crate::sizes;
use crate::world::{World, amounts, flat, leaf};

fn large(apps: usize) -> World {
    let queues = apps / 10;
    let mut world = World::new(&flat(queues, ""));
    world.nodes(apps / 20, 1_000_000);
    for number in 0..apps {
        world.app(number, &leaf(number % queues));
        world.ask(number, &format!("t{number}"), amounts(10, 10), 3);
    }
    for _ in 0..apps {
        world.cycle();
    }
    world
}

#[divan::bench(args = sizes(&[1000, 10_000], 20), sample_count = 10, sample_size = 1)]
fn first(bencher: Bencher, apps: usize) {
    let world = large(apps);
    bencher
        .with_inputs(|| world.clone())
        .bench_local_refs(|world| ViewBuilder::default().update(world.now, &mut world.scheduler));
}

#[divan::bench(args = sizes(&[1000, 10_000], 20), sample_count = 100, sample_size = 10)]
fn after_one_cycle(bencher: Bencher, apps: usize) {
    let mut world = large(apps);
    let mut views = ViewBuilder::default();
    views.update(world.now, &mut world.scheduler);
    bencher.bench_local(|| {
        world.cycle();
        views.update(world.now, &mut world.scheduler)
    });
}
