//! Readable screens: only measured values, correct words, and no truncated text.

use std::collections::BTreeMap;
use std::time::Duration;

use console::shell::settings::StartPage;
use console::state::page::Page;
use console::{Driver, Options, Personal};
use model::AppState as State;
use model::Identity;
use view::act::Actor;
use view::{AppRow, ChangeDetail};

use super::{after, cluster, console};
use crate::common::{shows, shows_not};
use crate::space::{on_demo, on_text};

#[test]
fn a_short_history_is_as_long_as_what_was_sampled() {
    let (mut driver, source) = on_demo(120, 40, 0);
    for _ in 0..25 {
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
    }
    driver.keys("8").unwrap();
    let (_, plot) = driver.find_row("peak").unwrap();
    let drawn: String = plot.chars().skip_while(|symbol| *symbol != '│').skip(1).collect();
    let columns = drawn.chars().filter(|symbol| *symbol != ' ').count();
    assert!((1..=3).contains(&columns), "{columns} columns of 10s after 25s:\n{}", driver.screen_text());
    assert!(drawn.starts_with(&" ".repeat(80)), "{}", driver.screen_text());
    let (_, axis) = driver.find_row("no data before").unwrap();
    assert!(axis.contains("no data before 30s ago") || axis.contains("no data before 20s ago"), "{axis}");
    assert!(axis.trim_end().ends_with("now"), "{axis}");
}

fn app(driver: &Driver, is: impl Fn(&AppRow) -> bool) -> Option<String> {
    let part = driver.state().cluster.part().unwrap();
    part.apps.iter().flatten().find(|app| is(app)).map(|app| app.id.to_string())
}

#[test]
fn an_application_has_a_time_line_of_what_happened_to_it() {
    let (mut driver, _) = on_demo(120, 40, 60);
    let id = app(&driver, |app| app.state == State::Running && app.asks.len() > 3).unwrap();
    driver.keys(&format!(":app {id}<ret>i")).unwrap();
    let lines = driver.lines();
    let at = lines.iter().position(|line| line.contains("time line")).unwrap();
    let text: String = lines[at..].join("\n");
    for words in ["submitted by ", "Accepted", "Running", "request", "allocated"] {
        assert!(text.contains(words), "no {words}:\n{}", driver.screen_text());
    }
}

#[test]
fn the_timeline_has_preempted_allocations_and_their_reasons() {
    let (mut driver, source) = on_demo(160, 50, 0);
    driver.keys("7").unwrap();
    for _ in 0..180 {
        source.advance(Duration::from_secs(5));
        driver.refresh();
        let events = driver.state().cluster.events.iter();
        let gone = events.filter(|(_, record)| record.detail == ChangeDetail::ALLOC_PREEMPT);
        let victims: Vec<String> = gone.map(|(_, record)| record.object.to_string()).collect();
        let Some(id) = app(&driver, |app| victims.contains(&app.id.to_string())) else { continue };
        driver.keys(&format!(":app {id}<ret>i")).unwrap();
        shows(&driver, "preempted");
        return;
    }
    panic!("the demo preempts within 15 minutes:\n{}", driver.screen_text());
}

#[test]
fn each_pending_application_shows_the_reason_in_five_words_and_since_when() {
    let (mut driver, source) = on_demo(200, 60, 0);
    driver.keys("2").unwrap();
    let mut seen = BTreeMap::new();
    for _ in 0..30 {
        source.advance(Duration::from_secs(20));
        driver.advance(Duration::from_secs(20));
        let part = driver.state().cluster.part().unwrap();
        for app in part.apps.iter().flatten().filter(|app| app.pending_asks > 0) {
            let words = console::present::blocker::words(part, app).unwrap_or_default();
            assert!((1..=5).contains(&words.split(' ').count()), "{}: {words:?}", app.id);
            assert!(console::present::blocker::since(app).is_some());
            seen.insert(words, ());
        }
    }
    assert!(seen.len() > 4, "{seen:?}");
}

#[test]
fn the_explanation_of_what_runs_has_a_true_title() {
    let (mut driver, _) = on_demo(120, 40, 60);
    let runs =
        app(&driver, |app| app.state == State::Running && app.pending_asks == 0 && !app.asks.is_empty()).unwrap();
    driver.keys(&format!(":app {runs}<ret>:explain<ret>")).unwrap().settle();
    shows(&driver, &format!("{runs} › what it uses"));
    shows(&driver, "no request waits");
    shows_not(&driver, "why it waits");
    let both = app(&driver, |app| {
        app.state == State::Running && app.pending_asks > 1 && app.asks.len() > app.pending_asks as usize
    });
    let both = both.expect("one that runs waits for more");
    driver.keys(&format!("1<esc>:app {both}<ret>")).unwrap();
    driver.keys(":explain<ret>").unwrap().settle();
    shows(&driver, "Running since ");
    assert!(driver.find_row(" requests wait").is_some() || driver.find_row("1 request waits").is_some());
}

