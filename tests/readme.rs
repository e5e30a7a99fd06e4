//! The guide says what is so: its key table is the one of the command registry.
//!
//! `UPDATE=1 cargo test --test readme` writes it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

use std::fs;

use kornsole::console::input::command;

const PAGE: &str = "docs/guide/keys.md";
const BEGIN: &str = "<!-- keys -->\n";
const END: &str = "<!-- /keys -->\n";

#[test]
fn the_key_table_is_that_of_the_registry() {
    let text = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap_or_else(|| panic!("no line {BEGIN:?} in {PAGE}"));
    let (written, after) = rest.split_once(END).unwrap_or_else(|| panic!("no line {END:?} in {PAGE}"));
    let table = format!("\n{}\n", command::key_table());
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, format!("{before}{BEGIN}{table}{END}{after}")).unwrap();
        return;
    }
    let differs = written.lines().zip(table.lines()).find(|(written, known)| written != known);
    let hint = "UPDATE=1 cargo test --test readme writes it";
    assert!(written == table, "the key table of {PAGE} is stale, first here: {differs:?}; {hint}");
}
