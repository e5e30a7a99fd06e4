use std::sync::Arc;
use std::time::Duration;

use ::console::{Driver, Options};
use model::Time;
use view::{Notice, NoticeWeight};

use super::fixture::{self, Scene};
use super::space::on_demo;
use super::{after, console};
use crate::common::{shows, shows_not};

fn reported(keys: &str, width: u16, height: u16, times: u64) -> Driver {
    let scene = Scene::new(fixture::tenants().build());
    let mut driver = Driver::new(Arc::clone(&scene) as _, Options::default(), width, height);
    driver.keys(keys).unwrap();
    let text = (1..12).map(|line| format!("queues.yaml:{line}:1: error[CFG-021]: fault {line}\n")).collect::<String>();
    let title = "queues.yaml was rejected, the configuration is unchanged";
    for number in 1..=times {
        let mut view = fixture::tenants().build();
        view.generation += number;
        let weight = NoticeWeight::Error;
        let notice = Notice { number, at: Time(0), weight, title: title.to_owned(), text: text.clone() };
        view.notices.push_back(Arc::new(notice));
        scene.show(view);
        driver.advance(Duration::from_millis(100));
    }
    driver
}

#[test]
fn a_notice_has_one_line_and_covers_nothing() {
    for (keys, width, height) in
        [("", 80, 24), ("", 120, 40), ("2", 80, 24), ("6", 120, 40), ("", 40, 12), ("", 200, 60)]
    {
        let before = after(keys, width, height).lines();
        let driver = reported(keys, width, height, 1);
        let lines = driver.lines();
        let (first, _) = driver.find_row("queues.yaml was").unwrap();
        let above = first;
        let taken = lines.len() - 1 - above;
        assert!(taken == 1, "{taken} lines at {width}x{height}:\n{}", driver.screen_text());
        assert_eq!(lines[..6.min(above)], before[..6.min(above)], "{keys} {width}x{height}");
        shows(&driver, ":messages");
    }
}

#[test]
fn a_notice_calls_files_by_their_names_alone() {
    let scene = Scene::new(fixture::tenants().build());
    let mut driver = Driver::new(Arc::clone(&scene) as _, Options::default(), 80, 24);
    let dir = "/a/folder/with/a/long/name/that/would/take/all/the/room/there/is";
    let mut view = fixture::tenants().build();
    view.generation += 1;
    let title = format!("{dir}/queues.yaml was rejected, the configuration is unchanged");
    let text = format!("{dir}/queues.yaml:9:4: error[CFG-030]: no such value");
    view.notices.push_back(Arc::new(Notice { number: 1, at: Time(0), weight: NoticeWeight::Error, title, text }));
    scene.show(view);
    driver.advance(Duration::from_millis(100));
    shows(&driver, "✗ queues.yaml was rejected, the configuration is unchanged");
    shows(&driver, "more: :messages");
    driver.keys("<esc>:messages<ret>").unwrap();
    shows(&driver, "/a/folder/with");
    shows(&driver, "error[CFG-030]: no such value");
}

#[test]
fn a_notice_never_covers_the_selected_row() {
    let driver = reported("G", 80, 24, 1);
    let bars = driver.lines().iter().filter(|line| line.starts_with('▌')).count();
    assert_eq!(bars, 1, "the cursor is on the screen:\n{}", driver.screen_text());
}

#[test]
fn a_repeated_notice_is_counted_and_stored_once() {
    let mut driver = reported("", 120, 40, 3);
    shows(&driver, "is unchanged (3 times)");
    driver.keys("<esc>:messages<ret>").unwrap();
    let rejections = driver.lines().iter().filter(|line| line.contains("was rejected")).count();
    assert_eq!(rejections, 1, "{}", driver.screen_text());
    shows(&driver, "fault 11");
}

