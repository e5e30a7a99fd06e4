//! What a forecast is worth: the journal of a demo, simulated, beside what really happened.

use std::path::Path;
use std::time::Duration;

use kornsole::cli::demo;
use kornsole::engine::journal::Folder;
use kornsole::engine::{Progress, Setup};
use kornsole::model::{Profile, Time};
use kornsole::scenario::{Demo, Workload};

use super::command::{path, simulate};
use super::common::TestFolder;

/// Keeps so many minutes of a demo in a folder.
fn recorded(folder: &Path, minutes: u64) {
    const SEED: u64 = 42;
    let setup = Setup::of(Profile::Kornsole);
    let workload: Box<dyn Workload> = Box::new(Demo::new(SEED, setup.profile));
    let open = Folder::open(folder, false).unwrap();
    let (mut core, kept) = open.begin(&setup, 1.0, Some(workload), Box::new(|_| demo::core(SEED, &setup))).unwrap();
    let until = Time::ZERO + Duration::from_secs(60 * minutes);
    while core.run_until(until, 1000) == Progress::Busy {}
    assert!(kept.sync(&mut core));
    drop((core, kept));
}

/// The forecast, the jobs that came in simulated and what it was, the first two with how far they are off, of one row of a backtest.
fn row<'t>(table: &'t str, name: &str) -> Vec<&'t str> {
    let found = table.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {table}"));
    found[name.len()..].split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn what_really_came_in_simulated_is_near_what_was() {
    let folder = TestFolder::new();
    let state = folder.join("state");
    recorded(&state, 10);
    let (code, out, err) = simulate(&["--state", path(&state), "--backtest"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let number = |text: &str| text.trim_end_matches(" %").parse::<f64>().unwrap();
    let [_, _, replayed, _, was] = row(&out, "asks")[..] else { panic!("{out}") };
    let (replayed, was) = (number(replayed), number(was));
    assert!((replayed - was).abs() <= was * 0.1, "asks: {out}");
    for name in ["vcore in use", "memory in use"] {
        let [_, _, replayed, _, was] = row(&out, name)[..] else { panic!("{out}") };
        assert!((number(replayed) - number(was)).abs() <= 5.0, "{name}: {out}");
    }
}
