//! Themes: selection with preview, contrast, and color never as the only information.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ::config::{self, DEFAULT_POLICY_GROUP};
use ::console::theme::check::LEGIBLE;
use ::console::theme::{Depth, Role, ThemeFile, Themes, color};
use ::console::{Driver, Options};
use engine::Core;
use model::{Identity, Profile};
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};
use source::{Link, SourcePlace, Stepped};

use super::fixture::{self, Scene};
use super::{after, console};
use crate::common::about;

const PLACES: [(&str, &str); 23] = [
    ("events", "7"),
    ("history", "8"),
    ("health", "9"),
    ("audit", "L"),
    ("history of configurations", "H"),
    ("map of the nodes", "3m"),
    ("form on a queue", "cm"),
    ("queues", "jjjj"),
    ("applications", "2e"),
    ("application", "2/etl<ret><ret>"),
    ("nodes", "3"),
    ("node", "3<ret>"),
    ("users", "4"),
    ("user", "4<ret>"),
    ("placement", "5"),
    ("form", "5<ret>x"),
    ("details", "jjjjjjji"),
    ("why", "jjjjw"),
    ("help", "?"),
    ("command line", ":so"),
    ("filter", "/tea"),
    ("messages", ":x<ret>:messages<ret>"),
    ("question", "q<right>"),
];

fn page_bg(driver: &Driver) -> Color {
    driver.buffer()[(0, 0)].bg
}

#[test]
fn a_theme_is_shown_while_it_is_chosen() {
    let themes = Themes::shipped();
    let page = |name: &str| themes.get(name).unwrap().styles[Role::Page as usize].bg.unwrap();
    let mut driver = after(":theme ", 100, 30);
    assert_eq!(page_bg(&driver), Color::Reset, "nothing is chosen yet");
    assert!(driver.screen_text().contains("distinct with any color blindness"), "{}", driver.screen_text());
    driver.keys("nor").unwrap();
    assert_eq!(page_bg(&driver), page("nord"), "the best completion");
    driver.keys("<esc>").unwrap();
    assert_eq!(page_bg(&driver), Color::Reset, "leaving takes it back");

    driver.keys(":theme <down><down>").unwrap();
    assert_eq!(page_bg(&driver), page("light"), "the completion chosen");
    driver.keys("<down>").unwrap();
    assert_eq!(page_bg(&driver), page("high-contrast"));
    driver.keys("<up><ret>").unwrap();
    assert_eq!(page_bg(&driver), page("light"), "kept");
    driver.keys(":theme drak<ret>").unwrap();
    assert!(driver.find_row("no theme drak; available: dark, light").is_some(), "{}", driver.screen_text());
    assert_eq!(page_bg(&driver), page("light"));
}

#[test]
fn missing_terminal_features_are_reported() {
    for (depth, message) in [(Depth::None, "colors are off"), (Depth::Sixteen, "the terminal shows 16 colors")] {
        let options = Options { depth, ..Options::default() };
        let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options, 120, 30);
        driver.keys(":theme nord<ret>").unwrap();
        assert!(driver.find_row(message).is_some(), "{}", driver.screen_text());
        let rgb = |cell: &Cell| color::rgb(cell.fg).is_some() || color::rgb(cell.bg).is_some();
        assert!(!driver.buffer().content().iter().any(rgb));
    }
}

#[test]
fn errors_in_a_user_theme_are_reported_at_the_start() {
    let text = Ok("[roles]\naccnt = \"red\"\n".to_owned());
    let themes = Themes::with(vec![ThemeFile { name: "mine".to_owned(), file: "mine.toml".to_owned(), text }]);
    let options = Options { themes: Arc::new(themes), ..Options::default() };
    let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options, 120, 30);
    assert!(driver.find_row("mine.toml:2:1: error[THM-004]: unknown role \"accnt\"").is_some());
    driver.keys(":messages<ret>").unwrap();
    assert!(driver.find_row("did you mean \"accent\"?").is_some(), "{}", driver.screen_text());
    driver.keys("<esc>:theme mine<ret>").unwrap();
    assert!(driver.find_row("no theme").is_none());
}

