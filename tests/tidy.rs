//! House rules that a program can check: the layers of the crate, and the purity of the core.
//!
//! Method: every source file is read as text; comments and test modules do not count, so that a rule can be talked about and a test may
//! use what it needs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/sizes.rs"]
mod sizes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each layer may use of the crate. Everything stands below it.
const LAYERS: [(&str, &[&str]); 24] = [
    ("model", &[]),
    ("config", &["model"]),
    ("scheduler", &["model", "config"]),
    ("view", &["model", "config", "scheduler"]),
    ("scenario", &["model", "config", "scheduler"]),
    ("whatif", &["model", "config", "scheduler", "scenario"]),
    ("twin", &["model", "config", "scheduler", "view", "whatif", "kubernetes"]),
    ("ledger", &["model", "config", "scheduler"]),
    ("alerts", &["model", "config", "view"]),
    ("shadow", &["model", "config", "scheduler", "view"]),
    ("kubernetes", &["model", "config", "scheduler", "view"]),
    ("simulate", &["model", "config", "scheduler", "scenario", "whatif", "ledger", "kubernetes"]),
    ("engine", &["model", "config", "scheduler", "view", "scenario", "whatif", "ledger"]),
    ("local", &["model", "config", "scheduler", "view", "whatif", "engine"]),
    ("alerting", &["model", "config", "view", "alerts", "engine"]),
    ("kube", &["model", "config", "view", "kubernetes"]),
    ("shim", &["model", "config", "scheduler", "view", "shadow", "kubernetes", "engine", "kube"]),
    ("api", &["model", "config", "view", "whatif", "ledger", "alerts", "kube"]),
    ("api::server", &["model", "config", "view", "whatif", "ledger", "alerts", "engine", "alerting", "api"]),
    (
        "source",
        &[
            "model",
            "config",
            "view",
            "whatif",
            "twin",
            "ledger",
            "alerts",
            "kubernetes",
            "engine",
            "alerting",
            "local",
            "kube",
            "api",
        ],
    ),
    ("console", &["model", "config", "view", "alerts", "alerting", "source"]),
    ("tape", &["model", "config", "view", "scenario", "alerts", "engine", "alerting", "source", "console"]),
    ("cli", ABOVE),
    ("lib", ABOVE),
];

/// What each room of the console may use of the others.
///
/// `theme` and `spelling` are data and words that use nothing of the console: the options name a theme out of those that there are, so
/// `state` and `update` know the themes; a piece of text names the role of its meaning, so `present` does.
const ROOMS: [(&str, &[&str]); 9] = [
    ("spelling", &[]),
    ("theme", &["spelling"]),
    ("state", &["theme"]),
    ("input", &["state"]),
    ("present", &["spelling", "theme", "state", "input"]),
    ("update", &["spelling", "theme", "state", "input", "present"]),
    ("draw", &["theme", "state", "present"]),
    ("linear", &["spelling", "theme", "state", "input", "present"]),
    ("shell", &["spelling", "theme", "state", "input", "present", "update", "draw", "linear"]),
];

/// What stands on top may use everything.
const ABOVE: &[&str] = &[
    "model",
    "config",
    "scheduler",
    "view",
    "scenario",
    "whatif",
    "twin",
    "ledger",
    "shadow",
    "kubernetes",
    "alerts",
    "simulate",
    "engine",
    "alerting",
    "local",
    "kube",
    "shim",
    "api",
    "api::server",
    "source",
    "console",
    "tape",
    "cli",
];

/// What the core must not touch: clocks, IO, threads, randomness, and maps whose order nobody knows.
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

/// The files of the core that hold hash maps, each behind a type that cannot be walked.
const HASH_MAP_HOMES: [(&str, &str, &str); 2] = [
    ("HashMap", "src/scheduler/index.rs", "impl<K: Eq + Hash, V> Index<K, V> {"),
    ("HashTable", "src/scheduler/state/ask_ids.rs", "impl AskIds {"),
];

/// Parts of the console that take time as an argument and must not ask for it.
const CONSOLE_PURE: [&str; 6] = [
    "src/console/state",
    "src/console/present",
    "src/console/input",
    "src/console/update",
    "src/console/draw",
    "src/console/linear",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
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

/// The code of a file, line by line with its number, without comments and without what follows `#[cfg(test)]`.
fn code(file: &Path) -> Vec<(usize, String)> {
    let text = fs::read_to_string(file).unwrap();
    let lines = text.lines().enumerate();
    let code = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
    code.map(|(number, line)| (number + 1, line.split("//").next().unwrap_or_default().to_owned())).collect()
}

fn all_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    sources(Path::new("src"), &mut found);
    assert!(found.len() > 40, "the sources are not where this test looks for them");
    found
}

/// The layer of a file: the first part of its path below `src`; the server is a layer of its own within `api`.
fn layer(file: &Path) -> String {
    let part = |at| file.iter().nth(at).and_then(|part| part.to_str()).unwrap_or_default();
    match (part(1), part(2)) {
        ("api", "server") => "api::server".to_owned(),
        (first, _) => first.strip_suffix(".rs").unwrap_or(first).to_owned(),
    }
}

/// The layers whose names stand right behind `crate::` in a line.
fn used(line: &str) -> impl Iterator<Item = String> + '_ {
    line.match_indices("crate::").map(|(at, found)| {
        let rest = &line[at + found.len()..];
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        if rest.starts_with("api::server") { "api::server".to_owned() } else { name }
    })
}

fn is_test_file(file: &Path) -> bool {
    file.iter().any(|part| part == "tests" || part == "tests.rs" || part == "fixture" || part == "fixture.rs")
}

