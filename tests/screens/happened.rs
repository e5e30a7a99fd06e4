use std::time::Duration;

use ::console::Driver;
use engine::Setup;
use model::Profile;

use crate::common::{shows, shows_not};
use crate::space::{on_demo as console, on_demo_of as console_of};

#[test]
fn events_are_followed_filtered_and_lead_to_their_object() {
    let (mut driver, source) = console(120, 40, 20);
    driver.keys("7m").unwrap();
    shows(&driver, "following");
    shows(&driver, "+ allocation");
    let first = |driver: &Driver| driver.lines()[4].clone();
    let before = first(&driver);
    source.advance(Duration::from_secs(5));
    driver.advance(Duration::from_secs(1));
    assert_ne!(first(&driver), before, "the newest comes on top");
    driver.keys("j").unwrap();
    shows(&driver, "f follows");
    let before = driver.lines().into_iter().find(|line| line.starts_with('▌')).unwrap();
    source.advance(Duration::from_secs(5));
    driver.advance(Duration::from_secs(1));
    let after = driver.lines().into_iter().find(|line| line.starts_with('▌')).unwrap();
    assert_eq!(before, after, "the cursor stays on its event");
    driver.keys("/add allocation<ret>").unwrap();
    shows_not(&driver, "remove");
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "MESSAGE");
    driver.keys("<esc>").unwrap();
    shows(&driver, "MESSAGE");
}

#[test]
fn an_event_is_reported_in_full() {
    let (mut driver, _) = console(80, 24, 20);
    driver.keys("7m/request<ret>i").unwrap();
    shows(&driver, "› event");
    shows(&driver, "when");
    driver.keys("<esc>").unwrap();
    shows(&driver, "Events");
}

#[test]
fn an_object_leads_to_its_events_and_back() {
    let (mut driver, _) = console(120, 40, 20);
    driver.keys(":apps<ret>v").unwrap();
    shows(&driver, "Applications › Events");
    shows(&driver, "application");
    driver.keys("<esc>").unwrap();
    shows_not(&driver, "› Events");
    driver.keys(":events root.nowhere<ret>").unwrap();
    shows(&driver, "no events of root.nowhere");
}

#[test]
fn history_and_health_are_shown() {
    let (mut driver, _) = console(120, 40, 200);
    driver.keys("8").unwrap();
    shows(&driver, "cpu used");
    shows(&driver, "pending requests");
    shows(&driver, "a column is 10s");
    driver.keys("<esc>9").unwrap();
    shows(&driver, "all 9 checks passed");
}

#[test]
fn a_draining_queue_shows_what_blocks_it_and_who_may_act() {
    let (mut driver, _) = console(120, 40, 60);
    driver.keys("/legacy<ret>i").unwrap();
    let blocked = driver.find_row("blocked by").map(|(_, line)| line);
    let blocked = blocked.unwrap_or_else(|| panic!("nothing blocks it:\n{}", driver.screen_text()));
    assert!(blocked.contains("archive-"), "{blocked}");
    shows(&driver, "may act      all users");
    shows_not(&driver, "stuck");
}

#[test]
fn a_queue_that_drains_for_long_is_marked() {
    let mut setup = Setup::of(Profile::default());
    setup.tuning.stuck_after = Duration::from_secs(20);
    let (mut driver, _) = console_of(&setup, 120, 40, 85);
    shows(&driver, "◐ 32s!");
    driver.keys("/legacy<ret>i").unwrap();
    shows(&driver, "Draining for 32s, stuck");
    driver.keys("0").unwrap();
    shows(&driver, "root.batch.legacy 32s, stuck");
}

#[test]
fn blockers_of_a_draining_queue_are_listed() {
    let (mut driver, _) = console(120, 40, 60);
    driver.keys("0").unwrap();
    shows(&driver, "Draining");
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
fn the_health_shows_when_it_was_checked() {
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
