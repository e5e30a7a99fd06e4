//! Text snapshots of every page, and the styles of a few.

use std::time::Duration;

use ::console::theme::ThemeName;
use ::console::{Driver, Options};
use ratatui::style::Color;
use source::{Link, SourcePlace};

use super::fixture::{self, Scene};
use super::{after, console};

pub const SIZES: [(u16, u16); 4] = [(80, 24), (120, 40), (200, 60), (40, 12)];

const PAGES: [(&str, &str); 19] = [
    ("queues", "jjjjjjj"),
    ("queue-details", "jjjjjjji"),
    ("queues-filtered", "/web<ret>"),
    ("apps", "2e"),
    ("apps-of-a-queue", "jjjjjj<ret>"),
    ("app", "2/adhoc<ret><ret>j"),
    ("nodes", "3"),
    ("node", "3<ret>"),
    ("users", "4Gi"),
    ("user", ":user sue<ret>G"),
    ("group", ":group dev<ret>"),
    ("placement", "5<right><right>eroot.nowhere.x<ret>"),
    ("placement-writing", "5x<right><right><right><right>enamespace=red; note=a b"),
    ("why-here", ":app note-1<ret>w"),
    ("why-rejected", ":app lost-1<ret>w"),
    ("access", ":queues adhoc<ret>w"),
    ("help", "?"),
    ("command-line", ":so"),
    ("quit", "q"),
];

#[test]
fn every_page_at_every_size() {
    for (page, keys) in PAGES {
        for (width, height) in SIZES {
            insta::assert_snapshot!(format!("{page}-{width}x{height}"), after(keys, width, height).screen_text());
        }
    }
}

#[test]
fn reports_a_terminal_that_is_too_small() {
    insta::assert_snapshot!("too-small-20x5", after("", 20, 5).screen_text());
    let (mut driver, _) = console(20, 5);
    assert!(driver.find_row("too small").is_some());
    driver.resize(40, 12);
    assert!(driver.find_row("tenants").is_some());
}

#[test]
fn styles_of_home_and_of_the_dialog() {
    insta::assert_debug_snapshot!("styles-queues-80x24", after("jjjjj", 80, 24).buffer());
    insta::assert_debug_snapshot!("styles-quit-80x24", after("q<right>", 80, 24).buffer());
}

#[test]
fn a_cluster_without_anything() {
    let mut driver = Driver::new(Scene::new(fixture::bare().build()), Options::default(), 80, 24);
    insta::assert_snapshot!("bare-queues", driver.screen_text());
    driver.keys("2").unwrap();
    assert!(driver.find_row("no applications in this partition").is_some());
    driver.keys("3").unwrap();
    assert!(driver.find_row("no nodes yet").is_some());
    driver.keys(":apps root.dev<ret>").unwrap();
    assert!(driver.find_row("no applications in root.dev").is_some());
}

#[test]
fn before_any_configuration() {
    let mut driver = Driver::new(Scene::new(Default::default()), Options::default(), 80, 24);
    assert!(driver.find_row("no configuration yet").is_some());
    assert_eq!(driver.next_wake(), None);
    driver.keys("i<ret>23<ret>:queues x<ret>jkG/x<ret>1").unwrap();
    assert!(driver.find_row("no configuration").is_some());
}

#[test]
fn a_remote_without_answer_shows_its_state_and_the_remedy() {
    let scene = Scene::with(Default::default(), SourcePlace::Remote, Vec::new());
    let cause = Some("10.1.2.3:9080 refuses the connection".to_owned());
    for (link, message) in [
        (Link::Connecting { cause: None, retry_in: None }, "Waiting for the first response."),
        (Link::Connecting { cause, retry_in: None }, "No response yet: 10.1.2.3:9080 refuses the connection."),
        (Link::Refused { why: "401, a token is asked for".to_owned(), age: None }, "--token-file FILE"),
    ] {
        scene.link(link);
        for page in ["1", "2", "3", "4", "5", "6", "7", "0", "L", "H"] {
            let mut driver = Driver::new(scene.clone(), Options::default(), 80, 24);
            driver.keys(page).unwrap();
            assert!(driver.find_row(message).is_some(), "{page}: no {message:?} in\n{}", driver.screen_text());
            assert!(driver.find_row("q quits").is_some(), "{page}");
            assert!(driver.find_row("no configuration").is_none(), "{page}");
        }
    }
    scene.link(Link::Connecting { cause: Some("no route".to_owned()), retry_in: Some(Duration::from_secs(3)) });
    let driver = Driver::new(scene, Options::default(), 80, 24);
    insta::assert_snapshot!("unreached-80x24", driver.screen_text());
}

#[test]
fn a_partition_that_is_not_loaded_is_not_a_missing_configuration() {
    let scene = Scene::with(Default::default(), SourcePlace::Remote, Vec::new());
    let (age, cause) = (Duration::from_secs(4), "closed".to_owned());
    for (link, words) in [
        (Link::Live { rtt: None }, "loading the partition"),
        (Link::Stale { age, cause, retry_in: None }, "the partition is unknown"),
    ] {
        scene.link(link);
        let mut driver = Driver::new(scene.clone(), Options::default(), 120, 40);
        for page in ["1", "2", "3", "4", "5", "6", "7"] {
            driver.keys(page).unwrap();
            assert!(driver.lines()[0].contains(words), "{page}: {}", driver.screen_text());
            assert!(driver.find_row("no configuration").is_none(), "{page}: {}", driver.screen_text());
            assert!(driver.find_row("no partition").is_none(), "{page}: {}", driver.screen_text());
        }
    }
}