#[test]
fn layers_import_downwards_only() {
    let layers: BTreeMap<&str, &[&str]> = LAYERS.into_iter().collect();
    let mut wrong = Vec::new();
    for file in all_sources() {
        if is_test_file(&file)
            || ["src/main.rs", "src/job.rs", "src/core.rs"].iter().any(|root| file == Path::new(root))
        {
            continue;
        }
        let layer = layer(&file);
        let Some(allowed) = layers.get(layer.as_str()) else {
            wrong.push(format!("{}: the layer {layer:?} is not in the table", file.display()));
            continue;
        };
        for (number, line) in code(&file) {
            for name in used(&line).filter(|name| layers.contains_key(name.as_str())) {
                if name != layer && !allowed.contains(&name.as_str()) {
                    wrong.push(format!("{}:{number}: {layer} must not use {name}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The rooms of the console whose names stand in a line of a file that is `depth` modules below the console.
fn rooms_used(line: &str, depth: usize) -> impl Iterator<Item = String> + '_ {
    let starts = ["crate::console::".to_owned(), "super::".repeat(depth)];
    starts.into_iter().flat_map(move |start| {
        let found = line.match_indices(&start).filter(|(at, _)| !line[..*at].ends_with("::"));
        let names = found.map(|(at, found)| &line[at + found.len()..]);
        let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        names.map(name).collect::<Vec<_>>()
    })
}

#[test]
fn rooms_of_the_console_import_downwards_only() {
    let rooms: BTreeMap<&str, &[&str]> = ROOMS.into_iter().collect();
    let mut wrong = Vec::new();
    for file in all_sources().iter().filter(|file| file.starts_with("src/console") && !is_test_file(file)) {
        let parts: Vec<&str> = file.iter().skip(2).filter_map(|part| part.to_str()).collect();
        let room = parts[0].strip_suffix(".rs").unwrap_or(parts[0]);
        if room == "mod" {
            continue;
        }
        let Some(allowed) = rooms.get(room) else {
            wrong.push(format!("{}: the room {room:?} is not in the table", file.display()));
            continue;
        };
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod.rs"));
        for (number, line) in code(file) {
            for name in rooms_used(&line, depth).filter(|name| rooms.contains_key(name.as_str())) {
                if name != room && !allowed.contains(&name.as_str()) {
                    wrong.push(format!("{}:{number}: {room} must not use {name}", file.display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_layer_states_its_invariants() {
    for (layer, _) in LAYERS.iter().filter(|(layer, _)| *layer != "lib") {
        let file = Path::new("src").join(layer.replace("::", "/")).join("mod.rs");
        if !file.exists() {
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{} is missing", file.display()));
        assert!(text.contains("//! Invariants:"), "{} does not say what holds in it", file.display());
    }
}

/// What a token is compared with is known to one file, which compares it once, by a crate that is made for that.
#[test]
fn tokens_are_compared_in_one_place_in_constant_time() {
    let mut compared = Vec::new();
    for file in all_sources() {
        let lines = code(&file);
        let found = lines.into_iter().filter(|(_, line)| line.contains("ct_eq") || line.contains("ConstantTimeEq"));
        compared.extend(found.map(|(_, line)| format!("{}: {}", file.display(), line.trim())));
    }
    let once =
        ["src/api/auth.rs: use subtle::ConstantTimeEq;", "src/api/auth.rs: if bool::from(token.hash.ct_eq(&hash)) {"];
    assert_eq!(compared, once);
    let auth: String = code(Path::new("src/api/auth.rs")).into_iter().map(|(_, line)| line + "\n").collect();
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

#[test]
fn the_core_is_pure() {
    let mut wrong = Vec::new();
    for file in all_sources() {
        if is_test_file(&file) || !["scheduler", "model", "whatif", "kubernetes"].contains(&layer(&file).as_str()) {
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
    for (_, home, begin) in HASH_MAP_HOMES {
        let text: String = code(Path::new(home)).into_iter().map(|(_, line)| line + "\n").collect();
        let body = text.split(begin).nth(1).expect("the look-up is where it was");
        let body = body.split("\n}").next().unwrap();
        for word in ["fn iter", "fn keys", "fn values", "fn drain", "fn into_iter", "fn retain"] {
            assert!(!body.contains(word), "{home} has {word}");
        }
    }
}

#[test]
fn the_console_takes_the_time_as_an_argument() {
    let mut wrong = Vec::new();
    for file in all_sources() {
        let path = file.to_str().unwrap();
        if CONSOLE_PURE.iter().any(|folder| path.starts_with(folder)) {
            let asks = code(&file).into_iter().filter(|(_, line)| line.contains("::now()"));
            wrong.extend(asks.map(|(number, _)| format!("{path}:{number}")));
        }
    }
    assert!(wrong.is_empty(), "these ask for the time themselves: {}", wrong.join(", "));
}

/// The rules of configurations, users, names, access lists, limits and placement that have a test of their own, as first and last
/// number of each row of them without a gap.
const RULES: [(&str, &[(u32, u32)]); 5] = [
    ("CFG", &[(1, 18), (20, 24), (30, 38), (41, 51), (55, 58), (60, 79), (80, 94), (100, 102), (110, 111)]),
    ("USR", &[(1, 9)]),
    ("NAM", &[(1, 5)]),
    ("ACL", &[(1, 10), (20, 29)]),
    ("LIM", &[(1, 17), (30, 35), (40, 47)]),
];

/// Every rule of [`RULES`] by its id.
fn rules() -> BTreeSet<String> {
    let ids = RULES.into_iter().flat_map(|(family, rows)| {
        rows.iter().flat_map(move |(first, last)| (*first..=*last).map(move |number| format!("{family}-{number:03}")))
    });
    ids.collect()
}

/// The ids in a text, as `CFG-043` or in the name of a function as `cfg_043`.
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
