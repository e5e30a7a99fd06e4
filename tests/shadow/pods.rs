//! Recorded scenarios as pods through the Kubernetes mapping.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use cluster::shim::shadow::Following;
use forecast::shadow::free::Free;
use forecast::shadow::{Comparison, Input, Settings, Shadow, Source, Verdict};
use kubernetes::live::{Input as Object, Live, LiveObject, ObjectKey};
use kubernetes::{Cluster, Settings as Reading, Users};
use model::{Profile, Time};
use scenario::{Cycles, StepKind};
use scheduler::Scheduler;
use serde_json::Value;

use super::as_pods::{AsPods, Change, why_not};
use super::play::{Case, EXACT, cases};

/// The start time of scenarios, in µs since 1970.
const START: Time = Time(1_793_527_200_000_000);
/// Pod times have a resolution of seconds.
const BY_SECONDS: Settings = Settings { same_moment: Duration::from_secs(1), ..EXACT };

const OTHERWISE: [(&str, &str); 4] = [
    ("fence19-093", "the first pod of an application is its originator, which is preempted last"),
    ("nodes-010", "a pod goes to the drained node that it requires; a cordoned one refuses it by a filter"),
    ("quota-014", "each pod asks for one of `pods`, which counts in the share of a queue"),
    ("quotapre-012", "each pod asks for one of `pods`, which counts in the share of a queue"),
];

fn is_otherwise(case: &Case) -> bool {
    OTHERWISE.iter().any(|(name, _)| *name == case.name)
}

struct Player {
    live: Live,
    following: Following,
    objects: AsPods,
    now: Time,
    profile: Profile,
    preemptions: (usize, usize),
}

impl Player {
    fn prepare(case: &Case, profile: Profile) -> Option<Self> {
        let config = Arc::new(case.scenario.embedded_config(profile)?.config?);
        let mut shadow = Shadow::new(Scheduler::new(profile), START, BY_SECONDS);
        shadow.see(START, Input::Configure(Arc::clone(&config)));
        drop(shadow.take_received());
        let mut free = Free::new(Scheduler::new(profile), START);
        free.see(START, &Input::Configure(config));
        let mut following = Following::new(shadow, free, START);
        let scheduler_names = vec!["recorded".to_owned()];
        let reading = Reading { profile, scheduler_names, users: Users::Trusted, copies: true, ..Reading::default() };
        let live = Live::start(Cluster::default(), reading, START, &mut following);
        following.start();
        Some(Self { live, following, objects: AsPods::of("recorded"), now: START, profile, preemptions: (0, 0) })
    }

    fn give(&mut self, object: Object) {
        self.following.now = self.now;
        drop(self.live.batch(self.now, vec![object], &mut self.following));
        self.following.flush();
    }

    fn change(&mut self, change: Change) {
        self.give(match change {
            Change::Put(kind, object) => Object::Put(LiveObject::read(kind, object).unwrap()),
            Change::Gone(kind, namespace, name) => Object::Gone(ObjectKey { kind, namespace, name }),
        });
    }

    fn step(&mut self, case: &Case, number: usize) {
        self.now = self.now + Duration::from_millis(1);
        let lines: Vec<&Value> = case.trace.iter().filter(|line| line["step"] == number).collect();
        match &case.scenario.steps[number].kind {
            StepKind::Command(command) => {
                let changes = self.objects.changes(command, self.now);
                changes.into_iter().for_each(|change| self.change(change));
            }
            StepKind::Config(text) => {
                if let Some(config) = text.read(self.profile).config {
                    self.following.see(Input::Configure(Arc::new(config)));
                    self.give(Object::Configured);
                }
            }
            StepKind::Clean => self.following.shadow.clean(self.now),
            StepKind::Advance(by) => self.now = self.now + *by,
            StepKind::Schedule(cycles) => return self.schedule(*cycles, &lines),
            StepKind::Snapshot(_) => return,
        }
        lines.iter().for_each(|line| self.line(line));
    }

    fn schedule(&mut self, cycles: Cycles, lines: &[&Value]) {
        let before = self.following.shadow.cycles();
        lines.iter().for_each(|line| self.line(line));
        let shadow = &mut self.following.shadow;
        match cycles {
            Cycles::Count(count) => {
                while shadow.cycles() - before < u64::from(count) && shadow.scheduler().has_work() {
                    shadow.idle(self.now);
                }
            }
            Cycles::Idle if lines.last().is_none_or(|line| line["event"] == "allocated") => shadow.idle(self.now),
            Cycles::Idle => {}
        }
    }

    fn line(&mut self, line: &Value) {
        let ask = line["ask"].as_str().unwrap_or_default().into();
        match line["event"].as_str() {
            Some("released") => self.objects.gone(&ask).into_iter().for_each(|change| self.change(change)),
            Some("allocated") => {
                self.following.times.insert(ask.clone(), (self.now, Source::RestEvent));
                let change = self.objects.bound(&ask, line["node"].as_str().unwrap());
                change.into_iter().for_each(|change| self.change(change));
                self.following.times.clear();
            }
            _ => {}
        }
    }
}

