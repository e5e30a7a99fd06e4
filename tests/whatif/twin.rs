//! A scheduler created from a view gives the same explanations.

use std::sync::Arc;

use ::scenario::{self, RunOutcome, Runner, Silent};
use forecast::twin::{Agreement, Twin};
use model::{AppId, Profile, Time};
use scheduler::{Command, PartitionCommand};
use view::waiting::{Asked, Blocker, Finding};
use view::{PartitionView, ViewBuilder};

use crate::common::share;
use view::waiting::PlaceWords;

use super::stage::{CONFIG, STEPS, runner};

fn part(runner: &Runner) -> PartitionView {
    let mut scheduler = runner.scheduler().clone();
    let view = ViewBuilder::default().update(runner.now(), &mut scheduler).unwrap();
    view.partitions[0].clone()
}

fn first(found: &Finding) -> Option<Blocker> {
    match found {
        Finding::App(found) => found.first_blocker().cloned(),
        Finding::Waiting(_) => None,
    }
}

fn metrics(blocker: Option<Blocker>) -> Option<String> {
    let one = blocker?;
    Some(format!(
        "{:?} {} {:?} {} of {}, {} missing",
        one.level,
        one.place.words(),
        one.resource,
        one.used,
        one.limit,
        one.missing
    ))
}

fn waiting(runner: &Runner) -> Vec<AppId> {
    let part = &runner.scheduler().partitions()[0];
    part.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()).map(|(_, app)| app.id.clone()).collect()
}

fn compared(runner: &Runner, profile: Profile, name: &str, wrong: &mut Vec<String>) -> (u64, u64) {
    let twin = Twin::of(&part(runner), profile, runner.now()).unwrap();
    let apps = waiting(runner);
    if !twin.differs().is_empty() {
        wrong.push(format!("{name}: differs: {:?}; {:?}", twin.differs(), twin.unknown()));
        return (0, apps.len() as u64);
    }
    let own = &runner.scheduler().partitions()[0];
    let (mut same, mut all) = (0, 0);
    for app in apps {
        all += 1;
        let here = metrics(own.explain(runner.now(), &app, None).unwrap().first_blocker().cloned());
        let there = metrics(first(&twin.explain(&Asked::App(app.clone(), None)).unwrap()));
        if here == there {
            same += 1;
        } else {
            wrong.push(format!("{name}: {app}: {here:?}, by the twin {there:?}"));
        }
    }
    (same, all)
}

#[test]
fn a_copy_explains_like_its_scheduler() {
    let files = share::part_of(share::recorded_scenarios(), 8);
    let (mut same, mut all, mut wrong) = (0, 0, Vec::new());
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let scenario = scenario::read(&std::fs::read_to_string(&file).unwrap()).scenario.unwrap();
        for profile in [Profile::Kornsole, Profile::V1_8_0] {
            let mut runner = Runner::new(profile);
            let config = scenario.embedded_config(profile).unwrap();
            let done = runner.run(&scenario, config, &mut Silent);
            if !matches!(done, Ok(RunOutcome::Done)) || runner.scheduler().partitions().is_empty() {
                continue;
            }
            let (one, of) = compared(&runner, profile, &format!("{name} under {profile}"), &mut wrong);
            same += one;
            all += of;
        }
    }
    println!("{same} of {all}\n{}", wrong.join("\n"));
    assert!(all > if share::all() { 100 } else { 10 }, "only {all} applications wait");
    assert!(same * 100 >= all * 99, "{same} of {all} explanations are the same:\n{}", wrong.join("\n"));
}

/// The users are determined when an allocation is taken over.
#[test]
fn a_group_at_its_limit_is_at_its_limit_in_the_copy() {
    let limits = "limits: [{limit: dev, groups: [dev], maxresources: {vcore: 2}}]";
    let config = CONFIG.replace("resources: {max: {vcore: 2}}", limits);
    let steps = STEPS.replace("user: sue", "user: sue, groups: [dev]").replace("user: joe", "user: joe, groups: [dev]");
    for profile in Profile::ALL {
        let runner = runner(profile, &config, &steps);
        let mut wrong = Vec::new();
        assert_eq!(compared(&runner, profile, "groups", &mut wrong), (1, 1), "{wrong:#?}");
        let twin = Twin::of(&part(&runner), profile, runner.now()).unwrap();
        let found = twin.explain(&Asked::App("two".into(), None)).unwrap();
        assert!(metrics(first(&found)).unwrap().starts_with("Group the limit of group dev"), "{found:#?}");
    }
}

#[test]
fn a_copy_decides_like_the_scheduler_and_counts_it() {
    let mut scheduler = runner(Profile::V1_8_0, CONFIG, STEPS).scheduler().clone();
    let mut now = runner(Profile::V1_8_0, CONFIG, STEPS).now();
    let mut agreement = Agreement::default();
    let mut look = |scheduler: &mut scheduler::Scheduler, now: Time| {
        let view = ViewBuilder::default().update(now, scheduler).unwrap();
        let twin = Arc::new(Twin::of(&view.partitions[0], Profile::V1_8_0, now).unwrap());
        agreement.see(&twin);
        agreement.counts()
    };
    assert_eq!(look(&mut scheduler, now), (0, 0));
    let release = PartitionCommand::Release { app: "one".into(), ask: "x-1".into() };
    scheduler.apply(now, &Command::from(release));
    assert_eq!(look(&mut scheduler, now), (0, 0));
    now = now + std::time::Duration::from_secs(1);
    scheduler.apply(now, &Command::Cycle);
    assert_eq!(look(&mut scheduler, now), (1, 1), "two/y-1 takes the place");
    // Decisions that differ from the copy are counted too.
    let release = PartitionCommand::Release { app: "two".into(), ask: "y-2".into() };
    scheduler.apply(now, &Command::from(release));
    assert_eq!(look(&mut scheduler, now), (1, 1));
}
