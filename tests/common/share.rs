//! How much a test does that goes over many cases: all of them with `KORNSOLE_TESTS=all`, as CI has it, and otherwise an evenly spread
//! part, so that the tests of a fresh clone end within minutes.

use std::path::{Path, PathBuf};

/// Whether every case is tested.
pub fn all() -> bool {
    std::env::var_os("KORNSOLE_TESTS").is_some_and(|value| value == "all")
}

/// Every `nth` case, or all of them.
pub fn part_of<T>(cases: Vec<T>, nth: usize) -> Vec<T> {
    if all() { cases } else { cases.into_iter().step_by(nth).collect() }
}

/// A number of random cases, rounds or runs, divided by `nth` unless everything is tested.
pub fn so_many(cases: u32, nth: u32) -> u32 {
    if all() { cases } else { cases / nth }
}

/// The files of the recorded scenarios, by name.
pub fn recorded_scenarios() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios");
    let entries = std::fs::read_dir(folder).expect("the recordings are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    // What was recorded later comes last, so that the part which is tested in short runs stays what it was.
    files.sort_by_key(|path| {
        let later = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("late3"));
        (later, path.clone())
    });
    assert!(files.len() > 250, "{} scenarios", files.len());
    files
}

/// The same without those that a recount from events alone cannot follow: an id that is sent again (D-23), what a failed gang leaves
/// behind (P-22), asks that hold up others (D-19). What the cores do there is compared line by line with the recordings.
#[allow(dead_code, reason = "not every test that shares this file uses it")]
pub fn countable_scenarios() -> Vec<PathBuf> {
    let others = ["late3-again", "late3-backoff", "late3-gangfailed", "late3-gangtimeout", "late3-resize"];
    let is_other = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        others.iter().any(|start| name.starts_with(start))
    };
    recorded_scenarios().into_iter().filter(|path| !is_other(path)).collect()
}
