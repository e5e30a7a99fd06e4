//! Each page at three sizes and in two themes. `recordings/pages.tape` draws images.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use alerts::alerting::board::Board;
use console::{Driver, Options};
use engine::Setup;
use model::{Identity, Profile, Time};
use source::Stepped;

use super::cluster::on_cluster;
use super::simulated_past::{recorded, simulating};
use crate::common::{about, shows};

const PAGES: [(&str, &str, &str); 26] = [
    ("cluster", "", "ALLOC/S"),
    ("help", "?", "Help"),
    ("queue", ":queue root.tenants.tenant-a.etl<ret>i", "sorts"),
    ("change", ":queue root.tenants.tenant-a.etl<ret>cm", "set maximum"),
    ("applications", "2:sort wait<ret>", "WHY"),
    ("application", "2:sort wait<ret><ret>", "time line"),
    ("explanation", "2:sort wait<ret>x", "why it waits"),
    ("fairness", "F", "QUEUE"),
    ("nodes", "3", "NODE"),
    ("map", "3m", "each node by"),
    ("node", "3<ret>", "Nodes ›"),
    ("users", "4", "NAME"),
    ("user", "4<ret>", "Users & groups ›"),
    ("placement", "5", "Placement"),
    ("configuration", "6", "partitions:"),
    ("events", "7", "TIME"),
    ("history", "8", "cpu used"),
    ("health", "9", "checks passed"),
    ("draining", "0", "Draining"),
    ("audit", "L", "Audit"),
    ("revisions", "H", "REV"),
    ("trends", "T", "Trends"),
    ("usage", ":usage<ret>", "Usage"),
    ("partitions", ":partitions<ret>", "preemption"),
    ("messages", ":messages<ret>", "Messages"),
    ("whatif", ":whatif<ret>", "WHAT IF"),
];

fn appearance(driver: &Driver) -> u64 {
    let text = driver.buffer().content().iter().fold(String::new(), |mut text, cell| {
        let _ = write!(text, "{:?}{:?}{:?}", cell.fg, cell.bg, cell.modifier);
        text
    });
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

type Themes = [(&'static str, Driver); 2];

fn themes(driver: impl Fn(Options) -> Driver) -> Themes {
    ["dark", "light"].map(|name| (name, driver(Options { theme: name.into(), ..Options::default() })))
}

fn compare(drivers: &mut Themes, (page, keys, there): (&str, &str, &str)) {
    let mut shown = String::new();
    let mut texts = Vec::new();
    for (name, driver) in drivers {
        driver.resize(120, 40).keys(&format!("<esc><esc><esc>1{keys}")).unwrap().settle();
        shows(driver, there);
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            driver.resize(width, height);
            texts.push(driver.screen_text());
            let _ = writeln!(shown, "{name} {width}x{height}: {:016x}", appearance(driver));
        }
    }
    assert_eq!(texts[..3], texts[3..], "a theme changes no sign of {page}");
    texts.truncate(3);
    insta::assert_snapshot!(format!("page-{page}"), format!("{shown}\n{}", texts.join("\n\n")));
}

#[test]
fn each_page_at_three_sizes_in_two_themes() {
    let mut drivers = themes(|options| on_cluster(options, 120, 40).0);
    for page in PAGES {
        compare(&mut drivers, page);
    }
}

#[test]
fn each_page_of_alerts_at_three_sizes_in_two_themes() {
    let mut drivers = themes(|options| {
        let core = kornsole::cli::demo::core(42, &Setup::of(Profile::default())).unwrap();
        let mut rules = alerts::read::defaults();
        rules.targets.receivers.clear();
        let board = Arc::new(Board::new("demo", Arc::new(rules), None, Time::ZERO, Vec::new()));
        let source = Stepped::new(core, about("demo, seed 42"), Identity::parse("you").unwrap()).with_alerts(board);
        let source = Arc::new(source);
        let mut driver = Driver::new(Arc::clone(&source) as _, options, 120, 40);
        for _ in 0..60 {
            source.advance(Duration::from_secs(10));
            driver.refresh();
        }
        driver
    });
    compare(&mut drivers, ("alerts", "!", "SEVERITY"));
}

#[test]
fn each_page_of_a_simulation_at_three_sizes_in_two_themes() {
    let (_, source, _retained) = recorded(240);
    let mut drivers = themes(|options| simulating(&source, options));
    let change = "--set root.tenants.tenant-c.max.vcore=200 --set root.tenants.tenant-c.max.memory=none";
    compare(&mut drivers, ("simulation", &format!(":simulate past 3m {change}<ret>"), "its configuration"));
    compare(&mut drivers, ("simulation-run", &format!(":simulate past 3m {change}<ret><ret>"), "requests waiting"));
}
