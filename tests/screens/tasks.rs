//! The tasks of docs/guide/tasks.md: their keys are played and counted.

use std::time::Duration;

use ::console::Options;

use super::cluster::on_cluster;

/// The maximum number of keys for a task, without typed names and values.
const MOST: usize = 8;

struct Task {
    name: String,
    keys: Vec<Typed>,
    shows: String,
}

enum Typed {
    Key(String),
    Text(String),
}

fn keys(cell: &str) -> Vec<Typed> {
    let mut keys = Vec::new();
    let mut rest = cell.trim();
    while let Some(symbol) = rest.chars().next() {
        assert!(matches!(symbol, '`' | '"'), "{cell}");
        let (word, after) = rest[1..].split_once(symbol).unwrap_or_else(|| panic!("{cell}"));
        keys.push(if symbol == '`' { Typed::Key(word.to_owned()) } else { Typed::Text(word.to_owned()) });
        rest = after.trim_start();
    }
    keys
}

fn tasks() -> Vec<Task> {
    let text = std::fs::read_to_string("docs/guide/tasks.md").unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [name, pressed, shows] = cells[..] else { panic!("{row}") };
        Task {
            name: name.trim().to_owned(),
            keys: keys(pressed),
            shows: shows.trim_matches([' ', '|', '`']).to_owned(),
        }
    })
    .collect()
}

#[test]
fn no_task_needs_more_than_eight_keys() {
    let all = tasks();
    assert!(all.len() >= 12, "{}", all.len());
    for task in all {
        let count = task.keys.iter().filter(|typed| matches!(typed, Typed::Key(_))).count();
        assert!((1..=MOST).contains(&count), "{}: {count} keys", task.name);
    }
}

#[test]
fn the_keys_of_a_task_lead_to_its_screen() {
    for task in tasks() {
        let (mut driver, source) = on_cluster(Options::default(), 120, 40);
        for typed in &task.keys {
            match typed {
                Typed::Text(text) => driver.type_text(text),
                Typed::Key(key) if key.chars().count() == 1 => driver.type_text(key),
                Typed::Key(key) => driver.keys(&format!("<{key}>")).unwrap(),
            };
            // A dialog ignores keys in its first moment.
            driver.advance(Duration::from_secs(1));
        }
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
        let text = driver.screen_text();
        assert!(text.contains(&task.shows), "{}: no {:?} in\n{text}", task.name, task.shows);
    }
}
