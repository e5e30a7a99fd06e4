//! House rules that a program can check: edges between crates, modules of the console, and purity of the core.
//!
//! Source files are read as text without comments and test modules.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/crates.rs"]
mod crates;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/words.rs"]
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The allowed uses between the rooms of the console.
///
/// `theme` and `spelling` use nothing of the console. The options name a theme, so `state` and `update` use them; a
/// text names its role, so `present` does.
const MODULES: [(&str, &[&str]); 10] = [
    ("spelling", &[]),
    ("theme", &["spelling"]),
    ("state", &["theme"]),
    ("input", &["state"]),
    ("present", &["spelling", "theme", "state", "input"]),
    ("update", &["spelling", "theme", "state", "input", "present"]),
    ("draw", &["theme", "state", "present"]),
    ("linear", &["spelling", "theme", "state", "input", "present"]),
    ("shell", &["spelling", "theme", "state", "input", "present", "update", "draw", "linear"]),
    ("tape", &["spelling", "theme", "state", "input", "present", "update", "draw", "linear", "shell"]),
];

const IMPURE: [&str; 14] = [
    "std::time::Instant",
    "Instant::now",
    "SystemTime",
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::sync::mpsc",
    "rand::",
    "HashSet",
    "FxHashSet",
    "collections::HashMap",
];

/// Where they must not occur.
const PURE: [&str; 4] =
    ["crates/scheduler/src", "crates/model/src", "crates/kubernetes/src", "crates/forecast/src/whatif"];

/// Hash maps of the core, each in a type without iteration.
const HASH_MAP_HOMES: [(&str, &str, &str); 2] = [
    ("HashMap", "crates/scheduler/src/index.rs", "impl<K: Eq + Hash, V> Index<K, V> {"),
    ("HashTable", "crates/scheduler/src/state/ask_ids.rs", "impl AskIds {"),
];

/// Parts of the console that receive the time as an argument.
const CONSOLE_PURE: [&str; 6] = [
    "crates/console/src/state",
    "crates/console/src/present",
    "crates/console/src/input",
    "crates/console/src/update",
    "crates/console/src/draw",
    "crates/console/src/linear",
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// Numbered lines without comments and without what follows `#[cfg(test)]`.
fn code(file: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().enumerate();
    let code = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    code.map(|(number, line)| (number + 1, line.split("//").next().unwrap_or_default().to_owned())).collect()
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    for entry in fs::read_dir("crates").unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut found);
    }
    found.sort();
    assert!(found.len() > 1000, "the sources are not where this test looks for them");
    found
}

fn crate_of(file: &Path) -> String {
    let mut parts = file.iter().filter_map(|part| part.to_str());
    let inside = parts.next() == Some("crates");
    parts.next().filter(|_| inside).unwrap_or("kornsole").to_owned()
}

fn is_test_file(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs" || part == "fixture" || part == "fixture.rs")
}

/// The rooms named in a line; the file is `depth` modules below the console.
fn modules_used(line: &str, depth: usize) -> impl Iterator<Item = String> + '_ {
    let starts = ["crate::".to_owned(), "super::".repeat(depth)];
    starts.into_iter().flat_map(move |start| {
        let found = line.match_indices(&start).filter(|(at, _)| !line[..*at].ends_with("::"));
        let names = found.map(|(at, found)| &line[at + found.len()..]);
        let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        names.map(name).collect::<Vec<_>>()
    })
}

