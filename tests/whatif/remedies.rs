//! Remedies were tried in a fork, and have the same effect when applied.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::forecast::whatif::{Bounds, Change, Fork, Plan, Span, Step, run};
use ::scenario::{self, RunOutcome, Runner, Silent};
use engine::explain::explained;
use model::{Profile, QueuePath};
use source::forecast::{StopFlag, forecast};
use view::waiting::{AskStatus, Asked, Blocker, Explanation, Finding, Place, Remedy, RemedyEffect, RemedyKind};

use crate::common::share;
use view::waiting::RemedyWords;
use view::waiting::Sentence;

use super::stage::{CONFIG, STEPS, fork_of, plan, runner};

fn explanation(fork: &Fork, app: &str) -> Explanation {
    match explained(fork, &Asked::App(app.into(), None), None).unwrap() {
        Finding::App(found) => *found,
        Finding::Waiting(_) => panic!("an application was asked about"),
    }
}

fn lines(config: &str, steps: &str, app: &str) -> Vec<String> {
    let fork = fork_of(&runner(Profile::Kornsole, config, steps), config);
    let found = explanation(&fork, app);
    let line = |remedy: &Remedy| {
        let effects: Vec<String> = remedy.effect_lines();
        format!("{}; {}", remedy.sentence(found.at), effects.join("; ")).trim_end_matches("; ").to_owned()
    };
    found.first_waiting().unwrap().remedies.iter().map(line).collect()
}

#[test]
fn each_kind_is_proposed_with_what_else_it_causes() {
    assert_eq!(
        lines(CONFIG, STEPS, "two"),
        [
            "raise the maximum of root.a by 1 cpu to 3",
            "wait until one ends; the time is unknown",
            "move two to root.b",
            "move one to root.b",
            "end one; then one loses 2 allocations",
        ]
    );
}

/// `late` is after `two`, which gets the first free capacity.
#[test]
fn a_maximum_is_raised_by_what_others_take_first() {
    let late = "  - submit: {app: late, queue: root.a, user: ann}
  - ask: {app: late, id: z, resource: {vcore: 1}}
  - schedule: idle
";
    let all = lines(CONFIG, &format!("{STEPS}{late}"), "late");
    assert_eq!(all[0], "raise the maximum of root.a by 5 cpu to 7; then two gets 4 allocations");
    let priority = all.iter().find(|line| line.contains("priority")).unwrap();
    assert_eq!(
        priority,
        "raise its priority from 0 to 1: then it is scheduled first when one ends; then two waits with 1 request"
    );
    assert!(!all.iter().any(|line| line.starts_with("end one")), "the end of `one` is of use to `two`: {all:#?}");
}

#[test]
fn the_end_that_is_waited_for_is_estimated_from_what_others_took() {
    let mut steps = String::from("\n  - node: {id: n1, capacity: {vcore: 2, memory: 8G}}\n");
    for number in 0..3 {
        steps.push_str(&format!(
            "  - submit: {{app: old-{number}, queue: root.b, user: sue}}
  - ask: {{app: old-{number}, id: t, resource: {{vcore: 2}}}}
  - schedule: idle
  - advance: 300s
  - release: {{app: old-{number}, id: t}}
  - advance: 31s
"
        ));
    }
    steps.push_str(
        "  - submit: {app: now, queue: root.b, user: sue}
  - ask: {app: now, id: t, resource: {vcore: 2}}
  - schedule: idle
  - advance: 60s
  - submit: {app: next, queue: root.b, user: sue}
  - ask: {app: next, id: t, resource: {vcore: 1}}
  - schedule: idle
",
    );
    let all = lines(CONFIG, &steps, "next");
    // Applications of this queue took 330 s including Completing; 60 s have passed.
    assert_eq!(all[0], "add a node with 1 cpu", "{all:#?}");
    assert_eq!(all[1], "wait until now ends, in about 4m 30s by the run times of its queue");
}

