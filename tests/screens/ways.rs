use std::time::Duration;

use ::console::Driver;
use ::console::input::terminal_events::Mouse;
use ::console::state::page::Page;
use ratatui::layout::Position;

use super::keys::selected;
use super::space::on_demo;
use super::{after, console};
use crate::common::{shows, shows_not};

const PAGES: [(&str, &str); 12] = [
    ("1", "1Queue"),
    ("2", "2Apps"),
    ("3", "3Nodes"),
    ("4", "4Users"),
    ("5", "5Place"),
    ("6", "6Cfg"),
    ("7", "7Evts"),
    ("8", "8Hist"),
    ("9", "9Check"),
    ("0", "0Drain"),
    ("L", "LAudit"),
    ("H", "HRevs"),
];

fn look(driver: &Driver, text: &str) -> ratatui::style::Style {
    let (y, line) = driver.find_row(text).unwrap_or_else(|| panic!("no {text} in\n{}", driver.screen_text()));
    let x = line.split(text).next().unwrap().chars().count();
    driver.buffer()[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())].style()
}

#[test]
fn every_page_has_the_strip_and_shows_which_it_is() {
    for (keys, here) in PAGES {
        let driver = after(keys, 80, 24);
        for (_, name) in PAGES {
            shows(&driver, name);
        }
        let own = look(&driver, here);
        for (_, other) in PAGES.iter().filter(|(_, other)| *other != here) {
            assert_ne!(look(&driver, other), own, "{other} looks as {here}, where one is");
        }
    }
    shows(&after("", 200, 60), "1 Queues  2 Applications  3 Nodes  4 Users  5 Placement  6 Configuration");
    shows_not(&after("", 80, 12), "2Apps");
}

#[test]
fn what_was_opened_from_the_queues_belongs_to_them() {
    let own = look(&after("", 80, 24), "1Queue");
    for keys in ["<ret>", "i", ":app etl-1<ret>"] {
        assert_eq!(look(&after(keys, 80, 24), "1Queue"), own, "{keys}");
    }
}

#[test]
fn a_click_on_the_strip_opens_its_page() {
    let (mut driver, _) = console(80, 24);
    let (y, line) = driver.find_row("3Nodes").unwrap();
    let x = line.find("3Nodes").unwrap();
    driver.mouse(Mouse::Click(Position::new(u16::try_from(x + 2).unwrap(), u16::try_from(y).unwrap())));
    assert!(matches!(driver.state().page(), Page::Nodes(_)), "{}", driver.screen_text());
}

#[test]
fn the_hints_for_the_next_page_the_command_line_the_way_out_and_the_help_stay() {
    for (keys, _) in PAGES {
        for width in [60, 80, 120] {
            let driver = after(keys, width, 24);
            let hints = driver.lines().pop().unwrap();
            for hint in ["tab page", ": command", "? help", if keys == "1" { "q quit" } else { "q back" }] {
                assert!(hints.contains(hint), "no {hint:?} on {keys} at {width}: {hints}");
            }
        }
    }
    let (mut driver, _) = on_demo(80, 24, 20);
    driver.keys("jj").unwrap();
    let queues = driver.lines().pop().unwrap();
    assert!(queues.contains("c change"), "{queues}");
}

#[test]
fn forms_show_only_keys_that_they_have() {
    for keys in ["5", "5e", "jjcm"] {
        let driver = after(keys, 120, 40);
        let hints = driver.lines().pop().unwrap();
        for key in ["/ ", "s sort", "i details"] {
            assert!(!hints.contains(key), "{key:?} on {keys}: {hints}");
        }
        // A name can be accepted only if it is shown after the cursor.
        assert!(!hints.contains("take") || keys == "5e", "{keys}: {hints}");
    }
}

#[test]
fn jumps_lead_back_through_every_place_and_forward_again() {
    let (mut driver, _) = console(120, 40);
    driver.keys("2jj").unwrap();
    let app = selected(&driver);
    driver.keys("<ret>3j4").unwrap();
    shows(&driver, "Users & groups");
    driver.keys("<C-o>").unwrap();
    assert!(matches!(driver.state().page(), Page::Nodes(_)));
    assert_eq!(selected(&driver), "node-b", "the cursor stands where it was");
    driver.keys("<C-o>").unwrap();
    assert!(matches!(driver.state().page(), Page::App(_)));
    driver.keys("<C-o>").unwrap();
    assert_eq!(selected(&driver), app);
    driver.keys("<C-i><C-i><C-i>").unwrap();
    shows(&driver, "Users & groups");
    driver.keys("<C-i>").unwrap();
    shows(&driver, "no later location");
    driver.keys("<A-left>").unwrap();
    assert!(matches!(driver.state().page(), Page::Nodes(_)));
}

