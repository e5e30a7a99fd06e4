//! Tests of stages, inhibitions, restarts, and clocks.

use super::stage::Stage;
use crate::state::MOST;
use crate::{SilenceOrder, Stage as How};
use std::time::Duration;

const DISK: &str =
    "[[rule]]\nname = 'disk'\nkind = 'state-disk'\nat = 90\nresolve-at = 80\nfor = '1m'\nresolve-after = '30s'\n";
const NODES: &str = "[[rule]]\nname = 'lost'\nkind = 'node-lost'\nwithin = '1h'\n";
const CONNECTION: &str = "[[rule]]\nname = 'connection'\nkind = 'connection-lost'\nfor = '1m'\n";

fn silence(rule: &str, seconds: u64) -> SilenceOrder {
    let (rule, by, reason) = (Some(rule.to_owned()), "sue".to_owned(), "the disk is being replaced".to_owned());
    SilenceOrder { rule, subject: None, lasts: Duration::from_secs(seconds), by, reason }
}

#[test]
fn it_fires_once_after_its_time_and_is_over_below_its_second_threshold() {
    let mut stage = Stage::new(DISK);
    let nothing: [String; 0] = [];
    stage.disk(89);
    assert_eq!(stage.step(10), nothing);
    stage.disk(95);
    assert_eq!(stage.step(10), nothing, "not yet for long enough");
    assert_eq!(stage.step(50), nothing);
    assert_eq!(stage.step(10), ["disk: disk state fires: 95% of 100 in use, 5 free"]);
    stage.disk(85);
    assert_eq!(stage.step(600), nothing, "between the thresholds it stays");
    stage.disk(79);
    assert_eq!(stage.step(10), nothing);
    stage.disk(82);
    assert_eq!(stage.step(25), nothing, "it holds again, so its time of rest begins again");
    stage.disk(70);
    assert_eq!(stage.step(10), nothing);
    assert_eq!(stage.step(30), ["disk: disk state is over: 82% of 100 in use, 18 free"]);
    assert_eq!(stage.step(600), nothing);
    assert_eq!(stage.alerts.ended().count(), 1);
}

#[test]
fn a_condition_that_is_interrupted_restarts() {
    let mut stage = Stage::new(DISK);
    stage.disk(95);
    stage.step(10);
    stage.disk(85);
    assert!(stage.step(40).is_empty(), "the second threshold is for what fires");
    stage.disk(95);
    assert!(stage.step(10).is_empty());
    assert!(stage.step(50).is_empty());
    assert_eq!(stage.step(10).len(), 1);
}

#[test]
fn a_restart_reports_nothing_twice_and_counts_no_time() {
    let mut stage = Stage::new(DISK);
    stage.disk(95);
    stage.step(10);
    stage.step(40);
    stage.restart();
    stage.given.at = stage.given.at + Duration::from_secs(3600);
    stage.restart();
    assert!(stage.step(10).is_empty(), "nobody looked for an hour: 50 s are not a minute");
    assert_eq!(stage.step(10).len(), 1);
    stage.restart();
    assert!(stage.step(10).is_empty());
    stage.disk(10);
    stage.step(10);
    assert_eq!(stage.step(30).len(), 1);
    stage.restart();
    assert!(stage.step(30).is_empty());
}

#[test]
fn a_clock_that_jumps_back_counts_nothing_twice() {
    let mut stage = Stage::new(DISK);
    stage.disk(95);
    stage.step(10);
    stage.step(40);
    stage.given.at = stage.given.at - Duration::from_secs(500);
    assert!(stage.step(0).is_empty());
    assert!(stage.step(10).is_empty());
    assert_eq!(stage.step(10).len(), 1, "40 s before and 20 s after");
    stage.given.at = stage.given.at - Duration::from_secs(500);
    assert!(stage.step(0).is_empty());
    let alert = &stage.alerts.list()[0];
    assert_eq!(stage.given.at.since(alert.since), Duration::from_secs(60));
}

#[test]
fn an_invisible_subject_neither_fires_nor_resolves() {
    let mut stage = Stage::new(&(DISK.to_owned() + NODES + CONNECTION));
    stage.step(10);
    stage.nodes(&["n-1"]);
    assert_eq!(stage.step(10), ["lost: node n-2 fires: missing for 0s"]);
    stage.given.connection = Some("no route to host".to_owned());
    stage.nodes(&[]);
    assert!(stage.step(10).is_empty(), "a lost connection says nothing of nodes");
    assert_eq!(stage.step(60), ["connection: connection fires: no route to host"]);
    stage.given.connection = None;
    stage.nodes(&["n-1", "n-2"]);
    let over = ["connection: connection is over: no route to host", "lost: node n-2 is over: missing for 0s"];
    assert_eq!(stage.step(10), over);
}

