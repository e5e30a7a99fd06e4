//! Pages that were added to the first ones: the map of the nodes, the partitions, a wide help, an empty cluster.

use super::after;
use super::fixture::{self, Scene};
use console::{Driver, Options};

use crate::common::{says, says_not};

#[test]
fn the_nodes_as_a_map_beside_the_table_or_in_its_place() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let driver = after("3m", width, height);
        insta::assert_snapshot!(format!("map-{width}x{height}"), driver.screen_text());
    }
    let mut driver = after("3m", 120, 40);
    says(&driver, "by the higher use of cpu");
    driver.keys("m").unwrap();
    says_not(&driver, "by the higher use of cpu");
    driver.keys("1").unwrap();
    driver.keys(":map<ret>").unwrap();
    says(&driver, "only in the list of nodes");
}

#[test]
fn a_map_of_many_nodes_shows_the_fullest_of_those_that_share_a_sign() {
    let mut builder = fixture::bare();
    for number in 0..5_000 {
        builder.node(&format!("node-{number:04}"), "cpu=10 mem=10Gi");
    }
    let mut driver = Driver::new(Scene::new(builder.build()) as _, Options::default(), 80, 24);
    driver.keys("3m").unwrap();
    says(&driver, "nodes per cell: the highest use");
    driver.keys("G").unwrap();
    let last = driver.lines().into_iter().filter(|line| line.contains("··")).count();
    assert!(last > 10, "{}", driver.screen_text());
}

#[test]
fn the_partitions_are_reported_with_what_is_in_them() {
    let driver = after(":partitions<ret>", 80, 24);
    insta::assert_snapshot!(driver.screen_text());
}

#[test]
fn a_help_that_is_wide_is_read_in_two_columns() {
    let mut driver = after("?", 200, 60);
    says(&driver, "Fold all queues below the root");
    let both = |line: &String| line.contains("Fold all queues below the root") && line.matches("   ").count() > 4;
    assert!(driver.lines().iter().any(both), "{}", driver.screen_text());
    driver.keys("<pgdn>").unwrap();
    says_not(&driver, "Fold all queues below the root");
    driver.keys("G").unwrap();
    says(&driver, "at its limit");
}

#[test]
fn a_cluster_with_nothing_in_it_says_what_to_do_next() {
    let scene = Scene::new(fixture::bare().build());
    let driver = Driver::new(scene as _, Options::default(), 80, 24);
    insta::assert_snapshot!(driver.screen_text());
}

#[test]
fn what_a_report_needs_is_reported() {
    let driver = after(":info<ret>", 80, 24);
    says(&driver, env!("CARGO_PKG_VERSION"));
    for label in ["scheduler", "connection", "identity", "settings", "theme", "terminal"] {
        says(&driver, label);
    }
    says(&driver, "80 x 24");
}
