//! Import cycles between modules of a crate.
//!
//! An edge is a path to another module (a file), or to an item that it re-exports. Files that only declare and
//! re-export do not count.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use super::{all_sources, code, is_test_file};

const WITHOUT_CIRCLES: [&str; 2] = ["scheduler", "engine"];

const CONSOLE_CIRCLES: [(&[&str], &str); 2] = [
    (&["shell::session", "shell::session::clusters", "shell::session::follow_up"], "one `impl Session` in three files"),
    (
        &["state", "state::effect", "state::work"],
        "an export carries a copy of the state to a worker thread, and the state collects the effects of an update",
    ),
];

type Path = Vec<String>;

/// The modules of a crate, with the names that each uses.
struct Layer {
    /// The text of each module, without comments and tests.
    modules: BTreeMap<Path, String>,
    exports: BTreeMap<Path, BTreeMap<String, Path>>,
}

fn segments(path: &str) -> Path {
    path.split("::").map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// The paths of a `use`, each with its local name.
fn use_paths(prefix: &[String], tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    // The end of a list over several lines has a trailing comma.
    if tree.is_empty() {
        return Vec::new();
    }
    if let Some(open) = tree.find('{') {
        let prefix: Path = prefix.iter().cloned().chain(segments(&tree[..open])).collect();
        let inner = &tree[open + 1..tree.rfind('}').unwrap()];
        let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    parts.push(&inner[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(&inner[start..]);
        return parts.into_iter().flat_map(|part| use_paths(&prefix, part)).collect();
    }
    let (path, alias) = tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path, Some(alias.trim())));
    let mut path: Path = prefix.iter().cloned().chain(segments(path)).collect();
    if path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let name = alias.map(str::to_owned).or_else(|| path.last().cloned());
    name.map(|name| (path, name)).into_iter().collect()
}

impl Layer {
    fn read(name: &str) -> Self {
        let mut modules = BTreeMap::new();
        let dir = format!("crates/{name}/src");
        for file in all_sources() {
            if !file.starts_with(&dir) || is_test_file(&file) {
                continue;
            }
            let path = file.strip_prefix(&dir).unwrap().with_extension("");
            let mut path: Path = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if path.last().is_some_and(|last| last == "mod" || last == "lib") {
                path.pop();
            }
            modules.insert(path, code(&file).into_iter().map(|(_, line)| line + "\n").collect::<String>());
        }
        assert!(modules.len() > 20, "the modules of {name} are not where this test looks for them");
        let mut layer = Self { modules, exports: BTreeMap::new() };
        let exported = Regex::new(r"(?m)^\s*pub(?:\([^)]*\))?\s+use\s+([^;]+);").unwrap();
        for (module, text) in &layer.modules {
            let trees = exported.captures_iter(text).flat_map(|found| use_paths(&[], &found[1]));
            let exports = trees.filter_map(|(path, name)| Some((name, layer.absolute(module, &path)?)));
            layer.exports.insert(module.clone(), exports.collect());
        }
        layer
    }

    /// `None` if the path is external.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([&module[..module.len().checked_sub(supers)?], &path[supers..]].concat()),
            first => {
                let child = [module, &[first.to_owned()]].concat();
                self.modules.contains_key(&child).then(|| [module, path].concat())
            }
        }
    }

    /// The module of an absolute path, through re-exports.
    fn target(&self, path: &[String], hops: usize) -> Option<Path> {
        let module = (1..=path.len()).rev().map(|end| &path[..end]).find(|start| self.modules.contains_key(*start))?;
        let export = path.get(module.len()).and_then(|name| self.exports.get(module)?.get(name));
        match export {
            Some(export) if hops < 8 => {
                let rest = &path[module.len() + 1..];
                self.target(&[export.as_slice(), rest].concat(), hops + 1).or_else(|| Some(module.to_vec()))
            }
            _ => Some(module.to_vec()),
        }
    }

    fn is_facade(&self, module: &Path) -> bool {
        let statements = Regex::new(r"(?m)^\s*(pub(\([^)]*\))?\s+)?(use|mod)\s+[^;]+;|#!?\[[^\]]*\]").unwrap();
        statements.replace_all(&self.modules[module], "").trim().is_empty()
    }

    fn arrows(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let used = Regex::new(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+([^;]+);").unwrap();
        let inline = Regex::new(r"\b((?:crate|super|self)(?:::\w+)+|\w+::\w+)").unwrap();
        let spaces: BTreeSet<&Path> = self.modules.keys().filter(|module| !self.is_facade(module)).collect();
        let mut arrows = BTreeMap::new();
        for module in &spaces {
            let text = &self.modules[*module];
            let mut paths: Vec<Path> =
                used.captures_iter(text).flat_map(|found| use_paths(&[], &found[1])).map(|(path, _)| path).collect();
            let body = used.replace_all(text, "");
            paths.extend(inline.captures_iter(&body).map(|found| segments(&found[1])));
            let targets = paths.iter().filter_map(|path| self.target(&self.absolute(module, path)?, 0));
            let targets = targets.filter(|target| target != *module && spaces.contains(target)).collect();
            arrows.insert((*module).clone(), targets);
        }
        arrows
    }

    fn in_circles(&self) -> Vec<String> {
        let arrows = self.arrows();
        let leads_back = |start: &Path| {
            let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
            while let Some(module) = open.pop() {
                for target in &arrows[module] {
                    if target == start {
                        return true;
                    }
                    if seen.insert(target) {
                        open.push(target);
                    }
                }
            }
            false
        };
        arrows.keys().filter(|module| leads_back(module)).map(|module| module.join("::")).collect()
    }
}

#[test]
fn modules_of_the_core_and_the_engine_form_no_circle() {
    for name in WITHOUT_CIRCLES {
        let circle = Layer::read(name).in_circles();
        assert!(circle.is_empty(), "these modules import each other in a circle: {}", circle.join(", "));
    }
}

#[test]
fn circles_of_the_console_are_listed_with_their_reason() {
    let circles = Layer::read("console").in_circles();
    let mut listed: Vec<&str> = CONSOLE_CIRCLES.iter().flat_map(|(modules, _)| *modules).copied().collect();
    listed.sort_unstable();
    assert_eq!(circles, listed, "modules in circles, and those that are listed");
}