/// `None` if the configuration is rejected.
fn play(case: &Case, profile: Profile) -> Option<(Vec<Comparison>, (usize, usize))> {
    let mut player = Player::prepare(case, profile)?;
    for number in 0..case.scenario.steps.len() {
        player.step(case, number);
    }
    let total = player.following.tally.total();
    player.preemptions = (total.same_victims as usize, total.other_victims as usize);
    Some((std::mem::take(&mut player.following.found), player.preemptions))
}

/// Scenarios, decisions, and agreements only by the resolution of times.
fn agrees(profile: Profile) -> (usize, usize, usize) {
    let (mut scenarios, mut decisions, mut equal, mut wrong) = (0, 0, 0, String::new());
    for case in cases(profile) {
        if why_not(&case.scenario).is_some() || is_otherwise(&case) {
            continue;
        }
        let Some((comparisons, _)) = play(&case, profile) else { continue };
        scenarios += 1;
        for comparison in &comparisons {
            decisions += 1;
            equal += usize::from(comparison.verdict == Verdict::Equal);
            if !comparison.verdict.agrees() {
                wrong += &format!("{}: {comparison:?}\n", case.name);
            }
        }
        let recorded = case.trace.iter().filter(|line| line["event"] == "allocated").count();
        if comparisons.len() != recorded {
            wrong += &format!("{}: {} of {recorded} decisions were seen\n", case.name, comparisons.len());
        }
    }
    assert!(wrong.is_empty(), "{profile}: {} lines\n{}", wrong.lines().count(), &wrong[..wrong.len().min(20000)]);
    (scenarios, decisions, equal)
}

#[test]
fn as_pods_every_decision_of_1_5_1_agrees_with_the_profile_of_1_5_1() {
    assert_eq!(agrees(Profile::V1_5_1), (130, 1394, 0));
}

#[test]
fn as_pods_every_decision_of_1_8_0_agrees_with_the_profile_of_1_8_0() {
    assert_eq!(agrees(Profile::V1_8_0), (142, 1556, 0));
}

#[test]
fn as_pods_every_decision_of_1_9_0_agrees_with_the_profile_of_1_9_0() {
    assert_eq!(agrees(Profile::V1_9_0), (141, 1566, 0));
}

#[test]
fn as_pods_what_differs_with_another_profile_is_named() {
    let mut table: BTreeMap<(Verdict, &str), usize> = BTreeMap::new();
    let played = |case: &&Case| why_not(&case.scenario).is_none() && !is_otherwise(case);
    for case in cases(Profile::V1_8_0).iter().filter(played) {
        let Some((comparisons, _)) = play(case, Profile::V1_5_1) else { continue };
        for comparison in &comparisons {
            assert!(comparison.verdict.agrees() || !comparison.cause.is_empty(), "{comparison:?}");
            *table.entry((comparison.verdict, comparison.rule.unwrap_or_default())).or_default() += 1;
        }
    }
    let line = |((verdict, rule), count): (&(Verdict, &str), &usize)| {
        format!("{count:6} {} {rule}", verdict.name()).trim_end().to_owned()
    };
    let table: Vec<String> = table.iter().map(line).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
    1417 same
       1 equal
       1 node
      32 order
      20 illegal state
    ");
}

#[test]
fn what_pods_add_decides_otherwise() {
    let mut differ: BTreeSet<String> = BTreeSet::new();
    for profile in [Profile::V1_5_1, Profile::V1_8_0, Profile::V1_9_0] {
        for case in cases(profile).iter().filter(|case| is_otherwise(case)) {
            let found = play(case, profile).map(|(found, _)| found).unwrap_or_default();
            differ.extend(found.iter().any(|one| !one.verdict.agrees()).then(|| case.name.clone()));
        }
    }
    assert_eq!(differ, OTHERWISE.iter().map(|(name, _)| (*name).to_owned()).collect());
}

#[test]
fn missing_data_of_pods_is_named() {
    let mut table: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases(Profile::V1_8_0) {
        *table.entry(why_not(&case.scenario).unwrap_or("played")).or_default() += 1;
    }
    let table: Vec<String> = table.iter().map(|(why, count)| format!("{count:4} {why}")).collect();
    insta::assert_snapshot!(table.join("\n"), @r"
     22 a gang is declared by its whole and not by groups, for which the mapping holds its pods back
     46 an application asks long after it was submitted: pods submit theirs with the first ask
      7 an application has no namespace, and a rule places by it: each pod has one
     16 an application has tags that no pod gives it
     77 an application is removed at once: that of pods ends 30 s after its last pod
    145 played
    ");
}
