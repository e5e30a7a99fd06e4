use std::sync::Arc;
use std::time::Duration;

use console::{Driver, Options, Personal};
use engine::journal::{Dir, MemoryDisk, RunningJournal};
use engine::{Progress, Setup};
use kornsole::cli::{demo, simulate};
use model::{Identity, Profile, Time};
use scenario::{Demo, Workload};
use source::{Source, Stepped};

use crate::common::{about, shows};
use crate::space::on_demo;

const SEED: u64 = 42;

pub(super) fn simulating(source: &Arc<Stepped>, options: Options) -> Driver {
    let mut driver = Driver::new(Arc::clone(source) as _, options, 160, 40);
    driver.personalize(Personal { simulator: Some(simulate::simulator(None)), ..Personal::default() });
    driver.refresh();
    driver
}

pub(super) fn recorded(seconds: u64) -> (Driver, Arc<Stepped>, RunningJournal) {
    let setup = Setup::of(Profile::Kornsole);
    let workload: Box<dyn Workload> = Box::new(Demo::new(SEED, setup.profile));
    let dir = Dir::on(Arc::new(MemoryDisk::default())).unwrap();
    let (mut core, retained) = dir.start(&setup, 1.0, Some(workload), Box::new(|_| demo::core(SEED, &setup))).unwrap();
    while core.run_until(Time::ZERO + Duration::from_secs(seconds), 1000) == Progress::Busy {}
    assert!(retained.sync(&mut core));
    let source = Stepped::unstarted(core, about("demo, seed 42"), Identity::parse("you").unwrap());
    let source = Arc::new(source.with_journal(retained.history()));
    (simulating(&source, Options::default()), source, retained)
}

#[test]
fn a_span_of_the_past_runs_as_if_a_queue_had_had_more() {
    let (mut driver, source, _retained) = recorded(240);
    let before = source.view();
    driver.keys(":simulate past 3m --set root.tenants.tenant-c.max.vcore=200 ").unwrap();
    driver.keys("--set root.tenants.tenant-c.max.memory=none<ret>").unwrap();
    shows(&driver, "its configuration");
    shows(&driver, "ant-c.max.memory=none");
    insta::assert_snapshot!("simulated-past", driver.screen_text());
    let metrics = |driver: &mut Driver, keys: &str| {
        driver.keys(keys).unwrap();
        driver.find_row("root.tenants.tenant-c").map(|(_, row)| row).unwrap_or_default()
    };
    let (was, as_if) = (metrics(&mut driver, "<ret>G"), metrics(&mut driver, "<esc>j<ret>G"));
    assert!(!was.is_empty() && was != as_if, "{was}\n{as_if}");
    assert!(Arc::ptr_eq(&before, &source.view()), "the cluster itself is left alone");
}

#[test]
fn from_the_past_on_the_screen_a_simulation_ends_at_that_time() {
    let (mut driver, _source, _retained) = recorded(120);
    driver.keys(":back 60s<ret>").unwrap();
    shows(&driver, "THE PAST, at 1:00");
    driver.keys(":simulate past 30s<ret><ret>G").unwrap();
    shows(&driver, "from 30.000s to 60.000s");
    driver.keys("<esc>:simulate past 1h<ret>").unwrap();
    shows(&driver, "1h ago");
    driver.keys(":simulate past 30s --set root.nowhere.max.vcore=1<ret>").unwrap();
    shows(&driver, "queue root.nowhere not found");
    driver.keys(":simulate past 30s --set fast<ret>").unwrap();
    shows(&driver, "missing `=`");
}

#[test]
fn without_storage_the_remedy_is_shown() {
    let (_, source) = on_demo(120, 40, 10);
    let mut driver = simulating(&source, Options::default());
    driver.keys(":simulate past 5s<ret>").unwrap();
    shows(&driver, "no past data: it needs a scheduler in this process with --state DIR");
}
