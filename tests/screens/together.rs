//! A value on a page equals the same value in the header.

use std::time::Duration;

use console::Driver;
use console::present::export;
use console::state::page::{Page, Subject};
use model::{MEMORY, VCORE};
use proptest::prelude::*;
use view::units::show_amount;

use crate::space::on_demo;

fn amounts(text: &str, label: &str) -> Option<(String, String)> {
    let behind = &text[text.find(label)? + label.len()..];
    let (used, all) = behind.split_once(" of ")?;
    let all: String = all.chars().take_while(|c| !c.is_whitespace() && *c != ',').collect();
    Some((used.split_whitespace().last()?.to_owned(), all))
}

fn number(text: &str, words: &str) -> Option<f64> {
    text[..text.find(words)?].split_whitespace().last()?.parse().ok()
}

fn halves(driver: &Driver) -> (String, String) {
    let text = driver.screen_text();
    let at = text.lines().position(|line| line.contains(" alloc/s")).expect("the header has figures");
    let lines: Vec<&str> = text.lines().collect();
    (lines[..=at].join("\n"), lines[at + 1..].join("\n"))
}

fn sum(driver: &Driver, title: &str) -> f64 {
    let data = export::data(driver.state());
    let at =
        data.titles.iter().position(|known| known == title).unwrap_or_else(|| panic!("{title}: {:?}", data.titles));
    data.rows.iter().filter_map(|row| row[at].text.as_ref()?.parse::<f64>().ok()).sum()
}

fn compare_details(driver: &Driver, subject: &Subject, (header, below): (&str, &str)) {
    let state = driver.state();
    let (cpu, memory) = (amounts(header, "cpu ").unwrap(), amounts(header, "mem ").unwrap());
    let nodes = number(header, " node").unwrap();
    match subject {
        Subject::History(_) if !below.contains("no samples yet") => {
            let now = |label: &str| {
                let at = below.lines().position(|line| line.starts_with(&format!(" {label} "))).unwrap();
                let line = below.lines().nth(at + 1).unwrap();
                line.split([',', ' ', '│']).find(|word| !word.is_empty()).unwrap_or_default().to_owned()
            };
            assert_eq!((now("cpu used"), now("mem used")), (cpu.0, memory.0), "\n{header}\n{below}");
            let running = state.framed_part().and_then(|part| part.root()).map_or(0, |root| root.running);
            assert_eq!(now("running"), running.to_string(), "\n{below}");
        }
        Subject::Partitions => {
            assert_eq!(amounts(below, "  cpu "), Some(cpu), "\n{header}\n{below}");
            assert_eq!(amounts(below, "  mem "), Some(memory), "\n{header}\n{below}");
            assert!(below.contains(&format!("nodes         {nodes},")), "\n{header}\n{below}");
        }
        Subject::History(_) => {}
        _ => assert_eq!(number(below, " nodes"), Some(nodes), "\n{below}"),
    }
}

fn compare_lists(driver: &Driver, cpu: &str) {
    let state = driver.state();
    if let Page::Apps(page) = state.page() {
        let part = state.framed_part().unwrap();
        let live = part.apps.iter().flatten().count();
        let ended = if page.ended { part.ended.len() } else { 0 };
        assert_eq!(page.list.total, live + ended, "{}", driver.screen_text());
        return;
    }
    let data = export::data(state);
    let at = |title: &str| data.titles.iter().position(|known| known == title).unwrap();
    let (kind, used) = (at("kind"), at("cpu_cores"));
    let users = data.rows.iter().filter(|row| row[kind].text.as_deref() == Some("user"));
    let used: f64 = users.filter_map(|row| row[used].text.as_ref()?.parse::<f64>().ok()).sum();
    assert_eq!(show_amount(VCORE, (used * 1000.0).round() as i64), cpu, "{}", driver.screen_text());
}