#[test]
fn a_wide_screen_shows_the_contents_of_the_selected_object() {
    let (mut driver, _) = on_demo(200, 60, 60);
    shows(&driver, "applications, ");
    driver.keys("3").unwrap();
    shows(&driver, "allocations, ");
    assert!(!driver.screen_text().contains('…'), "a name is cut:\n{}", driver.screen_text());
    driver.keys("4").unwrap();
    shows(&driver, "applications, ");
    driver.keys("2").unwrap();
    shows(&driver, "requests, ");
    let lines = driver.lines();
    let more = lines.iter().position(|line| line.contains("and ") && line.contains(" more"));
    assert!(more.is_none_or(|at| at >= lines.len() - 8), "room is left below:\n{}", driver.screen_text());
}

#[test]
fn the_map_names_its_nodes_and_shows_the_selected_one() {
    let (mut driver, _) = on_demo(120, 40, 60);
    driver.keys("3mj").unwrap();
    let lines = driver.lines();
    let named = lines.iter().filter(|line| line.matches("std-0").count() > 1).count();
    assert!(named > 0, "names in the map:\n{}", driver.screen_text());
    shows(&driver, " of 64");
    shows(&driver, "allocations");
}

#[test]
fn the_history_is_as_wide_as_the_screen_and_has_no_stripes() {
    let (mut driver, _) = on_demo(120, 40, 400);
    driver.keys("8").unwrap();
    let lines = driver.lines();
    let at = lines.iter().position(|line| line.contains("peak") && line.contains(" 0 ")).unwrap();
    let plot: Vec<char> = lines[at].chars().skip(27).collect();
    let last = plot.iter().rposition(|c| *c != ' ').unwrap();
    assert!(last >= 60, "it fills the screen:\n{}", driver.screen_text());
    let gaps = plot[..last].iter().skip_while(|c| **c == ' ').filter(|c| **c == ' ').count();
    assert_eq!(gaps, 0, "no column is empty:\n{}", driver.screen_text());
    driver.resize(80, 24);
    shows(&driver, " more");
}

#[test]
fn one_reason_is_shown_once_for_all_requests_that_have_it() {
    let (mut driver, _) = on_demo(120, 40, 120);
    let waits = driver.state().cluster.part().unwrap().apps.iter().flatten().find(|app| app.pending_asks > 6).unwrap();
    let id = waits.id.to_string();
    driver.keys(&format!(":app {id}<ret>:sort state<ret>r")).unwrap();
    let lines = driver.lines();
    let same = lines.iter().filter(|line| line.contains("as above")).count();
    assert!(same >= 3, "{}", driver.screen_text());
    let (file, path) = ("asks.txt", std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("asks.txt"));
    let _ = std::fs::remove_file(&path);
    driver.keys(&format!(":export {}<ret>", path.display())).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(!written.contains("as above"), "{file} has every reason");
}

#[test]
fn a_confirmation_for_many_names_as_many_as_fit() {
    let (mut driver, _) = on_demo(120, 40, 60);
    driver.keys("2").unwrap().keys(&" j".repeat(12)).unwrap().keys("K").unwrap();
    shows(&driver, "Kill 12 applications?");
    let named = driver.lines().iter().filter(|line| line.contains("│ ") && line.contains(" (root.")).count();
    assert_eq!(named, 12, "{}", driver.screen_text());
}

#[test]
fn a_group_that_counts_a_user_is_shown_for_the_user() {
    let (mut driver, source) = on_demo(120, 40, 180);
    let gia = |source: &source::Stepped| {
        let view = source::Source::view(source);
        view.partitions[0].apps.iter().flatten().any(|app| app.who.user == "gia" && app.pending_asks > 0)
    };
    assert!(gia(&source), "gia waits");
    driver.keys(":user gia<ret>").unwrap();
    shows_not(&driver, "no applications wait");
    shows_not(&driver, "no limit");
    shows(&driver, "group guests");
    shows(&driver, "guests in tenant-a binds");
    driver.keys("4/=gia<ret>").unwrap();
    shows(&driver, "of group guests");
}

#[test]
fn a_place_counts_as_the_configuration_page_does() {
    let (mut driver, _) = console(120, 40);
    driver.keys("jj").unwrap();
    let (mut demo, _) = on_demo(120, 40, 160);
    demo.keys("/adhoc<ret>O").unwrap();
    let line = demo.lines().into_iter().find(|line| line.contains("name: adhoc"));
    assert!(line.is_some(), "the text of the queue:\n{}", demo.screen_text());
}
