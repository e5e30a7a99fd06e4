//! Screens with colors for manual review: `cargo test --test screens -- --ignored pictures` writes each cell to
//! `target/pictures` as `fg bg modifiers symbol`.

use std::fmt::Write as _;
use std::time::Duration;

use console::theme::ThemeName;
use console::{Driver, Options};
use ratatui::style::Color;
use source::SourcePlace;

use super::fixture::{self, Scene};

const IMAGES: [(&str, &str, u16, u16); 24] = [
    ("home-80", "", 80, 24),
    ("home-120", "jjjjj", 120, 40),
    ("home-160", "jjjjjjj", 160, 50),
    ("home-200", "jjjjjjj", 200, 60),
    ("home-40", "jj", 40, 12),
    ("apps-80", "jjjj<ret>", 80, 24),
    ("apps-120", "2", 120, 40),
    ("apps-200", "2e", 200, 60),
    ("app-80", "2/etl<ret><ret>", 80, 24),
    ("app-120", "2/adhoc<ret><ret>", 120, 40),
    ("app-40", "2/etl<ret><ret>", 40, 12),
    ("app-200", "2/etl<ret><ret>", 200, 60),
    ("nodes-80", "3", 80, 24),
    ("nodes-120", "3", 120, 40),
    ("node-120", "3<ret>", 120, 40),
    ("node-80", "3<ret>", 80, 24),
    ("details-80", "jjjjjjji", 80, 24),
    ("help-120", "?", 120, 40),
    ("command-120", ":", 120, 40),
    ("command-80", ":so", 80, 24),
    ("filter-80", "/tea", 80, 24),
    ("quit-80", "q", 80, 24),
    ("quit-120-mono", "jjjjjq<right>", 120, 40),
    ("home-120-ascii", "jjjjj", 120, 40),
];

#[test]
#[ignore = "writes files for a person to look at"]
fn images() {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&dir).unwrap();
    moments(&dir);
    for (name, keys, width, height) in IMAGES {
        let theme = if name.ends_with("mono") { ThemeName::mono() } else { ThemeName::default() };
        let options = Options { theme, ascii: name.ends_with("ascii"), ..Options::default() };
        let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options, width, height);
        driver.keys(keys).unwrap();
        std::fs::write(dir.join(format!("{name}.cells")), cells(&driver)).unwrap();
    }
}

fn moments(dir: &std::path::Path) {
    for (width, height) in [(80, 24), (120, 40), (40, 12)] {
        let save = |name: &str, driver: &Driver| {
            std::fs::write(dir.join(format!("{name}-{width}.cells")), cells(driver)).unwrap();
        };
        let notes = vec![
            "No configuration was given: this is the default one, a single queue root.default.".to_owned(),
            "Nothing is kept when the console ends.".to_owned(),
        ];
        let scene = Scene::with(fixture::tenants().build(), SourcePlace::Embedded, notes);
        let mut driver = Driver::new(scene.clone(), Options::default(), width, height);
        save("note", &driver);
        driver.keys("<esc>jjjj").unwrap();
        let mut cluster = fixture::tenants();
        cluster.app("new-1", "root.tenants.tenant-a.adhoc", "bob", 1, &[("x", 9, "cpu=500m mem=1Gi", "node-a")]);
        cluster.generation += 1;
        scene.show(cluster.build());
        driver.advance(Duration::from_millis(20));
        save("changed", &driver);
        driver.keys("p").unwrap();
        driver.advance(Duration::from_secs(12));
        save("frozen", &driver);
        driver.keys("p").unwrap();
        let cause = "connection refused by 10.1.2.3:9080".to_owned();
        scene.link(source::Link::Stale { age: Duration::from_secs(65), cause, retry_in: None });
        driver.refresh();
        save("stale", &driver);
        driver.keys(":x<ret>:y<ret>j<space>:messages<ret>").unwrap();
        save("messages", &driver);
    }
}

fn cells(driver: &Driver) -> String {
    let color = |color: Color| match color {
        Color::Indexed(index) => index.to_string(),
        _ => "-".to_owned(),
    };
    let buffer = driver.buffer();
    let mut text = String::new();
    for y in 0..buffer.area().height {
        for x in 0..buffer.area().width {
            let cell = &buffer[(x, y)];
            let symbol = cell.symbol();
            write!(text, "{} {} {} {symbol}\t", color(cell.fg), color(cell.bg), cell.modifier.bits()).unwrap();
        }
        text.push('\n');
    }
    text
}
