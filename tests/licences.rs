//! `THIRD-PARTY` lists every crate of the binary with license texts, and `deny.toml` allows the licenses. `UPDATE=1
//! cargo test --test licences` writes `THIRD-PARTY`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failed test says so by a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

const PLATFORM: &str = "x86_64-unknown-linux-gnu";

struct Crate {
    name: String,
    version: String,
    license: String,
    source: String,
    dir: PathBuf,
}

fn crates() -> Vec<Crate> {
    let arguments = ["metadata", "--offline", "--locked", "--format-version", "1", "--filter-platform", PLATFORM];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}\n`cargo fetch --target {PLATFORM}` brings what is missing");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (node["id"].as_str().unwrap().to_owned(), node))
        .collect();
    let root = metadata["resolve"]["root"].as_str().unwrap().to_owned();
    let (mut found, mut waiting) = (BTreeSet::new(), vec![root]);
    while let Some(id) = waiting.pop() {
        let built = |kind: &Value| kind["kind"].is_null() || kind["kind"] == "build";
        let below = list(&nodes[&id]["deps"]).into_iter().filter(|below| list(&below["dep_kinds"]).iter().any(built));
        if found.insert(id.clone()) {
            waiting.extend(below.map(|below| below["pkg"].as_str().unwrap().to_owned()));
        }
    }
    let own = list(&metadata["workspace_members"]);
    let packages = list(&metadata["packages"])
        .into_iter()
        .filter(|package| !own.contains(&package["id"]) && found.contains(package["id"].as_str().unwrap()));
    let mut crates: Vec<Crate> = packages.map(|package| read(&package)).collect();
    crates.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    crates
}

fn read(package: &Value) -> Crate {
    let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let dir = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().to_owned();
    Crate { name: text("name"), version: text("version"), license: text("license"), source: text("source"), dir }
}

fn texts(of: &Crate) -> Vec<String> {
    let starts =
        |name: &str| ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word));
    let entries = std::fs::read_dir(&of.dir).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| path.is_file() && starts(&path.file_name().unwrap().to_string_lossy().to_uppercase()))
        .collect();
    files.sort();
    let read = |path: &PathBuf| String::from_utf8_lossy(&std::fs::read(path).unwrap()).replace('\r', "");
    let lines =
        |text: String| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned();
    files.iter().map(read).map(lines).filter(|text| !text.is_empty()).collect()
}

fn third_party(crates: &[Crate]) -> String {
    let mut table = String::new();
    let mut by_text: BTreeMap<String, (String, Vec<String>)> = BTreeMap::new();
    for one in crates {
        let name = format!("{} {}", one.name, one.version);
        table += &format!("{name:<40} {}\n", one.license);
        for text in texts(one) {
            let key = text.split_whitespace().collect::<Vec<_>>().join(" ");
            by_text.entry(key).or_insert((text, Vec::new())).1.push(name.clone());
        }
    }
    let mut texts: Vec<(String, Vec<String>)> = by_text.into_values().collect();
    texts.iter_mut().for_each(|(_, names)| names.dedup());
    texts.sort_by(|(_, a), (_, b)| a.cmp(b));
    let line = "=".repeat(80);
    let texts: String =
        texts.iter().map(|(text, names)| format!("\n{line}\n{}\n{line}\n\n{text}\n", names.join(", "))).collect();
    format!(
        "kornsole is licensed under Apache-2.0 (LICENSE). Its binary is built from these crates; the texts of their licences and\n\
         notices follow. Written by `UPDATE=1 cargo test --test licences` for {PLATFORM}.\n\n{table}{texts}"
    )
}

#[test]
fn third_party_names_what_the_binary_is_built_from() {
    let (path, made) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("THIRD-PARTY"), third_party(&crates()));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let retained = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = made.lines().zip(retained.lines()).find(|(made, retained)| made != retained);
    assert!(
        made == retained,
        "THIRD-PARTY is stale, at {differs:?}; write it with `UPDATE=1 cargo test --test licences`"
    );
}

fn deny() -> toml::Table {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deny.toml")).unwrap().parse().unwrap()
}

/// Returns whether the allowed licenses satisfy an expression: `MIT OR (Apache-2.0 AND ISC)`.
fn allows(allowed: &BTreeSet<String>, expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    either(allowed, &mut words) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(allowed: &BTreeSet<String>, words: &mut Words<'_>) -> bool {
    let mut is = both(allowed, words);
    while words.next_if_eq(&"OR").is_some() {
        is |= both(allowed, words);
    }
    is
}

fn both(allowed: &BTreeSet<String>, words: &mut Words<'_>) -> bool {
    let mut is = one(allowed, words);
    while words.next_if_eq(&"AND").is_some() {
        is &= one(allowed, words);
    }
    is
}

fn one(allowed: &BTreeSet<String>, words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let is = either(allowed, words);
        return words.next() == Some(")") && is;
    }
    let mut name = words.next().unwrap_or_default().trim_end_matches('+').to_owned();
    if words.next_if_eq(&"WITH").is_some() {
        name = format!("{name} WITH {}", words.next().unwrap_or_default());
    }
    allowed.contains(&name)
}

#[test]
fn every_license_is_allowed_and_every_allowed_one_is_needed() {
    let deny = deny();
    let list = deny["licenses"]["allow"].as_array().unwrap();
    let allowed: BTreeSet<String> = list.iter().map(|name| name.as_str().unwrap().to_owned()).collect();
    let crates = crates();
    let refused = |allowed: &BTreeSet<String>| {
        let refused = crates.iter().filter(|one| !allows(allowed, &one.license));
        refused.map(|one| format!("{} {}: {}", one.name, one.version, one.license)).collect::<Vec<_>>()
    };
    assert_eq!(refused(&allowed), Vec::<String>::new());
    for name in &allowed {
        let others = allowed.iter().filter(|other| *other != name).cloned().collect();
        assert!(!refused(&others).is_empty(), "nothing needs {name}: take it out of deny.toml");
    }
    assert!(!allows(&allowed, "GPL-3.0") && !allows(&allowed, "MIT AND GPL-3.0") && allows(&allowed, "GPL-3.0 OR MIT"));
}

#[test]
fn duplicate_crates_are_listed_in_deny_toml_and_come_from_the_registry_only() {
    let deny = deny();
    assert_eq!(deny["bans"]["multiple-versions"].as_str(), Some("deny"));
    let skipped = deny["bans"]["skip"].as_array().unwrap().iter();
    let skipped: BTreeSet<&str> =
        skipped.map(|skip| skip["crate"].as_str().unwrap().split('@').next().unwrap()).collect();
    let crates = crates();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    crates.iter().for_each(|one| *versions.entry(&one.name).or_default() += 1);
    let twice: BTreeSet<&str> = versions.into_iter().filter(|(_, count)| *count > 1).map(|(name, _)| name).collect();
    assert_eq!(twice, skipped, "left: crates of several versions; right: those that deny.toml knows");
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    assert!(crates.iter().all(|one| one.source == registry), "something comes from elsewhere");
}
