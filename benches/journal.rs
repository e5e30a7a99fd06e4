//! The cost of durability, and the time of a restart. `KORNSOLE_BENCH_DIR` should be on the disk to measure.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints what it measured")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use engine::journal::{Dir, MakeCore, RunningJournal};
use engine::{Core, Engine, Progress, Setup};
use model::{Identity, Profile, Resource, Time};
use scenario::Workload;
use scheduler::{AskSpec, Command, Event, NodeSpec, PartitionCommand, Submission};
use view::act::{Act, Actor, Order, PartitionAct};

const CONFIG: &str = "
partitions:
  - name: default
    queues:
      - name: root
        adminacl: '*'
        submitacl: '*'
        queues: [{name: a}, {name: b}, {name: c}, {name: d}]
";

fn setup() -> Setup {
    Setup::of(Profile::Kornsole)
}

fn core(workload: Option<Box<dyn Workload>>) -> Core {
    let config = config::read(CONFIG, Profile::Kornsole).config.unwrap();
    Core::set_up(&setup(), Arc::new(config), workload).unwrap().with_config_text(CONFIG.as_bytes(), None)
}

fn dir(name: &str) -> PathBuf {
    let base = std::env::var_os("KORNSOLE_BENCH_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let path = base.join(format!("kornsole-bench-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn start(path: &Path, workload: Option<Box<dyn Workload>>, fresh: MakeCore<'_>) -> (Core, RunningJournal) {
    Dir::open(path, false).unwrap().start(&setup(), 1.0, workload, fresh).unwrap()
}

fn amount(vcore: i64) -> Resource {
    [("vcore", vcore), ("memory", vcore << 20)].into_iter().collect()
}

fn submission(app: String, number: usize) -> Submission {
    let queue = format!("root.{}", ["a", "b", "c", "d"][number % 4]);
    Submission { app: app.into(), queue, who: Identity::new("sue", ["dev"]), ..Submission::default() }
}

fn fill(core: &mut Core, nodes: usize, apps: usize, asks: u32) {
    for number in 0..nodes {
        let spec = NodeSpec { id: format!("n{number}").into(), capacity: amount(64_000), ..NodeSpec::default() };
        core.apply(&PartitionCommand::AddNode(spec).into());
    }
    for number in 0..apps {
        let app = format!("app-{number}");
        core.apply(&PartitionCommand::Submit(submission(app.clone(), number)).into());
        let ask = AskSpec { app: app.into(), id: "t".into(), count: asks, resource: amount(100), ..AskSpec::default() };
        core.apply(&PartitionCommand::Ask(ask).into());
    }
}

/// Durable operations per second with `in_flight` in parallel.
fn orders(in_flight: usize) {
    const ORDERS: usize = 40_000;
    let path = dir("orders");
    let (core, retained) = start(&path, None, Box::new(|workload| Ok(core(workload))));
    let engine = Engine::start_with_journal(core, 1.0, None, Some(retained)).unwrap();
    let (sender, message) = channel();
    let give = |number: usize, sender: &Sender<bool>| {
        let submission = submission(format!("app-{number}"), number);
        let act = Act::within(&Arc::from("default"), PartitionAct::Submit(submission));
        let sender = sender.clone();
        let actor = Actor::from(Identity::new("sue", ["dev"]));
        engine.perform(
            actor,
            Order::from(act),
            Box::new(move |outcome| {
                let _ = sender.send(outcome.is_ok());
            }),
        );
    };
    let started_at = Instant::now();
    (0..in_flight).for_each(|number| give(number, &sender));
    let (mut given, mut answered) = (in_flight, 0);
    while answered < ORDERS {
        assert!(message.recv().unwrap());
        answered += 1;
        if given < ORDERS {
            give(given, &sender);
            given += 1;
        }
    }
    let rate = ORDERS as f64 / started_at.elapsed().as_secs_f64();
    drop(engine);
    std::fs::remove_dir_all(path).unwrap();
    println!("orders, {in_flight:>3} in flight: {rate:>9.0} durable orders a second (promised: 20000 from 16 on)");
}

/// The cost of one sync, on which all durable operations depend.
fn disk() {
    let path = dir("disk");
    std::fs::create_dir_all(&path).unwrap();
    let mut file = std::fs::File::create(path.join("file")).unwrap();
    let started_at = Instant::now();
    for _ in 0..200 {
        std::io::Write::write_all(&mut file, &[1; 4096]).unwrap();
        file.sync_data().unwrap();
    }
    println!("disk: {:?} for writing and syncing 4 KiB", started_at.elapsed() / 200);
    std::fs::remove_dir_all(path).unwrap();
}

fn schedule(retained: bool) -> Duration {
    const APPS: usize = 400;
    const ASKS: u32 = 100;
    let path = dir("schedule");
    let full = |workload| {
        let mut core = core(workload);
        fill(&mut core, 200, APPS, ASKS);
        Ok(core)
    };
    let (core, retained) = if retained {
        let (core, retained) = start(&path, None, Box::new(full));
        (core, Some(retained))
    } else {
        (full(None).unwrap(), None)
    };
    let started_at = Instant::now();
    let engine = Engine::start_with_journal(core, 1.0, None, retained).unwrap();
    let (sender, message) = channel();
    engine.published().on_change(Box::new(move || {
        let _ = sender.send(());
    }));
    while engine.published().view().allocations_made < APPS as u64 * u64::from(ASKS) {
        let _ = message.recv_timeout(Duration::from_millis(100));
    }
    let took = started_at.elapsed();
    drop(engine);
    let _ = std::fs::remove_dir_all(path);
    took
}

fn scheduling() {
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..7 {
        for retained in [false, true] {
            times[usize::from(retained)].push(schedule(retained));
        }
    }
    times.iter_mut().for_each(|times| times.sort());
    let [without, with] = times.map(|times| times[times.len() / 2]);
    let less = 100.0 - 100.0 * without.as_secs_f64() / with.as_secs_f64();
    println!("scheduling: {without:?} without, {with:?} with a journal, {less:.1} % less (promised: at most 10)");
}

fn restore() {
    let path = dir("restore");
    let (mut core, retained) = start(
        &path,
        None,
        Box::new(|workload| {
            let mut core = core(workload);
            fill(&mut core, 1000, 100_000, 2);
            Ok(core)
        }),
    );
    while core.run_until(Time::ZERO, 100_000) == Progress::Busy {}
    let started_at = Instant::now();
    retained.snapshot(&mut core).unwrap();
    let took = started_at.elapsed();
    let paused = Instant::now();
    let bytes = core.save().len();
    println!(
        "snapshot: {bytes} bytes, {:?} to make, {took:?} until it is on the disk, behind the scheduler's back",
        paused.elapsed()
    );
    drop((core, retained));
    let size = std::fs::metadata(path.join("journal.redb")).unwrap().len();
    let started_at = Instant::now();
    let (core, retained) = start(&path, None, Box::new(|_| Err("it is there".to_owned())));
    let took = started_at.elapsed();
    assert_eq!(core.scheduler().partitions()[0].apps.len(), 100_000);
    println!("restore: {took:?} for 100000 applications from {size} bytes (promised: 2 s)");
    drop((core, retained));
    std::fs::remove_dir_all(path).unwrap();
}

struct Beat {
    at: u64,
}

impl Workload for Beat {
    fn next(&self) -> Option<Time> {
        Some(Time::from_millis(self.at))
    }

    fn act(&mut self, _now: Time) -> Vec<Command> {
        self.at += 10;
        let (beat, app) = (self.at / 10, format!("app-{}", self.at / 10 % 100));
        let ask = |count| AskSpec {
            app: app.as_str().into(),
            id: format!("t{beat}").into(),
            count,
            resource: amount(100),
            ..AskSpec::default()
        };
        let mut commands: Vec<Command> = vec![PartitionCommand::Ask(ask(2)).into()];
        if let Some(old) = beat.checked_sub(100) {
            let release =
                |number| PartitionCommand::Release { app: app.as_str().into(), ask: format!("t{old}-{number}").into() };
            commands.extend([release(1).into(), release(2).into()]);
        }
        commands
    }

    fn observe(&mut self, _now: Time, _events: &[Event]) {}
}

fn past() {
    const WORK: u64 = 1_000_000;
    let path = dir("past");
    let (mut core, retained) = start(
        &path,
        Some(Box::new(Beat { at: 10 })),
        Box::new(|workload| {
            let mut core = core(workload);
            fill(&mut core, 50, 100, 1);
            Ok(core)
        }),
    );
    // Each beat is a record and about three cycles.
    let (mut work, mut next) = (0, 20_000);
    while work < WORK {
        core.run_until(Time(u64::MAX), 5_000);
        work += 5_000;
        retained.sync(&mut core);
        if work >= next {
            retained.snapshot(&mut core).unwrap();
            next += 20_000;
        }
    }
    let now = core.now();
    let size = std::fs::metadata(path.join("journal.redb")).unwrap().len();
    let mut worst = Duration::ZERO;
    for part in 1..10 {
        let back = Duration::from_micros(now.0 / 10 * part).max(Duration::from_secs(1));
        let started_at = Instant::now();
        retained.history().view_at(Time(now.0 - u64::try_from(back.as_micros()).unwrap())).unwrap();
        worst = worst.max(started_at.elapsed());
    }
    println!(
        "past: {worst:?} at worst to look back into {} s, {work} commands and cycles, {size} bytes (promised: 1 s)",
        now.as_millis() / 1000
    );
    drop((core, retained));
    std::fs::remove_dir_all(path).unwrap();
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return println!("{:?} with a journal", schedule(true));
    }
    disk();
    [16, 64, 256].into_iter().for_each(orders);
    scheduling();
    restore();
    past();
}
