//! The slowest single command in clusters that are designed to be slow: it should take at most 50 ms on an idle
//! machine.
//!
//! One case: `cargo bench --bench worst -- reloads`; others are `nowhere`, `siblings`, `deep`, and `releases`.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a table of measurements is what a bench is for")]

use std::fmt;
use std::time::{Duration, Instant};

use scheduler::{Command, PartitionCommand};
use view::ViewBuilder;

use world::{World, amounts, app, flat, leaf, read};

#[path = "scheduler/world.rs"]
mod world;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let large = std::env::args().any(|argument| argument == "--bench");
    let size = |size: usize| if large { size } else { size.div_ceil(1000).max(3) };
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let cases: [(&str, &dyn Fn()); 5] = [
        ("nowhere", &|| fits_nowhere(size(100_000), size(1000))),
        ("siblings", &|| equal_siblings(size(10_000))),
        ("deep", &|| deep(size(200), size(100_000))),
        ("releases", &|| releases(size(1_000_000))),
        ("reloads", &|| reloads(size(10_000))),
    ];
    println!("{:<62}{:>10}{:>12}{:>12}", "", "commands", "together", "slowest");
    for (name, case) in cases {
        if named.is_empty() || named.iter().any(|wanted| wanted == name) {
            case();
        }
    }
}

#[derive(Default)]
struct Times {
    commands: usize,
    together: Duration,
    slowest: Duration,
}

impl Times {
    fn take<T>(&mut self, command: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let given = command();
        let took = started.elapsed();
        self.commands += 1;
        self.together += took;
        self.slowest = self.slowest.max(took);
        given
    }

    fn of<I>(each: impl IntoIterator<Item = I>, mut command: impl FnMut(I)) -> Self {
        let mut times = Self::default();
        for item in each {
            times.take(|| command(item));
        }
        times
    }

    fn print(&self, what: fmt::Arguments<'_>) {
        let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
        let what = what.to_string();
        println!("{what:<62}{:>10}{:>12}{:>12}", self.commands, ms(self.together), ms(self.slowest));
    }
}

fn settle(world: &mut World) -> Times {
    let mut times = Times::default();
    while times.take(|| world.cycle()).iter().any(scheduler::Event::is_activity) {}
    times
}

fn fits_nowhere(asks: usize, nodes: usize) {
    let leaves = nodes.div_ceil(10);
    let mut world = World::new(&flat(leaves, ""));
    world.nodes(nodes, 1000);
    world.app(0, &leaf(0));
    world.ask(0, "held", amounts(500, 500), nodes);
    world.settle();
    (1..=nodes).for_each(|number| world.app(number, &leaf(number % leaves)));
    let odd = |number: usize| i64::try_from(number % 499).unwrap_or(0);
    // Half of each node is free: too little memory or too little vcore.
    let wish = |number: usize| match number % 2 {
        0 => amounts(501 + odd(number), 1 + odd(number)),
        _ => amounts(1 + odd(number), 501 + odd(number)),
    };
    let times = Times::of(0..asks, |number| world.ask_now(1 + number % nodes, &format!("t{number}"), wish(number)));
    times.print(format_args!("{asks} asks that fit nowhere: asking"));
    Times::of(0..1, |_| drop(world.cycle())).print(format_args!("  first cycle"));
    Times::of(0..nodes, |_| drop(world.cycle())).print(format_args!("  cycles while nothing happens"));
    let more = Times::of(0..nodes, |number| {
        world.ask_now(1 + number, &format!("more{number}"), amounts(900, 900));
        world.cycle();
    });
    more.print(format_args!("  one ask more, and a cycle"));
    let released = Times::of(0..nodes / 2, |number| {
        world.release(0, &format!("held-{}", number + 1));
        world.cycle();
    });
    released.print(format_args!("  one release, and a cycle"));
    settle(&mut world).print(format_args!("  cycles until nothing fits any more"));
    world.now = world.now + Duration::from_secs(3);
    let reserving = Times::of(0..nodes, |_| drop(world.cycle()));
    reserving.print(format_args!("  cycles that keep a node for somebody"));
    Times::of(0..20, |_| drop(world.cycle())).print(format_args!("  cycles while every node is kept"));
    let released = Times::of(nodes / 2..nodes, |number| {
        world.release(0, &format!("held-{}", number + 1));
        world.cycle();
    });
    released.print(format_args!("  one release, and a cycle, while every node is kept"));
}

