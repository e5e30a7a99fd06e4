//! Events, history, health, and blockers of draining queues, on the demo's scheduler.

use std::time::Duration;

use ::console::Driver;
use engine::Setup;
use model::Profile;

use crate::common::{says, says_not};
use crate::room::{on_demo as console, on_demo_of as console_of};

#[test]
fn events_are_followed_filtered_and_lead_to_their_object() {
    let (mut driver, source) = console(120, 40, 20);
    driver.keys("7m").unwrap();
    says(&driver, "following");
    says(&driver, "+ allocation");
    let first = |driver: &Driver| driver.lines()[4].clone();
    let before = first(&driver);
    source.advance(Duration::from_secs(5));
    driver.advance(Duration::from_secs(1));
    assert_ne!(first(&driver), before, "the newest comes on top");
    driver.keys("j").unwrap();
    says(&driver, "f follows");
    let before = driver.lines().into_iter().find(|line| line.starts_with('▌')).unwrap();
    source.advance(Duration::from_secs(5));
    driver.advance(Duration::from_secs(1));
    let after = driver.lines().into_iter().find(|line| line.starts_with('▌')).unwrap();
    assert_eq!(before, after, "the cursor stays on its event");
    driver.keys("/add allocation<ret>").unwrap();
    says_not(&driver, "remove");
    driver.keys("<ret>").unwrap();
    says_not(&driver, "MESSAGE");
    driver.keys("<esc>").unwrap();
    says(&driver, "MESSAGE");
}

#[test]
fn an_event_is_reported_in_full() {
    let (mut driver, _) = console(80, 24, 20);
    driver.keys("7m/request<ret>i").unwrap();
    says(&driver, "› event");
    says(&driver, "when");
    driver.keys("<esc>").unwrap();
    says(&driver, "Events");
}

#[test]
fn an_object_leads_to_its_events_and_back() {
    let (mut driver, _) = console(120, 40, 20);
    driver.keys(":apps<ret>v").unwrap();
    says(&driver, "Applications › Events");
    says(&driver, "application");
    driver.keys("<esc>").unwrap();
    says_not(&driver, "› Events");
    driver.keys(":events root.nowhere<ret>").unwrap();
    says(&driver, "no events of root.nowhere");
}

#[test]
fn history_and_health_are_shown() {
    let (mut driver, _) = console(120, 40, 200);
    driver.keys("8").unwrap();
    says(&driver, "cpu used");
    says(&driver, "pending requests");
    says(&driver, "a column is 10s");
    driver.keys("<esc>9").unwrap();
    says(&driver, "all 9 checks passed");
}

#[test]
fn a_draining_queue_says_what_holds_it_and_who_may_act() {
    let (mut driver, _) = console(120, 40, 60);
    driver.keys("/legacy<ret>i").unwrap();
    let held = driver.find_row("blocked by").map(|(_, line)| line);
    let held = held.unwrap_or_else(|| panic!("nothing blocks it:\n{}", driver.screen_text()));
    assert!(held.contains("archive-"), "{held}");
    says(&driver, "may act      all users");
    says_not(&driver, "stuck");
}

#[test]
fn a_queue_that_drains_for_long_is_marked() {
    let mut setup = Setup::of(Profile::default());
    setup.tuning.stuck_after = Duration::from_secs(20);
    let (mut driver, _) = console_of(&setup, 120, 40, 85);
    says(&driver, "◐ 32s!");
    driver.keys("/legacy<ret>i").unwrap();
    says(&driver, "Draining for 32s, stuck");
    driver.keys("0").unwrap();
    says(&driver, "root.batch.legacy 32s, stuck");
}

#[test]
fn what_holds_a_draining_queue_is_listed() {
    let (mut driver, _) = console(120, 40, 60);
    driver.keys("0").unwrap();
    says(&driver, "Draining");
    insta::assert_snapshot!("draining-120x40", driver.screen_text());
    driver.keys("7").unwrap();
    insta::assert_snapshot!("events-120x40", driver.screen_text());
    driver.resize(80, 24);
    insta::assert_snapshot!("events-80x24", driver.screen_text());
    driver.resize(200, 60);
    insta::assert_snapshot!("events-200x60", driver.screen_text());
    driver.keys("8").unwrap();
    insta::assert_snapshot!("history-200x60", driver.screen_text());
}

#[test]
fn the_health_says_when_it_was_looked_at() {
    let (mut driver, source) = console(120, 40, 20);
    driver.keys("9").unwrap();
    let message = |driver: &Driver| driver.find_row("all 9 checks passed, at ").unwrap().1;
    let before = message(&driver);
    source.advance(Duration::from_secs(10));
    driver.advance(Duration::from_secs(1));
    assert_eq!(message(&driver), before);
    driver.keys("9").unwrap();
    assert_ne!(message(&driver), before);
}
