//! Every rule and page section that a comment cites is in `docs/rules.md`, and relative links in the README and `docs/`
//! resolve.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test says so by a panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

const RULES: &str = "docs/rules.md";

fn files(dir: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(dir)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Comments joined over lines, because a citation may be wrapped, and the IDs in strings, the codes of `check`.
fn sources() -> Vec<(PathBuf, String)> {
    let files = ["src", "crates", "tests", "benches"].into_iter().flat_map(|dir| files(dir, ".rs"));
    files.map(|path| (path.clone(), unwrapped(&fs::read_to_string(&path).unwrap()))).collect()
}

fn unwrapped(text: &str) -> String {
    Regex::new(r"\n[ \t]*//[/!]?[ \t]*").unwrap().replace_all(text, " ").into_owned()
}

/// IDs and page sections with an entry: a list item that starts with it in bold.
fn entries() -> Vec<String> {
    let text = fs::read_to_string(RULES).unwrap_or_else(|fault| panic!("{RULES}: {fault}"));
    let item = Regex::new(r"(?m)^- \*\*([^*]+)\*\* \S").unwrap();
    item.captures_iter(&text).map(|found| found[1].to_owned()).collect()
}

fn cited_rules(text: &str) -> BTreeSet<String> {
    let id = Regex::new(r"\b(?:(?:ACL|CFG|LIM|NAM|PLC|SCH|USR)-(?:\d{3}|S\d{2})|(?:D|P|N|EX)-\d{2})\b").unwrap();
    id.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

/// Cited sections: `rest.md` E4, `config.md` sections 5 to 12, `rest.md` 5.8, 5.9, E5.
fn cited_sections(text: &str) -> BTreeSet<String> {
    let page = "(?:acl-and-users|config|placement|profiles|rest|scenario|scheduler)\\.md";
    let number = r"(?:E\d+|\d+(?:\.\d+)?)";
    let cite = format!("`({page})`,? (?:sections? )?({number}(?:(?:, and | and |, | to ){number}\\b)*)");
    let (cite, number) = (Regex::new(&cite).unwrap(), Regex::new(number).unwrap());
    let all = cite.captures_iter(text).flat_map(|found| {
        let numbers =
            number.find_iter(found.get(2).unwrap().as_str()).map(|number| format!("{} {}", &found[1], number.as_str()));
        numbers.collect::<Vec<_>>()
    });
    all.collect()
}

#[test]
fn every_rule_and_section_that_a_source_cites_has_an_entry() {
    let entries: BTreeSet<String> = entries().into_iter().collect();
    let mut missing: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut cited = 0;
    for (path, text) in sources() {
        for id in cited_rules(&text).into_iter().chain(cited_sections(&text)) {
            cited += 1;
            if !entries.contains(&id) {
                missing.entry(id).or_insert_with(|| path.clone());
            }
        }
    }
    assert!(cited > 500, "only {cited} citations found: the search is wrong");
    assert!(missing.is_empty(), "cited and not in {RULES}: {missing:#?}");
}

#[test]
fn no_rule_has_two_entries() {
    let entries = entries();
    let twice: Vec<&String> =
        entries.iter().filter(|id| entries.iter().filter(|other| other == id).count() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

#[test]
fn citations_are_found_as_people_write_them() {
    let text = "SCH-082, CFG-S09 and LIM-030 (D-05; `rest.md` 5.8, 5.9, E5; `config.md` sections 5 to 12 and `profiles.md` section 4.1, step 2)";
    let rules: Vec<String> = cited_rules(text).into_iter().collect();
    assert_eq!(rules, ["CFG-S09", "D-05", "LIM-030", "SCH-082"]);
    let sections: Vec<String> = cited_sections(text).into_iter().collect();
    assert_eq!(
        sections,
        ["config.md 12", "config.md 5", "profiles.md 4.1", "rest.md 5.8", "rest.md 5.9", "rest.md E5"]
    );
    assert_eq!(unwrapped("//! see `rest.md`\n//! section 9"), "//! see `rest.md` section 9");
    assert!(cited_rules("APP-12, MAX-001, D-123, XSCH-001").is_empty());
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings =
        outside_code(text).lines().filter(|line| line.starts_with('#')).map(str::to_owned).collect::<Vec<_>>();
    headings.iter().map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// The anchor of a heading: lowercase, spaces as dashes, without punctuation.
fn anchor(heading: &str) -> String {
    let retained = heading.chars().filter(|symbol| symbol.is_alphanumeric() || " -_".contains(*symbol));
    retained.collect::<String>().to_lowercase().replace(' ', "-")
}

fn outside_code(text: &str) -> String {
    text.split("\n```").step_by(2).collect()
}

fn broken_links(page: &Path) -> Vec<String> {
    let text = fs::read_to_string(page).unwrap();
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let outside = outside_code(&text);
    let targets: Vec<&str> = link.captures_iter(&outside).map(|found| found.get(1).unwrap().as_str()).collect();
    let relative = targets.into_iter().filter(|target| !target.contains("://"));
    let wrong = relative.filter(|target| {
        let (file, heading) = target.split_once('#').map_or((*target, None), |(file, heading)| (file, Some(heading)));
        let path = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
        let resolved = match heading {
            None => path.exists(),
            Some(heading) => fs::read_to_string(&path).is_ok_and(|text| anchors(&text).contains(heading)),
        };
        !resolved
    });
    wrong.map(|target| format!("{}: {target}", page.display())).collect()
}

fn documents() -> Vec<PathBuf> {
    let named = ["README.md", "CHANGELOG.md", "recordings/README.md"].map(PathBuf::from);
    let pages: Vec<PathBuf> = named.into_iter().chain(files("docs", ".md")).collect();
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

#[test]
fn relative_links_resolve() {
    let broken: Vec<String> = documents().iter().flat_map(|page| broken_links(page)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let dir = std::env::temp_dir().join(format!("kornsole-docs-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let page = dir.join("page.md");
    fs::write(
        &page,
        "# One two\n[a](#one-two) [b](#three) [c](gone.md) [d](https://example.org/x)\n```sh\n[e](no.md)\n```\n",
    )
    .unwrap();
    let broken = broken_links(&page);
    fs::remove_dir_all(&dir).unwrap();
    assert_eq!(broken, [format!("{}: #three", page.display()), format!("{}: gone.md", page.display())]);
}

/// Whether the sources have `Owner::name` (a method) or `module::name` (a function in a file or directory).
fn has_function(sources: &[(PathBuf, String)], owner: &str, name: &str) -> bool {
    let function = Regex::new(&format!(r"fn {name}\b")).unwrap();
    let holder = Regex::new(&format!(r"(?:impl|trait)\b[^{{]*\b{owner}\b")).unwrap();
    let is_module = owner.starts_with(|first: char| first.is_lowercase());
    sources.iter().any(|(path, text)| {
        let within = path.with_extension("").components().any(|part| part.as_os_str() == owner);
        function.is_match(text) && if is_module { within } else { holder.is_match(text) }
    })
}

#[test]
fn the_functions_of_the_map_exist() {
    let map = fs::read_to_string("src/lib.rs").unwrap();
    let sources: Vec<(PathBuf, String)> = ["src", "crates"]
        .into_iter()
        .flat_map(|dir| files(dir, ".rs"))
        .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
        .collect();
    let named = Regex::new(r"`(\w+)::(\w+)`").unwrap();
    let named: Vec<(String, String)> =
        named.captures_iter(&map).map(|found| (found[1].to_owned(), found[2].to_owned())).collect();
    assert!(named.len() > 20, "the three journeys name only {} functions", named.len());
    let gone: Vec<_> = named.iter().filter(|(owner, name)| !has_function(&sources, owner, name)).collect();
    assert!(gone.is_empty(), "the map in src/lib.rs names what is not there: {gone:?}");
}

#[test]
fn the_readme_stays_short() {
    let lines = fs::read_to_string("README.md").unwrap().lines().count();
    assert!(
        lines <= 150,
        "README.md has {lines} lines, at most 150; what goes beyond a first look belongs into docs/guide"
    );
}

#[test]
fn files_that_documents_name_exist() {
    let named = Regex::new(r"`((?:src|tests|benches|recordings|packaging)/[\w/.-]+)`").unwrap();
    let mut gone = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let paths = named.captures_iter(&text).map(|found| found[1].to_owned());
        gone.extend(
            paths.filter(|path| !Path::new(path).exists()).map(|path| format!("{}: {path}", document.display())),
        );
    }
    assert!(gone.is_empty(), "documents name files that are not there:\n{}", gone.join("\n"));
}

#[test]
fn each_page_of_the_console_has_its_question_and_its_image() {
    let text = fs::read_to_string("docs/screens.md").unwrap();
    let row = Regex::new(r"(?m)^\| \[([^\]]+)\]\(#[^)]+\) \| .+ \| (.+\?) \|$").unwrap();
    let rows: Vec<(String, String)> =
        row.captures_iter(&text).map(|found| (found[1].to_owned(), found[2].to_owned())).collect();
    assert!(rows.len() > 20, "{} rows", rows.len());
    for (name, question) in rows {
        let part = Regex::new(&format!(
            r"(?m)^## {}\n\n{}\n\n!\[{}\]\(\.\./(recordings/[a-z-]+\.svg)\)$",
            regex::escape(&name),
            regex::escape(&question),
            regex::escape(&name)
        ));
        let part = part.unwrap().captures(&text).unwrap_or_else(|| panic!("{name} has no part with its image"));
        let size = fs::metadata(&part[1]).unwrap_or_else(|fault| panic!("{}: {fault}", &part[1])).len();
        assert!(size < 40_000, "{} is {size} bytes", &part[1]);
    }
}