fn moments(options: &Options) -> Vec<(String, Driver)> {
    let mut moments = Vec::new();
    for (name, keys) in PLACES {
        let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options.clone(), 120, 40);
        driver.keys(keys).unwrap();
        moments.push((name.to_owned(), driver));
    }
    let scene = Scene::with(fixture::tenants().build(), SourcePlace::Remote, vec!["A note.".to_owned()]);
    let start = |keys: &str| {
        let mut driver = Driver::new(scene.clone(), options.clone(), 120, 40);
        driver.keys(keys).unwrap();
        driver
    };
    moments.push(("note".to_owned(), start("")));
    let mut frozen = start("p");
    frozen.advance(Duration::from_secs(12));
    moments.push(("frozen".to_owned(), frozen));
    let mut changed = start("<esc>");
    let mut cluster = fixture::tenants();
    cluster.app("new-1", "root.tenants.tenant-a.adhoc", "bob", 1, &[("x", 9, "cpu=500m mem=1Gi", "node-a")]);
    cluster.generation += 1;
    scene.show(cluster.build());
    changed.advance(Duration::from_millis(20));
    moments.push(("changed".to_owned(), changed));
    let cause = "connection refused by 10.1.2.3:9080".to_owned();
    scene.link(Link::Stale { age: Duration::from_secs(65), cause, retry_in: None });
    moments.push(("stale".to_owned(), start("<esc>jj")));
    moments
}

/// `None` if a color is the terminal's default.
fn contrast(cell: &Cell, behind: Option<Color>) -> Option<f64> {
    let known = |color: Color| (color != Color::Reset).then_some(color);
    let (fg, bg) = (known(cell.fg), known(cell.bg).or(behind));
    let (fg, bg) = (color::rgb(fg?)?, color::rgb(bg?)?);
    let (fg, bg) = if cell.modifier.contains(Modifier::REVERSED) { (bg, fg) } else { (fg, bg) };
    Some(color::contrast(fg, bg))
}

