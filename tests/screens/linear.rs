//! Linear mode on the cluster of the screens: text of each page, announcements, and no drawing.

use std::sync::Arc;
use std::time::Duration;

use console::linear::{Reader, plain};
use console::state::key::Key;
use console::{Driver, Options};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use source::{Link, SourcePlace};

use super::fixture::{self, Scene};
use super::space::on_demo;
use crate::common::share;

fn options() -> Options {
    Options { linear: true, ..Options::default() }
}

struct Dialog {
    driver: Driver,
    reader: Reader,
    scene: Arc<Scene>,
}

impl Dialog {
    fn new() -> Self {
        Self::on(Scene::new(fixture::tenants().build()))
    }

    fn on(scene: Arc<Scene>) -> Self {
        let driver = Driver::new(Arc::clone(&scene) as _, options(), 120, 40);
        let mut reader = Reader::default();
        reader.start(driver.state());
        Self { driver, reader, scene }
    }

    fn enter(&mut self, line: &str) -> Vec<String> {
        let reported = self.driver.enter(&mut self.reader, line);
        assert_plain(&reported);
        reported
    }

    fn text(&mut self, line: &str) -> String {
        self.enter(line).join("\n")
    }
}

fn assert_plain(lines: &[String]) {
    for line in lines {
        assert!(!line.chars().any(|c| c.is_control() || plain::is_drawn(c)), "{line:?}");
        assert_eq!(line.trim(), line, "blanks at an end");
        assert!(!line.is_empty(), "an empty line says nothing");
    }
}

