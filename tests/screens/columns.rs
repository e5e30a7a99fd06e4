use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ::console::present::export;
use ::console::present::text::natural;
use ::console::shell::settings::{self, Settings};
use ::console::state::page::Page;
use ::console::theme::Themes;
use ::console::{Driver, Options, Personal};

use super::fixture::{self, Scene};
use super::keys::selected;
use super::space::on_demo;
use super::{after, console};
use crate::common::{shows, shows_not};

fn titles(driver: &Driver) -> Vec<String> {
    let head = driver.lines().into_iter().find(|line| line.starts_with(" QUEUE") || line.starts_with(" APPLICATION"));
    head.unwrap_or_else(|| panic!("no titles in\n{}", driver.screen_text()))
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_queue_of_an_application_stays_and_hidden_rows_are_reported() {
    for (width, height) in [(80, 24), (60, 20), (120, 40)] {
        let driver = after("2", width, height);
        let titles = titles(&driver);
        assert!(titles.contains(&"QUEUE".to_owned()), "{width}: {titles:?}");
    }
    let driver = after("2", 80, 24);
    shows(&driver, "more columns");
    shows(&driver, "WHY");
    shows(&driver, "WAIT");
}

#[test]
fn applications_show_in_three_words_what_they_are_pending_for_and_since_when() {
    let (mut driver, _) = on_demo(120, 40, 180);
    driver.keys("2/guest<ret>:sort wait<ret>").unwrap();
    let (_, line) = driver.find_row("group limit guests").unwrap_or_else(|| panic!("{}", driver.screen_text()));
    assert!(line.contains("guest-") && line.contains('m'), "{line}");
    driver.keys("<esc>/nightly<ret>").unwrap();
    shows(&driver, "app maximum nightly");
}

#[test]
fn names_are_sorted_as_people_count() {
    let mut names = ["q10", "q2", "Q1", "q1", "q02", "q", "q2b", "q2a10", "q2a9"];
    names.sort_by(|one, other| natural(one, other));
    assert_eq!(names, ["Q1", "q", "q1", "q02", "q2", "q2a9", "q2a10", "q2b", "q10"]);
    let mut cluster = fixture::tenants();
    for name in ["q10", "q2", "q1"] {
        cluster.queue(&format!("root.system.{name}"), |_| {});
    }
    let driver = Driver::new(Scene::new(cluster.build()), Options::default(), 80, 40);
    let row = |name: &str| driver.find_row(&format!("{name} ")).unwrap_or_else(|| panic!("{}", driver.screen_text())).0;
    assert!(row("q1") < row("q2") && row("q2") < row("q10"), "{}", driver.screen_text());
}

#[test]
fn users_at_a_limit_are_first() {
    let driver = after("4", 120, 40);
    let lines = driver.lines();
    let rows: Vec<&String> =
        lines.iter().skip(4).take_while(|line| line.contains("user") || line.contains("group")).collect();
    let first_free = rows.iter().position(|line| !line.contains('!')).unwrap();
    assert!(first_free > 0 && rows[first_free..].iter().all(|line| !line.contains("! ")), "{}", driver.screen_text());
}

#[test]
fn columns_are_chosen_in_their_order_and_width() {
    let mut driver = after("2", 120, 40);
    driver.keys(":columns user cpu:9 state<ret>").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "USER", "CPU", "STATE"]);
    driver.keys(":columns +why -state<ret>").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "USER", "CPU", "WHY"]);
    driver.keys(":columns colour<ret>").unwrap();
    shows(&driver, "no column colour here; available: age, application");
    driver.keys(":columns cpu:0<ret>").unwrap();
    shows(&driver, "0 is not a width");
    driver.keys("1").unwrap();
    assert!(titles(&driver).contains(&"STATE".to_owned()), "another page has its own");
    driver.keys("2:columns default<ret>").unwrap();
    assert!(titles(&driver).contains(&"QUEUE".to_owned()));
    driver.keys(":columns us<tab> pri<tab><ret>").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "USER", "PRI"], "each name is completed");
}

#[test]
fn columns_are_picked_one_by_one() {
    let mut driver = after("2:columns user cpu state<ret>:columns<ret>", 120, 40);
    shows(&driver, "Columns of apps");
    let line = |driver: &Driver, name: &str| {
        let has = |line: &String| line.contains(&format!("] {name} "));
        driver.lines().into_iter().find(has).unwrap_or_else(|| panic!("{}", driver.screen_text()))
    };
    assert!(line(&driver, "user").contains("[x]") && line(&driver, "why").contains("[ ]"));
    driver.keys(" ").unwrap();
    shows(&driver, "the name column is always first");
    driver.keys("j jJ<lt>").unwrap();
    driver.keys("<esc>").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "USER", "CPU", "STATE"], "escape leaves them as they were");
    driver.keys(":columns<ret>j j").unwrap();
    assert!(line(&driver, "user").contains("[ ]"));
    driver.keys("Jll").unwrap();
    assert!(line(&driver, "cpu").contains(" wide"), "{}", driver.screen_text());
    driver.keys("<ret>").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "STATE", "CPU"]);
    driver.keys(":columns<ret>d").unwrap();
    assert!(titles(&driver).contains(&"QUEUE".to_owned()), "{}", driver.screen_text());
}

