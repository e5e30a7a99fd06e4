//! Every column and label has an explanation on a key.

use std::sync::Arc;
use std::time::Duration;

use console::present::export;
use console::state::layer::{Layer, Metrics};
use console::{Driver, Options};
use source::Stepped;
use view::act::{Act, Order};

use crate::common::{shows, shows_not};
use crate::space::on_demo;

/// A page and the keys that lead to it from the queues.
pub const PAGES: [(&str, &str); 37] = [
    ("queues", ""),
    ("a parent", "jj"),
    ("a draining queue", "/=legacy<ret>"),
    ("applications", "2"),
    ("an ended application", "2eG"),
    ("applications of a queue", ":apps root.system<ret>"),
    ("what drains", "0"),
    ("an application", "2<ret>"),
    ("nodes", "3"),
    ("the map of nodes", "3m"),
    ("a node", "3<ret>"),
    ("users and groups", "4"),
    ("a user", "4<ret>"),
    ("a group", "4Gi<ret>"),
    ("placement", "5"),
    ("configuration", "6"),
    ("an edited configuration", "6eX<esc>"),
    ("a form", "jjcm<esc>"),
    ("events", "7"),
    ("an event", "7i"),
    ("history", "8"),
    ("history of a queue", ":history root.system<ret>"),
    ("health", "9"),
    ("audit", "L"),
    ("an entry of the audit", "Li"),
    ("configurations", "H"),
    ("partitions", ":partitions<ret>"),
    ("details of a queue", "jji"),
    ("details of a draining queue", "/=legacy<ret>i"),
    ("details of an application", "2i"),
    ("details of a node", "3i"),
    ("why it is there", "2w"),
    ("this console", ":info<ret>"),
    ("why all waits", "x"),
    ("who has a node", "3x"),
    ("fairness", "F"),
    ("limits of users and groups", "Fu"),
];

fn shown(driver: &Driver) -> &Metrics {
    match driver.state().layers.last() {
        Some(Layer::Metrics(metrics)) => metrics,
        other => panic!("no figures but {other:?} on\n{}", driver.screen_text()),
    }
}

/// The demo after 90 s, with a changed configuration and a paused scheduler.
pub fn demo() -> Arc<Stepped> {
    let (driver, source) = on_demo(120, 40, 90);
    let mut text = source_text(&driver);
    text.push_str("# touched\n");
    let order = |act: Act| Order::new(act, "to see it");
    source::Source::act(&*source, order(Act::Configure { text, base: None, dry_run: false }), Box::new(|_| {}));
    source::Source::act(&*source, order(Act::Pause), Box::new(|_| {}));
    source
}

/// A new console on the demo.
pub fn opened_on(demo: &Arc<Stepped>, width: u16, height: u16) -> Driver {
    let mut driver = Driver::new(Arc::clone(demo) as _, Options::default(), width, height);
    driver.refresh();
    driver.advance(Duration::from_secs(1));
    driver
}

fn source_text(driver: &Driver) -> String {
    driver.state().cluster.view.configuration.as_ref().unwrap().text.to_string()
}

#[test]
fn every_value_of_every_page_is_explained() {
    let demo = demo();
    for (width, height) in [(80, 24), (200, 60)] {
        for (page, keys) in PAGES {
            let mut driver = opened_on(&demo, width, height);
            driver.keys(keys).unwrap().advance(Duration::from_millis(300));
            let columns: Vec<String> = export::row(driver.state()).into_iter().map(|(column, _)| column).collect();
            driver.keys("W").unwrap();
            let metrics = shown(&driver);
            for metric in &metrics.list {
                assert!(!metric.why.is_empty(), "{page}: nothing explains {:?} {:?}", metric.title, metric.shown);
            }
            let own = metrics.list.iter().filter(|metric| !metric.title.starts_with("top: ")).count();
            assert!(own > 0, "{page}: nothing but the line at the top");
            for column in columns {
                let message = metrics.list.iter().any(|metric| metric.title == column);
                assert!(message, "{page}: the column {column:?} is not among the figures");
            }
            for top in ["top: nodes", "top: cpu", "top: mem", "top: alloc/s"] {
                assert!(metrics.list.iter().any(|metric| metric.title == top), "{page}: no {top}");
            }
            shows(&driver, "Values of");
            driver.keys("<esc>").unwrap();
            shows_not(&driver, "Values of");
        }
    }
}

fn why(keys: &str, title: &str) -> String {
    let (mut driver, _) = on_demo(120, 40, 90);
    driver.keys(keys).unwrap().keys("W").unwrap();
    let list = &shown(&driver).list;
    let metric = list.iter().find(|metric| metric.title == title);
    metric.unwrap_or_else(|| panic!("no {title} in {list:#?}")).why.clone()
}

#[test]
fn a_priority_shows_how_it_was_computed() {
    let etl = why(":queues root.tenants.tenant-a.etl<ret>", "priority");
    assert!(etl.contains(" its own requests (the highest pending request of etl-"), "{etl}");
    assert!(etl.contains("; fenced at root.tenants.tenant-a, so parents see 10"), "{etl}");
    let tenants = why(":queues root.tenants<ret>", "priority");
    assert!(
        tenants.starts_with("0 = the offset 0 of root.tenants: it is a fence, so the 10 from tenant-a"),
        "{tenants}"
    );
    let root = why("", "priority");
    assert!(root.contains("(the highest child), no offset"), "{root}");
}

#[test]
fn usage_and_headroom_name_their_parts_and_what_binds() {
    let used = why("", "cpu");
    assert!(used.starts_with("used = ") && used.contains(" tenants + "), "{used}");
    assert!(used.contains("max 512 is the sum of the nodes"), "{used}");
    let etl = why(":queues root.tenants.tenant-a.etl<ret>", "cpu");
    assert!(etl.contains("max (512) is that of root, the smallest of its parents"), "{etl}");
    assert!(etl.contains("90 guaranteed to it, met"), "{etl}");
    let space = why(":queues root.tenants.tenant-a.etl<ret>", "headroom");
    assert!(space.contains(" used in root, the smallest headroom on its path"), "{space}");
    let free = why("3", "cpu free");
    assert!(free.contains(" = capacity 64 minus "), "{free}");
}

#[test]
fn the_values_are_opened_and_closed() {
    let (mut driver, _) = on_demo(120, 40, 90);
    driver.keys(":queues root.tenants.tenant-a.etl<ret>W").unwrap();
    insta::assert_snapshot!("figures-120x40", driver.screen_text());
    driver.resize(80, 24);
    insta::assert_snapshot!("figures-80x24", driver.screen_text());
    driver.resize(40, 12).keys("GG").unwrap();
    insta::assert_snapshot!("figures-40x12", driver.screen_text());
    driver.keys("q").unwrap();
    shows_not(&driver, "Values of");
}

#[test]
fn the_values_follow_the_newest_view() {
    let (mut driver, source) = on_demo(120, 40, 90);
    driver.keys("W").unwrap();
    let (of, first) = (shown(&driver).of.clone(), shown(&driver).at);
    source.advance(Duration::from_secs(30));
    driver.refresh();
    let state = driver.state();
    assert_eq!(shown(&driver).of, of);
    assert_ne!(shown(&driver).at, first, "the demo has a newer view");
    assert_eq!(shown(&driver).at, Some(state.framed().at));
    let again = console::present::metrics::metrics(state);
    assert_eq!(shown(&driver).list, again.list, "the list beside the header is of the same view");
    shows_not(&driver, " old ");
}
