use std::sync::Arc;
use std::time::Duration;

use ::console::state::effect::Effect;
use ::console::state::page::Page;
use ::console::{Driver, Options};
use model::{Priority, QueuePath};
use source::SourcePlace;

use super::fixture::{self, Builder, Scene};
use super::{after, console};
use crate::common::{shows, shows_not};

/// The line under the cursor.
pub fn selected(driver: &Driver) -> String {
    let lines = driver.lines();
    let bars: Vec<&String> = lines.iter().filter(|line| line.starts_with('▌')).collect();
    assert_eq!(bars.len(), 1, "one cursor in\n{}", lines.join("\n"));
    bars[0].trim_start_matches('▌').split_whitespace().find(|word| !["▾", "▸"].contains(word)).unwrap().to_owned()
}

#[test]
fn keys_lead_to_rows() {
    for (keys, row) in [
        ("", "root"),
        ("jd", "system"),
        ("jjj", "low"),
        ("kkk", "root"),
        ("G", "kim"),
        ("Gg", "root"),
        ("<end><home><down>", "system"),
        ("<pgdn>", "kim"),
        ("G<left>", "users"),
        ("G<left><left><left>", "root"),
        ("jjjj<right>", "legacy"),
        ("/web<ret>", "web"),
        ("/web<ret><esc>", "web"),
        ("jj/kim<esc>", "high"),
        ("jj/kim<ret><esc>", "kim"),
        ("G-", "users"),
        ("G-+", "kim"),
        (":queues etl<ret>", "etl"),
        (":queue root.users.kim<ret>", "kim"),
    ] {
        assert_eq!(selected(&after(keys, 80, 24)), row, "{keys}");
    }
}

#[test]
fn folds_and_unfolds() {
    let mut driver = after("jjjj<space>", 80, 24);
    shows(&driver, "▸ tenants");
    shows_not(&driver, "tenant-a");
    driver.keys("<space>").unwrap();
    shows(&driver, "▾ tenants");
    shows(&driver, "tenant-a");
    driver.keys("-").unwrap();
    assert_eq!(driver.state().pages.len(), 1);
    shows_not(&driver, "tenant-a");
    driver.keys("+").unwrap();
    shows(&driver, "tenant-a");
}

#[test]
fn an_unavailable_key_shows_the_reason() {
    let mut driver = after("jj<space>", 80, 24);
    shows(&driver, "this queue has no children");
    driver.keys("/web<ret>-").unwrap();
    shows(&driver, "a filter unfolds all matches");
    driver.keys(":partition x<ret>").unwrap();
    shows(&driver, "there is only one partition");
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "this queue has no children");
}

#[test]
fn filters_while_typing() {
    let mut driver = after("/le", 80, 24);
    shows(&driver, "1 of 13");
    shows(&driver, "legacy");
    shows_not(&driver, "tenant-a");
    driver.keys("<bs><bs>!tenant<ret>").unwrap();
    shows_not(&driver, "legacy");
    shows(&driver, "users");
    driver.keys("/<C-u>=tenant-b<ret>").unwrap();
    shows(&driver, "tenant-b");
    shows_not(&driver, "web");
    driver.keys("/<C-u>nothing-like-it").unwrap();
    shows(&driver, "the filter nothing-like-it hides 13 of 13 queues");
    driver.keys("<esc>").unwrap();
    shows(&driver, "web");
    driver.keys("/<up>").unwrap();
    shows(&driver, "/=tenant-b");
}

#[test]
fn sorts_siblings_and_shows_the_direction() {
    let mut driver = after(":sort cpu<ret>", 80, 24);
    shows(&driver, "sort cpu ▼");
    let order = |driver: &Driver| -> Vec<String> {
        let names = ["system", "tenants", "users"];
        let row = |name: &str| driver.find_row(&format!("▾ {name}")).unwrap().0;
        let mut rows = names.map(|name| (row(name), name.to_owned()));
        rows.sort();
        rows.map(|(_, name)| name).to_vec()
    };
    assert_eq!(order(&driver), ["tenants", "system", "users"]);
    driver.keys("r").unwrap();
    shows(&driver, "sort cpu ▲");
    assert_eq!(order(&driver), ["users", "system", "tenants"]);
    driver.keys("gs").unwrap();
    shows(&driver, "sort mem ▼");
    driver.keys(":sort colour<ret>").unwrap();
    shows(&driver, "no column colour here");
}