#[test]
fn a_node_that_was_drained_is_not_lost() {
    let mut stage = Stage::new(NODES);
    let mut drained = (*super::stage::node("n-2")).clone();
    drained.schedulable = false;
    std::sync::Arc::make_mut(&mut stage.given.view).partitions[0].nodes.insert(drained.id.clone(), drained.into());
    stage.step(10);
    stage.nodes(&["n-1"]);
    assert!(stage.step(10).is_empty());
    assert!(stage.step(3600).is_empty());
    stage.nodes(&["n-3"]);
    assert_eq!(stage.step(10), ["lost: node n-1 fires: missing for 0s"]);
    assert_eq!(stage.step(3600), ["lost: node n-1 is over: missing for 0s"], "after its span it is gone for good");
}

#[test]
fn an_inhibited_alert_is_reported_when_the_inhibition_ends_and_it_still_fires() {
    let text = DISK.replace("for = '1m'", "for = '1m'\ninhibited-by = ['lost']") + NODES;
    let mut stage = Stage::new(&text);
    stage.disk(95);
    stage.step(10);
    stage.nodes(&["n-1"]);
    assert_eq!(stage.step(60), ["lost: node n-2 fires: missing for 0s"]);
    assert!(stage.step(60).is_empty());
    let alerts = stage.alerts.list();
    let muted: Vec<_> = alerts.iter().map(|alert| (alert.rule.as_str(), alert.stage, alert.muted.is_some())).collect();
    assert_eq!(muted, [("lost", How::Firing, false), ("disk", How::Firing, true)]);
    stage.nodes(&["n-1", "n-2"]);
    assert_eq!(stage.step(10), ["lost: node n-2 is over: missing for 1m"]);
    assert!(stage.step(50).is_empty(), "it has the time of its rule to go by itself");
    assert_eq!(stage.step(10).len(), 1);
}

#[test]
fn a_silence_ends_by_itself_and_what_still_fires_is_reported_then() {
    let mut stage = Stage::new(DISK);
    let now = stage.given.at;
    for (order, why) in [
        (SilenceOrder { reason: " ".to_owned(), ..silence("disk", 60) }, "a silence needs a reason"),
        (silence("disk", 0), "a silence lasts from 1s to 30d"),
        (silence("disk", 10_000_000), "a silence lasts from 1s to 30d"),
        (silence("dusk", 60), "rule \"dusk\" not found"),
    ] {
        assert_eq!(stage.alerts.silence(order, now), Err(why.to_owned()));
    }
    assert_eq!(stage.alerts.silence(silence("disk", 100), now), Ok(1));
    stage.disk(95);
    stage.step(10);
    assert!(stage.step(60).is_empty());
    stage.restart();
    assert!(stage.step(20).is_empty());
    assert_eq!(stage.step(10).len(), 1, "100 s are over");
    let retained: Vec<_> = stage.alerts.silences().map(|one| (one.by.as_str(), one.ended.is_some())).collect();
    assert_eq!(retained, [("sue", true)]);
    let now = stage.given.at;
    assert_eq!(stage.alerts.silence(silence("disk", 1000), now), Ok(2));
    stage.disk(10);
    stage.step(10);
    assert_eq!(stage.step(30).len(), 1, "what was reported is reported as over, silenced or not");
    stage.disk(95);
    stage.step(10);
    stage.step(60);
    assert!(stage.alerts.end_silence(1, "bob", stage.given.at).is_err());
    stage.alerts.end_silence(2, "bob", stage.given.at).unwrap();
    assert_eq!(stage.step(10).len(), 1);
}

#[test]
fn the_alerts_of_a_rule_are_bounded_and_the_others_counted() {
    let mut stage = Stage::new(NODES);
    let ids: Vec<String> = (0..MOST + 30).map(|n| format!("n-{n}")).collect();
    stage.nodes(&ids.iter().map(String::as_str).collect::<Vec<_>>());
    stage.step(10);
    stage.nodes(&[]);
    assert_eq!(stage.step(10).len(), MOST);
    assert_eq!(stage.alerts.beyond().get("lost"), Some(&30));
}

#[test]
fn a_rule_that_is_taken_away_resolves_its_alerts() {
    let mut stage = Stage::new(NODES);
    stage.step(10);
    stage.nodes(&["n-1"]);
    stage.step(10);
    stage.alerts.set_rules(super::stage::rules(DISK));
    assert_eq!(stage.step(10).len(), 1);
    assert!(stage.alerts.list().is_empty());
}
