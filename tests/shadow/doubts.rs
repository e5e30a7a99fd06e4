use std::time::Duration;

use forecast::shadow::{Comparison, Settings, Verdict};
use model::Time;

use super::play::{CONFIG, EXACT, Stage};

fn stage() -> Stage {
    Stage::new(CONFIG, Settings::default(), &[("n1", 4), ("n2", 4)])
}

fn verdict(comparison: &Comparison) -> (Verdict, &str) {
    (comparison.verdict, &comparison.cause)
}

#[test]
fn one_of_two_that_arrived_in_the_same_second_is_equal() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "p", 1, 0);
    stage.wait(300).submit("two", "root.a").ask("two", "p", 1, 0);
    stage.wait(60_000);
    let found = stage.decided("two", "p", "n1");
    assert_eq!(verdict(&found), (Verdict::Equal, "it has the same rank as one p"));
    assert_eq!(stage.decided("one", "p", "n2").verdict, Verdict::Same);
}

#[test]
fn one_that_arrived_seconds_later_is_another_order() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "p", 1, 0);
    stage.wait(3_000).submit("two", "root.a").ask("two", "p", 1, 0);
    stage.wait(60_000);
    let found = stage.decided("two", "p", "n1");
    assert_eq!(
        verdict(&found),
        (Verdict::Order, "kornsole allocates one p on n1 before it: its application arrived first")
    );
    assert_eq!(stage.decided("one", "p", "n2").verdict, Verdict::Same);
}

#[test]
fn a_node_of_the_same_score_is_equal_and_a_better_one_is_named() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "p", 1, 0).ask("one", "q", 1, 0).wait(60_000);
    let found = stage.decided("one", "p", "n2");
    assert_eq!(verdict(&found), (Verdict::Equal, "nodes n1 and n2 have the same score"));
    let found = stage.decided("one", "q", "n2");
    assert_eq!(verdict(&found), (Verdict::Node, "it fits n2, but n1 has a better score"));
}

#[test]
fn a_very_recent_change_may_be_missing() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "old", 1, 0);
    stage.wait(60_000).ask("one", "new", 1, 9).wait(200);
    let found = stage.decided("one", "old", "n1");
    assert_eq!(found.verdict, Verdict::Unsettled);
    assert!(found.cause.starts_with("order with all changes"), "{}", found.cause);
    assert!(found.cause.ends_with("same with the last change skipped"), "{}", found.cause);
    let mut stage = self::stage();
    stage.submit("one", "root.a").ask("one", "old", 1, 0);
    stage.wait(60_000).ask("one", "new", 1, 9).wait(3_000);
    assert_eq!(stage.decided("one", "old", "n1").verdict, Verdict::Order, "by then it was seen");
}

#[test]
fn after_a_restart_and_without_its_pod_nothing_is_settled() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "p", 1, 0).ask("one", "q", 5, 0).wait(60_000);
    stage.shadow.unsettle(stage.at + Duration::from_secs(300), "the scheduler has restarted");
    assert_eq!(verdict(&stage.decided("one", "p", "n1")), (Verdict::Unsettled, "the scheduler has restarted"));
    stage.wait(300_000);
    assert_eq!(stage.decided("one", "q", "n1").rule, Some("node-resources"), "it is over");
    let found = stage.decided("one", "unknown", "n1");
    assert_eq!(verdict(&found), (Verdict::Unsettled, "its pod was not seen before the decision"));
    let found = stage.decided("one", "p", "n7");
    assert_eq!(verdict(&found), (Verdict::Unsettled, "node n7 has not been seen"));
}

#[test]
fn what_the_other_one_leaves_waiting_is_missed_once() {
    let mut stage = stage();
    stage.submit("one", "root.a").ask("one", "p", 1, 5).ask("one", "q", 1, 0);
    let mut found = Vec::new();
    for _ in 0..40 {
        stage.wait(1_000);
        found.extend(stage.shadow.pass(stage.at));
        if stage.at == Time::from_millis(9_000) {
            stage.ask("one", "r", 1, 1);
        }
    }
    let missed: Vec<(&str, &str)> = found.iter().map(|one| (one.ask.as_str(), one.cause.as_str())).collect();
    let words = "kornsole would have allocated it on n1 for 12 s, and it is still pending";
    assert_eq!(missed, [("p", words), ("r", words), ("q", words)]);
    assert!(found.iter().all(|one| one.verdict == Verdict::Missed && one.node.is_none()));
    // Requests that were allocated later count as usual.
    assert_eq!(stage.decided("one", "q", "n1").verdict, Verdict::Equal);
}

#[test]
fn a_decision_that_kornsole_rejects_is_illegal() {
    let mut stage = Stage::new(CONFIG, EXACT, &[("n1", 4)]);
    stage.submit("lost", "root.nowhere").ask("lost", "p", 1, 0).wait(1_000);
    let found = stage.decided("lost", "p", "n1");
    assert_eq!((found.verdict, found.rule), (Verdict::Illegal, Some("placement")), "{found:?}");
}