/// A changed cluster, as the engine would publish it.
pub fn changed(change: impl FnOnce(&mut Builder)) -> view::View {
    let mut cluster = fixture::tenants();
    cluster.generation += 1;
    change(&mut cluster);
    cluster.build()
}

#[test]
fn the_cursor_stays_on_its_queue() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":queues etl<ret>").unwrap();
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.queue("root.aaa", |_| {}).queue("root.system.extra", |_| {});
    }));
    driver.refresh();
    shows(&driver, "aaa");
    assert_eq!(selected(&driver), "etl");
    driver.keys("ssr").unwrap();
    assert_eq!(selected(&driver), "etl");
    driver.keys("/web").unwrap();
    assert_eq!(selected(&driver), "web");
    driver.keys("<esc>").unwrap();
    assert_eq!(selected(&driver), "etl");
}

#[test]
fn the_cursor_stays_at_its_height_when_its_queue_is_removed() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":queues tenant-b.web<ret>").unwrap();
    assert_eq!(selected(&driver), "web");
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.app_generation += 1;
        cluster.apps.retain(|app| !app.queue.as_str().ends_with("web"));
        cluster.queues.remove(&QueuePath::new("root.tenants.tenant-b.web"));
    }));
    driver.refresh();
    assert_eq!(selected(&driver), "users");
}

#[test]
fn opens_one_allocation_and_returns() {
    let mut driver = after(":queues etl<ret><ret>", 120, 40);
    shows(&driver, "Queues › root.tenants.tenant-a.etl");
    assert_eq!(selected(&driver), "etl-1");
    driver.keys("<ret>j<ret>").unwrap();
    shows(&driver, "› node-a");
    driver.keys("j").unwrap();
    driver.keys("<ret>").unwrap();
    assert_eq!(selected(&driver), "k1-2");
    driver.keys("<esc><esc>").unwrap();
    assert_eq!(selected(&driver), "k1-2");
    driver.keys("<esc><esc><esc><esc><esc><esc>").unwrap();
    assert_eq!(selected(&driver), "etl");
    assert!(!driver.quits());
}

#[test]
fn shows_why_a_request_is_pending() {
    for (app, why) in [
        ("etl-1", "sue has cpu 6 of 6, mem 12Gi of 12Gi in tenant-a"),
        ("etl-1", "not evaluated yet: other requests are first"),
        ("adhoc-7", "above the maximum"),
        ("sys-1", "no node has 30 cpu (the largest node has "),
        ("sys-1", "node node-a is reserved"),
        ("web-2", "group dev runs 1 of 1 application in tenant-b"),
    ] {
        shows(&after(&format!(":app {app}<ret>"), 120, 40), why);
    }
}

#[test]
fn details_name_the_limit_with_its_place() {
    let mut driver = after(":app etl-1<ret>G<up>", 140, 40);
    shows(&driver, "user limit: sue has");
    shows(&driver, "root.tenants.tenant-a, line 31");
    shows(&driver, "user sue has cpu 6 of 6 !, mem 12Gi of 12Gi !");
    driver.keys(":app web-2<ret>i").unwrap();
    shows(&driver, "held back");
    shows(&driver, "root.tenants.tenant-b, line 44");
    driver.keys(":queues tenant-a<ret>i").unwrap();
    shows(&driver, "sue, bob: cpu 6, mem 12Gi (tenant-a, line 31");
    shows(&driver, "sue has cpu 6 of 6 !");
    shows(&driver, "bob has cpu 1.5 of 6, mem 3Gi of 12Gi");
}

