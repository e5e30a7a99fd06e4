use std::time::Duration;

use ::console::state::page::Page;
use ::console::{Driver, Options};
use model::QueuePath;

use super::fixture::{self, Scene, resource};
use super::space::on_demo;
use super::{after, console};

use crate::common::shows;

fn line(driver: &Driver, text: &str) -> String {
    driver.find_row(text).unwrap_or_else(|| panic!("no {text:?} in\n{}", driver.screen_text())).1
}

fn level(driver: &Driver, queue: &str) -> String {
    let lines = driver.lines();
    let row = lines.iter().skip(3).find(|line| line.trim_start_matches('▌').split_whitespace().next() == Some(queue));
    row.unwrap_or_else(|| panic!("no {queue} in\n{}", driver.screen_text())).clone()
}

#[test]
fn the_table_names_the_limit_that_is_closest() {
    let driver = after("4", 120, 40);
    let sue = level(&driver, "sue");
    assert!(sue.contains("! user") && sue.contains("1/1") && sue.contains("cpu 6 of 6 in root.tenants.tenant-a"));
    let dev = level(&driver, "dev");
    assert!(
        dev.contains("! group") && dev.contains("1/2") && dev.contains("1 of 1 apps in root.tenants.tenant-b"),
        "{dev}"
    );
    let joe = level(&driver, "joe");
    assert!(!joe.contains('!') && joe.contains("1 of 20 apps in root, line 12 of the configuration"), "{joe}");
}

#[test]
fn from_a_user_to_the_limit_and_to_what_waits_for_it() {
    let mut driver = after("4/=sue<ret><ret>", 120, 40);
    shows(&driver, "Users & groups › user sue");
    shows(&driver, "1 application waits");
    shows(&driver, "tenant-a binds");
    let bound = level(&driver, "tenant-a");
    assert!(bound.contains("6/   6!") && bound.contains("12Gi/  12Gi!") && bound.contains("line 31"), "{bound}");
    let root = line(&driver, "▌root");
    assert!(root.contains("1/ 20") && root.contains("line 12 of the configuration"), "{root}");
    shows(&driver, "1 request waits: sue has cpu 6 of 6, mem 12Gi of 12Gi in tenant-a");
    driver.keys("G<ret>").unwrap();
    shows(&driver, "› etl-1");
    shows(&driver, "k1-7");
    driver.keys("<esc>k<ret>").unwrap();
    shows(&driver, "1 of 1 application, 0 hidden");
    driver.keys("<esc><esc><esc>").unwrap();
    shows(&driver, "CLOSEST TO ITS LIMIT");
}

fn line_of(text: &str) -> Option<usize> {
    let (number, _) = text.split_once("line ")?.1.split_once(" of ")?;
    number.parse().ok()
}

fn at_cursor(driver: &Driver) -> (usize, String) {
    let Page::Config(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
    let (row, _) = page.buffer.cursor();
    (row + 1, page.buffer.lines()[row].trim().to_owned())
}

#[test]
fn a_limit_names_its_line_and_a_key_opens_it() {
    let (mut driver, _) = on_demo(200, 60, 180);
    for (keys, in_details) in [("4", true), ("4<ret>", false)] {
        driver.keys(keys).unwrap();
        let place = |driver: &Driver| {
            let row = line(driver, "▌");
            let details = || driver.lines().iter().find_map(|line| line_of(line.split_once('│')?.1));
            line_of(row.split('│').next()?).or_else(|| details().filter(|_| in_details))
        };
        let mut steps = 0;
        while place(&driver).is_none() {
            driver.keys("j").unwrap();
            steps += 1;
            assert!(steps < 20, "no limit with a place:\n{}", driver.screen_text());
        }
        let wanted = place(&driver).unwrap();
        assert!(driver.lines().iter().any(|line| line.contains("of revision") || line.contains("at the start")));
        driver.keys("O").unwrap();
        let (there, text) = at_cursor(&driver);
        assert!(there == wanted && text.contains("limit"), "{there}, {wanted}: {text}");
    }
    driver.keys(":queues<ret>/adhoc<ret>w").unwrap();
    let by = line(&driver, ", by submitacl of ");
    assert!(line_of(&by).is_some(), "{by}");
}

#[test]
fn a_group_is_distinct_from_a_user_of_its_name() {
    let mut cluster = fixture::tenants();
    cluster.app("own", "root.tenants.tenant-a.etl", "dev", 5, &[("a", 0, "cpu=1 mem=1Gi", "node-a")]);
    let mut driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    driver.keys(":group dev<ret>").unwrap();
    shows(&driver, "› group dev");
    shows(&driver, "web-2");
    shows(&driver, "tenant-b binds");
    driver.keys(":user dev<ret>").unwrap();
    shows(&driver, "› user dev");
    shows(&driver, "no limit is reached");
    shows(&driver, "no applications wait");
}

#[test]
fn names_are_completed_and_unknown_ones_refused() {
    let mut driver = after(":user su<tab><ret>", 80, 24);
    shows(&driver, "user sue");
    driver.keys(":user nobody-of-this-name<ret>").unwrap();
    shows(&driver, "no user nobody-of-this-name with an active application");
    driver.keys(":groups<ret>").unwrap();
    shows(&driver, "6 users and groups");
}

#[test]
fn a_user_without_applications_is_shown_as_removed() {
    let (mut driver, scene) = console(120, 40);
    driver.keys(":user joe<ret>").unwrap();
    shows(&driver, "legacy");
    let mut cluster = fixture::tenants();
    cluster.generation += 1;
    cluster.app_generation += 1;
    cluster.apps.retain(|app| app.who.user != "joe");
    scene.show(cluster.build());
    driver.advance(Duration::from_secs(1));
    shows(&driver, "joe has no active applications");
    driver.keys("<esc>").unwrap();
    assert!(driver.find_row(" joe ").is_none(), "{}", driver.screen_text());
}

#[test]
fn usage_is_followed_while_its_page_is_open() {
    let (mut driver, scene) = console(120, 40);
    driver.keys(":user bob<ret>").unwrap();
    assert!(level(&driver, "tenant-a").contains("1.5/   6 "));
    let mut cluster = fixture::tenants();
    cluster.generation += 1;
    cluster.app("more", "root.tenants.tenant-a.etl", "bob", 1, &[("x", 0, "cpu=4500m mem=1Gi", "node-a")]);
    scene.show(cluster.build());
    driver.advance(Duration::from_millis(20));
    assert!(level(&driver, "tenant-a").contains("6/   6!"), "{}", driver.screen_text());
    shows(&driver, "tenant-a binds");
}

#[test]
fn other_resources_of_a_limit_have_its_location() {
    let mut cluster = fixture::tenants();
    let web = QueuePath::new("root.tenants.tenant-b.web");
    let app = cluster.apps.iter_mut().find(|app| app.queue == web).unwrap();
    app.allocated.add_assign(&resource("gpu=2"));
    let mut driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    driver.keys(":group dev<ret>").unwrap();
    shows(&driver, "gpu 2/2!, line 44 of the");
}
