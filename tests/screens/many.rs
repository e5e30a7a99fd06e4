use std::path::Path;
use std::time::Duration;

use ::console::input::terminal_events::Mouse;
use ::console::state::key::{Code, Key};
use ::console::state::layer::Layer;
use ::console::state::page::Page;
use ::console::{Driver, Options};
use ratatui::layout::Position;
use source::{Source, Stepped};
use view::act::{Act, PartitionAct};

use crate::common::shows;
use crate::metrics::{PAGES, demo, opened_on};
use crate::space::on_demo as console;

fn live(source: &Stepped) -> usize {
    source.view().partitions[0].live_apps
}

#[test]
fn a_few_marked_applications_are_killed_after_one_question() {
    let (mut driver, source) = console(120, 40, 20);
    let before = live(&source);
    driver.keys("2<space><space><space>").unwrap();
    shows(&driver, ", 3 marked");
    assert_eq!(driver.lines().iter().filter(|line| line.starts_with('✓')).count(), 3);
    driver.keys("K").unwrap();
    shows(&driver, "Kill 3 applications?");
    driver.keys("<ret>").unwrap();
    assert_eq!(live(&source), before, "the question opens on doing nothing");
    driver.keys("K").unwrap();
    insta::assert_snapshot!("kill-many-120x40", driver.screen_text());
    driver.keys("y").unwrap();
    driver.refresh();
    shows(&driver, "all 3 done; see :messages; events ");
    assert_eq!(live(&source), before - 3);
    driver.keys(":messages<ret>").unwrap();
    assert_eq!(driver.lines().iter().filter(|line| line.contains("killed ")).count(), 3);
}

#[test]
fn all_applications_of_a_subtree_ask_for_its_name() {
    let (mut driver, source) = console(120, 40, 20);
    let before = live(&source);
    driver.keys(":apps root.system<ret>AK").unwrap();
    shows(&driver, "type root.system to confirm");
    driver.keys("y<ret>").unwrap();
    shows(&driver, "type root.system to confirm, or press esc");
    // With fewer marks the name is still required; other marks reset the dialog.
    driver.keys("<esc>").unwrap();
    driver.advance(Duration::from_secs(1));
    driver.keys("g<space>K").unwrap();
    shows(&driver, "type root.system to confirm");
    driver.keys("<esc>A").unwrap();
    driver.advance(Duration::from_secs(1));
    driver.keys("g<space>K").unwrap();
    shows(&driver, "[ Cancel ]");
    assert_eq!(live(&source), before);
}

#[test]
fn many_marked_applications_ask_for_the_typed_name() {
    let (mut driver, source) = console(120, 40, 40);
    let before = live(&source);
    assert!(before > 10);
    driver.keys("2AK").unwrap();
    shows(&driver, "type default to confirm");
    driver.keys("y<ret>").unwrap();
    shows(&driver, "type default to confirm, or press esc");
    assert_eq!(live(&source), before);
    driver.keys("<bs>default<ret>").unwrap();
    driver.refresh();
    assert_eq!(live(&source), 0);
    shows(&driver, "done");
}

#[test]
fn each_of_those_moved_has_its_own_outcome() {
    let (mut driver, _) = console(120, 40, 20);
    driver.keys("2/etl<ret>A<esc>:move root.batch.nightly<ret>").unwrap();
    shows(&driver, "They are moved to root.batch.nightly");
    insta::assert_snapshot!("move-many-120x40", driver.screen_text());
    driver.keys("<esc>").unwrap();
    driver.keys(":move root<ret>").unwrap();
    shows(&driver, "root is not a leaf queue");
}

#[test]
fn names_rows_and_queues_are_copied() {
    let (mut driver, _) = console(120, 40, 20);
    driver.keys(":queues root.system.services<ret>y").unwrap();
    assert_eq!(driver.copied(), Some("root.system.services"));
    driver.keys("Y").unwrap();
    assert!(driver.copied().unwrap().starts_with("- name: services\n  properties:\n"), "{:?}", driver.copied());
    driver.keys(":copy-row<ret>").unwrap();
    assert!(driver.copied().unwrap().starts_with("root.system.services\tActive\t"), "{:?}", driver.copied());
    driver.keys("2Y").unwrap();
    assert!(driver.copied().unwrap().starts_with("application: "), "{:?}", driver.copied());
}

