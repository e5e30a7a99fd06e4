//! Property: no panic for any keys and sizes, and the cursor is on a row.

use std::time::Duration;

use console::state::key::Key;
use console::state::page::Page;
use console::{Driver, Options};
use model::QueuePath;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use crate::common::share;

use super::fixture::{self, Builder, Scene};

#[derive(Clone, Debug)]
enum Step {
    Key(&'static str),
    Resize(u16, u16),
    Advance(u64),
    Change(u8),
}

const KEYS: [&str; 71] = [
    "up",
    "down",
    "left",
    "right",
    "pgup",
    "pgdn",
    "home",
    "end",
    "enter",
    "enter",
    "enter",
    "esc",
    "esc",
    "tab",
    "shift-tab",
    "space",
    "backspace",
    "del",
    "j",
    "k",
    "g",
    "G",
    "h",
    "l",
    "i",
    "/",
    ":",
    "?",
    "s",
    "S",
    "r",
    "e",
    "p",
    "q",
    "1",
    "2",
    "3",
    "4",
    "-",
    "+",
    "a",
    "t",
    "o",
    "O",
    "!",
    "=",
    "東",
    "ctrl-w",
    "ctrl-u",
    "ctrl-l",
    "y",
    "n",
    "minus",
    "ctrl-p",
    "5",
    "w",
    "x",
    "6",
    "6",
    "7",
    "8",
    "9",
    "0",
    "v",
    "d",
    "f",
    "u",
    "U",
    "K",
    "m",
    "E",
];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        20 => prop::sample::select(&KEYS).prop_map(Step::Key),
        2 => (0u16..150, 0u16..50).prop_map(|(width, height)| Step::Resize(width, height)),
        1 => prop::sample::select(&[(0, 0), (1, 1), (40, 12), (39, 12), (40, 11), (300, 3)])
            .prop_map(|(width, height)| Step::Resize(width, height)),
        2 => (0u64..4000).prop_map(Step::Advance),
        2 => (0u8..6).prop_map(Step::Change),
    ]
}

fn change(cluster: &mut Builder, what: u8) {
    cluster.generation += 1;
    match what {
        0 => {
            cluster.tree_generation += 1;
            let name = format!("root.users.u{}", cluster.generation);
            cluster.queue(&name, |row| row.managed = false);
        }
        1 => {
            cluster.app_generation += 1;
            cluster.apps.pop();
        }
        2 => {
            cluster.tree_generation += 1;
            let used: Vec<_> = cluster.apps.iter().map(|app| app.queue.clone()).collect();
            let free = |path: &QueuePath| path.depth() > 1 && !used.iter().any(|app| app.is_within(path));
            let gone = cluster.queues.keys().rev().find(|path| free(path)).cloned();
            cluster.queues.retain(|path, _| gone.as_ref().is_none_or(|gone| !path.is_within(gone)));
        }
        3 => {
            cluster.nodes.pop_last();
        }
        4 => cluster.apps.iter_mut().for_each(|app| app.asks.clear()),
        _ if !cluster.queues.contains_key(&QueuePath::new("root.users.kim")) => {}
        _ => {
            cluster.app_generation += 1;
            let id = format!("new-{}", cluster.generation);
            cluster.app(&id, "root.users.kim", "kim", 5, &[("a", 1, "cpu=1", "-")]);
        }
    }
}

fn check(driver: &Driver) -> Result<(), TestCaseError> {
    let (index, top, len) = match driver.state().page() {
        Page::Queues(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Apps(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::App(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Nodes(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Node(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Users(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Account(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Events(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Audit(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Fairness(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Alerts(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Limits(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Revisions(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Clusters(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Simulate(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Shadow(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Usage(page) => (page.list.cursor.index, page.list.cursor.top, page.list.rows.len()),
        Page::Details(_) | Page::Explain(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) => return Ok(()),
        Page::Job(_) | Page::Contexts(_) | Page::Pod(_) | Page::Trends(_) => return Ok(()),
    };
    prop_assert!(index < len.max(1), "{index} of {len}");
    prop_assert!(top <= index, "{top} beyond {index}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: share::so_many(96, 4), failure_persistence: None, rng_seed: RngSeed::Fixed(42), ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(steps in prop::collection::vec(step(), 1..80)) {
        let mut cluster = fixture::tenants();
        let scene = Scene::new(cluster.build());
        let mut driver = Driver::new(scene.clone(), Options::default(), 80, 24);
        for step in steps {
            match step {
                Step::Key(name) => { driver.key(Key::parse(name).unwrap()); }
                Step::Resize(width, height) => { driver.resize(width, height); }
                Step::Advance(millis) => { driver.advance(Duration::from_millis(millis)); }
                Step::Change(what) => {
                    change(&mut cluster, what);
                    scene.show(cluster.build());
                    driver.refresh();
                }
            }
            driver.buffer();
            check(&driver)?;
        }
    }
}
