use std::collections::BTreeMap;
use std::path::PathBuf;

use ::scenario::file::StepKind;
use ::scenario::{self, Runner, Trace};
use model::{Profile, Time};
use scheduler::inspect::explain::types::BlockLevel;
use scheduler::{Command, Event, Scheduler};

use super::removal::{is_same, without};
use super::{compare, explained};
use crate::common::share;

const CYCLES: usize = 40;

fn scenarios() -> Vec<(String, scenario::Scenario)> {
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (path.file_stem().unwrap().to_string_lossy().into_owned(), scenario::read(&text).scenario.unwrap())
    };
    share::part_of(share::recorded_scenarios(), 8).into_iter().map(read).collect()
}

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

#[derive(Default)]
struct Removals {
    /// Removals, and those after which the request was allocated or had another first blocker.
    first: BTreeMap<BlockLevel, (u64, u64)>,
    any: BTreeMap<BlockLevel, (u64, u64)>,
    /// Blockers that no change can remove: they end by themselves.
    without_a_way: BTreeMap<BlockLevel, u64>,
    wrong: Vec<String>,
}

/// The maximum number of checked requests with the same first blocker per state.
const EQUAL: usize = 2;

impl Removals {
    fn look(&mut self, name: &str, scheduler: &Scheduler, now: Time) {
        let mut seen: BTreeMap<Option<BlockLevel>, usize> = BTreeMap::new();
        for ((app, ask), found) in explained(scheduler, now) {
            let identical = seen.entry(found.blockers.first().map(|first| first.level)).or_default();
            *identical += 1;
            // A node cannot be larger than that.
            if *identical > EQUAL || found.resource.iter().any(|(_, amount)| amount > 1 << 40) {
                continue;
            }
            for (number, blocker) in found.blockers.iter().enumerate() {
                let Some(after) = without(scheduler, now, (&app, &ask), &found, blocker) else {
                    *self.without_a_way.entry(blocker.level).or_default() += 1;
                    continue;
                };
                let after = after.map(|after| after.blockers).unwrap_or_default();
                let gone = !after.iter().any(|other| is_same(other, blocker));
                let count = self.any.entry(blocker.level).or_default();
                *count = (count.0 + 1, count.1 + u64::from(gone));
                if number == 0 {
                    let another = after.first().is_none_or(|first| !is_same(first, blocker));
                    let count = self.first.entry(blocker.level).or_default();
                    *count = (count.0 + 1, count.1 + u64::from(another));
                }
                if !gone {
                    self.wrong.push(format!("{name} at {now}: {app} {ask}: {blocker:?}\nafterwards {after:?}"));
                }
            }
        }
    }
}

#[test]
fn blockers_of_the_recorded_scenarios_can_be_taken_away_at_every_step() {
    let mut removals = Removals::default();
    for (name, scenario) in scenarios() {
        for profile in Profile::ALL {
            let mut runner = Runner::new(profile);
            let mut sink = Trace::new(Vec::new());
            runner.load(scenario.embedded_config(profile).unwrap(), &mut sink).unwrap();
            for step in &scenario.steps {
                runner.step(step, &mut sink).unwrap();
                // Only commands are checked between cycles: large scenarios have thousands.
                let most = if matches!(step.kind, StepKind::Schedule(_)) { 60 } else { 20 };
                if runner.scheduler().partitions().first().is_some_and(|part| part.apps.len() <= most) {
                    removals.look(&format!("{name} under {profile}"), runner.scheduler(), runner.now());
                }
            }
        }
    }
    let Removals { first, any, without_a_way, wrong } = removals;
    println!("first {first:?}\nany {any:?}\nno way {without_a_way:?}\n{}", wrong.join("\n"));
    for (what, counts) in [("first", &first), ("any", &any)] {
        let (all, retained) = counts.values().fold((0, 0), |(all, retained), (of, ok)| (all + of, retained + ok));
        assert!(
            all > 1_000 && retained * 100 >= all * 99,
            "{what}: {retained} of {all}: {counts:?}\n{}",
            wrong.join("\n")
        );
    }
    for level in [BlockLevel::Queue, BlockLevel::User, BlockLevel::Group, BlockLevel::Node, BlockLevel::QueueApps] {
        let seen = first.get(&level).map_or(0, |(all, _)| *all);
        assert!(seen > 5 || !share::all(), "{level:?} was seldom the first: {first:?}");
    }
}
