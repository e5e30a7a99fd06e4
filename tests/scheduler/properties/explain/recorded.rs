//! Explanations in the recorded scenarios, at every cycle, under every profile.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kornsole::model::Profile;
use kornsole::scenario::file::StepKind;
use kornsole::scenario::{self, Runner, Trace};
use kornsole::scheduler::inspect::explain::types::BlockLevel;
use kornsole::scheduler::{Command, Event};

use super::compare;
use crate::common::share;

/// How many cycles of one step are looked at.
const CYCLES: usize = 40;

/// The recorded scenarios by name, or a part of them.
fn scenarios() -> Vec<(String, scenario::Scenario)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), scenario::read(&text).scenario.unwrap())
    };
    share::part_of(share::recorded_scenarios(), 8).into_iter().map(read).collect()
}

/// Compares every cycle of a scenario. Gives how many tries were forecast, by level.
fn follow(scenario: &scenario::Scenario, profile: Profile) -> BTreeMap<BlockLevel, u64> {
    let mut agreed = BTreeMap::new();
    let mut runner = Runner::new(profile);
    let mut sink = Trace::new(Vec::new());
    runner.load(scenario.embedded_config(profile).unwrap(), &mut sink).unwrap();
    for step in &scenario.steps {
        if matches!(step.kind, StepKind::Schedule(_)) && !runner.scheduler().partitions().is_empty() {
            let mut fork = runner.scheduler().clone();
            for _ in 0..CYCLES {
                for (level, count) in compare(&fork, runner.now()) {
                    *agreed.entry(level).or_default() += count;
                }
                if !fork.apply(runner.now(), &Command::Cycle).iter().any(Event::is_activity) {
                    break;
                }
            }
        }
        runner.step(step, &mut sink).unwrap();
    }
    agreed
}

#[test]
fn every_cycle_of_the_recorded_scenarios_does_what_is_explained() {
    let mut all: BTreeMap<BlockLevel, u64> = BTreeMap::new();
    let scenarios = scenarios();
    for (name, scenario) in &scenarios {
        for profile in Profile::ALL {
            println!("{name} under {profile}");
            let found = follow(scenario, profile);
            found.into_iter().for_each(|(level, count)| *all.entry(level).or_default() += count);
        }
    }
    for level in [BlockLevel::Queue, BlockLevel::User, BlockLevel::Group, BlockLevel::Node] {
        let seen = all.get(&level).copied().unwrap_or_default();
        assert!(seen > if share::all() { 500 } else { 20 }, "{level:?} was forecast {seen} times only: {all:?}");
    }
}