#[test]
fn an_application_waits_for_its_queue_to_run_fewer() {
    let mut cluster = fixture::tenants();
    let app = cluster.apps.iter_mut().find(|app| app.id.as_str() == "web-2").unwrap();
    (app.blocked_by_limits, app.blocked_by_queue) = (false, true);
    let mut driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    shows(driver.keys(":app web-2<ret>").unwrap(), "root.tenants.tenant-b.web runs 1 of 1 application");
}

#[test]
fn a_reserved_node_shows_the_request() {
    let mut driver = after(":app sys-1<ret>j", 120, 40);
    shows(&driver, "reserved");
    driver.keys("<ret>").unwrap();
    shows(&driver, "reserved for sys-1/s2");
    driver.keys("3").unwrap();
    assert!(driver.find_row("node-a").unwrap().1.contains("● reserved"), "{}", driver.screen_text());
    shows_not(driver.resize(44, 12).keys("<ret><esc>:node node-b<ret>").unwrap(), "reserved for");
    shows(driver.keys(":node node-a<ret>").unwrap(), "reserved for sys-1/s2");
}

#[test]
fn shows_what_is_at_its_limit() {
    let mut cluster = fixture::tenants();
    cluster.app("more", "root.tenants.tenant-a.adhoc", "bob", 1, &[("x", 0, "cpu=500m mem=1Gi", "node-a")]);
    let driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    let (_, line) = driver.find_row("adhoc").unwrap();
    assert!(line.contains("adhoc gpu!") && line.contains("2!") && line.contains("4Gi!"), "{line}");
    let (_, line) = driver.find_row("web").unwrap();
    assert!(line.contains("1/1!") && !line.contains("gpu"), "{line}");
}

#[test]
fn ended_applications_are_shown_when_asked_for() {
    let mut driver = after("2", 80, 24);
    shows_not(&driver, "lost-1");
    driver.keys("e").unwrap();
    shows(&driver, "lost-1");
    driver.keys(":app lost-1<ret>").unwrap();
    shows(&driver, "no placement rule took it");
}

#[test]
fn pages_are_found_as_they_were_left() {
    let mut driver = after(&format!("2jj<tab>j{}", "<tab>".repeat(11)), 80, 24);
    assert_eq!(selected(&driver), "sys-1");
    driver.keys("3").unwrap();
    assert_eq!(selected(&driver), "node-b");
    driver.keys("1").unwrap();
    assert!(matches!(driver.state().page(), Page::Queues(_)));
}

#[test]
fn the_command_line_completes_and_remembers() {
    let mut driver = after(":the", 80, 24);
    shows(&driver, "theme THEME");
    driver.keys("<tab>m").unwrap();
    shows(&driver, ":theme mono");
    driver.keys("<ret>:<up>").unwrap();
    shows(&driver, ":theme mono");
    driver.keys("<esc>:nonsense<ret>").unwrap();
    shows(&driver, "no command nonsense");
    driver.keys(":no<down><down><ret>").unwrap();
    shows(&driver, "Nodes");
    driver.keys(":app<down><ret>").unwrap();
    driver.keys("etl-1<ret>").unwrap();
    shows(&driver, "k1-7");
    driver.keys(":ended<ret>").unwrap();
    shows(&driver, "only in a list of applications");
    driver.keys(":queues now<ret>").unwrap();
    shows(&driver, "no queue now");
}

#[test]
fn a_command_line_can_contain_a_filter() {
    let driver = after(":apps /web<ret>", 80, 24);
    shows(&driver, "2 of 8 applications");
    let driver = after(":apps root.tenants /old<ret>", 80, 24);
    shows(&driver, "root.tenants");
    shows(&driver, "1 of 5 applications");
}

#[test]
fn help_is_filtered_scrolled_and_closed() {
    for search in ["/", "?"] {
        let mut driver = after("?", 80, 24);
        shows(&driver, "Open the selected row");
        driver.keys("G").unwrap();
        shows_not(&driver, "Open the selected row");
        driver.keys(&format!("{search}freeze<ret>")).unwrap();
        shows(&driver, "Freeze or unfreeze the screen; the scheduler keeps");
        shows_not(&driver, "Fold all queues");
        driver.keys("<esc>g").unwrap();
        shows(&driver, "Fold all queues");
    }
}