#[test]
fn each_list_copies_its_value_and_its_row_and_is_exported() {
    let (mut driver, _) = console(120, 40, 60);
    let lists = ["1", "2", "2<ret>", "3", "3<ret>", "4", "4<ret>", "7", "L", "H", "F", ":limits<ret>", ":usage<ret>"];
    for keys in lists {
        driver.keys(&format!("1<esc>{keys}")).unwrap();
        driver.settle();
        driver.keys("y").unwrap();
        if driver.state().page().list().is_some_and(|list| list.rows() == 0) {
            shows(&driver, "nothing to copy here");
            continue;
        }
        let value = driver.copied().unwrap_or_else(|| panic!("{keys}:\n{}", driver.screen_text())).to_owned();
        assert!(!value.is_empty() && !value.contains('\n'), "{keys}: {value}");
        driver.keys("Y").unwrap();
        let yaml = driver.copied().unwrap();
        assert!(yaml.lines().count() > 1 && yaml.contains(": "), "{keys}: {yaml}");
        driver.keys("<C-s>").unwrap();
        shows(&driver, &format!(":export {}.csv", driver.state().page().name()));
        driver.keys("<esc>").unwrap();
    }
}

#[test]
fn a_list_is_exported_as_it_is_seen() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("export");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let (mut driver, source) = console(80, 24, 40);
    driver.keys("2:sort user<ret>").unwrap();
    for name in ["apps.csv", "apps.json", "apps.txt"] {
        driver.keys(&format!(":export {}<ret>", dir.join(name).display())).unwrap();
        shows(&driver, "rows in");
    }
    let read = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    let csv = read("apps.csv");
    assert_eq!(csv.lines().count(), live(&source) + 1, "all rows, not only those on the screen");
    assert!(csv.starts_with("age_seconds,application,state,queue,user,groups,priority,pending,"), "{csv}");
    let users: Vec<&str> = csv.lines().skip(1).map(|line| line.split(',').nth(4).unwrap()).collect();
    assert!(users.is_sorted(), "{users:?}");
    assert!(!csv.contains('…'), "nothing is cut");
    assert_eq!(read("apps.json").matches("\"application\": ").count(), live(&source));
    assert_eq!(read("apps.txt").lines().count(), live(&source) + 1);
    driver.keys(&format!(":export {}<ret>", dir.join("apps.csv").display())).unwrap();
    shows(&driver, "already exists");
    assert_eq!(read("apps.csv"), csv);
}

#[test]
fn every_page_is_exported_in_every_form() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    let demo = demo();
    for (at, (page, keys)) in PAGES.into_iter().enumerate() {
        let mut driver = opened_on(&demo, 120, 40);
        driver.keys(keys).unwrap().advance(Duration::from_millis(300));
        let mut written = Vec::new();
        for form in ["csv", "json", "txt"] {
            let file = dir.join(format!("{at}.{form}"));
            driver.keys(&format!(":export {}<ret>", file.display())).unwrap();
            written.push(std::fs::read_to_string(&file).unwrap_or_else(|error| {
                panic!("{page}: no {form}: {error} in\n{}", driver.screen_text());
            }));
        }
        if matches!(driver.state().page(), Page::Config(_)) {
            assert!(written.iter().all(|text| text.contains("partitions:")), "{page}: its text");
            continue;
        }
        let [csv, json, text] = written.try_into().unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        if let Page::Queues(list) = driver.state().page() {
            let paths: Vec<_> = rows.iter().map(|row| row["queue"].as_str().unwrap()).collect();
            assert_eq!(paths.len(), list.list.rows.len(), "{page}");
            assert!(paths.contains(&"root.batch") && rows[0]["state"] == "Active", "{page}: {json}");
            assert!(rows[0]["cpu_cores"].is_number() && rows[0]["cpu_max_cores"].is_number(), "{page}: {json}");
        }
        assert!(!rows.is_empty() || csv.lines().count() == 1, "{page}: rows in one form only");
        assert!(csv.lines().count() > rows.len(), "{page}: titles and rows");
        assert!(text.lines().count() > usize::from(!rows.is_empty()), "{page}: {text}");
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{page}");
    }
}

