//! The page Cluster: the queue tree with a dashboard around it.

use std::sync::Arc;
use std::time::Duration;

use ::console::shell::settings::StartPage;
use ::console::state::page::Page;
use ::console::theme::ThemeName;
use ::console::{Driver, Options, Personal};
use ::engine::Setup;
use model::{Identity, Profile, VCORE};
use source::Stepped;
use view::units::show_amount;

use crate::common::{says, says_not};

/// The page on the demo, after ten minutes in which trends were measured.
fn on_cluster(options: Options, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
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
        says(&plain, "ALLOC/S");
    }
}

/// The word after a label in a text.
fn after<'a>(text: &'a str, label: &str) -> &'a str {
    let at = text.find(label).unwrap_or_else(|| panic!("no {label}:\n{text}")) + label.len();
    text[at..].split_whitespace().next().unwrap()
}

#[test]
fn all_figures_of_a_frame_are_of_one_moment() {
    let (mut driver, source) = on_cluster(Options::default(), 200, 60);
    let mut seed: u64 = 7;
    for _ in 0..200 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        source.advance(Duration::from_millis(1 + (seed >> 33) % 4_000));
        driver.refresh();
        let text = driver.screen_text();
        let state = driver.state();
        let root = state.cluster.part().unwrap().root().unwrap();
        let waiting = state.board.as_ref().unwrap().waiting.clone().unwrap();
        assert_eq!(after(&text, "RUNNING "), root.running.to_string(), "{text}");
        assert_eq!(after(&text, "WAITING "), waiting.apps.to_string(), "{text}");
        assert_eq!(waiting.causes.iter().map(|cause| cause.apps).sum::<u64>(), waiting.apps, "{text}");
        assert_eq!(after(&text, "PENDING "), show_amount(VCORE, root.pending.amount(VCORE)), "{text}");
        let asked: i64 = waiting.causes.iter().map(|cause| cause.cpu).sum();
        assert_eq!(asked, root.pending.amount(VCORE), "{text}");
    }
}

#[test]
fn one_goes_from_what_needs_attention_to_its_thing() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    says(&driver, "ATTENTION");
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
    driver.keys("<ret>").unwrap();
    says(&driver, "why it waits");
    driver.keys("<esc>").unwrap();
    says(&driver, "ATTENTION");
    says_not(&driver, "why it waits");
}
