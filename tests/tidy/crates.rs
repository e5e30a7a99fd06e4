//! Allowed dependencies between crates. `UPDATE=1 cargo test --test tidy` generates the drawing in
//! `docs/architecture.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

/// The allowed dependencies of each crate, lowest crate first.
pub const TABLE: [(&str, &[&str]); 18] = [
    ("model", &[]),
    ("config", &["model"]),
    ("scheduler", &["model", "config"]),
    ("scenario", &["model", "config", "scheduler"]),
    ("ledger", &["model", "scheduler"]),
    ("view", &["model", "config", "scheduler"]),
    ("kubernetes", &["model", "config", "scheduler", "view"]),
    ("forecast", &["model", "config", "scheduler", "scenario", "ledger", "view", "kubernetes"]),
    ("engine", &["model", "config", "scheduler", "scenario", "ledger", "view", "forecast"]),
    ("alerts", &["model", "config", "view", "engine"]),
    ("wire", &["model", "config", "ledger", "view", "forecast", "alerts"]),
    ("server", &["model", "config", "ledger", "view", "forecast", "alerts", "engine", "wire"]),
    ("cluster", &["model", "config", "scheduler", "view", "kubernetes", "forecast", "engine"]),
    ("client", &["model", "config", "wire", "cluster"]),
    ("local", &["model", "scheduler", "view", "forecast", "engine"]),
    (
        "source",
        &[
            "model",
            "config",
            "ledger",
            "view",
            "kubernetes",
            "forecast",
            "engine",
            "alerts",
            "wire",
            "cluster",
            "client",
            "local",
        ],
    ),
    ("console", &["model", "config", "view", "engine", "alerts", "source"]),
    (
        "kornsole",
        &[
            "model",
            "config",
            "scheduler",
            "scenario",
            "ledger",
            "view",
            "kubernetes",
            "forecast",
            "engine",
            "alerts",
            "wire",
            "server",
            "cluster",
            "client",
            "local",
            "source",
            "console",
        ],
    ),
];

fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let arguments = ["metadata", "--offline", "--locked", "--no-deps", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut edges = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let dependencies = package["dependencies"].as_array().unwrap().iter();
        let own = dependencies.filter(|used| used["kind"].is_null() && used["source"].is_null());
        let names = own.map(|used| used["name"].as_str().unwrap().to_owned());
        edges.insert(package["name"].as_str().unwrap().to_owned(), names.collect());
    }
    edges
}

#[test]
fn crates_use_what_the_table_allows() {
    let edges = edges();
    let table: BTreeMap<&str, &[&str]> = TABLE.into_iter().collect();
    let known: BTreeSet<&str> = edges.keys().map(String::as_str).collect();
    assert_eq!(known, table.keys().copied().collect(), "the crates, and the rows of the table");
    let mut wrong = Vec::new();
    for (name, used) in &edges {
        let allowed: BTreeSet<String> = table[name.as_str()].iter().map(|one| (*one).to_owned()).collect();
        wrong.extend(used.difference(&allowed).map(|extra| format!("{name} must not use {extra}")));
        wrong.extend(
            allowed.difference(used).map(|spare| format!("{name} does not use {spare}: remove it from the table")),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_has_no_circle() {
    let mut below: BTreeSet<&str> = BTreeSet::new();
    for (name, used) in TABLE {
        let above: Vec<_> = used.iter().filter(|one| !below.contains(**one)).collect();
        assert!(above.is_empty(), "{name} comes before {above:?}");
        below.insert(name);
    }
}

/// The graph in Mermaid, without transitive edges.
fn drawing(edges: &BTreeMap<String, BTreeSet<String>>) -> String {
    fn reach<'a>(edges: &'a BTreeMap<String, BTreeSet<String>>, from: &str, found: &mut BTreeSet<&'a str>) {
        for used in &edges[from] {
            if found.insert(used) {
                reach(edges, used, found);
            }
        }
    }
    let mut lines = vec!["```mermaid".to_owned(), "graph TD".to_owned()];
    for (name, _) in TABLE.iter().rev() {
        let used = &edges[*name];
        let follows = |one: &String| {
            used.iter().filter(|other| *other != one).any(|other| {
                let mut found = BTreeSet::new();
                reach(edges, other, &mut found);
                found.contains(one.as_str())
            })
        };
        lines.extend(used.iter().filter(|one| !follows(one)).map(|one| format!("  {name} --> {one}")));
    }
    lines.push("```".to_owned());
    lines.join("\n") + "\n"
}

#[test]
fn the_drawing_of_the_crates_is_current() {
    const PAGE: &str = "docs/architecture.md";
    let (start, end) = ("<!-- crates -->\n", "<!-- /crates -->\n");
    let text = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = text.split_once(start).expect("the page has the mark");
    let (written, after) = rest.split_once(end).expect("the page has the second mark");
    let drawn = format!("\n{}\n", drawing(&edges()));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(PAGE, format!("{before}{start}{drawn}{end}{after}")).unwrap();
        return;
    }
    assert!(written == drawn, "the drawing in {PAGE} is stale; `UPDATE=1 cargo test --test tidy` writes it");
}
