//! Reloads of large trees with applications.

use divan::Bencher;
use model::Profile;
use scheduler::Command;

use crate::sizes;
use crate::world::{World, amounts, flat, leaf, read};

const BEFORE: &str = "resources: {guaranteed: {memory: 1000}, max: {memory: 100000}}";
const AFTER: &str = "resources: {guaranteed: {memory: 2000}, max: {memory: 90000}}, properties: {priority.offset: '1'}";

fn loaded(queues: usize) -> World {
    let mut world = World::new(&flat(queues, BEFORE));
    world.nodes(100, 1_000_000);
    for number in 0..queues {
        world.app(number, &leaf(number));
        world.ask(number, &format!("t{number}"), amounts(10, 10), 4);
    }
    for _ in 0..queues {
        world.cycle();
    }
    world
}

#[divan::bench(args = sizes(&[1000, 10_000], 10), sample_count = 20, sample_size = 1)]
fn reading(bencher: Bencher, queues: usize) {
    let text = flat(queues, AFTER);
    bencher.bench_local(|| config::read(&text, Profile::Kornsole));
}

#[divan::bench(args = sizes(&[1000, 10_000], 10), sample_count = 20, sample_size = 1)]
fn everything_changes(bencher: Bencher, queues: usize) {
    let mut world = loaded(queues);
    let mut configs = [read(&flat(queues, AFTER)), read(&flat(queues, BEFORE))].into_iter().cycle();
    bencher
        .with_inputs(|| Command::Configure(configs.next().expect("it goes round")))
        .bench_local_refs(|command| world.apply(command));
}

#[divan::bench(args = sizes(&[1000, 10_000], 10), sample_count = 20, sample_size = 1)]
fn the_cycle_after(bencher: Bencher, queues: usize) {
    let mut world = loaded(queues);
    world.apply(&Command::Configure(read(&flat(queues, AFTER))));
    bencher.with_inputs(|| world.clone()).bench_local_refs(|world| assert!(!world.cycle().is_empty()));
}
