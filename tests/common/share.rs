//! Tests cover all cases with `KORNSOLE_TESTS=all`, as in CI, and otherwise an evenly spread part.

use std::path::{Path, PathBuf};

use model::Profile;

/// Returns whether every case is tested.
pub fn all() -> bool {
    std::env::var_os("KORNSOLE_TESTS").is_some_and(|value| value == "all")
}

/// Returns every `nth` case, or all of them.
pub fn part_of<T>(cases: Vec<T>, nth: usize) -> Vec<T> {
    if all() { cases } else { cases.into_iter().step_by(nth).collect() }
}

/// Returns the number of random cases, divided by `nth` unless everything is tested.
pub fn so_many(cases: u32, nth: u32) -> u32 {
    if all() { cases } else { cases / nth }
}

/// The files of the recorded scenarios, sorted by name.
pub fn recorded_scenarios() -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios");
    let entries = std::fs::read_dir(dir).expect("the recordings are there");
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder is read").path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    // Later recordings come last, so that the part for short runs does not change.
    files.sort_by_key(|path| {
        let later = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("late3"));
        (later, path.clone())
    });
    assert!(files.len() > 250, "{} scenarios", files.len());
    files
}

/// Prefixes of recorded scenarios that a test cannot compare; other tests do.
#[allow(dead_code, reason = "not every test that shares this file uses it")]
#[derive(Clone, Copy, Default)]
pub struct Excluded {
    /// Excluded under all profiles.
    pub always: &'static [&'static str],
    /// Excluded under the profiles of releases.
    pub by_releases: &'static [&'static str],
    /// Excluded under 1.5.1.
    pub by_1_5_1: &'static [&'static str],
}

#[allow(dead_code, reason = "not every test that shares this file uses it")]
impl Excluded {
    /// Returns whether a scenario is compared under a profile.
    pub fn lets(&self, path: &Path, profile: Profile) -> bool {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_of = |starts: &[&str]| starts.iter().any(|start| name.starts_with(start));
        let excluded = is_of(self.always)
            || profile != Profile::Kornsole && is_of(self.by_releases)
            || profile == Profile::V1_5_1 && is_of(self.by_1_5_1);
        !excluded
    }
}
