use std::time::Duration;

use console::{Driver, Options};
use source::SourcePlace;

use super::after;
use super::fixture::{self, Scene};
use crate::common::{shows, shows_not};

#[test]
fn quitting_asks_when_something_would_be_lost() {
    let mut driver = after("<esc><esc>q", 80, 24);
    shows(&driver, "8 active applications on 3 nodes would be lost");
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "would be lost");
    driver.keys("q<esc>q<right><left><ret>").unwrap();
    assert!(!driver.quits());
    driver.keys("q<right><ret>").unwrap();
    assert!(driver.quits());
}

#[test]
fn quitting_does_not_ask_when_nothing_would_be_lost() {
    let remote = Scene::with(fixture::tenants().build(), SourcePlace::Remote, Vec::new());
    let idle = Scene::new(fixture::bare().build());
    for scene in [remote, idle] {
        let mut driver = Driver::new(scene, Options::default(), 80, 24);
        assert!(driver.keys("q").unwrap().quits());
    }
    for keys in [":quit!<ret>", ":q!<ret>", "QQ", "<C-c><C-c>", "2<ret>:<C-c><C-c>", "qy"] {
        assert!(after(keys, 80, 24).quits(), "{keys}");
    }
}

#[test]
fn quitting_immediately_requires_two_presses_in_a_row() {
    let mut driver = after("<C-c>", 80, 24);
    shows(&driver, "press again to quit now");
    driver.advance(Duration::from_secs(3)).keys("<C-c>").unwrap();
    assert!(!driver.quits());
    assert!(!after("QjQ", 80, 24).quits());
}
