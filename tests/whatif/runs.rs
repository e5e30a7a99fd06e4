use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use engine::forecast::{on_two_threads, pairs};
use forecast::whatif::{Arrivals, Bounds, Comparison, Several, Span, Stopped, Unfinished, run, run_by, several};
use model::{Identity, Profile, Time};
use scheduler::{AskSpec, PartitionCommand, Submission};

use super::stage::{BOUNDS, CONFIG, STEPS, fork, fork_of, plan, runner, tried};

#[test]
fn running_jobs_end_by_the_model_and_free_capacity() {
    let mut plan = plan(&["set root.a.max.vcore=4"], Span::Idle);
    plan.runtimes = vec!["10m".parse().unwrap(), "user:joe=5m".parse().unwrap()];
    let pair = run(&fork(), &plan, BOUNDS, &|| true).unwrap();
    assert_eq!(pair.stopped, Stopped::Idle);
    let two = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    let (without, with) = (two.without.as_ref().unwrap(), two.with.as_ref().unwrap());
    assert_eq!(two.effect.name(), "sooner");
    assert_eq!(two.effect.by().unwrap().as_secs(), 599);
    assert!(with.ended < without.ended && with.ended.is_some(), "{two:?}");
    assert_eq!(pair.runtimes, "runtimes: 1 rule; 1 application had no match: 600s");
}

#[test]
fn without_a_model_nothing_ends_and_the_run_stops_when_nothing_changes() {
    let pair = tried(&[], Span::Idle);
    assert_eq!((pair.stopped, pair.runtimes.as_str()), (Stopped::Idle, "runtimes: never ends"));
    assert!(pair.comparison.is_empty() && pair.ended.since(pair.started_at) <= Duration::from_secs(3700));
    assert_eq!(tried(&["kill one"], Span::Cycles(1)).comparison.apps.len(), 2);
}

fn ended(times: &[u64]) -> String {
    let mut steps = String::new();
    for (number, seconds) in times.iter().enumerate() {
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
    steps
}

#[test]
fn the_history_gives_the_median_of_what_ended() {
    let steps = format!("{STEPS}{}", ended(&[10, 20, 90]));
    let fork = fork_of(&runner(Profile::Kornsole, CONFIG, &steps), CONFIG);
    let mut plan = plan(&["move two root.b"], Span::Idle);
    plan.runtimes = vec!["history:user".parse().unwrap(), "1h".parse().unwrap()];
    let pair = run(&fork, &plan, BOUNDS, &|| true).unwrap();
    assert_eq!(pair.runtimes, "runtimes: median of 3 ended applications, by user; 1 application had no match: 3600s");
    let two = pair.comparison.apps.iter().find(|app| app.app.as_str() == "two").unwrap();
    let with = two.with.as_ref().unwrap();
    // A completed application ends 30 s after its last task.
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

#[test]
fn both_runs_at_once_decide_what_they_do_one_after_the_other() {
    let plan = plan(&["set root.a.max.vcore=8", "submit two 30"], Span::Idle);
    let one = run(&fork(), &plan, BOUNDS, &|| true).unwrap();
    let other = run_by(&fork(), &plan, BOUNDS, &|| true, &on_two_threads).unwrap();
    assert_eq!((&one.trace, one.cycles, one.ended), (&other.trace, other.cycles, other.ended));
    assert_eq!(format!("{:?}", one.comparison), format!("{:?}", other.comparison));
    assert!(!one.comparison.is_empty());
    let stopped = run_by(&fork(), &plan, BOUNDS, &|| false, &on_two_threads);
    assert_eq!(stopped.unwrap_err(), Unfinished::Stopped);
}

#[test]
fn several_runs_draw_from_the_history_and_are_the_same_on_any_number_of_threads() {
    let fork = fork_of(&runner(Profile::Kornsole, CONFIG, &format!("{STEPS}{}", ended(&[10, 20, 90]))), CONFIG);
    let mut plan = plan(&["move two root.b"], Span::Idle);
    plan.runtimes = vec!["history:queue".parse().unwrap(), "5m".parse().unwrap()];
    let seeds: Vec<u64> = (0..12).collect();
    let all = [1, 3].map(|threads| pairs(&fork, &plan, &seeds, BOUNDS, threads, &|| true).unwrap());
    let together = all.each_ref().map(|pairs| {
        let comparisons: Vec<&Comparison> = pairs.iter().map(|pair| &pair.comparison).collect();
        several::together(&comparisons)
    });
    assert_eq!(together[0], together[1]);
    let Several { runs, differing, total, apps, .. } = &together[0];
    assert_eq!((*runs, *differing), (12, 12));
    assert_eq!(apps[0].app.as_str(), "two");
    assert_eq!(apps[0].effects, BTreeMap::from([("sooner", 12)]));
    let ends: BTreeSet<_> = all[0].iter().map(|pair| pair.comparison.apps[0].with.as_ref().unwrap().ended).collect();
    assert!(ends.len() > 1, "the seeds draw different times: {ends:?}");
    assert!(total.mean_wait.p90 < 0.0, "{total:?}");
    let stopped = pairs(&fork, &plan, &seeds, BOUNDS, 2, &|| false);
    assert_eq!(stopped.unwrap_err(), Unfinished::Stopped);
}

#[test]
fn submissions_arrive_in_both_runs_at_their_time() {
    let mut plan = plan(&["set root.a.max.vcore=3"], Span::For(Duration::from_secs(60)));
    let who = Identity::new("sue", ["dev"]);
    let submit = Submission { app: "late".into(), queue: "root.b".to_owned(), who, ..Submission::default() };
    let resource = [("vcore", 1000)].into_iter().collect();
    let ask = AskSpec { app: "late".into(), id: "t".into(), resource, ..AskSpec::default() };
    let from = Time::from_millis(5_000);
    let later = Time::from_millis(15_000);
    let old = AskSpec { app: "one".into(), ..ask.clone() };
    let recorded = vec![
        (later, PartitionCommand::Submit(submit)),
        (later, PartitionCommand::Ask(ask)),
        (later, PartitionCommand::Ask(old)),
    ];
    plan.arrivals = Arrivals::recorded(recorded, from, later);
    let pair = run(&fork(), &plan, BOUNDS, &|| true).unwrap();
    assert_eq!(pair.arrivals, "arrivals: 1 application with 1 request, as recorded from 5.000s to 15.000s");
    let [without, with] = &pair.comparison.total;
    assert_eq!((without.started, with.started), (1, 2), "it came in both runs, so it is no difference");
    assert!(pair.comparison.apps.iter().all(|app| app.app.as_str() != "late-again"));
    assert!(pair.trace.contains("late-again") && !pair.trace.contains(r#""app":"late","#), "{}", pair.trace);
}
