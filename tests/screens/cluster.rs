use std::sync::Arc;
use std::time::Duration;

use ::console::shell::settings::StartPage;
use ::console::state::page::Page;
use ::console::theme::ThemeName;
use ::console::{Driver, Options, Personal};
use ::engine::Setup;
use model::{Identity, MEMORY, Profile, VCORE};
use source::Stepped;
use view::units::show_amount;
use view::{Notice, NoticeWeight};

use super::fixture;
use super::fixture::Scene;
use crate::common::{shows, shows_not};

pub(super) fn on_cluster(options: Options, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    let core = kornsole::cli::demo::core(42, &Setup::of(Profile::default())).unwrap();
    let source = Arc::new(Stepped::new(core, crate::common::about("demo, seed 42"), Identity::parse("you").unwrap()));
    let mut driver = Driver::new(Arc::clone(&source) as _, options, width, height);
    driver.personalize(Personal { start: StartPage::Cluster, ..Personal::default() });
    for _ in 0..60 {
        source.advance(Duration::from_secs(10));
        driver.refresh();
    }
    (driver, source)
}

#[test]
fn the_first_page_at_its_sizes() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (driver, _) = on_cluster(Options::default(), width, height);
        insta::assert_snapshot!(format!("cluster-{width}x{height}"), driver.screen_text());
        let (driver, _) = on_cluster(Options { ascii: true, ..Options::default() }, width, height);
        assert!(driver.screen_text().is_ascii(), "{}", driver.screen_text());
        insta::assert_snapshot!(format!("cluster-ascii-{width}x{height}"), driver.screen_text());
        let (plain, _) = on_cluster(Options { theme: ThemeName::mono(), ..Options::default() }, width, height);
        shows(&plain, "ALLOC/S");
    }
}

fn after<'a>(line: &'a str, label: &str) -> &'a str {
    let at = line.find(label).unwrap_or_else(|| panic!("no {label}: {line}")) + label.len();
    let rest = &line[at..];
    let end = rest.find("  ").into_iter().chain(rest.find(" │")).min().unwrap_or(rest.len());
    rest[..end].trim()
}

fn cell(driver: &Driver, title: &str, width: usize) -> String {
    let (_, head) = driver.find_row("QUEUE").unwrap();
    let (_, root) = driver.find_row("▾ root").unwrap();
    let at = head.find(title).unwrap_or_else(|| panic!("no {title}: {head}"));
    let end = head[..at].chars().count() + title.chars().count();
    let cell: String = root.chars().skip(end - width).take(width).collect();
    cell.split_whitespace().collect()
}

fn compare(driver: &Driver) {
    let text = driver.screen_text();
    let row = |label: &str| driver.find_row(label).unwrap_or_else(|| panic!("no {label}:\n{text}")).1;
    let state = driver.state();
    let root = state.cluster.part().unwrap().root().unwrap();
    let waiting = state.board.as_ref().unwrap().waiting.clone().unwrap();
    let (cpu, memory) = (row("CPU ▰"), row("MEM ▰"));
    let amount = |name: &str| show_amount(name, root.allocated.amount(name));
    let gauge = |line: &str| {
        let metrics = line.split('▱').next_back().unwrap().split_whitespace();
        metrics.take(2).map(str::to_owned).collect::<Vec<String>>()
    };
    let (cpu_gauge, memory_gauge) = (gauge(&cpu), gauge(&memory));
    let (title, wide) = if state.size.width < 150 { ("max", 11) } else { ("used/guar/  max", 16) };
    assert_eq!(cpu_gauge[0], cell(driver, title, wide).replace("/·/", "/"), "{text}");
    assert!(cpu_gauge[0].starts_with(&format!("{}/", amount(VCORE))), "{text}");
    assert!(memory_gauge[0].starts_with(&format!("{}/", amount(MEMORY))), "{text}");
    assert_eq!(memory_gauge[1], cell(driver, if state.size.width < 150 { "MEM" } else { "%" }, 4), "{text}");
    for (label, title, value) in [("RUNNING", "RUN", root.running), ("WAITING", "WAIT", waiting.apps)] {
        assert_eq!(after(&memory, label), value.to_string(), "{text}");
        assert_eq!(cell(driver, title, 4), value.to_string(), "{text}");
    }
    assert_eq!(after(&memory, " p95").replace(' ', ""), cell(driver, "WAIT p95", 8), "{text}");
    let asked = show_amount(VCORE, root.pending.amount(VCORE));
    assert!(after(&cpu, "PENDING").starts_with(&format!("{asked} cpu")), "{text}");
    assert_eq!(waiting.causes.iter().map(|cause| cause.apps).sum::<u64>(), waiting.apps, "{text}");
    assert_eq!(waiting.causes.iter().map(|cause| cause.cpu).sum::<i64>(), root.pending.amount(VCORE), "{text}");
    let (causes, lines) = (driver.find_row("WAITING BY CAUSE").unwrap().0, driver.lines());
    for cause in &waiting.causes {
        let line = lines[causes..].iter().find(|line| line.contains(cause.cause)).unwrap_or_else(|| panic!("{text}"));
        let shown: Vec<&str> = line.split(cause.cause).last().unwrap().split_whitespace().collect();
        assert_eq!(shown, [cause.apps.to_string(), show_amount(VCORE, cause.cpu)], "{text}");
    }
    let nodes = state.cluster.part().unwrap().nodes.len();
    assert!(row("schedulable").contains(&format!("{nodes} nodes")), "{text}");
}