#[test]
fn the_wide_mode_shows_every_column_and_scrolls_them() {
    let mut driver = after("2", 80, 24);
    driver.keys("<C-w>").unwrap();
    shows(&driver, "more");
    let first = titles(&driver);
    driver.keys("<gt><gt>").unwrap();
    assert_ne!(titles(&driver), first);
    assert_eq!(titles(&driver)[0], "APPLICATION", "the name stays");
    driver.keys("<lt><lt>").unwrap();
    assert_eq!(titles(&driver), first);
    let mut wide = after("", 200, 60);
    shows(&wide, "priority");
    wide.keys("<C-w>").unwrap();
    shows_not(&wide, "seen above");
    assert!(titles(&wide).contains(&"LIVE".to_owned()));
}

#[test]
fn an_export_has_each_value_in_its_own_column() {
    let (driver, _) = console(80, 24);
    let data = export::data(driver.state());
    let csv = data.csv();
    assert!(
        csv.starts_with("queue,state,priority,apps,apps_max,live,pending_cores,pending_mem_bytes,cpu_cores,"),
        "{csv}"
    );
    let rows: Vec<serde_json::Value> = serde_json::from_str(&data.json()).unwrap();
    let row = rows.iter().find(|row| row["queue"] == "root.tenants.tenant-a").unwrap();
    assert_eq!((&row["cpu_cores"], &row["cpu_guaranteed_cores"]), (&7.5.into(), &4.into()));
    assert_eq!((&row["cpu_max_cores"], &row["mem_max_bytes"]), (&20.into(), &(40_u64 << 30).into()));
    assert!(row["apps_max"].is_null(), "no maximum is no figure: {row}");
}

fn personal(file: &Path) -> Driver {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let read = settings::read(&text, &Themes::shipped());
    assert_eq!(read.faults, [], "{text}");
    let Settings { columns, views, .. } = read.settings;
    let scene = Scene::new(fixture::tenants().build());
    let personal = Personal { columns, views, saved_dir: PathBuf::from(file), ..Personal::default() };
    let mut driver = Driver::new(Arc::clone(&scene) as _, Options::default(), 120, 40);
    driver.personalize(personal);
    driver
}

#[test]
fn columns_and_views_are_stored_in_the_settings() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kept-settings.toml");
    std::fs::write(&file, "theme = 'dark' # mine\n").unwrap();
    let mut driver = personal(&file);
    driver.keys("2:columns user cpu:9<ret>/etl<ret>:sort user<ret>:view save hungry<ret>").unwrap();
    shows(&driver, "saved as the view hungry");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("theme = 'dark' # mine\n"), "{text}");
    let mut driver = personal(&file);
    driver.keys("2").unwrap();
    assert_eq!(titles(&driver), ["APPLICATION", "USER", "CPU"]);
    driver.keys(":columns default<ret>1:view hungry<ret>").unwrap();
    assert_eq!(titles(&driver)[..3], ["APPLICATION", "USER▲", "CPU"]);
    assert!(selected(&driver).starts_with("etl"), "{}", driver.screen_text());
    driver.keys(":view delete hungry<ret>:view hungry<ret>").unwrap();
    shows(&driver, "no view hungry");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("hungry") && !text.contains("apps"), "{text}");
}

#[test]
fn the_trend_of_an_hour_is_a_column_of_eight_cells_that_nothing_is_sorted_by() {
    for (page, name) in [("1", "root"), ("3", "big-01"), ("4", "ann")] {
        let (mut driver, source) = on_demo(100, 30, 1200);
        driver.keys(&format!("{page}:columns trend<ret>")).unwrap();
        // Measurements arrive with the next update.
        source.advance(Duration::from_secs(20));
        driver.refresh();
        let shown = driver.screen_text();
        let row = |line: &&str| line.contains(name) && line.contains(['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']);
        assert!(shown.contains("LAST 1 h") && shown.lines().any(|line| row(&line)), "{page}: {shown}");
        driver.keys(":sort trend<ret>").unwrap();
        shows(&driver, "trend is a trend; lists cannot be sorted by it");
    }
}

#[test]
fn a_filter_has_conditions_on_columns() {
    let (mut driver, _) = on_demo(160, 40, 60);
    for (keys, passes) in [("user:ann", true), ("pend>0", true), ("user:ann pend>1000", false), ("state:run", true)] {
        driver.keys(&format!("2/{keys}<ret>")).unwrap();
        let Page::Apps(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
        assert_eq!(!page.list.rows.is_empty(), passes, "{keys}\n{}", driver.screen_text());
        let part = driver.state().cluster.part().unwrap();
        for line in page.list.rows.iter() {
            let app = part.app_by_id(line.id()).unwrap();
            match keys {
                "user:ann" => assert_eq!(app.who.user, "ann"),
                "pend>0" => assert!(app.pending_asks > 0),
                _ => assert_eq!(app.state, model::AppState::Running),
            }
        }
        driver.keys("<esc>").unwrap();
    }
    driver.keys("1/cpu>4 !queue:tenants<ret>").unwrap();
    let Page::Queues(page) = driver.state().page() else { panic!("{}", driver.screen_text()) };
    let part = driver.state().cluster.part().unwrap();
    let passed: Vec<_> = page.list.rows.iter().filter(|line| line.matched).collect();
    assert!(!passed.is_empty(), "{}", driver.screen_text());
    for line in passed {
        let row = part.queue(line.slot).unwrap();
        assert!(row.allocated.amount(model::VCORE) > 4_000, "{}", row.path);
        assert!(!row.path.as_str().contains("tenants"), "{}", row.path);
    }
}
