//! The generated tables in documents are current. `UPDATE=1 cargo test --test readme` writes them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

use std::fs;

use console::input::command;
use kornsole::cli::profiles;
use scheduler::interface::switch_table::SWITCHES;

const PAGE: &str = "docs/guide/keys.md";

#[test]
fn the_key_table_is_that_of_the_registry() {
    check_table(PAGE, "keys", &format!("\n{}\n", command::key_table()));
}

#[test]
fn the_table_of_switches_is_that_of_the_scheduler() {
    check_table("docs/profiles.md", "switches", &format!("\n{}\n", profiles::table()));
}

#[test]
fn the_test_of_each_switch_is_there() {
    for row in SWITCHES {
        let (file, function) = row.test.split_once("::").unwrap();
        let text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {file}: {error}", row.name));
        assert!(text.contains(&format!("fn {function}(")), "{}: {} is not there", row.name, row.test);
    }
}

fn check_table(page: &str, mark: &str, table: &str) {
    let (start, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->\n"));
    let text = fs::read_to_string(page).unwrap();
    let (before, rest) = text.split_once(&start).unwrap_or_else(|| panic!("no line {start:?} in {page}"));
    let (written, after) = rest.split_once(&end).unwrap_or_else(|| panic!("no line {end:?} in {page}"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(page, format!("{before}{start}{table}{end}{after}")).unwrap();
        return;
    }
    let differs = written.lines().zip(table.lines()).find(|(written, known)| written != known);
    let hint = "UPDATE=1 cargo test --test readme writes it";
    assert!(written == table, "the table of {page} is stale, first here: {differs:?}; {hint}");
}