/// Compares `KORNSOLE_FRAMES` frames if it is set: `KORNSOLE_FRAMES=10000 cargo test --test screens no_two_places`.
#[test]
fn no_two_places_of_the_first_page_disagree() {
    let frames = std::env::var("KORNSOLE_FRAMES").ok().and_then(|frames| frames.parse().ok()).unwrap_or(200);
    let (mut driver, source) = on_cluster(Options::default(), 200, 60);
    let mut seed: u64 = 7;
    for frame in 0..frames {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        source.advance(Duration::from_millis(1 + (seed >> 33) % 4_000));
        driver.advance(Duration::from_secs(1));
        if frame % 50 == 0 {
            let (width, height) = if frame % 100 == 0 { (120, 40) } else { (200, 60) };
            driver.resize(width, height);
        }
        compare(&driver);
    }
}

#[test]
fn every_item_opens_the_page_for_it() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    let all = console::present::board::items(driver.state()).unwrap().len();
    assert!(all > 4, "{}", driver.screen_text());
    for at in 0..all {
        driver.keys("o").unwrap();
        for _ in 0..at {
            driver.keys("j").unwrap();
        }
        let before = driver.screen_text();
        driver.keys("<ret>").unwrap();
        assert!(!matches!(driver.state().page(), Page::Queues(_)), "item {at} opens nothing:\n{before}");
        // The first key may close a notice.
        driver.keys("<esc><esc>").unwrap();
        shows(&driver, "ATTENTION");
    }
}

#[test]
fn a_simulation_is_left_without_a_question() {
    for simulated in [false, true] {
        let (mut driver, _) = on_cluster(Options::default(), 80, 24);
        driver.personalize(Personal { start: StartPage::Cluster, simulated, ..Personal::default() });
        driver.keys("<esc>").unwrap();
        shows(&driver, "ALLOC/S");
        assert_eq!(driver.keys("q").unwrap().quits(), simulated);
    }
}

#[test]
fn a_notice_uses_one_line_of_the_first_page_and_disappears_by_itself() {
    let scene = Scene::new(fixture::tenants().build());
    let mut driver = Driver::new(Arc::clone(&scene) as _, Options::default(), 80, 24);
    driver.personalize(Personal { start: StartPage::Cluster, ..Personal::default() });
    driver.refresh();
    let before = driver.lines();
    let mut view = fixture::tenants().build();
    view.generation += 1;
    let (title, text) = ("queues.yaml was rejected".to_owned(), "one\ntwo\nthree\nfour".to_owned());
    let notice = Notice { number: 1, at: view.at, weight: NoticeWeight::Error, title, text };
    view.notices.push_back(Arc::new(notice));
    scene.show(view);
    driver.advance(Duration::from_millis(100));
    let (row, line) = driver.find_row("queues.yaml was rejected").unwrap();
    assert_eq!(row, before.len() - 2, "{}", driver.screen_text());
    assert!(line.contains(":messages"), "{line}");
    for _ in 0..13 {
        driver.advance(Duration::from_secs(1));
    }
    shows_not(&driver, "queues.yaml was rejected");
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "four");
}

#[test]
fn a_queue_that_drains_has_its_state_after_its_name() {
    let (mut driver, source) = on_cluster(Options::default(), 120, 40);
    for _ in 0..120 {
        source.advance(Duration::from_secs(5));
        driver.advance(Duration::from_secs(5));
        if driver.find_row("DRAINING 1").is_some() {
            shows(&driver, "legacy ◐ drain");
            return shows(&driver, "drains");
        }
    }
    panic!("the demo drains a queue within 10 minutes:\n{}", driver.screen_text());
}

