//! Notices of the engine: shown once, by weight, and retained.

use std::sync::Arc;
use std::time::Duration;

use console::theme::ThemeName;
use console::{Driver, Options};
use model::Time;
use ratatui::style::Color;
use view::{Notice, NoticeWeight, View};

use super::fixture::{self, Scene};
use super::screens::SIZES;

const FAULTS: &str = "\
queues.yaml:9:41: error[CFG-021]: `max`: vcore \"6x\" has an unknown suffix
  9 |               max: {memory: 16Gi, vcore: 6x}
    |                                         ^
    = suffixes: k M G T P E (powers of 1000), Ki Mi Gi Ti Pi Ei (powers of 1024), and m for vcore only
queues.yaml:14:9: error[CFG-002]: `usres` is no field of a limit
  14 |         usres: [sue]
     |         ^
     = did you mean `users`?
queues.yaml: 2 errors";

fn message(notices: &[(NoticeWeight, &str, &str)]) -> View {
    let mut view = fixture::tenants().build();
    view.generation += notices.len() as u64;
    for (number, (weight, title, text)) in (1..).zip(notices) {
        let (title, text) = ((*title).to_owned(), (*text).to_owned());
        view.notices.push_back(Arc::new(Notice { number, at: Time(0), weight: *weight, title, text }));
    }
    view
}

const OLD: (NoticeWeight, &str, &str) = (NoticeWeight::Info, "queues.yaml is active", "");
const REFUSED: (NoticeWeight, &str, &str) =
    (NoticeWeight::Error, "queues.yaml was rejected, the configuration is unchanged", FAULTS);
const WARNED: (NoticeWeight, &str, &str) = (NoticeWeight::Warning, "queues.yaml cannot be read: it is gone", "");

fn announced(first: &[(NoticeWeight, &str, &str)], then: &[(NoticeWeight, &str, &str)], options: Options) -> Driver {
    let scene = Scene::new(message(first));
    let mut driver = Driver::new(Arc::clone(&scene) as _, options, 80, 24);
    let all: Vec<_> = first.iter().chain(then).copied().collect();
    scene.show(message(&all));
    driver.advance(Duration::from_millis(100));
    driver
}

fn shows(driver: &Driver, text: &str) -> bool {
    driver.find_row(text).is_some()
}

#[test]
fn a_notice_and_the_messages_at_every_size() {
    for (width, height) in SIZES {
        let mut driver = announced(&[OLD], &[REFUSED], Options::default());
        driver.resize(width, height);
        insta::assert_snapshot!(format!("notice-{width}x{height}"), driver.screen_text());
        driver.keys("<esc>:messages<ret>").unwrap();
        insta::assert_snapshot!(format!("messages-{width}x{height}"), driver.screen_text());
    }
}

#[test]
fn earlier_messages_are_stored_and_not_shown() {
    let mut driver = announced(&[OLD], &[], Options::default());
    assert!(!shows(&driver, "is active"));
    driver.keys(":messages<ret>").unwrap();
    assert!(shows(&driver, "before → queues.yaml is active"), "{}", driver.screen_text());
}

#[test]
fn good_news_fades_and_an_error_stays_until_it_is_closed() {
    let mut driver = announced(&[], &[OLD], Options::default());
    assert!(shows(&driver, "→ queues.yaml is active"));
    driver.keys("j").unwrap();
    assert!(shows(&driver, "is active"), "moving on does not take it away");
    assert!(driver.next_wake().is_some_and(|wake| wake <= Duration::from_millis(6_100)));
    driver.advance(Duration::from_secs(6));
    assert!(!shows(&driver, "is active"));

    let mut driver = announced(&[], &[REFUSED], Options::default());
    driver.advance(Duration::from_secs(3_600)).keys("jj2").unwrap();
    assert!(shows(&driver, "✗ queues.yaml was rejected"));
    assert!(shows(&driver, "more: :messages") && !shows(&driver, "queues.yaml:9:41"), "{}", driver.screen_text());
    driver.keys("<esc>").unwrap();
    assert!(!shows(&driver, "was rejected"));
    assert!(shows(&driver, "Applications"), "escape closed the notice and not the page");
}

#[test]
fn a_notice_uses_one_line_and_the_messages_have_all_of_it() {
    let row = |driver: &Driver, text: &str| driver.find_row(text).map(|(at, _)| at);
    let rows = |driver: &Driver| ["tenant-a", "tenant-b", "was rejected"].map(|text| row(driver, text));
    let mut driver = announced(&[], &[(NoticeWeight::Error, REFUSED.1, "")], Options::default());
    let alone = rows(&driver);
    driver = announced(&[], &[REFUSED], Options::default());
    assert_eq!(rows(&driver), alone, "more lines of a notice cover no row\n{}", driver.screen_text());
    driver.keys("<esc>:messages<ret>").unwrap();
    assert!(shows(&driver, "queues.yaml:9:41") && shows(&driver, "did you mean"), "{}", driver.screen_text());
}

#[test]
fn a_graver_notice_is_not_hidden_by_a_lighter_one() {
    let mut driver = announced(&[], &[REFUSED, WARNED, OLD], Options::default());
    assert!(shows(&driver, "was rejected"));
    driver.keys("<esc>").unwrap();
    assert!(!shows(&driver, "is gone"));
    driver.keys(":messages<ret>").unwrap();
    for text in ["is active", "! queues.yaml ", "✗ queues.yaml was rejected"] {
        assert!(shows(&driver, text), "{text} in\n{}", driver.screen_text());
    }
    let driver = announced(&[], &[OLD, WARNED], Options::default());
    assert!(shows(&driver, "is gone") && shows(&driver, "1 more: :messages"), "{}", driver.screen_text());
}

#[test]
fn messages_scroll_to_the_last_line() {
    let mut driver = announced(&[OLD], &[REFUSED, WARNED, REFUSED, WARNED, REFUSED], Options::default());
    driver.keys("<esc>:messages<ret>").unwrap();
    assert!(shows(&driver, "`usres` is no field") && !shows(&driver, "is active"));
    driver.keys("G").unwrap();
    assert!(shows(&driver, "is active"));
    driver.keys("gq").unwrap();
    assert!(shows(&driver, "tenants"));
}

#[test]
fn a_notice_is_reported_while_the_screen_is_frozen() {
    let scene = Scene::new(message(&[]));
    let mut driver = Driver::new(Arc::clone(&scene) as _, Options::default(), 80, 24);
    driver.keys("p").unwrap();
    scene.show(message(&[REFUSED]));
    driver.advance(Duration::from_millis(100));
    assert!(shows(&driver, "was rejected") && shows(&driver, "FROZEN"));
    driver.keys("<esc>p").unwrap();
    driver.advance(Duration::from_millis(100));
    assert!(!shows(&driver, "was rejected"), "it is shown once");
}

#[test]
fn a_notice_shows_its_weight_without_color_and_in_ascii() {
    let mono = announced(&[], &[REFUSED], Options { theme: ThemeName::mono(), ..Options::default() });
    assert!(mono.buffer().content().iter().all(|cell| cell.fg == Color::Reset && cell.bg == Color::Reset));
    assert!(shows(&mono, "✗ queues.yaml was rejected"));
    let mut ascii = announced(&[], &[REFUSED, OLD], Options { ascii: true, ..Options::default() });
    assert!(ascii.screen_text().is_ascii() && shows(&ascii, "X queues.yaml was rejected"));
    ascii.keys("<esc>:messages<ret>").unwrap();
    assert!(ascii.screen_text().is_ascii(), "{}", ascii.screen_text());
}
