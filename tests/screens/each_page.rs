//! Each page at three sizes and in two themes. `recordings/pages.tape` draws images.

use std::fmt::Write as _;

use console::{Driver, Options};

use super::cluster::on_cluster;
use crate::common::says;

/// Name, keys from the first page, and a text on the page.
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

/// A hash of the screen's styles.
fn looks(driver: &Driver) -> u64 {
    let text = driver.buffer().content().iter().fold(String::new(), |mut text, cell| {
        let _ = write!(text, "{:?}{:?}{:?}", cell.fg, cell.bg, cell.modifier);
        text
    });
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn each_page_at_three_sizes_in_two_themes() {
    let theme = |name: &str| on_cluster(Options { theme: name.into(), ..Options::default() }, 120, 40).0;
    let mut drivers = ["dark", "light"].map(|name| (name, theme(name)));
    for (page, keys, there) in PAGES {
        let mut shown = String::new();
        let mut texts = Vec::new();
        for (name, driver) in &mut drivers {
            driver.resize(120, 40).keys(&format!("<esc><esc><esc>1{keys}")).unwrap().settle();
            says(driver, there);
            for (width, height) in [(80, 24), (120, 40), (200, 60)] {
                driver.resize(width, height);
                texts.push(driver.screen_text());
                let _ = writeln!(shown, "{name} {width}x{height}: {:016x}", looks(driver));
            }
        }
        assert_eq!(texts[..3], texts[3..], "a theme changes no sign of {page}");
        texts.truncate(3);
        insta::assert_snapshot!(format!("page-{page}"), format!("{shown}\n{}", texts.join("\n\n")));
    }
}