#[test]
fn an_urgent_item_opens_its_object() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    shows(&driver, "ATTENTION");
    driver.keys("o").unwrap();
    assert!(driver.state().board.as_ref().unwrap().focused);
    driver.keys("<esc>").unwrap();
    assert!(!driver.state().board.as_ref().unwrap().focused, "esc goes back into the tree");
    driver.keys("<esc>").unwrap();
    assert!(matches!(driver.state().page(), Page::Queues(_)), "esc does nothing more");
    let items = console::present::board::items(driver.state()).unwrap();
    let at = items.iter().position(|item| item.label == "waits").expect("something waits");
    driver.keys("o").unwrap();
    for _ in 0..at {
        driver.keys("j").unwrap();
    }
    driver.keys("<ret>").unwrap().settle();
    shows(&driver, "› why it waits");
    driver.keys("<esc>").unwrap();
    shows(&driver, "ATTENTION");
    shows_not(&driver, "› why it waits");
}

#[test]
fn the_strip_has_the_name_of_every_page() {
    for (width, names) in [
        (80, ["1Cluster", "2Apps", "5Place", "6Cfg", "7Evts", "8Hist", "9Check", "HRevs"]),
        (120, ["1 Cluster", "2 Apps", "5 Placement", "6 Config", "7 Events", "8 History", "9 Health", "H Revisions"]),
    ] {
        let (driver, _) = on_cluster(Options::default(), width, 40);
        names.iter().for_each(|name| shows(&driver, name));
    }
}

#[test]
fn the_tree_has_a_bar_of_cpu_at_every_width() {
    for width in [80, 120, 200] {
        let (driver, _) = on_cluster(Options::default(), width, 40);
        let (_, root) = driver.find_row("▾ root").unwrap();
        assert!(root.contains('▰'), "{root}");
    }
}

#[test]
fn queues_are_sorted_by_who_waits() {
    let (mut driver, source) = on_cluster(Options::default(), 120, 40);
    for column in ["waiting", "wait-p95", "mem-share"] {
        driver.keys(&format!(":sort {column}<ret>")).unwrap();
        source.advance(Duration::from_secs(2));
        driver.advance(Duration::from_secs(2));
        driver.advance(Duration::from_secs(1));
        let Page::Queues(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
        let part = driver.state().cluster.part().unwrap();
        let below_root = page.list.rows.iter().filter(|line| line.depth == 1);
        let paths: Vec<_> = below_root.map(|line| part.queue(line.slot).unwrap()).collect();
        let waiting = driver.state().board.as_ref().unwrap().waiting.as_ref().unwrap();
        let of = |path| waiting.queues.get(path).copied().unwrap_or_default();
        let keys: Vec<u128> = paths
            .iter()
            .map(|row| match column {
                "waiting" => u128::from(of(&row.path).apps),
                "wait-p95" => of(&row.path).p95.unwrap_or_default().as_micros(),
                _ => row.allocated.amount(MEMORY) as u128,
            })
            .collect();
        assert!(keys.len() > 2 && keys.is_sorted_by(|a, b| a >= b), "{column}: {keys:?}\n{}", driver.screen_text());
    }
}

#[test]
fn the_queue_under_the_cursor_has_a_chart_of_ten_minutes() {
    let (driver, _) = on_cluster(Options::default(), 200, 60);
    let (row, legend) = driver.find_row("CPU 10m").unwrap();
    let used = show_amount(VCORE, driver.state().cluster.part().unwrap().root().unwrap().allocated.amount(VCORE));
    assert!(legend.contains("used ") && legend.contains("max 512"), "{legend}, {used}");
    let chart: String = driver.lines()[row + 1..row + 16].concat();
    let braille = |symbol: char| ('\u{2801}'..='\u{28ff}').contains(&symbol);
    assert!(chart.chars().filter(|symbol| braille(*symbol)).count() > 40, "{}", driver.screen_text());
}

#[test]
fn a_terminal_that_is_too_small_shows_running_and_pending_applications() {
    let (driver, _) = on_cluster(Options::default(), 40, 10);
    let root = driver.state().cluster.part().unwrap().root().unwrap().running;
    let waiting = driver.state().board.as_ref().unwrap().waiting.as_ref().unwrap().apps;
    shows(&driver, &format!("{root} running, {waiting} waiting"));
    shows(&driver, "need attention");
    shows(&driver, "too small, needs 40x12");
}

#[test]
fn a_key_of_another_page_names_the_page() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    driver.keys("8m").unwrap();
    shows(&driver, "m has no function here; it is a key of Applications");
    driver.keys("3K").unwrap();
    shows(&driver, "K has no function here; it is a key of Applications");
}

#[test]
fn no_two_checks_have_one_name() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    driver.keys("9").unwrap();
    let names: Vec<String> = driver.lines().into_iter().filter(|line| line.starts_with(" ● ")).collect();
    let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
    assert!(names.len() == 9 && distinct.len() == 9, "{}", driver.screen_text());
}

#[test]
fn an_event_without_a_message_uses_the_space_of_one() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    driver.keys("7").unwrap();
    shows(&driver, "blocked by application limit");
}