#[test]
fn every_word_is_legible_on_every_page_in_every_theme() {
    let mut wrong = BTreeSet::new();
    for theme in Themes::shipped().iter() {
        let options = Options { theme: theme.name.clone(), ..Options::default() };
        for (place, driver) in moments(&options) {
            let buffer = driver.buffer();
            for cell in buffer.content().iter().filter(|cell| cell.symbol().chars().all(char::is_alphanumeric)) {
                if let Some(found) = contrast(cell, theme.behind).filter(|found| *found < LEGIBLE) {
                    let (fg, bg) = (cell.fg, cell.bg);
                    wrong.insert(format!("{} on {place}: {fg} on {bg} has {found:.2}", theme.name));
                }
                // Such a theme is for terminals whose default text is legible on its backgrounds.
                let half = theme.behind.is_none() && cell.fg == Color::Reset && cell.bg != Color::Reset;
                assert!(!half, "{} on {place}: the terminal's own colour on one of the theme", theme.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn every_theme_shows_where_the_cursor_is() {
    for theme in Themes::shipped().iter() {
        let options = Options { theme: theme.name.clone(), ..Options::default() };
        let mut driver = Driver::new(Scene::new(fixture::tenants().build()), options, 100, 30);
        driver.keys("jjj").unwrap();
        let (row, _) = driver.find_row("▌").unwrap();
        let buffer = driver.buffer();
        let appearance =
            |row: usize| buffer.content().chunks(100).nth(row).unwrap().iter().map(|cell| (cell.bg, cell.modifier));
        let differ = appearance(row).zip(appearance(row + 1)).filter(|(here, below)| here != below).count();
        assert!(differ > 90, "{}: {differ} columns differ from the row below", theme.name);
    }
}

/// A unique color for each role identifies the role of each symbol.
fn meaningful() -> Options {
    let mut text = "[roles]\n".to_owned();
    for (at, role) in Role::ALL.into_iter().enumerate() {
        text += &format!("\"{}\" = \"#0000{at:02x}\"\n", role.name());
    }
    let file = ThemeFile { name: "meaningful".to_owned(), file: "meaningful.toml".to_owned(), text: Ok(text) };
    let themes = Arc::new(Themes::with(vec![file]));
    Options { theme: "meaningful".into(), themes, ..Options::default() }
}

fn role(cell: &Cell) -> Option<Role> {
    match cell.fg {
        Color::Rgb(0, 0, at) => Role::ALL.get(usize::from(at)).copied(),
        _ => None,
    }
}

#[test]
fn no_state_is_shown_by_color_alone() {
    // These roles need a unique symbol or word.
    let states = |role: &Role| {
        ["state.", "priority.", "badge."].iter().any(|group| role.name().starts_with(group))
            || matches!(role, Role::Good | Role::Warning | Role::Error | Role::Danger)
    };
    let mut reported: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (_, driver) in moments(&meaningful()) {
        let buffer = driver.buffer();
        for line in buffer.content().chunks(120) {
            for run in line.chunk_by(|a, b| role(a) == role(b)) {
                let text: String = run.iter().map(Cell::symbol).collect();
                let Some(role) = role(&run[0]).filter(|role| states(role)) else { continue };
                let text = text.trim();
                // `!` only attracts attention; the text next to it gives the reason.
                if !text.is_empty() && text != "!" && !text.chars().all(|c| c.is_ascii_digit()) {
                    reported.entry(text.to_owned()).or_default().insert(role.name());
                }
            }
        }
    }
    assert!(reported.len() > 20, "the screens say what they mean: {reported:?}");
    let ambiguous: Vec<String> = reported
        .iter()
        .filter(|(_, roles)| roles.len() > 1)
        .map(|(word, roles)| format!("{word}: {roles:?}"))
        .collect();
    assert!(ambiguous.is_empty(), "{}", ambiguous.join("\n"));
}

fn role_of(driver: &Driver, text: &str) -> Option<Role> {
    let (row, line) = driver.find_row(text).unwrap_or_else(|| panic!("no {text} on\n{}", driver.screen_text()));
    let column = line[..line.find(text).unwrap()].chars().count();
    role(&driver.buffer().content()[row * 120 + column])
}

#[test]
fn what_a_release_does_not_have_is_dimmed_with_the_release_that_has_it() {
    const TEXT: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: etl
            properties:
              quota.preemption.delay: 30s
              application.sort.policy: fair
";
    let read = config::read_file(TEXT.as_bytes(), DEFAULT_POLICY_GROUP, Profile::V1_8_0);
    let core = Core::new(Profile::V1_8_0, Arc::new(read.config.unwrap()), None).unwrap();
    let core = core.with_config_text(TEXT.as_bytes(), None);
    let source = Stepped::new(core, about("1.8.0"), Identity::parse("you").unwrap());
    let mut driver = Driver::new(Arc::new(source), meaningful(), 120, 30);
    driver.keys(":queue root.etl<ret>i").unwrap();
    assert_eq!(role_of(&driver, "quota.preemption.delay = 30s (here): no"), Some(Role::Dim));
    assert_eq!(role_of(&driver, "effect here, used by 1.9.0"), Some(Role::Dim));
    assert_eq!(role_of(&driver, "application.sort.policy = fair"), Some(Role::Text));
    driver.keys("<esc>6Ge").unwrap();
    driver.type_text("            properties: {quota");
    assert_eq!(role_of(&driver, "quota.preemption.delay  used by 1.9.0"), Some(Role::Dim), "{}", driver.screen_text());
}

#[test]
fn themes_change_no_symbol() {
    let text = |name: &str| {
        let (mut driver, _) = console(120, 40);
        driver.keys(&format!(":theme {name}<ret>jj")).unwrap();
        driver.screen_text()
    };
    let dark = text("dark");
    for theme in Themes::shipped().iter() {
        assert_eq!(text(theme.name.as_str()), dark, "{}", theme.name);
    }
}
