//! How long runs go on, and when what runs ends.

use std::time::Duration;

use kornsole::model::Profile;
use kornsole::whatif::{Bounds, Span, Stopped, Unfinished, run};

use super::stage::{BOUNDS, CONFIG, STEPS, fork, fork_of, plan, runner, tried};

#[test]
fn what_runs_ends_by_the_model_and_makes_room() {
    let mut plan = plan(&["set root.a.max.vcore=4"], Span::Idle);
    plan.runtimes = vec!["10m".parse().unwrap(), "user:joe=5m".parse().unwrap()];
    let pair = run(&fork(), &plan, BOUNDS, &|| true).unwrap();
    assert_eq!(pair.stopped, Stopped::Idle);
    let two = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    // Two of its four tasks find room at once; without the change they wait until `one` has ended.
    let (without, with) = (two.without.as_ref().unwrap(), two.with.as_ref().unwrap());
    assert_eq!(two.effect.name(), "sooner");
    assert_eq!(two.effect.by().unwrap().as_secs(), 599);
    assert!(with.ended < without.ended && with.ended.is_some(), "{two:?}");
    assert_eq!(pair.runtimes, "runtimes: 1 given rule; 1 application had no match: 600s");
}

#[test]
fn without_a_model_nothing_ends_and_the_run_stops_when_nothing_changes() {
    let pair = tried(&[], Span::Idle);
    assert_eq!((pair.stopped, pair.runtimes.as_str()), (Stopped::Idle, "runtimes: never ends"));
    assert!(pair.comparison.is_empty() && pair.ended.since(pair.began) <= Duration::from_secs(3700));
    assert_eq!(tried(&["kill one"], Span::Cycles(1)).comparison.apps.len(), 2);
}

#[test]
fn the_history_gives_the_median_of_what_ended() {
    let mut steps = STEPS.to_owned();
    for (number, seconds) in [10, 20, 90].into_iter().enumerate() {
        steps.push_str(&format!(
            "  - submit: {{app: old-{number}, queue: root.b, user: joe}}
  - ask: {{app: old-{number}, id: t, resource: {{vcore: 1}}}}
  - schedule: idle
  - advance: {seconds}s
  - release: {{app: old-{number}, id: t}}
  - advance: 31s
"
        ));
    }
    let fork = fork_of(&runner(Profile::Kornsole, CONFIG, &steps), CONFIG);
    let mut plan = plan(&["move two root.b"], Span::Idle);
    plan.runtimes = vec!["history:user".parse().unwrap(), "1h".parse().unwrap()];
    let pair = run(&fork, &plan, BOUNDS, &|| true).unwrap();
    assert_eq!(pair.runtimes, "runtimes: median of 3 ended applications, by user; 1 application had no match: 3600s");
    let two = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    let with = two.with.as_ref().unwrap();
    // A completed application ends 30 s after its last task, so 20 s are seen as 50.
    let (started, ended) = (with.started.unwrap(), with.ended.unwrap());
    assert_eq!(ended.since(started).as_secs(), 50 + 30);
}

#[test]
fn who_asked_can_stop_it_and_cycles_are_bounded() {
    let long = plan(&["submit two 300"], Span::Idle);
    assert_eq!(run(&fork(), &long, BOUNDS, &|| false).unwrap_err(), Unfinished::Stopped);
    let few = Bounds { cycles: 2, ..BOUNDS };
    let many = plan(&["set root.a.max.vcore=8"], Span::Idle);
    assert_eq!(run(&fork(), &many, few, &|| true).unwrap_err(), Unfinished::Cycles(2));
}