#[test]
fn every_page_has_a_linear_form() {
    let mut dialog = Dialog::new();
    let mut all = String::new();
    for words in [
        "where",
        "queues",
        "apps",
        "app etl-1",
        "details etl-1",
        "nodes",
        "open 1",
        "users",
        "open 1",
        "fairness",
        "limits",
        "placement",
        "config",
        "events",
        "history",
        "health",
        "draining",
        "audit",
        "revisions",
        "overview",
        "alerts",
        "usage",
        "trends",
        "partitions",
        "explain",
        "help kill",
    ] {
        all += &format!("> {words}\n{}\n\n", dialog.text(words));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_row_is_selected_by_number_by_name_and_step_by_step() {
    let mut dialog = Dialog::new();
    assert!(dialog.text("select 2").starts_with("2. "), "{}", dialog.text("row"));
    assert!(dialog.text("next").starts_with("3. "));
    assert!(dialog.text("previous 2").starts_with("1. "));
    assert!(dialog.text("previous").starts_with("That is the first row."));
    assert!(dialog.text("select root.tenants.tenant-a").contains(". root.tenants.tenant-a,"));
    assert!(dialog.text("select tenant").contains("rows match tenant; select one by its number"));
    assert_eq!(dialog.text("select nobody"), "Rejected: row nobody not found among 13");
    assert!(dialog.text("last").starts_with("13. "));
}

#[test]
fn long_lists_are_read_in_portions() {
    let mut dialog = Dialog::new();
    assert_eq!(dialog.text("portion 4"), "Portion: 4 lines at a time");
    let first = dialog.enter("read");
    assert!(first.last().unwrap().starts_with("Rows 1 to 4 of 13; more reads on."), "{first:?}");
    assert_eq!(dialog.enter("more").len(), 5);
    assert!(dialog.text("").contains("Rows 9 to 12 of 13; more reads on."));
    assert!(dialog.text("").contains("Rows 13 to 13 of 13."));
    assert!(dialog.enter("").is_empty());
    assert_eq!(dialog.text("more"), "No more lines.");
    assert!(dialog.text("portion 0").starts_with("Rejected: "));
}

#[test]
fn a_filter_and_a_sort_order_are_read_with_the_page() {
    let mut dialog = Dialog::new();
    assert!(dialog.text("filter tenant-a").contains("filter tenant-a"));
    assert!(!dialog.text("filter").contains("filter tenant-a"));
    assert!(dialog.text("sort cpu").contains("sort cpu descending"));
    assert!(dialog.text("sort nothing").contains("Rejected: no column nothing here"));
}

#[test]
fn a_question_is_answered_by_a_word() {
    let (mut driver, mut reader) = (on_demo(120, 40, 60).0, Reader::default());
    driver.enter(&mut reader, "apps");
    let asked = driver.enter(&mut reader, "kill").join("\n");
    assert!(asked.contains("Question: Kill ") && asked.contains("Answer yes or no"), "{asked}");
    for no_answer in ["", "y", "apps", "yes please"] {
        let reported = driver.enter(&mut reader, no_answer).join("\n");
        assert!(reported.contains("Question: Kill "), "{no_answer}: {reported}");
    }
    let reported = driver.enter(&mut reader, "reason too large for today").join("\n");
    assert!(reported.contains("Reason: too large for today"), "{reported}");
    assert!(driver.enter(&mut reader, "no").join("\n").contains("Canceled"));
    assert!(driver.enter(&mut reader, "yes").join("\n").contains("no question is open"));
    driver.enter(&mut reader, "kill");
    let done = driver.enter(&mut reader, "yes").join("\n");
    assert!(done.contains("Message: killed "), "{done}");
}

#[test]
fn a_name_that_is_asked_for_is_written_whole() {
    let (mut driver, mut reader) = (on_demo(120, 40, 60).0, Reader::default());
    for line in ["apps", "mark-all", "kill"] {
        driver.enter(&mut reader, line);
    }
    let asked = driver.enter(&mut reader, "read").join("\n");
    let want = asked.split("Write ").nth(1).and_then(|rest| rest.split(" to do it").next()).unwrap().to_owned();
    assert!(driver.enter(&mut reader, "yes").join("\n").contains("does not answer it"));
    let done = driver.enter(&mut reader, &want).join("\n");
    assert!(done.contains("killed") || done.contains("done"), "{done}");
}

#[test]
fn messages_and_the_connection_are_announced_once_and_bounded() {
    let mut dialog = Dialog::new();
    let now = Duration::from_secs(10);
    assert!(dialog.reader.announce(dialog.driver.state(), now).is_empty());
    dialog.scene.link(Link::Refused { why: "no token".to_owned(), age: None });
    dialog.driver.advance(Duration::from_secs(1));
    let reported = dialog.reader.announce(dialog.driver.state(), now);
    assert!(
        reported.len() == 1 && reported[0].starts_with("Connection, at ") && reported[0].contains("no token"),
        "{reported:?}"
    );
    assert!(dialog.reader.announce(dialog.driver.state(), now + Duration::from_secs(2)).is_empty());
    dialog.scene.link(Link::LIVE);
    dialog.driver.advance(Duration::from_secs(1));
    // At most one announcement per second.
    assert!(dialog.reader.announce(dialog.driver.state(), now + Duration::from_millis(500)).is_empty());
    let reported = dialog.reader.announce(dialog.driver.state(), now + Duration::from_secs(2));
    assert!(reported.len() == 1 && reported[0].ends_with("back"), "{reported:?}");
    dialog.enter("announce off");
    dialog.scene.link(Link::Refused { why: "no token".to_owned(), age: None });
    dialog.driver.advance(Duration::from_secs(1));
    assert!(dialog.reader.announce(dialog.driver.state(), now * 2).is_empty());
    assert!(dialog.text("news").contains("no token"));
}

#[test]
fn text_of_a_remote_reaches_linear_mode_without_its_control_characters() {
    const HOSTILE: &str = "bad\x1b[31m\u{9b}2J\x07\u{202e}\u{85}\r\nid";
    let mut cluster = fixture::tenants();
    cluster.app(HOSTILE, "root.tenants.tenant-a.etl", "sue\x1b]0;t\x07", 60, &[("a", 0, "cpu=1 mem=1Gi", "node-a")]);
    let scene = Scene::with(cluster.build(), SourcePlace::Remote, vec![HOSTILE.to_owned()]);
    let mut dialog = Dialog::on(scene);
    let mut all = String::new();
    for line in
        ["where", "queues", "nodes", "apps", "filter bad", "select 1", "open", "explain", "users", "events", "where"]
    {
        all.push_str(&dialog.text(line));
    }
    assert!(all.contains("bad\\x1b[31m\\x9b2J\\x07\\u{202e}\\x85\\r\\nid"), "{all}");
    assert!(all.contains("sue\\x1b]0;t\\x07"), "{all}");
    dialog.scene.link(Link::Refused { why: HOSTILE.to_owned(), age: None });
    dialog.driver.advance(Duration::from_secs(1));
    let reported = dialog.reader.announce(dialog.driver.state(), Duration::from_secs(10));
    assert_plain(&reported);
    assert!(reported.concat().contains("bad\\x1b[31m"), "{reported:?}");
}

#[test]
fn changes_on_the_page_are_reported_on_request() {
    let mut dialog = Dialog::new();
    dialog.enter("queues");
    assert_eq!(dialog.text("news"), "No news.");
    let mut cluster = fixture::tenants();
    cluster.generation += 1;
    cluster.tree_generation += 1;
    cluster.queue("root.users.new", |row| row.managed = false);
    dialog.scene.show(cluster.build());
    dialog.driver.advance(Duration::from_secs(1));
    assert_eq!(dialog.text("changes"), "Changed: new: root.users.new");
    assert_eq!(dialog.text("changes"), "No news.");
}

#[test]
fn a_form_is_written_field_by_field() {
    let mut dialog = Dialog::new();
    dialog.enter("placement");
    let reported = dialog.text("set user ann");
    assert!(reported.contains("user: ann"), "{reported}");
    let reported = dialog.text("set queue root.tenants.x");
    assert!(reported.contains("queue: root.tenants.x") && reported.contains("user: ann"), "{reported}");
    assert!(dialog.text("set colour red").contains("the fields are user, groups, queue, type, tags"));
    let reported = dialog.text("set 1");
    assert!(!reported.contains("user: ann"), "{reported}");
}

#[test]
fn everything_that_can_be_read_is_read_and_closed() {
    let mut dialog = Dialog::new();
    for words in ["figures", "tour", "messages", "columns", "key ?", "key :", "key / e t", "silence", "move"] {
        assert!(!dialog.enter(words).is_empty(), "{words} says nothing");
        assert!(dialog.driver.state().layers.is_empty(), "{words} leaves something open");
    }
}

#[derive(Clone, Debug)]
enum Act {
    Line(String),
    Key(&'static str),
}

const KEYS: [&str; 24] = [
    "enter", "esc", "tab", "space", "down", "/", ":", "?", "i", "x", "W", "T", "o", "c", "m", "K", "y", "n", "6", "5",
    "8", "東", "ctrl-w", "t",
];

fn act() -> impl Strategy<Value = Act> {
    let words = console::input::command::COMMANDS.iter().map(|command| command.binding_name());
    let own = [
        "help",
        "where",
        "read",
        "more",
        "next 3",
        "select 2",
        "open 1",
        "back",
        "set 1 a",
        "line 2 x",
        "yes",
        "no",
        "news",
        "announce 1s",
        "portion all",
    ];
    let all: Vec<String> = words.chain(own.map(str::to_owned)).filter(|word| !word.starts_with("quit")).collect();
    prop_oneof![
        6 => prop::sample::select(all).prop_map(Act::Line),
        1 => "\\PC{0,12}".prop_map(Act::Line),
        4 => prop::sample::select(&KEYS).prop_map(Act::Key),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(64, 4), failure_persistence: None, rng_seed: RngSeed::Fixed(42), ..ProptestConfig::default() })]

    #[test]
    fn any_input_prints_only_plain_lines(acts in prop::collection::vec(act(), 1..60)) {
        let mut dialog = Dialog::new();
        for act in acts {
            match act {
                Act::Line(line) => { dialog.enter(&line); }
                Act::Key(name) => { dialog.driver.key(Key::parse(name).unwrap()); }
            }
            assert_plain(&console::linear::all(dialog.driver.state()));
            assert_plain(&[dialog.reader.prompt(dialog.driver.state()).trim().to_owned()]);
        }
    }
}