fn compare(driver: &Driver) {
    let (header, below) = halves(driver);
    let state = driver.state();
    let (cpu, memory) = (amounts(&header, "cpu ").unwrap(), amounts(&header, "mem ").unwrap());
    let nodes = number(&header, " node").unwrap();
    match state.page() {
        Page::Explain(_) => {
            if nodes > 0.0 {
                assert_eq!(amounts(&below, "use        cpu "), Some(cpu), "\n{header}\n{below}");
                assert_eq!(amounts(&below, "), memory "), Some(memory), "\n{header}\n{below}");
            }
            let (above, rate) = (number(&header, " alloc/s").unwrap(), number(&below, " alloc/s").unwrap());
            assert!((above - rate).abs() <= 0.51, "{above} and {rate}:\n{header}\n{below}");
            let running = state.framed_part().and_then(|part| part.root()).map_or(0, |root| root.running);
            assert_eq!(number(&below, " run, "), Some(running as f64), "\n{below}");
        }
        Page::Nodes(page) => {
            assert_eq!(nodes as usize, page.list.total);
            let shown = |name, amount: f64| show_amount(name, amount.round() as i64);
            let sums = (shown(VCORE, sum(driver, "cpu_cores") * 1000.0), shown(MEMORY, sum(driver, "mem_bytes")));
            assert_eq!(sums, (cpu.0, memory.0));
        }
        Page::Fairness(page) => {
            let view = state.framed();
            let rows = state.framed_part().unwrap().fairness(&view.history, view.at);
            assert_eq!(page.list.total, rows.len());
            for row in page.list.rows.iter() {
                assert!(rows.contains(row), "{row:?} is of another moment than the header");
            }
            assert_eq!(show_amount(VCORE, state.framed_part().unwrap().allocated.amount(VCORE)), cpu.0);
        }
        Page::Limits(page) => {
            let rows = state.framed_part().unwrap().limits_used();
            for row in page.list.rows.iter() {
                assert!(rows.contains(row), "{row:?} is of another moment than the header");
            }
        }
        Page::Queues(_) => {
            let root = state.cluster.part().unwrap().root().unwrap();
            assert_eq!(
                (show_amount(VCORE, root.allocated.amount(VCORE)), show_amount(MEMORY, root.allocated.amount(MEMORY))),
                (cpu.0, memory.0)
            );
        }
        Page::Details(page) => compare_details(driver, &page.subject, (&header, &below)),
        Page::Users(_) | Page::Apps(_) => compare_lists(driver, &cpu.0),
        _ => panic!("another page is shown:\n{}", driver.screen_text()),
    }
}

/// `KORNSOLE_FRAMES=10000 cargo test --test screens of_another_moment` compares this number of frames.
const PAGES: [&str; 10] = [
    "o",
    ":queues<ret>",
    ":apps<ret>",
    ":nodes<ret>",
    ":users<ret>",
    ":history<ret>",
    ":partitions<ret>",
    ":fairness<ret>",
    ":limits<ret>",
    ":queues<ret>o",
];

const FRAMES: u32 = 24;

/// The number of cases for `KORNSOLE_FRAMES` frames; few by default.
fn cases() -> u32 {
    let frames = std::env::var("KORNSOLE_FRAMES").ok().and_then(|frames| frames.parse::<u32>().ok());
    frames.map_or(24, |frames| frames.div_ceil(FRAMES))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_page_and_the_header_show_values_of_the_same_time(
        started_at in 0..20_u64,
        steps in proptest::collection::vec((0..PAGES.len(), 1..2500_u64, 0..2000_u64, any::<bool>()), 12),
    ) {
        let (mut driver, source) = on_demo(160, 50, started_at);
        for (page, cluster, console, turn) in steps {
            if turn {
                driver.keys(PAGES[page]).unwrap();
                compare(&driver);
            } else if matches!(driver.state().page(), Page::Queues(_)) {
                driver.keys("o").unwrap();
            }
            source.advance(Duration::from_millis(cluster));
            driver.refresh();
            compare(&driver);
            driver.advance(Duration::from_millis(console));
            compare(&driver);
        }
    }
}

#[test]
fn the_overview_follows_a_cluster_that_just_started() {
    let (mut driver, source) = on_demo(160, 50, 0);
    driver.keys("o").unwrap();
    for _ in 0..10 {
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
    }
    let (header, below) = halves(&driver);
    let used = source_used(&driver);
    assert_ne!(used, "0");
    assert_eq!(amounts(&header, "cpu ").unwrap().0, used);
    assert_eq!(amounts(&below, "use        cpu ").unwrap().0, used, "it is as new as the cluster:\n{below}");
}

#[test]
fn an_earlier_time_is_shown_by_the_page_and_the_header() {
    let (mut driver, source) = on_demo(160, 50, 5);
    driver.keys("o").unwrap();
    for _ in 0..30 {
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
    }
    let now = source_used(&driver);
    driver.keys(":back 20s<ret>").unwrap();
    driver.settle();
    driver.advance(Duration::from_secs(1));
    assert!(driver.state().cluster.past.shown.is_some(), "{}", driver.screen_text());
    let then = show_amount(VCORE, driver.state().cluster.view.partitions[0].allocated.amount(VCORE));
    assert_ne!(now, then);
    let (header, below) = halves(&driver);
    assert_eq!(amounts(&header, "cpu ").unwrap().0, then);
    assert_eq!(amounts(&below, "use        cpu ").unwrap().0, then, "{below}");
}

fn source_used(driver: &Driver) -> String {
    show_amount(VCORE, driver.state().cluster.newest.partitions[0].allocated.amount(VCORE))
}