#[test]
fn what_helps_nothing_is_not_proposed() {
    // A missing node: no maximum, completion, or priority changes that.
    let stuck = "  - submit: {app: stuck, queue: root.b, user: ann}
  - ask: {app: stuck, id: z, resource: {vcore: 1}, requiredNode: n9}
  - schedule: idle
";
    assert_eq!(lines(CONFIG, &format!("{STEPS}{stuck}"), "stuck"), [""; 0]);
    // All blocking limits and maxima are raised together.
    let limits = "limits: [{limit: each, users: ['*'], maxresources: {vcore: 1}}]";
    let config = CONFIG.replace("name: b", &format!("name: b\n            {limits}"));
    let config = config
        .replace("resources: {max: {vcore: 2}}", &format!("resources: {{max: {{vcore: 1}}}}\n            {limits}"));
    let steps = STEPS.replace("count: 2", "count: 1").replace("user: joe", "user: sue");
    let all = lines(&config, &steps, "two");
    assert_eq!(
        all[0],
        "raise the limit of user sue on root.a by 1 cpu to 2, and raise the maximum of root.a by 1 cpu to 2"
    );
}

fn changes(remedy: &Remedy, is_managed: impl Fn(&QueuePath) -> bool) -> Option<Vec<Step>> {
    let one = |kind: &RemedyKind| {
        let text = match kind {
            RemedyKind::Raise { place: Place::Queue(queue), .. } if !is_managed(queue) => return None,
            RemedyKind::Raise { place: Place::Queue(queue), resource: Some(name), to, .. } => {
                let unit = if &**name == "vcore" { "m" } else { "" };
                format!("set {queue}.max.{name}={to}{unit}")
            }
            RemedyKind::Raise { place: Place::Queue(queue), resource: None, to, .. } => {
                format!("set {queue}.maxapplications={to}")
            }
            RemedyKind::End { app, .. } => format!("kill {app}"),
            RemedyKind::Move { app, to } => format!("move {app} {to}"),
            _ => return None,
        };
        text.parse::<Change>().ok().map(Step::Change)
    };
    remedy.steps.iter().map(one).collect()
}

/// Returns by kind how many were tried, and how often the application got more.
fn retained(runner: &Runner, text: &str, wrong: &mut Vec<String>) -> BTreeMap<&'static str, (u64, u64)> {
    let fork = fork_of(runner, text);
    let part = &runner.scheduler().partitions()[0];
    let waiting = part.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()).map(|(_, app)| app.id.clone());
    let mut retained: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
    for id in waiting.take(2) {
        let found = explanation(&fork, id.as_str());
        let waiting = found.asks.iter().filter(|ask| ask.status == AskStatus::Waits).take(2);
        for (ask, remedy) in waiting.flat_map(|ask| ask.remedies.iter().map(move |remedy| (ask, remedy))) {
            assert!(remedy.enough && remedy.effects.is_some(), "it was not tried: {remedy:?}");
            // A dynamic queue is not in the configuration.
            let is_managed = |path: &QueuePath| part.queues.find(path).is_some_and(|key| part.queues[key].managed);
            let Some(steps) = changes(remedy, is_managed) else { continue };
            let bounds = Bounds { cycles: 5_000, trace_lines: 10 };
            let plan = Plan { steps, ..plan(&[], Span::Cycles(40)) };
            let Ok(pair) = run(&fork, &plan, bounds, &|| true) else { continue };
            let served = pair.comparison.apps.iter().find(|app| app.app == id).is_some_and(|app| {
                let got =
                    |tally: &Option<::forecast::whatif::AppTally>| tally.as_ref().map_or(0, |one| one.allocations);
                got(&app.with) > got(&app.without)
            });
            let name = match remedy.steps[0] {
                RemedyKind::Raise { .. } => "raise",
                RemedyKind::Move { .. } => "move",
                _ => "end",
            };
            let count = retained.entry(name).or_default();
            count.1 += 1;
            if served {
                count.0 += 1;
            } else {
                wrong.push(format!("{id}: {remedy:?}\nof {:#?}\n{:?}", ask.blockers, pair.refused));
            }
        }
    }
    retained
}

