//! Storms of releases and of preemption.

use divan::Bencher;
use divan::counter::ItemsCount;
use scheduler::{AskSpec, PartitionCommand};

use crate::sizes;
use crate::world::{World, amounts, app, flat, leaf};

fn holding(allocations: usize) -> World {
    let mut world = World::new(&flat(10, ""));
    world.nodes(1000, i64::try_from(allocations).unwrap_or(i64::MAX));
    world.app(0, &leaf(0));
    world.ask(0, "t", amounts(10, 10), allocations);
    assert_eq!(world.settle(), allocations);
    world
}

#[divan::bench(args = sizes(&[10_000, 100_000, 1_000_000], 100), sample_count = 3, sample_size = 1)]
fn releases_of_one_application(bencher: Bencher, allocations: usize) {
    let world = holding(allocations);
    bencher
        .counter(ItemsCount::new(allocations))
        .with_inputs(|| world.clone())
        .bench_local_refs(|world| world.give(PartitionCommand::Remove { app: app(0) }));
}

#[divan::bench(args = sizes(&[10_000, 100_000, 1_000_000], 100), sample_count = 3, sample_size = 1)]
fn releases_one_by_one(bencher: Bencher, allocations: usize) {
    let world = holding(allocations);
    let ids: Vec<String> = (1..=allocations).map(|number| format!("t-{number}")).collect();
    bencher
        .counter(ItemsCount::new(allocations))
        .with_inputs(|| world.clone())
        .bench_local_refs(|world| ids.iter().map(|id| world.release(0, id).len()).sum::<usize>());
}

/// All requests of a storm are old enough to preempt.
fn contested(victims: usize) -> World {
    let guaranteed = "resources: {guaranteed: {memory: 100000, vcore: 100000}}, properties: {preemption.delay: 1ms}";
    let mut world = World::new(&flat(2, guaranteed));
    world.nodes(victims.div_ceil(20), 200);
    world.app(0, &leaf(0));
    world.ask_for(0, "v", amounts(10, 10), victims, |ask| AskSpec { allow_preempt_self: true, ..ask });
    world.settle();
    for number in 1..=10 {
        world.app(number, &leaf(1));
        let seeks = |ask| AskSpec { allow_preempt_other: true, ..ask };
        world.ask_for(number, &format!("s{number}"), amounts(10, 10), 10, seeks);
    }
    world.give(PartitionCommand::Remove { app: app(99) });
    world
}

#[divan::bench(args = sizes(&[1000, 10_000], 100), sample_count = 20, sample_size = 1)]
fn preemption_one_cycle(bencher: Bencher, victims: usize) {
    let world = contested(victims);
    bencher.with_inputs(|| world.clone()).bench_local_refs(|world| world.cycle());
}