#[test]
fn a_megabyte_and_binary_are_pasted_everywhere() {
    let blob: String =
        (0..1 << 20).map(|at: u32| char::from_u32(at.wrapping_mul(2_654_435_761) % 0x500).unwrap_or('x')).collect();
    let binary =
        String::from_utf8_lossy(&[0xff, 0xfe, 0, 1, 2, 27, b'[', b'2', b'J', 0x9b, 13, 10, 0x7f, 0xc3]).into_owned();
    let fields =
        ["/", ":", ":kill ", ":move ", ":submit ", "?/", "5e", "6e", "6/", "jjcm", "jjca", "jjcl", "2AK", "L/"];
    let pages = PAGES.iter().map(|(_, keys)| *keys);
    for keys in pages.chain(fields) {
        let (mut driver, source) = console(100, 30, 30);
        driver.keys(keys).unwrap();
        let before = (live(&source), source.configuration().unwrap().checksum.clone());
        for pasted in [blob.as_str(), binary.as_str(), ""] {
            driver.paste(pasted).advance(Duration::from_millis(300));
            let screen = driver.screen_text();
            assert!(
                !screen.chars().any(|c| c.is_control() && c != '\n'),
                "{keys}: what is pasted reaches the terminal"
            );
            driver.resize(40, 12).buffer();
            driver.resize(100, 30);
        }
        assert!(!driver.quits(), "{keys}");
        assert_eq!((live(&source), source.configuration().unwrap().checksum.clone()), before, "{keys}");
        driver.keys("<esc><esc><esc>").unwrap();
    }
}

#[test]
fn the_tour_names_the_keys_that_hold() {
    let (mut driver, _) = console(80, 24, 1);
    driver.keys(":tour<ret>").unwrap();
    insta::assert_snapshot!("tour-80x24", driver.screen_text());
    driver.keys("<esc>").unwrap();
    shows(&driver, "root");
}

struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }
}

fn any_key(dice: &mut Dice) -> Key {
    let named = ["enter", "esc", "tab", "shift-tab", "backspace", "del", "up", "down", "left", "right", "home", "end"];
    let more =
        ["pgup", "pgdn", "space", "F1", "F2", "F4", "F5", "F6", "F7", "F8", "ctrl-u", "ctrl-r", "ctrl-n", "ctrl-w"];
    match dice.below(10) {
        0..5 => Key::plain(Code::Char(char::from(u8::try_from(32 + dice.below(95)).unwrap()))),
        5..8 => Key::parse(named[usize::try_from(dice.below(named.len() as u64)).unwrap()]).unwrap(),
        8 => Key::parse(more[usize::try_from(dice.below(more.len() as u64)).unwrap()]).unwrap(),
        _ => {
            Key::plain(Code::Char(['東', 'é', '\u{301}', ':', '1', '6', '2'][usize::try_from(dice.below(7)).unwrap()]))
        }
    }
}