#[test]
fn each_key_of_the_short_help_has_its_own_whole_text() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        for page in ["1", "2", "2<ret>", "3", "3<ret>", "4", "5", "6", "7", "8", "9", "0", "L", "H", "!", "T", "F"] {
            let driver = after(&format!("{page}?"), width, height);
            let mut texts: BTreeMap<String, String> = BTreeMap::new();
            for line in console::present::help::lines(driver.state()) {
                let [key, _, text] = line.as_slice() else { continue };
                assert!(!text.text.contains('…'), "{page} at {width}: {}", text.text);
                let other = texts.insert(text.text.to_string(), key.text.to_string());
                assert!(other.is_none(), "{page} at {width}: {} and {other:?} are {}", key.text, text.text);
            }
            assert!(texts.len() > 10, "{page}");
        }
    }
}

#[test]
fn a_search_in_the_help_and_the_completion_have_every_command_with_its_text() {
    for keys in ["?/existing allocations", "??existing allocations"] {
        let driver = after(keys, 120, 40);
        shows(&driver, "Drain the node; existing allocations continue");
    }
    let driver = after(":them", 120, 40);
    shows(&driver, "Change the theme");
}

#[test]
fn three_first_steps_are_each_removed_after_use() {
    for width in [80, 120] {
        let (mut driver, _) = cluster::on_cluster(Options::default(), width, 40);
        shows(&driver, "Try: o attention  x why it waits  ? all keys");
        driver.keys("?<esc>").unwrap();
        shows(&driver, "Try: o attention  x why it waits  ");
        shows_not(&driver, "all keys");
        driver.keys("o<esc>").unwrap();
        shows(&driver, "Try: x why it waits  ");
        driver.keys("x").unwrap().settle();
        driver.keys("<esc>").unwrap();
        shows_not(&driver, "Try:");
    }
    // Users with settings need no introduction.
    let (mut driver, _) = console(120, 40);
    driver.personalize(Personal { start: StartPage::Cluster, file: "settings.toml".to_owned(), ..Personal::default() });
    driver.keys("<esc>").unwrap();
    shows_not(&driver, "Try:");
}

#[test]
fn the_pane_of_the_configuration_is_folded_while_it_is_empty() {
    let text = "partitions:\n  - name: default\n    queues:\n      - name: root\n        submitacl: '*'\n";
    let actor = Actor::from(Identity::parse("sue:admins").unwrap()).scheduler_admin(true);
    let (mut driver, _) = on_text(text, actor, 120, 40);
    driver.keys("6").unwrap();
    let settle = |driver: &mut Driver| {
        driver.advance(Duration::from_millis(200));
        driver.settle();
    };
    settle(&mut driver);
    let walls = |driver: &Driver| driver.lines().iter().filter(|line| line.contains('│')).count();
    assert_eq!(walls(&driver), 0, "{}", driver.screen_text());
    driver.keys("d").unwrap();
    shows(&driver, "│ active");
    driver.keys("d").unwrap();
    assert_eq!(walls(&driver), 0, "{}", driver.screen_text());
    driver.keys("ge<end>x<esc>").unwrap();
    settle(&mut driver);
    assert_eq!(walls(&driver), 0, "{}", driver.screen_text());
    let (mut driver, _) = on_text(text, Actor::from(Identity::parse("sue").unwrap()).scheduler_admin(true), 120, 40);
    driver.keys("6ge<end>x<esc>").unwrap();
    settle(&mut driver);
    assert!(walls(&driver) > 10, "{}", driver.screen_text());
    shows(&driver, "cannot be applied");
}

#[test]
fn durations_are_in_two_units_and_sorted_by_their_length() {
    let (mut driver, source) = on_demo(200, 60, 0);
    for _ in 0..60 {
        source.advance(Duration::from_secs(10));
        driver.advance(Duration::from_secs(10));
    }
    driver.keys("2:sort wait<ret>").unwrap();
    let Page::Apps(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
    assert!(page.list.rows.len() > 5);
    let data = console::present::export::data(driver.state());
    let at = data.titles.iter().position(|title| title == "wait_seconds").unwrap();
    let waits: Vec<f64> = data.rows.iter().filter_map(|row| row[at].text.as_ref()?.parse().ok()).collect();
    assert!(waits.len() > 3 && waits.is_sorted_by(|one, next| one >= next), "{waits:?}");
    let longest = Duration::from_secs_f64(waits[0]);
    let words = console::present::format::duration(longest);
    assert!(longest < Duration::from_secs(60) || words.contains("m"), "{words}");
    shows(&driver, &format!(" {words} "));
}
