//! The console of a restarted scheduler shows the past before the restart.

use std::sync::Arc;
use std::time::Duration;

use console::{Driver, Options};
use engine::journal::{Dir, RunningJournal};
use engine::{Core, Engine, Progress, Setup};
use kornsole::cli::demo;
use model::{Identity, Profile, Time};
use scenario::{Demo, Workload};
use source::{Embedded, Source, Stepped};
use view::act::{Actor, Order, PartitionAct};

use crate::common::{TestDir, about, within};

const SEED: u64 = 42;
const END: u64 = 100;
const SNAPSHOTS: [u64; 2] = [40, 70];

fn start(scratch: &TestDir, setup: &Setup) -> (Core, RunningJournal) {
    let demo: Box<dyn Workload> = Box::new(Demo::new(SEED, setup.profile));
    let dir = Dir::open(scratch, false).unwrap();
    dir.start(setup, 1.0, Some(demo), Box::new(|_| demo::core(SEED, setup))).unwrap()
}

fn first_life(scratch: &TestDir, setup: &Setup) {
    let (mut core, retained) = start(scratch, setup);
    for second in 1..=END {
        while core.run_until(Time::ZERO + Duration::from_secs(second), 1000) == Progress::Busy {}
        if SNAPSHOTS.contains(&second) {
            retained.snapshot(&mut core).unwrap();
        }
    }
    assert!(retained.sync(&mut core));
}

fn owner() -> Actor {
    Actor::from(Identity::parse("you").unwrap()).scheduler_admin(true)
}

fn next_life(scratch: &TestDir, setup: &Setup) -> (Driver, Arc<Embedded>) {
    let (core, retained) = start(scratch, setup);
    let engine = Engine::start_with_journal(core, 0.001, None, Some(retained)).unwrap();
    let source = Arc::new(Embedded::new(engine, about("demo"), owner()));
    let driver = Driver::new(Arc::clone(&source) as _, Options::default(), 140, 50);
    (driver, source)
}

const BODY: usize = 20;

fn body(driver: &Driver, past: bool) -> Vec<String> {
    let lines = driver.lines().into_iter().skip(3 + usize::from(past)).take(BODY);
    // A list with one line less has a different scroll bar.
    lines.map(|line| line.trim_end_matches('┃').trim_end().to_owned()).collect()
}

fn banner(driver: &Driver) -> Option<String> {
    driver.find_row("THE PAST").map(|(_, line)| line)
}

#[track_caller]
fn press(driver: &mut Driver, keys: &str) {
    driver.keys(keys).unwrap();
    driver.settle();
}

#[test]
fn the_whole_console_returns_to_before_the_start() {
    let scratch = TestDir::new();
    let setup = Setup::of(Profile::Kornsole);
    first_life(&scratch, &setup);
    let at = Duration::from_secs(96) - Duration::from_micros(1);
    let then = Stepped::new(demo::core(SEED, &setup).unwrap(), about("demo"), owner());
    then.advance(at);
    let mut then = Driver::new(Arc::new(then), Options::default(), 140, 50);
    let (mut driver, source) = next_life(&scratch, &setup);
    assert!(banner(&driver).is_none());
    press(&mut driver, ":back 10h<ret>");
    assert!(driver.find_row("10h ago: it started 1m").is_some());
    press(&mut driver, ":back 1:35<ret>");
    for page in ["1", ":apps<ret>", "3", "4", "5"] {
        press(&mut then, page);
        press(&mut driver, page);
        let message = banner(&driver).unwrap_or_else(|| panic!("{page} is not marked:\n{}", driver.screen_text()));
        assert!(message.contains("THE PAST, at 1:35"), "{message}");
        for (was, is) in body(&then, false).iter().zip(body(&driver, true)) {
            assert_eq!(*was, is, "{page}");
        }
    }
    press(&mut driver, ":config<ret>d");
    assert!(driver.find_row("saved with the state, not in a file").is_some(), "{}", driver.screen_text());
    press(&mut driver, ":apps<ret>K");
    assert!(driver.find_row("this is the past").is_some(), "{}", driver.screen_text());
    press(&mut driver, ":live<ret>");
    assert!(banner(&driver).is_none());
    assert!(source.now() >= Time::ZERO + Duration::from_secs(END));
}

#[test]
fn steps_lead_through_all_lives_and_back() {
    let scratch = TestDir::new();
    let setup = Setup::of(Profile::Kornsole);
    first_life(&scratch, &setup);
    let (driver, source) = next_life(&scratch, &setup);
    let app = source.view().partitions[0].apps.iter().flatten().next().unwrap().id.clone();
    let (sender, message) = std::sync::mpsc::channel();
    let kill = within(PartitionAct::Kill { app: app.clone(), expect_queue: None });
    let answer = Box::new(move |outcome: Result<_, _>| sender.send(outcome.is_ok()).unwrap());
    source.act(Order::new(kill, "in the way"), answer);
    assert_eq!(message.recv(), Ok(true));
    drop((driver, source));
    let (mut driver, _source) = next_life(&scratch, &setup);
    let mut stops = Vec::new();
    loop {
        press(&mut driver, "[");
        let line = banner(&driver).unwrap_or_else(|| panic!("{}", driver.screen_text()));
        if driver.find_row("no important events before this; the past goes back to 0:00").is_some() {
            break;
        }
        stops.push(line);
        assert!(stops.len() < 500);
    }
    let first = |text: &str| stops.iter().position(|line| line.contains(text));
    let killed = first(&format!("{app} was killed")).unwrap_or_else(|| panic!("{stops:#?}"));
    let started = first("the scheduler restarted").unwrap();
    assert!(killed <= 1 && started <= 1, "{stops:#?}");
    for text in ["from Active to Draining", "node std-01", "node big-04"] {
        let place = stops.iter().rposition(|line| line.contains(text));
        assert!(place.is_some_and(|place| place >= 2), "of the first life too: {text} in {stops:#?}");
    }
    let mut again = Vec::new();
    loop {
        press(&mut driver, "]");
        let Some(line) = banner(&driver) else { break };
        again.push(line);
        assert!(again.len() <= stops.len(), "{again:#?}");
    }
    again.reverse();
    assert_eq!(again, stops[..stops.len() - 1], "the same stops on the way to the present");
}