/// `KORNSOLE_MONKEY=1000000 cargo test --release --test screens monkey` presses a million keys.
#[test]
fn a_monkey_presses_keys_and_nothing_panics_or_happens() {
    let presses = std::env::var("KORNSOLE_MONKEY").ok().and_then(|text| text.parse().ok()).unwrap_or(3_000u64);
    let mut dice = Dice(0x2545_f491_4f6c_dd1d);
    let (mut driver, source) = console(100, 30, 30);
    let before = (live(&source), source.configuration().unwrap().checksum.clone(), source.view().paused);
    for press in 0..presses {
        let key = any_key(&mut dice);
        let asked = matches!(driver.state().layers.last(), Some(Layer::Confirm(_)));
        // Without a confirmation, only pausing may change the cluster.
        let line = matches!(driver.state().layers.last(), Some(Layer::Command(_)));
        if asked || (line && key == Key::plain(Code::Enter)) {
            driver.key(Key::plain(Code::Esc));
        } else {
            driver.key(key);
        }
        if dice.below(40) == 0 {
            let (width, height) = (dice.below(160), dice.below(50));
            driver.resize(u16::try_from(width).unwrap(), u16::try_from(height).unwrap());
        }
        if dice.below(60) == 0 {
            let at = Position::new(dice.below(170) as u16, dice.below(60) as u16);
            driver.mouse(if dice.below(2) == 0 { Mouse::Click(at) } else { Mouse::Wheel(dice.below(9) as isize - 4) });
        }
        if dice.below(80) == 0 {
            let pasted = ["q y\n", "\u{1b}[2J\u{0}", "東京\u{301}", "root.tenants"][dice.below(4) as usize];
            driver.paste(pasted);
        }
        if dice.below(50) == 0 {
            driver.advance(Duration::from_millis(dice.below(2_000)));
        }
        if press % 16 == 0 {
            driver.buffer();
        }
        driver.take_effects();
        assert!(!matches!(driver.state().pages.first(), None | Some(Page::Apps(_))), "the queues stay at the bottom");
    }
    let after = (live(&source), source.configuration().unwrap().checksum.clone(), source.view().paused);
    assert_eq!(before, after);
}

#[test]
fn marks_that_are_over_are_never_taken_for_the_row_under_the_cursor() {
    let (mut driver, source) = console(120, 40, 20);
    driver.keys("2<space><space>").unwrap();
    let marked: Vec<_> = match driver.state().page() {
        Page::Apps(page) => page.marked.keys().cloned().collect(),
        page => panic!("{page:?}"),
    };
    let kill = |app: &model::AppId| {
        let act = PartitionAct::Kill { app: app.clone(), expect_queue: None };
        source.act(Act::within(&"default".into(), act).into(), Box::new(|outcome| drop(outcome.unwrap())));
    };
    kill(&marked[0]);
    driver.refresh();
    shows(&driver, ", 1 marked, 1 over");
    driver.keys("K").unwrap();
    shows(&driver, "Kill 1 application?");
    driver.keys("<esc>").unwrap();
    kill(&marked[1]);
    driver.refresh();
    shows(&driver, ", marked ones ended");
    for keys in ["K", "m", ":kill<ret>", ":move root.batch.nightly<ret>"] {
        let mut driver = Driver::new(std::sync::Arc::clone(&source) as _, Options::default(), 120, 40);
        driver.keys("2<space>").unwrap();
        let Page::Apps(page) = driver.state().page() else { panic!("no applications") };
        kill(page.marked.keys().next().unwrap());
        driver.refresh().keys(keys).unwrap();
        shows(&driver, "the marked applications have ended");
        assert!(driver.state().layers.is_empty(), "{keys}: nothing is asked");
        assert!(driver.state().orders.open.is_empty(), "{keys}");
    }
}

#[test]
fn the_marks_that_are_counted_are_those_that_live() {
    let (mut driver, _) = console(120, 40, 20);
    driver.keys("2A").unwrap();
    let count = |driver: &Driver| {
        let line = driver.find_row(" marked").unwrap().1;
        let before = line.split(" marked").next().unwrap().rsplit(' ').next().unwrap().to_owned();
        let apps = line.split(" applications").next().unwrap().rsplit(' ').next().unwrap().to_owned();
        (before, apps)
    };
    let (before, all) = count(&driver);
    assert_eq!(before, all);
    let (_, source) = console(120, 40, 20);
    let mut driver = Driver::new(std::sync::Arc::clone(&source) as _, Options::default(), 120, 40);
    driver.keys("2A").unwrap();
    source.advance(Duration::from_secs(30));
    driver.refresh();
    let marked = count(&driver).0;
    driver.keys("K").unwrap();
    let asked = driver.find_row("Kill ").unwrap().1;
    assert!(asked.contains(&format!("Kill {marked} applications?")), "{asked}\n{marked}");
}
