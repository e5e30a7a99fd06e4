//! Clusters with many requests that do not fit.

use divan::Bencher;
use scheduler::{AskSpec, PartitionCommand};

use crate::sizes;
use crate::world::{World, amounts, app, flat, leaf};

/// Requests of 1,000 applications that fit no node, hardly two of equal size.
fn nowhere(asks: usize) -> World {
    let mut world = World::new(&flat(100, ""));
    let nodes = if asks > 1000 { 1000 } else { 10 };
    world.nodes(nodes, 1000);
    world.app(0, &leaf(0));
    world.ask(0, "held", amounts(500, 500), nodes);
    world.settle();
    for ask in 0..asks {
        let number = 1 + ask % 1000;
        if ask < 1000 {
            world.app(number, &leaf(number % 100));
        }
        // Too young for reservations: the bench measures that nothing can be done.
        let odd = i64::try_from(ask % 499).unwrap_or(0);
        let size = if ask % 2 == 0 { amounts(501 + odd, 1 + odd) } else { amounts(1 + odd, 501 + odd) };
        world.ask_now(number, &format!("t{ask}"), size);
    }
    world
}

#[divan::bench(args = sizes(&[1000, 10_000, 100_000], 50), sample_count = 20, sample_size = 1)]
fn first_look(bencher: Bencher, asks: usize) {
    let world = nowhere(asks);
    bencher.with_inputs(|| world.clone()).bench_local_refs(|world| assert!(world.settle() == 0));
}

#[divan::bench(args = sizes(&[1000, 10_000, 100_000], 50), sample_count = 100, sample_size = 100)]
fn quiet(bencher: Bencher, asks: usize) {
    let mut world = nowhere(asks);
    world.settle();
    bencher.bench_local(|| world.cycle());
}

#[divan::bench(args = sizes(&[1000, 10_000, 100_000], 50), sample_count = 100, sample_size = 10)]
fn one_ask_more(bencher: Bencher, asks: usize) {
    let mut world = nowhere(asks);
    world.settle();
    let mut more = 0;
    bencher.bench_local(|| {
        more += 1;
        world.ask_now(1, &format!("more{more}"), amounts(900, 900));
        world.cycle()
    });
}

#[divan::bench(args = sizes(&[1000, 10_000, 100_000], 50), sample_count = 50, sample_size = 1)]
fn one_release(bencher: Bencher, asks: usize) {
    let mut world = nowhere(asks);
    world.settle();
    let mut released = 0;
    bencher.bench_local(|| {
        released += 1;
        world.release(0, &format!("held-{released}"));
        world.settle()
    });
}

/// A cycle while every application has a reservation and no node fits.
#[divan::bench(args = sizes(&[1000, 10_000, 100_000], 50), sample_count = 20, sample_size = 1)]
fn all_nodes_reserved(bencher: Bencher, asks: usize) {
    let mut world = nowhere(asks);
    world.now = world.now + std::time::Duration::from_secs(3);
    // There is at most one such cycle per node.
    (0..1000).for_each(|_| drop(world.cycle()));
    bencher.bench_local(|| world.cycle());
}

/// As many pending jobs may preempt: one job ends, then cycles until nothing follows.
#[divan::bench(args = sizes(&[100, 1000, 10_000], 50), sample_count = 50, sample_size = 1)]
fn one_end_among_waiting_jobs(bencher: Bencher, jobs: usize) {
    let mut world = World::new(&flat(1, ""));
    world.nodes(1, 500_000);
    for number in 0..500 + jobs {
        world.app(number, &leaf(0));
        world.ask_for(number, "run", amounts(1000, 1000), 1, |ask| AskSpec { allow_preempt_other: true, ..ask });
    }
    world.settle();
    world.now = world.now + std::time::Duration::from_secs(60);
    world.settle();
    let mut ended = 0;
    bencher.bench_local(|| {
        world.give(PartitionCommand::Remove { app: app(ended) });
        ended += 1;
        world.settle()
    });
}
