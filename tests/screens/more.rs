use super::after;
use super::fixture::{self, Scene};
use console::state::page::Page;
use console::{Driver, Options};

use crate::common::{shows, shows_not};

#[test]
fn the_nodes_as_a_map_next_to_the_table_or_instead_of_it() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let driver = after("3m", width, height);
        insta::assert_snapshot!(format!("map-{width}x{height}"), driver.screen_text());
    }
    let mut driver = after("3m", 120, 40);
    shows(&driver, "by its higher usage of cpu");
    driver.keys("m").unwrap();
    shows_not(&driver, "by its higher usage of cpu");
    driver.keys("1").unwrap();
    driver.keys(":map<ret>").unwrap();
    shows(&driver, "only in the list of nodes");
}

#[test]
fn a_map_of_many_nodes_shows_the_fullest_of_those_that_share_a_symbol() {
    let mut builder = fixture::bare();
    for number in 0..5_000 {
        builder.node(&format!("node-{number:04}"), "cpu=10 mem=10Gi");
    }
    let mut driver = Driver::new(Scene::new(builder.build()) as _, Options::default(), 80, 24);
    driver.keys("3m").unwrap();
    shows(&driver, "nodes per cell: the highest usage");
    driver.keys("G").unwrap();
    let last = driver.lines().into_iter().filter(|line| line.contains("··")).count();
    assert!(last > 10, "{}", driver.screen_text());
}

#[test]
fn a_map_has_a_cell_for_each_of_1000_nodes_and_enter_opens_one() {
    let mut builder = fixture::bare();
    for number in 0..1_000 {
        builder.node(&format!("node-{number:04}"), "cpu=10 mem=10Gi");
    }
    let mut driver = Driver::new(Scene::new(builder.build()) as _, Options::default(), 120, 40);
    driver.keys("3m").unwrap();
    shows(&driver, "each node by its higher usage of cpu and memory");
    let cells: usize = driver
        .lines()
        .iter()
        .filter(|line| line.starts_with(" · · "))
        .map(|line| line.split(' ').filter(|cell| *cell == "·").count())
        .sum();
    assert_eq!(cells, 1_000, "{}", driver.screen_text());
    for _ in 0..7 {
        driver.keys("j").unwrap();
    }
    let Page::Nodes(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
    let id = page.list.rows[page.list.cursor.index].to_string();
    assert_ne!(id, "node-0000");
    shows(&driver, &id);
    driver.keys("<ret>").unwrap();
    shows(&driver, &format!("Nodes › {id}"));
    driver.keys("<esc>:sort cpu<ret>").unwrap();
    shows(&driver, "each node by its usage of cpu, the sorted column");
}

#[test]
fn the_partitions_are_reported_with_what_is_in_them() {
    let driver = after(":partitions<ret>", 80, 24);
    insta::assert_snapshot!(driver.screen_text());
}

#[test]
fn the_help_of_a_page_is_one_screen_and_two_at_most_at_80_columns() {
    for (width, height, most) in [(80, 24, 2), (120, 40, 1), (200, 60, 1)] {
        for page in ["1", "2", "3", "4", "6", "7"] {
            let mut driver = after(&format!("{page}?"), width, height);
            for title in ["Move", "Look", "Act"].iter().take(if most == 1 { 3 } else { 1 }) {
                shows(&driver, title);
            }
            let last = |driver: &Driver| match driver.find_row(" of ") {
                Some((_, line)) if line.contains('─') => {
                    let place = line.trim_end_matches(['─', '┘', ' ']).split(' ').collect::<Vec<_>>();
                    place[place.len() - 3].split('-').nth(1).unwrap() == place[place.len() - 1]
                }
                _ => true,
            };
            for _ in 1..most {
                driver.keys("<pgdn>").unwrap();
            }
            assert!(last(&driver), "page {page} at {width}x{height}:\n{}", driver.screen_text());
        }
    }
}

#[test]
fn an_empty_cluster_shows_what_to_do_next() {
    let scene = Scene::new(fixture::bare().build());
    let driver = Driver::new(scene as _, Options::default(), 80, 24);
    insta::assert_snapshot!(driver.screen_text());
}

#[test]
fn what_a_report_needs_is_reported() {
    let driver = after(":info<ret>", 80, 24);
    shows(&driver, env!("CARGO_PKG_VERSION"));
    for label in ["scheduler", "connection", "identity", "settings", "theme", "terminal"] {
        shows(&driver, label);
    }
    shows(&driver, "80 x 24");
}