#[test]
fn a_frozen_screen_waits_and_catches_up() {
    let (mut driver, scene) = console(80, 24);
    driver.keys("p").unwrap();
    shows(&driver, "FROZEN 0s");
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.queue("root.new", |_| {});
    }));
    driver.advance(Duration::from_secs(5));
    shows_not(&driver, " new ");
    shows(&driver, "FROZEN 5s");
    driver.keys("p").unwrap();
    shows(&driver, " new ");
    shows_not(&driver, "FROZEN");
}

#[test]
fn changed_rows_are_marked_for_a_second() {
    let (mut driver, scene) = console(80, 24);
    let raise = |cluster: &mut Builder| {
        let app = cluster.apps.iter_mut().find(|app| app.id.as_str() == "adhoc-7").unwrap();
        app.priority = Priority(3);
    };
    scene.show(changed(raise));
    driver.advance(Duration::from_millis(100));
    let (_, line) = driver.find_row("adhoc").unwrap();
    assert!(line.ends_with('*'), "{line}");
    assert!(!driver.find_row("legacy").unwrap().1.ends_with('*'));
    assert!(driver.next_wake().is_some());
    driver.advance(Duration::from_secs(2));
    assert!(!driver.find_row("adhoc").unwrap().1.ends_with('*'));
    driver.keys(":marks<ret>").unwrap();
    scene.show(fixture::tenants().tick().tick().build());
    driver.advance(Duration::from_millis(100));
    assert!(!driver.find_row("adhoc").unwrap().1.ends_with('*'));
}

#[test]
fn the_first_note_fades_or_is_closed() {
    let scene = || Scene::with(fixture::tenants().build(), SourcePlace::Embedded, vec!["nothing is kept".to_owned()]);
    let mut driver = Driver::new(scene(), Options::default(), 80, 24);
    shows(&driver, "nothing is kept");
    driver.keys("<esc>").unwrap();
    shows_not(&driver, "nothing is kept");
    let mut driver = Driver::new(scene(), Options::default(), 80, 24);
    driver.advance(Duration::from_secs(12));
    shows_not(&driver, "nothing is kept");
}

fn redraws(driver: &mut Driver) -> bool {
    driver.take_effects().iter().any(|effect| matches!(effect, Effect::Redraw))
}

#[test]
fn no_timer_runs_if_nothing_depends_on_time() {
    let driver = Driver::new(Scene::new(fixture::bare().build()), Options::default(), 80, 24);
    assert_eq!(driver.next_wake(), None);
    let (mut driver, scene) = console(80, 24);
    assert_eq!(driver.next_wake(), Some(Duration::from_secs(1)));
    driver.take_effects();
    driver.refresh();
    assert!(!redraws(&mut driver), "nothing changed");
    scene.pass(Duration::from_secs(1));
    driver.refresh();
    assert!(redraws(&mut driver), "the draining queue is older");
    shows(&driver, "◐ 43s");
}

#[test]
fn an_operation_in_progress_is_checked_four_times_a_second() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":sort priority<ret>").unwrap();
    let first = |driver: &Driver| driver.lines()[6].split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(first(&driver), "system");
    scene.show(changed(|cluster| cluster.queue("root.tenants", |row| row.priority.offset = 5000).tree_generation += 0));
    driver.advance(Duration::from_millis(100));
    assert_eq!(first(&driver), "system");
    driver.advance(Duration::from_millis(150));
    assert_eq!(first(&driver), "tenants");
}

#[test]
fn another_partition_has_its_own_queues() {
    let mut view = fixture::tenants().build();
    let mut other = fixture::bare().build().partitions.remove(0);
    other.name = Arc::from("gpu");
    view.partitions.push(other);
    let mut driver = Driver::new(Scene::new(view), Options::default(), 80, 24);
    shows_not(&driver, "dev ");
    driver.keys(":partition gpu<ret>").unwrap();
    shows(&driver, " dev ");
    shows_not(&driver, "tenants");
    driver.keys(":partition none<ret>").unwrap();
    shows(&driver, "available: default, gpu");
}
