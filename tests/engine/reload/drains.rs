//! Draining queues: start, reports, and overlong drains (SCH-210 to SCH-213).

use std::time::Duration;

use engine::Setup;
use model::{Profile, QueuePath, Time};
use scheduler::{Command, EventKind, Tuning};

use super::stage::Stage;

const WITH: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    adminacl: sue ops
    queues:
    - name: a
    - name: legacy
      adminacl: bob,sue
      queues: [{name: x, adminacl: ' etl'}, {name: y}]
";

fn without() -> String {
    WITH.split("    - name: legacy").next().unwrap().to_owned()
}

fn configure(stage: &mut Stage, text: &str) -> Vec<String> {
    let config = config::read(text, Profile::Kornsole).config.unwrap();
    message(stage.core.apply(&Command::Configure(std::sync::Arc::new(config))))
}

fn clean(stage: &mut Stage) -> Vec<String> {
    message(stage.core.apply(&Command::Clean))
}

fn message(events: Vec<scheduler::Event>) -> Vec<String> {
    let line = |event: scheduler::Event| match event.kind {
        EventKind::QueueDrains { queue, admins, .. } => Some(format!("{queue} drains; {admins}")),
        EventKind::AppQueueDraining { app, queue } => Some(format!("{app}: {queue} drains")),
        EventKind::QueueDrainAlert { queue, draining_for, admins, .. } => {
            Some(format!("{queue} for {} min; {admins}", draining_for.as_secs() / 60))
        }
        _ => None,
    };
    events.into_iter().filter_map(line).collect()
}

#[test]
fn administrators_are_named_up_the_path_and_every_application_is_reported_once() {
    let mut stage = Stage::new(WITH);
    stage.submit("one", "root.legacy.x", "joe", &[2]);
    stage.submit("two", "root.legacy.y", "ann", &[1]);
    stage.submit("three", "root.a", "ann", &[1]);
    let expected = ["root.legacy drains; bob,sue ops", "one: root.legacy drains", "two: root.legacy drains"];
    assert_eq!(configure(&mut stage, &without()), expected);
    let again = without().replace("name: a", "name: b");
    assert_eq!(configure(&mut stage, &again), ["root.a drains; sue ops", "three: root.a drains"], "only what is new");
}

#[test]
fn the_scheduler_reports_since_when_and_what_remains() {
    let mut stage = Stage::new(WITH);
    stage.submit("one", "root.legacy.x", "joe:dev", &[2, 3]);
    stage.wait(60);
    let root = |stage: &Stage| stage.partition("default").unwrap().draining(&QueuePath::new("root.legacy"));
    assert_eq!(root(&stage), None, "it does not drain");
    stage.accepts(&without());
    let draining = root(&stage).unwrap();
    assert_eq!(draining.since, Time::from_millis(60_000));
    assert_eq!(draining.allocated.amount("vcore"), 5000);
    let app = &draining.applications[0];
    assert_eq!(
        (app.id.as_str(), app.who.to_string().as_str(), app.queue.as_str()),
        ("one", "joe (dev)", "root.legacy.x")
    );
    assert_eq!(draining.admins.to_string(), "bob,sue ops");
    stage.accepts(WITH);
    assert_eq!(root(&stage), None, "active again");
}

#[test]
fn an_alert_fires_at_every_threshold_for_the_topmost_queue_only() {
    let mut stage = Stage::new(WITH);
    stage.submit("one", "root.legacy.x", "joe", &[2]);
    stage.accepts(&without());
    stage.wait(59 * 60);
    assert_eq!(clean(&mut stage), Vec::<String>::new());
    stage.wait(50);
    assert_eq!(stage.alerts(), Vec::<String>::new());
    stage.wait(10);
    let hour = "root.legacy drains for 1h, blocked by one (joe) vcore 2; admins: bob, sue, group ops";
    assert_eq!(stage.alerts(), [hour], "one by the engine's own cleaner, and none for root.legacy.x");
    stage.wait(50 * 60);
    assert_eq!(clean(&mut stage), Vec::<String>::new(), "not before the next threshold");
    stage.wait(11 * 60);
    assert_eq!(stage.alerts(), [hour.to_owned(), hour.replace("1h", "2h")]);
    stage.accepts(WITH);
    stage.wait(3 * 3600);
    assert_eq!(stage.alerts().len(), 2, "it ends by itself");
}

#[test]
fn a_queue_inside_that_drains_for_longer_is_reported_until_the_one_above_counts_too() {
    let text = |queues: &str| format!("{}{queues}", without());
    let mut stage = Stage::new(WITH);
    stage.submit("one", "root.legacy.x", "joe", &[2]);
    configure(&mut stage, &text("    - {name: legacy, adminacl: bob, queues: [{name: y}]}\n"));
    stage.wait(30 * 60);
    configure(&mut stage, &without());
    stage.wait(60 * 60);
    stage.wait(60 * 60);
    let seen = stage.alerts();
    let shown: Vec<&str> = seen.iter().map(|title| title.split(',').next().unwrap()).collect();
    assert_eq!(shown, ["root.legacy.x drains for 1h", "root.legacy drains for 1h", "root.legacy drains for 2h"]);
}

#[test]
fn the_threshold_is_set_at_start_and_zero_is_never() {
    for (minutes, expected) in [(0, 0), (10, 5)] {
        let tuning = Tuning { stuck_after: Duration::from_secs(minutes * 60), ..Tuning::default() };
        let setup = Setup { tuning, ..Setup::of(Profile::Kornsole) };
        let mut stage = Stage::set_up(WITH, &setup);
        stage.submit("one", "root.legacy.x", "joe", &[2]);
        stage.accepts(&without());
        stage.wait(55 * 60);
        assert_eq!(stage.alerts().len(), expected);
    }
}

#[test]
fn the_cleaner_runs_at_the_interval_in_the_settings() {
    let setup = Setup { clean_every: Duration::from_secs(45), ..Setup::of(Profile::Kornsole) };
    let mut stage = Stage::set_up(WITH, &setup);
    stage.accepts(&without());
    stage.wait(44);
    assert!(stage.queue("root.legacy").is_some());
    stage.wait(1);
    assert!(stage.queue("root.legacy").is_none());
}

#[test]
fn reports_are_stored_for_their_requester_only() {
    let mut stage = Stage::new(WITH);
    stage.submit("one", "root.legacy.x", "joe", &[2]);
    stage.accepts(&without());
    assert!(stage.core.take_drain_reports().is_empty());
    stage.accepts(WITH);
    stage.core.collect_drain_reports();
    stage.accepts(&without());
    stage.wait(3600);
    let reports = stage.core.take_drain_reports();
    let shown: Vec<_> = reports.iter().map(|report| (report.draining.queue.as_str(), report.stuck)).collect();
    assert_eq!(shown, [("root.legacy", false), ("root.legacy", true)]);
    assert_eq!(reports[1].at, Time::from_millis(3_600_000));
    assert!(stage.core.take_drain_reports().is_empty());
}