#[test]
fn a_jump_preserves_the_input_on_the_pages_that_it_leaves() {
    let (mut driver, _) = on_demo(120, 40, 20);
    driver.keys("6e").unwrap().keys("# mine").unwrap().keys("<esc>2<C-o>").unwrap();
    assert!(matches!(driver.state().page(), Page::Config(_)));
    shows(&driver, "# mine");
    driver.keys("<C-i>").unwrap();
    assert!(matches!(driver.state().page(), Page::Apps(_)));
}

#[test]
fn a_search_finds_queues_applications_nodes_and_users() {
    for (typed, found, page) in [
        ("//adhoc<ret>", "root.tenants.tenant-a.adhoc", "queues"),
        ("//etl-1<ret>", "etl-1", "app"),
        ("//node-b<ret>", "node-b", "node"),
        ("//user sue<ret>", "user sue", "account"),
        (":find group dev<ret>", "group dev", "account"),
    ] {
        let driver = after(typed, 120, 40);
        assert_eq!(driver.state().page().name(), page, "{typed}\n{}", driver.screen_text());
        shows(&driver, found);
    }
    let mut driver = after("//tenant", 120, 40);
    shows(&driver, "root.tenants.tenant-a");
    driver.keys("<esc>//nowhere at all<ret>").unwrap();
    shows(&driver, "nowhere at all not found");
}

#[test]
fn a_slash_in_an_open_filter_is_a_slash() {
    let driver = after("2/a/", 80, 24);
    assert_eq!(driver.state().page().list().unwrap().filter(), "a/");
}

#[test]
fn the_screen_refreshes_at_the_interval_in_the_settings() {
    let (mut driver, source) = on_demo(80, 24, 20);
    driver.keys(":refresh 5s<ret>").unwrap();
    let at = |driver: &Driver| driver.state().cluster.view.at;
    let before = at(&driver);
    source.advance(Duration::from_secs(1));
    driver.advance(Duration::from_secs(1));
    source.advance(Duration::from_secs(1));
    driver.advance(Duration::from_secs(1));
    assert_eq!(at(&driver), before, "not yet");
    driver.advance(Duration::from_secs(4));
    assert!(at(&driver) > before, "now");
    driver.keys(":refresh soon<ret>").unwrap();
    shows(&driver, "is not an interval");
    driver.keys(":refresh 0<ret>").unwrap();
    let before = at(&driver);
    source.advance(Duration::from_secs(1));
    driver.advance(Duration::from_millis(300));
    assert!(at(&driver) > before, "at once");
}

#[test]
fn important_events_are_highlighted_and_the_others_are_optional() {
    let (mut driver, _) = on_demo(120, 40, 160);
    driver.keys("7").unwrap();
    shows(&driver, "routine hidden");
    shows(&driver, "configuration loaded");
    shows_not(&driver, "+ allocation");
    let (y, line) = driver.find_row("! preempted").unwrap();
    let x = line.split("preempted").next().unwrap().chars().count();
    let buffer = driver.buffer();
    let style = |x: usize, y: usize| buffer[(u16::try_from(x).unwrap(), u16::try_from(y).unwrap())].style();
    let preempted = style(x, y);
    assert_ne!(preempted.fg, style(20, y).fg, "what is grave stands out");
    driver.keys("m").unwrap();
    shows(&driver, "allocation");
    driver.keys("mj").unwrap().keys("/preempted<ret>gt").unwrap();
    shows(&driver, "only remove preempted");
    driver.keys("<esc>ta").unwrap();
    shows(&driver, "only application");
    driver.keys(":events all<ret>").unwrap();
    shows_not(&driver, "routine hidden");
    driver.keys(":events important<ret>").unwrap();
    shows(&driver, "routine hidden");
}

#[test]
fn the_past_has_the_events_that_mattered_then() {
    let (mut driver, source) = on_demo(120, 40, 60);
    driver.keys("7").unwrap();
    // 15 minutes later, the last 20,000 events do not reach back that far.
    for _ in 0..15 {
        source.advance(Duration::from_secs(60));
        driver.advance(Duration::from_secs(60));
        driver.settle();
    }
    let first = driver.state().cluster.events.records.front().unwrap().0;
    assert!(first > 0, "the ring has turned");
    driver.keys("G").unwrap();
    shows(&driver, "node added");
    driver.keys(":back 14m<ret>7").unwrap();
    driver.settle();
    shows(&driver, "configuration loaded");
    let until = driver.state().cluster.until().unwrap();
    let events = &driver.state().cluster.events;
    assert!(events.iter().any(|(number, record)| number < first && record.at <= until));
}
