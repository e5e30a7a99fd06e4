use std::sync::Arc;
use std::time::Duration;

use console::Driver;
use source::{Source, Stepped};

use super::orders::tenants;
use crate::common::user;
use crate::common::{shows, shows_not};

fn later(driver: &mut Driver, source: &Arc<Stepped>) {
    source.advance(Duration::from_secs(2));
    driver.refresh();
}

#[test]
fn an_application_is_submitted_asks_and_gives_back() {
    let (mut driver, source) = tenants(user("sue"), 120, 30);
    driver.keys(":submit web-7 root.a.web team=shop<ret>").unwrap();
    shows(&driver, "Submit web-7?");
    shows(&driver, "It is placed in root.a.web, as user sue.");
    driver.keys("<ret>").unwrap();
    assert!(source.view().partitions[0].app_by_id(&"web-7".into()).is_none(), "it opens on doing nothing");
    driver.keys(":submit web-7 root.a.web team=shop<ret>y").unwrap();
    shows(&driver, "submitted web-7 to root.a.web");

    driver.keys(":app web-7<ret>:ask 2 cpu=500m memory=1Gi priority=3<ret>").unwrap();
    shows(&driver, "Add requests to web-7?");
    shows(&driver, "2 requests: cpu 0.5, mem 1Gi each.");
    shows(&driver, "In root.a.web, priority 3.");
    driver.keys("y").unwrap();
    shows(&driver, "2 requests of web-7 pending");
    later(&mut driver, &source);
    let running = |source: &Stepped| {
        let view = source.view();
        let app = view.partitions[0].app_by_id(&"web-7".into()).unwrap();
        (app.asks.len(), app.pending_asks, app.tags.get("team").cloned())
    };
    assert_eq!(running(&source), (2, 0, Some("shop".to_owned())));

    driver.keys("X").unwrap();
    shows(&driver, "Release by-hand-1-1 of web-7?");
    shows(&driver, "Its allocation on n-1 ends and frees cpu 0.5, mem 1Gi.");
    driver.keys("y").unwrap();
    shows(&driver, "released by-hand-1-1 of web-7");
    assert_eq!(running(&source).0, 1);
    driver.keys(":ask vcore=200<ret>y").unwrap();
    driver.keys("GX").unwrap();
    shows(&driver, "It is pending and will be canceled: cpu 200.");
    driver.keys("<esc>:remove-app<ret>").unwrap();
    shows(&driver, "Releases 1 allocation, cancels 1 pending request.");
    driver.keys("y").unwrap();
    shows(&driver, "removed web-7: 1 allocation released, 1 request canceled");
}

#[test]
fn what_cannot_be_submitted_or_asked_for_is_reported_and_nothing_is_asked() {
    let (mut driver, _) = tenants(user("sue"), 160, 30);
    for (line, message) in [
        (":submit x root.b.ml", "x would be rejected"),
        (":submit nightly root.a.web", "nightly would be rejected"),
        (":submit x root.a.web root.b.ml", "is not a queue or TAG=VALUE"),
        (":submit a=b", "write APPLICATION [QUEUE]"),
        ("2:ask nothing", "is not RESOURCE=QUANTITY"),
        ("2:ask 3", "write [COUNT] RESOURCE=QUANTITY"),
        ("2:ask 0 cpu=1", "is not RESOURCE=QUANTITY"),
        ("2:ask memory=1m", "unknown suffix"),
        ("2:ask cpu=1 priority=high", "is not a priority"),
    ] {
        driver.keys(&format!("{line}<ret>")).unwrap();
        shows(&driver, message);
        assert!(driver.state().layers.is_empty(), "{line}: nothing is asked");
    }
}

#[test]
fn without_permission_it_is_unavailable_and_shows_the_missing_access() {
    let (mut driver, _) = tenants(user("bob"), 120, 30);
    driver.keys("2:ask cpu=1<ret>").unwrap();
    shows(&driver, "needs admin access on root.a.etl or a parent");
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "X release");
    driver.keys("X").unwrap();
    shows(&driver, "needs admin access on root.a.etl or a parent");
    for (keys, message) in
        [("3D", "needs membership in the scheduler ACL"), (":clean-up<ret>", "needs admin access on root")]
    {
        driver.keys(keys).unwrap();
        shows(&driver, message);
        assert!(driver.state().layers.is_empty());
    }
}

#[test]
fn a_node_is_drained_and_returned_to_service() {
    let (mut driver, source) = tenants(user("you").scheduler_admin(true), 120, 30);
    let schedulable = |source: &Stepped| source.view().partitions[0].nodes.values().all(|node| node.schedulable);
    driver.keys("3D").unwrap();
    shows(&driver, "Drain node n-1?");
    shows(&driver, "It accepts no new allocations; 4 allocations on it continue.");
    driver.keys("<ret>").unwrap();
    assert!(schedulable(&source), "it opens on doing nothing");
    driver.keys("U").unwrap();
    shows(&driver, "n-1 is not drained");
    driver.keys("Dy").unwrap();
    assert!(!schedulable(&source));
    driver.keys("Uy").unwrap();
    shows(&driver, "changed node n-1");
    assert!(schedulable(&source));
}

#[test]
fn cleaning_up_first_lists_what_is_removed() {
    let (mut driver, _) = tenants(user("you").scheduler_admin(true), 120, 30);
    driver.keys(":clean-up<ret>").unwrap();
    shows(&driver, "nothing to clean up");
    assert!(driver.state().layers.is_empty());
}