#[test]
fn modules_of_the_console_import_downwards_only() {
    let modules: BTreeMap<&str, &[&str]> = MODULES.into_iter().collect();
    let mut wrong = Vec::new();
    for file in all_sources().iter().filter(|file| file.starts_with("crates/console/src") && !is_test_file(file)) {
        let parts: Vec<&str> = file.iter().skip(3).filter_map(|part| part.to_str()).collect();
        let module = parts[0].strip_suffix(".rs").unwrap_or(parts[0]);
        if module == "lib" {
            continue;
        }
        let Some(allowed) = modules.get(module) else {
            wrong.push(format!("{}: the room {module:?} is not in the table", file.display()));
            continue;
        };
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod.rs"));
        for (number, line) in code(file) {
            for name in modules_used(&line, depth).filter(|name| modules.contains_key(name.as_str())) {
                if name != module && !allowed.contains(&name.as_str()) {
                    wrong.push(format!("{}:{number}: {module} must not use {name}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_crate_states_its_invariants() {
    for (name, _) in crates::TABLE.iter().filter(|(name, _)| *name != "kornsole") {
        let file = Path::new("crates").join(name).join("src/lib.rs");
        let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} is missing", file.display()));
        assert!(text.contains("//! Invariant"), "{} does not state its invariants", file.display());
    }
}

#[test]
fn tokens_are_compared_in_one_place_in_constant_time() {
    let mut compared = Vec::new();
    for file in all_sources() {
        let lines = code(&file);
        let found = lines.into_iter().filter(|(_, line)| line.contains("ct_eq") || line.contains("ConstantTimeEq"));
        compared.extend(found.map(|(_, line)| format!("{}: {}", file.display(), line.trim())));
    }
    let once = [
        "crates/server/src/auth.rs: use subtle::ConstantTimeEq;",
        "crates/server/src/auth.rs: if bool::from(token.hash.ct_eq(&hash)) {",
    ];
    assert_eq!(compared, once);
    let auth: String = code(Path::new("crates/server/src/auth.rs")).into_iter().map(|(_, line)| line + "\n").collect();
    let token = auth.split("pub struct Token {").nth(1).and_then(|rest| rest.split('}').next()).unwrap();
    assert!(token.contains("\n    hash: ") && !token.contains("pub hash"), "nobody else can compare it: {token}");
    let derived = auth.split("pub struct Token {").next().and_then(|before| before.lines().last()).unwrap();
    assert!(
        derived.starts_with("#[derive(") && !derived.contains("Eq"),
        "tokens are not compared as a whole: {derived}"
    );
    let otherwise = ["hash ==", "hash !=", "== hash", "!= hash", "== &hash", "secret ==", "presented =="];
    assert!(!otherwise.iter().any(|compare| auth.contains(compare)), "only in constant time");
}

/// Files that write to a terminal without the writers of `printed.rs`, and why.
const PRINT_THEMSELVES: [(&str, &str); 12] = [
    ("src/cli/printed.rs", "the one place"),
    ("src/cli/remote/mod.rs", "escaped before, as the format needs"),
    ("src/cli/settings.rs", "escaped before, as the format needs"),
    ("src/cli/local/jobs.rs", "the output of a job, escaped for a terminal"),
    ("src/cli/local/attach.rs", "the terminal of a job"),
    ("src/cli/local/acts.rs", "flushes a question"),
    ("src/cli/shell.rs", "scripts and pages of the program itself"),
    ("src/cli/mod.rs", "the version"),
    ("src/cli/progress.rs", "a line that is replaced; the name is escaped"),
    ("src/cli/simulate/progress.rs", "a line that is replaced; the words are escaped"),
    ("src/cli/run.rs", "a line that is replaced; the name is escaped"),
    ("src/cli/remote/killing.rs", "a line that is replaced; the name is escaped"),
];

#[test]
fn text_is_printed_where_it_is_escaped() {
    let ways = ["::stdout()", "::stderr()", "println!", "print!(", "eprint"];
    let mut found = BTreeSet::new();
    for file in all_sources().iter().filter(|file| file.starts_with("src/cli") && !is_test_file(file)) {
        let prints = |line: &str| ways.iter().any(|way| line.contains(way)) && !line.contains("is_terminal");
        let lines = code(file).into_iter().filter(|(_, line)| prints(line));
        found.extend(lines.map(|_| file.display().to_string()));
    }
    let due: BTreeSet<String> = PRINT_THEMSELVES.iter().map(|(file, _)| (*file).to_owned()).collect();
    assert_eq!(found, due, "use printed::out() or printed::err()");
}

#[test]
fn the_core_is_pure() {
    let mut wrong = Vec::new();
    for file in all_sources() {
        if is_test_file(&file) || !PURE.iter().any(|dir| file.starts_with(dir)) {
            continue;
        }
        for (number, line) in code(&file) {
            let found = IMPURE.iter().filter(|word| line.contains(**word));
            wrong.extend(found.map(|word| format!("{}:{number}: {word}", file.display())));
            for (map, home, _) in HASH_MAP_HOMES {
                if line.contains(map) && file != Path::new(home) {
                    wrong.push(format!("{}:{number}: a {map} outside {home}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_hash_maps_of_the_core_cannot_be_walked() {
    for (_, home, head) in HASH_MAP_HOMES {
        let text: String = code(Path::new(home)).into_iter().map(|(_, line)| line + "\n").collect();
        let body = text.split(head).nth(1).expect("the look-up is where it was");
        let body = body.split("\n}").next().unwrap();
        for word in ["fn iter", "fn keys", "fn values", "fn drain", "fn into_iter", "fn retain"] {
            assert!(!body.contains(word), "{home} has {word}");
        }
    }
}

#[test]
fn the_console_receives_the_time_as_an_argument() {
    let mut wrong = Vec::new();
    for file in all_sources() {
        let path = file.to_str().unwrap();
        if CONSOLE_PURE.iter().any(|dir| path.starts_with(dir)) {
            let asks = code(&file).into_iter().filter(|(_, line)| line.contains("::now()"));
            wrong.extend(asks.map(|(number, _)| format!("{path}:{number}")));
        }
    }
    assert!(wrong.is_empty(), "these ask for the time themselves: {}", wrong.join(", "));
}

/// Rules with a test of their own, as ranges without gaps.
const RULES: [(&str, &[(u32, u32)]); 5] = [
    ("CFG", &[(1, 18), (20, 24), (30, 38), (41, 51), (55, 58), (60, 79), (80, 94), (100, 102), (110, 111)]),
    ("USR", &[(1, 9)]),
    ("NAM", &[(1, 5)]),
    ("ACL", &[(1, 10), (20, 29)]),
    ("LIM", &[(1, 17), (30, 35), (40, 47)]),
];

fn rules() -> BTreeSet<String> {
    let ids = RULES.into_iter().flat_map(|(family, rows)| {
        rows.iter().flat_map(move |(first, last)| (*first..=*last).map(move |number| format!("{family}-{number:03}")))
    });
    ids.collect()
}

/// IDs such as `CFG-043`, or `cfg_043` in function names.
fn ids(text: &str) -> impl Iterator<Item = String> + '_ {
    let families =
        RULES.into_iter().flat_map(|(family, _)| [format!("{family}-"), format!("{}_", family.to_lowercase())]);
    families.flat_map(move |start| {
        let found = text.match_indices(&start).filter_map(|(at, _)| text.get(at + 4..at + 7));
        let numbers = found.filter(|number| number.bytes().all(|digit| digit.is_ascii_digit()));
        numbers.map(|number| format!("{}-{number}", start[..3].to_uppercase())).collect::<Vec<_>>()
    })
}

#[test]
fn every_rule_has_a_test_that_is_named_by_it() {
    let mut files = all_sources();
    sources(Path::new("tests"), &mut files);
    let mut tested = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let tests = lines.iter().enumerate().filter(|(_, line)| **line == "#[test]");
        for (at, _) in tests {
            let name = lines[at..].iter().find(|line| line.starts_with("fn ")).unwrap();
            tested.extend(ids(name));
        }
    }
    let missing: Vec<String> = rules().difference(&tested).cloned().collect();
    assert!(missing.is_empty(), "no test is named by {}", missing.join(", "));
}

#[test]
fn no_fault_names_a_rule_that_is_not_in_the_list() {
    let known = rules();
    let mut unknown = BTreeSet::new();
    for file in all_sources() {
        let text: String = code(&file).into_iter().map(|(_, line)| line + "\n").collect();
        unknown.extend(ids(&text).filter(|id| !known.contains(id)));
    }
    assert!(unknown.is_empty(), "the list of rules does not have {unknown:?}");
}