fn equal_siblings(queues: usize) {
    let mut world = World::new(&flat(queues, "resources: {guaranteed: {memory: 1000, vcore: 1}}"));
    world.nodes(100, 1_000_000);
    for number in 0..queues {
        world.app(number, &leaf(number));
        world.ask(number, "t", amounts(10, 10), 3);
    }
    settle(&mut world).print(format_args!("{queues} sibling queues with equal shares: cycles"));
    let again = Times::of(0..queues, |number| {
        world.release(number, "t-1");
        world.ask(number, "again", amounts(10, 10), 1);
        world.cycle();
    });
    again.print(format_args!("  release, ask and cycle"));
    // Neither requests more than the other: no total order decides.
    for number in 0..queues {
        let odd = i64::try_from(number * 7919 % 101).unwrap_or(0);
        world.ask(number, "odd", amounts(10 + odd, 110 - odd), 1);
    }
    settle(&mut world).print(format_args!("  cycles where their asks cannot be compared"));
}

fn deep(depth: usize, asks: usize) {
    let config = "partitions:\n  - name: default\n    placementrules: [{name: provided, create: true}]\n    queues:\n      - {name: root, submitacl: '*'}\n";
    let mut world = World::new(config);
    world.nodes(100, 1_000_000);
    let path = format!("root{}", ".d".repeat(depth));
    Times::of(0..1, |_| world.app(0, &path))
        .print(format_args!("a queue {depth} levels deep: the submission that makes it"));
    let wish = |number: usize| format!("t{number}");
    Times::of(0..asks, |number| world.ask_now(0, &wish(number), amounts(10, 10))).print(format_args!("  asking"));
    settle(&mut world).print(format_args!("  cycles"));
    Times::of(0..asks, |number| drop(world.release(0, &wish(number)))).print(format_args!("  releases"));
}

fn releases(allocations: usize) {
    let nodes = allocations.div_ceil(1000);
    let mut world = World::new(&flat(10, ""));
    world.nodes(nodes, 10_000);
    world.app(0, &leaf(0));
    let asking = Times::of(0..nodes, |number| drop(world.ask(0, &format!("t{number}"), amounts(10, 10), 1000)));
    asking.print(format_args!("{allocations} allocations of one application: asking, 1000 at once"));
    settle(&mut world).print(format_args!("  cycles"));
    let node = |number: usize| PartitionCommand::RemoveNode(format!("node-{number:05}").as_str().into());
    let mut some = world.clone();
    let gone = Times::of(0..nodes.min(100), |number| drop(some.give(node(number))));
    gone.print(format_args!("  a node that goes with 1000 of them"));
    let mut all = world.clone();
    let mut removed = Times::of(0..1, |_| drop(all.give(PartitionCommand::Remove { app: app(0) })));
    while all.scheduler.is_unfinished() {
        removed.take(|| drop(all.apply(&Command::Continue)));
    }
    removed.print(format_args!("  the application goes with all of them"));
    let ids = (0..nodes).flat_map(|number| (1..=1000).map(move |of| format!("t{number}-{of}")));
    Times::of(ids, |id| drop(world.release(0, &id))).print(format_args!("  releases one by one"));
}

fn reloads(queues: usize) {
    const BEFORE: &str = "resources: {guaranteed: {memory: 1000}, max: {memory: 100000}}, limits: [{limit: all, users: ['*'], maxapplications: 100, maxresources: {memory: 90000}}]";
    const AFTER: &str = "resources: {guaranteed: {memory: 2000}, max: {memory: 90000}}, properties: {priority.offset: '1'}, limits: [{limit: all, users: ['*'], maxapplications: 50, maxresources: {memory: 80000}}]";
    let mut world = World::new(&flat(queues, BEFORE));
    world.nodes(100, 1_000_000);
    for number in 0..queues {
        world.app(number, &leaf(number));
        world.ask(number, "t", amounts(10, 10), 4);
    }
    (0..queues).for_each(|_| drop(world.cycle()));
    let mut views = ViewBuilder::default();
    views.update(world.now, &mut world.scheduler);
    let one = flat(queues, BEFORE).replacen("memory: 1000}", "memory: 1001}", 1);
    let configs =
        [("everything changes", flat(queues, AFTER)), ("back", flat(queues, BEFORE)), ("one queue changes", one)];
    for (what, config) in configs {
        let config = Command::Configure(read(&config));
        let message = Times::of(0..1, |_| drop(world.apply(&config)));
        message.print(format_args!("a reload of {queues} queues under load: {what}"));
        Times::of(0..100, |_| drop(world.cycle())).print(format_args!("  cycles"));
        let message = Times::of(0..1, |_| drop(views.update(world.now, &mut world.scheduler)));
        message.print(format_args!("  the view afterwards"));
    }
    let gone = Command::Configure(read(&flat(1, "")));
    let message = Times::of(0..1, |_| drop(world.apply(&gone)));
    message.print(format_args!("  all queues but one go"));
    drain(world);
}

fn drain(mut world: World) {
    let apps = world.scheduler.partitions()[0].apps.len();
    let ended = Times::of(0..apps, |number| drop(world.give(PartitionCommand::Remove { app: app(number) })));
    ended.print(format_args!("  their applications end"));
    Times::of(0..1, |_| drop(world.apply(&Command::Clean))).print(format_args!("  the cleaner takes the queues"));
}