#[test]
fn promises_are_kept_at_the_end_of_every_recorded_scenario() {
    let (mut all, mut wrong) = (BTreeMap::<&str, (u64, u64)>::new(), Vec::new());
    for (number, file) in share::part_of(share::recorded_scenarios(), 3).into_iter().enumerate() {
        let scenario = scenario::read(&std::fs::read_to_string(&file).unwrap()).scenario.unwrap();
        let Some(text) = scenario.config_text() else { continue };
        // One profile per scenario; other tests compare the cycles under all.
        for profile in [Profile::ALL[number % Profile::ALL.len()]] {
            let mut runner = Runner::new(profile);
            let done = runner.run(&scenario, scenario.embedded_config(profile).unwrap(), &mut Silent);
            if !matches!(done, Ok(RunOutcome::Done)) || runner.scheduler().partitions().is_empty() {
                continue;
            }
            if runner.scheduler().partitions()[0].apps.len() > 100 {
                continue;
            }
            let before = wrong.len();
            for (name, (retained, of)) in retained(&runner, text, &mut wrong) {
                let count = all.entry(name).or_default();
                *count = (count.0 + retained, count.1 + of);
            }
            if wrong.len() > before {
                wrong.insert(before, format!("{} under {profile}", file.display()));
            }
        }
    }
    println!("{all:?}\n{}", wrong.join("\n"));
    for name in ["raise", "move", "end"] {
        let (retained, of) = all.get(name).copied().unwrap_or_default();
        let least = if share::all() { 15 } else { 2 };
        assert!(of > least && retained * 100 >= of * 97, "{name}: {retained} of {of}\n{}", wrong.join("\n"));
    }
}

#[test]
fn effects_count_by_application() {
    let (app, other) = ("one".into(), "two".into());
    let effects = vec![RemedyEffect::Preempted(app, 1), RemedyEffect::Preempted(other, 2)];
    let remedy = Remedy { steps: Vec::new(), enough: true, effects: Some(effects) };
    assert_eq!(remedy.effect_lines(), ["then one, two are preempted: 3 allocations in all"]);
}

#[test]
fn a_configuration_is_tried_for_ten_minutes_until_that_is_stopped() {
    let fork = super::stage::fork();
    let raised: Arc<str> = Arc::from(CONFIG.replace("vcore: 2", "vcore: 4"));
    let stop = StopFlag::default();
    let lines = forecast(&fork, Arc::clone(&raised), &stop).unwrap().unwrap();
    assert_eq!(
        lines,
        [
            "1 application starts (without the change: does not), a request waits 5m on average instead of 10m, 2 requests wait longer than 10m instead of 4",
            "root.a: uses 2 cpu more at the end, 2 requests fewer wait at the end",
            "runtimes: median of 0 ended applications, by queue; 2 applications had no match: never ends",
        ]
    );
    let refused = forecast(&fork, Arc::from("partitions: ["), &stop).unwrap().unwrap();
    assert!(refused.len() == 1 && refused[0].starts_with("the copy rejects it"), "{refused:?}");
    stop.stop();
    assert!(forecast(&fork, raised, &stop).is_none());
}

#[test]
fn every_sentence_has_a_queue_a_resource_and_numbers() {
    let late = "  - submit: {app: few, queue: root.b, user: ann}
  - ask: {app: few, id: z, resource: {vcore: 40}}
  - submit: {app: odd, queue: root.nowhere, user: ann}
  - schedule: idle
";
    for profile in Profile::ALL {
        let fork = fork_of(&runner(profile, CONFIG, &format!("{STEPS}{late}")), CONFIG);
        for app in ["two", "few"] {
            let found = explanation(&fork, app);
            let first = found.first_blocker().unwrap();
            let sentence = found.sentence();
            assert!(sentence.contains("root.") && sentence.contains("cpu"), "{sentence}");
            // 40 cores never fit a node of 8.
            let metrics = match app {
                "few" => vec![first.wanted, first.limit],
                _ => vec![first.missing, first.used, first.limit],
            };
            for number in metrics.into_iter().map(|amount| (amount / 1000).to_string()) {
                assert!(sentence.contains(&number), "{number} is not in {sentence}");
            }
        }
        let odd = explanation(&fork, "odd");
        let rules: Vec<String> = odd.submission.iter().map(Blocker::sentence).collect();
        assert!(rules[0].starts_with("placement rule 1, provided: root.nowhere"), "{rules:?}");
        assert!(rules.iter().all(|rule| rule.starts_with("placement rule ")), "{rules:?}");
    }
}
