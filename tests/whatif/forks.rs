//! A fork decides like its original, and does not change it.

use std::time::Duration;

use engine::Core;
use forecast::whatif::{Fork, NoFork, Pace, Plan, Runtimes, Span, run};
use ledger::{Dimension, Question};
use model::{Profile, Time};
use proptest::prelude::*;
use scenario::{Runner, Sink, Trace};
use scheduler::Scheduler;

use super::stage::{BOUNDS, CONFIG, STEPS, fork_of, plan, runner};

fn state(scheduler: &Scheduler) -> Vec<u8> {
    let mut trace = Trace::new(Vec::new());
    trace.snapshot(0, "state", scheduler).unwrap();
    let mut all = trace.finish().unwrap();
    all.extend(rmp_serde::to_vec(&scheduler.saving()).unwrap());
    all
}

fn filled(apps: &[(bool, u8, u8, u16)]) -> String {
    let mut text = STEPS.to_owned();
    for (number, (a, tasks, cores, wait)) in apps.iter().enumerate() {
        let queue = if *a { "root.a" } else { "root.b" };
        let (tasks, cores, wait) = (tasks % 5 + 1, cores % 3 + 1, wait % 400);
        text.push_str(&format!(
            "  - submit: {{app: app-{number}, queue: {queue}, user: u{}}}
  - ask: {{app: app-{number}, id: t, count: {tasks}, priority: {}, resource: {{vcore: {cores}}}}}
  - schedule: {tasks}
  - advance: {wait}ms
",
            number % 3,
            number % 2,
        ));
    }
    text
}

fn apps() -> impl Strategy<Value = Vec<(bool, u8, u8, u16)>> {
    prop::collection::vec(any::<(bool, u8, u8, u16)>(), 0..8)
}

fn unchanged(minutes: u64, seed: u64) -> Plan {
    let runtimes = ["app:app-1=7m", "history:queue", "3m"].map(|text| text.parse().unwrap()).to_vec();
    Plan { runtimes, seed: Some(seed), ..plan(&[], Span::For(Duration::from_secs(60 * minutes))) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn without_a_change_nothing_differs(
        profile in prop::sample::select(&Profile::ALL),
        apps in apps(), minutes in 0..20_u64, seed: u64,
    ) {
        let fork = fork_of(&runner(profile, CONFIG, &filled(&apps)), CONFIG);
        let pair = run(&fork, &unchanged(minutes, seed), BOUNDS, &|| true).unwrap();
        prop_assert!(pair.comparison.is_empty(), "{:?}", pair.comparison);
        prop_assert_eq!(pair.comparison.verdict, "nothing differs");
    }

    #[test]
    fn the_same_seed_gives_the_same_result_and_the_original_stays(apps in apps(), seed: u64) {
        let original = runner(Profile::Kornsole, CONFIG, &filled(&apps));
        let before = state(original.scheduler());
        let mut plan = unchanged(30, seed);
        plan.steps = super::stage::plan(&["set root.a.max.vcore=5", "kill one", "submit two 2"], Span::Idle).steps;
        let fork = fork_of(&original, CONFIG);
        let shared = state(fork.scheduler());
        let pairs = [run(&fork, &plan, BOUNDS, &|| true).unwrap(), run(&fork, &plan, BOUNDS, &|| true).unwrap()];
        prop_assert!(state(fork.scheduler()) == shared, "what the runs share has changed");
        prop_assert_eq!(&pairs[0].comparison, &pairs[1].comparison);
        prop_assert_eq!(&pairs[0].trace, &pairs[1].trace);
        prop_assert!(!pairs[0].comparison.is_empty());
        prop_assert!(state(original.scheduler()) == before, "the original has changed");
    }
}

#[test]
fn a_fork_continues_like_the_original() {
    let more = filled(&[(true, 3, 1, 200), (false, 4, 2, 30), (false, 2, 0, 399), (true, 1, 1, 10)]);
    let text =
        format!("version: 1\nsteps:{more}  - release: {{app: one, id: x-1}}\n  - schedule: idle\n  - snapshot: end\n");
    let scenario = scenario::read(&text).scenario.unwrap();
    for profile in Profile::ALL {
        let config = || config::read(CONFIG, profile);
        let mut original = Runner::new(profile);
        let mut whole = Trace::new(Vec::new());
        original.load(config(), &mut whole).unwrap();
        let mut forks = Vec::new();
        for step in &scenario.steps {
            let fork = fork_of(&original, CONFIG);
            forks.push(Runner::continuing(fork.scheduler().clone(), fork.now(), forks.len()));
            original.step(step, &mut whole).unwrap();
        }
        let whole = String::from_utf8(whole.finish().unwrap()).unwrap();
        for (done, mut fork) in forks.into_iter().enumerate() {
            let mut rest = Trace::new(Vec::new());
            scenario.steps[done..].iter().for_each(|step| fork.step(step, &mut rest).unwrap());
            let rest = String::from_utf8(rest.finish().unwrap()).unwrap();
            assert!(whole.ends_with(&rest) && !rest.is_empty(), "{profile:?} from step {done}:\n{rest}");
        }
    }
}

#[test]
fn a_what_if_books_nothing_of_the_time_before_it() {
    // The time of a remote scheduler counts from 1970: half a million hours.
    let original = runner(Profile::Kornsole, CONFIG, STEPS);
    let now = Time(1_760_000_000_000_000);
    let fork = Fork::of(original.scheduler(), None, (now, Pace::initial(now)), None, usize::MAX).unwrap();
    let mut core = Core::of_fork(&fork, &Runtimes::default(), "test");
    core.run_until(now + Duration::from_secs(3 * 3_600), usize::MAX);
    let question = Question { by: vec![Dimension::Hour], from: None, to: None, queue: None, user: None };
    let report = core.ledger().ledger().report(core.now(), &question);
    assert_eq!(report.from, now);
    assert!((1..=4).contains(&report.rows.len()), "{:?}", report.rows);
}

#[test]
fn a_fork_that_is_too_large_or_of_nothing_is_refused() {
    let original = runner(Profile::Kornsole, CONFIG, STEPS);
    let moment = (original.now(), Pace::initial(original.now()));
    let NoFork::TooLarge { bytes, most: 100 } = Fork::of(original.scheduler(), None, moment, None, 100).unwrap_err()
    else {
        panic!("it is larger than 100 bytes")
    };
    assert!((1_000..1_000_000).contains(&bytes), "{bytes}");
    let nowhere = Fork::of(original.scheduler(), Some("nowhere"), moment, None, usize::MAX).unwrap_err();
    assert_eq!(nowhere.to_string(), r#"partition "nowhere" not found"#);
}
