//! A fork at any step of a recorded scenario continues like the original.

use std::sync::atomic::{AtomicUsize, Ordering};

use ::scenario::{self, RunOutcome, Runner, Scenario, Trace};
use forecast::whatif::{Fork, Pace};
use model::Profile;

use crate::common::share;

fn forked(original: &Runner, done: usize) -> Runner {
    let moment = (original.now(), Pace::initial(original.now()));
    let fork = Fork::of(original.scheduler(), None, moment, None, usize::MAX).unwrap();
    Runner::continuing(fork.scheduler().clone(), fork.now(), done)
}

fn finished(trace: Trace<Vec<u8>>) -> String {
    String::from_utf8(trace.finish().unwrap()).unwrap()
}

fn difference(scenario: &Scenario, profile: Profile) -> Option<String> {
    let config = || scenario.embedded_config(profile).unwrap();
    let steps = &scenario.steps;
    let places = [steps.len() / 3, steps.len() * 2 / 3];
    let (mut original, mut trace) = (Runner::new(profile), Trace::new(Vec::new()));
    if original.load(config(), &mut trace).unwrap() == RunOutcome::Refused {
        return None;
    }
    let mut followed = Vec::new();
    for (done, step) in steps.iter().enumerate() {
        if places.contains(&done) {
            // The fork and its original share all unchanged data.
            let moment = (original.now(), Pace::initial(original.now()));
            let shared = Fork::of(original.scheduler(), None, moment, None, usize::MAX).unwrap();
            let continues = || Runner::continuing(shared.scheduler().clone(), shared.now(), done);
            followed.push((done, continues()));
            original = continues();
        }
        original.step(step, &mut trace).unwrap();
    }
    let whole = finished(trace);
    for (done, mut fork) in followed {
        let mut rest = Trace::new(Vec::new());
        steps[done..].iter().for_each(|step| fork.step(step, &mut rest).unwrap());
        let rest = finished(rest);
        if !whole.ends_with(&rest) {
            return Some(format!("from step {done}:\n{rest}"));
        }
    }
    // Each fork is from the previous one, so missing data accumulates.
    let (mut fork, mut trace) = (Runner::new(profile), Trace::new(Vec::new()));
    fork.load(config(), &mut trace).unwrap();
    for (done, step) in steps.iter().enumerate() {
        fork = forked(&fork, done);
        fork.step(step, &mut trace).unwrap();
    }
    let relay = finished(trace);
    (relay != whole).then(|| format!("forked at every step:\n{relay}"))
}

#[test]
fn a_fork_at_any_step_of_a_recorded_scenario_gives_the_recorded_trace() {
    let files = share::part_of(share::recorded_scenarios(), 8);
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            let scenario = scenario::read(&std::fs::read_to_string(file).unwrap()).scenario.unwrap();
            for profile in Profile::ALL {
                let difference = difference(&scenario, profile);
                assert!(difference.is_none(), "{} {profile}: {}", file.display(), difference.unwrap_or_default());
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
}