#[test]
fn the_retry_time_is_omitted_last() {
    let view = crate::fixture::tenants().build();
    let cause = format!("demo, seed 42 refuses the connection, {}", "which is said at length ".repeat(9));
    for (width, place) in [(80, SourcePlace::Remote), (120, SourcePlace::Remote), (200, SourcePlace::Remote)] {
        let scene = Scene::with(view.clone(), place, Vec::new());
        let age = Duration::from_secs(4);
        let retry_in = Some(Duration::from_secs(7));
        scene.link(Link::Stale { age, cause: cause.clone(), retry_in });
        let first = Driver::new(scene.clone(), Options::default(), width, 40).lines()[0].clone();
        assert!(first.contains(" 4s OLD ") && first.contains(", again in 7s"), "{first}");
        scene.link(Link::Connecting { cause: Some(cause.clone()), retry_in });
        let first = Driver::new(scene, Options::default(), width, 40).lines()[0].clone();
        assert!(first.contains(" CONNECTING ") && first.contains(", again in 7s"), "{first}");
    }
    let scene = Scene::with(view, SourcePlace::Remote, Vec::new());
    let (age, retry_in) = (Duration::from_secs(4), Some(Duration::from_secs(7)));
    scene.link(Link::Stale { age, cause: "seed 42 refuses the connection".to_owned(), retry_in });
    let first = Driver::new(scene, Options::default(), 120, 40).lines()[0].clone();
    assert_eq!(first.matches("seed 42 refuses").count(), 0, "{first}");
    assert!(first.contains("refuses the connection, again in 7s"), "{first}");
    assert!(first.contains("cpu 17.5/40 mem 34Gi/80Gi"), "the figures stay: {first}");
}

#[test]
fn old_data_is_reported_with_its_age_and_cause() {
    let (mut driver, scene) = console(80, 24);
    let stale = |seconds| Link::Stale {
        age: Duration::from_secs(seconds),
        cause: "connection refused".to_owned(),
        retry_in: None,
    };
    scene.link(stale(1));
    driver.refresh();
    assert!(driver.find_row("OLD").is_none());
    scene.link(stale(65));
    driver.refresh();
    let (_, line) = driver.find_row("OLD").unwrap();
    assert!(line.contains("1m 5s OLD") && line.contains("connection refused"), "{line}");
    scene.link(Link::LIVE);
    driver.refresh();
    assert!(driver.find_row("OLD").is_none());
}

#[test]
fn a_remote_source_is_identified() {
    let scene = Scene::with(fixture::tenants().build(), SourcePlace::Remote, Vec::new());
    let driver = Driver::new(scene, Options::default(), 80, 24);
    assert!(driver.lines()[0].contains("REMOTE"));
}

#[test]
fn mono_has_no_color_and_still_shows_the_cursor() {
    for (page, keys) in PAGES {
        let options = Options { theme: ThemeName::mono(), ..Options::default() };
        let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options, 120, 40);
        driver.keys(keys).unwrap();
        let buffer = driver.buffer();
        let plain = |cell: &ratatui::buffer::Cell| cell.fg == Color::Reset && cell.bg == Color::Reset;
        assert!(buffer.content().iter().all(plain), "{page}");
        if page == "queues" {
            let bar = driver.find_row("▌").unwrap().0;
            let row = buffer.content().chunks(120).nth(bar).unwrap();
            assert!(row.iter().all(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED)));
        }
    }
}

#[test]
fn ascii_shows_nothing_else() {
    for (page, keys) in PAGES {
        let options = Options { ascii: true, ..Options::default() };
        let mut cluster = fixture::tenants();
        cluster.queue("root.東京", |_| {});
        let mut driver = Driver::new(Scene::new(cluster.build()), options, 120, 40);
        driver.keys(keys).unwrap();
        assert!(driver.screen_text().is_ascii(), "{page}:\n{}", driver.screen_text());
    }
}

fn column(driver: &Driver, row: &str, text: &str) -> usize {
    let (_, line) = driver.find_row(row).unwrap_or_else(|| panic!("no {row} in\n{}", driver.screen_text()));
    ::console::present::text::width(&line[..line.find(text).unwrap()])
}

#[test]
fn names_in_any_script_keep_the_columns() {
    let mut cluster = fixture::tenants();
    for id in
        ["東京-都庁", "e\u{301}te\u{301}", "emoji-👩‍🚀", "bad\x1b[31m\u{202e}id", "long-東京都庁東京都庁東京都庁東京都庁"]
    {
        cluster.app(id, "root.tenants.tenant-a.etl", "sue", 60, &[("a", 0, "cpu=1 mem=1Gi", "node-a")]);
    }
    let mut driver = Driver::new(Scene::new(cluster.build()), Options::default(), 100, 24);
    driver.keys("2").unwrap();
    let usual = column(&driver, "etl-1", "Running");
    for id in ["東京-都庁", "e\u{301}te\u{301}", "emoji", "bad\\x1b[31m\\u{202e}i", "long-東京都"] {
        assert_eq!(column(&driver, id, "Running"), usual, "{id}");
    }
    assert!(!driver.screen_text().contains('\x1b'));
}

#[test]
fn a_part_that_is_older_than_the_rest_is_reported_at_the_top() {
    let (driver, _) = console(120, 40);
    let mut state = driver.state().clone();
    let part = |what, age| source::StalePart { what, age: Duration::from_secs(age), cause: "cut".to_owned() };
    state.cluster.stale = vec![part("the list of nodes", 9), part("the list of users", 4)];
    let mut buffer = ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, 120, 40));
    let options = &state.options;
    let theme = ::console::theme::Theme::new(&options.themes, &options.theme, options.depth, options.ascii);
    ::console::draw::paint(&state, &theme, &mut buffer);
    let first: String = (0..120).map(|x| buffer[(x, 0)].symbol().to_owned()).collect();
    assert!(first.contains(" 9s OLD: the list of nodes, and more "), "{first}");
}
