//! Queue configurations in files, directories, patterns, or standard input.

use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{load, print_line};
use ::config::input::{self, Found, Input, Reference};
use ::config::lint::Known;
use ::config::{self, Config, Fault, Reading, Source, yaml};
use model::Profile;

/// File name extensions that are read in a directory.
pub const ENDINGS: [&str; 7] = ["yaml", "yml", "json", "tf", "tfvars", "gz", "zst"];
const MOST_FILES: usize = 10_000;
/// These errors only mean that a file is not a queue configuration.
const UNRELATED: [&str; 3] = ["INP-001", "INP-005", "CFG-002"];

/// A file with a queue configuration.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    /// The file with the text, which a kustomization may reference.
    pub name: PathBuf,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// The unpacked text.
    pub text: Arc<str>,
    /// The embedded configuration; `None` if it is the whole text.
    pub found: Option<Found>,
}

impl ConfigFile {
    /// The text of the configuration alone.
    pub fn queues(&self) -> &str {
        self.found.as_ref().map_or(&self.text, |found| &found.text)
    }

    /// Locations refer to the file.
    pub fn read(&self, profile: Profile) -> Reading {
        match &self.found {
            Some(found) => {
                let mut reading = found.read(profile);
                config::without_allowed(&self.text, &mut reading.faults);
                reading
            }
            None => config::read(&self.text, profile),
        }
    }

    /// Returns warnings about valid but probably unintended settings, with locations in the file.
    pub fn lint(&self) -> Vec<Fault> {
        self.lint_for(&Known::default())
    }

    /// Like [`Self::lint`], with the known facts about its cluster.
    pub fn lint_for(&self, known: &Known) -> Vec<Fault> {
        let warnings = config::lint::lint_for(self.queues(), known).into_iter();
        match &self.found {
            // A text made from values has no comments.
            Some(found) => {
                let mut warnings: Vec<Fault> = warnings.map(|fault| found.places.fault(fault, &found.key)).collect();
                config::without_allowed(&self.text, &mut warnings);
                warnings
            }
            None => warnings.collect(),
        }
    }

    /// Formats errors with their source lines.
    pub fn report(&self, faults: &[Fault]) -> String {
        Source::new(&self.name.to_string_lossy(), &self.text).render_all(faults)
    }

    /// Fails with every error, formatted.
    pub fn parsed(&self, profile: Profile) -> Result<Arc<Config>, String> {
        let Reading { config, faults } = self.read(profile);
        config.map(Arc::new).ok_or_else(|| self.report(&faults))
    }

    /// `None` for a plain configuration.
    pub fn description(&self) -> Option<String> {
        self.found.as_ref().map(|found| found.description(&self.name.display().to_string()))
    }
}

/// Why an argument has no configuration.
#[derive(Debug)]
pub enum Unread {
    /// Unreadable, or not exactly one configuration.
    Input(String),
    /// A file with errors.
    Faulty { name: PathBuf, text: String, faults: Vec<Fault> },
}

impl Unread {
    /// Formats the reason for a user.
    pub fn report(&self) -> String {
        match self {
            Self::Input(why) => why.clone(),
            Self::Faulty { name, text, faults } => Source::new(&name.to_string_lossy(), text).render_all(faults),
        }
    }
}

/// Reports the container on stderr. Fails unless exactly one.
pub fn one(path: &Path, policy_group: &str) -> Result<ConfigFile, String> {
    let mut found = Vec::new();
    for file in each(path, policy_group) {
        found.push(file.map_err(|unread| unread.report())?);
    }
    // An entry of yunikorn-configs overrides that of yunikorn-defaults, even in another file (K8S-010).
    let strongest = found.iter().filter_map(|file| file.found.as_ref().map(|found| found.strength)).max();
    if let Some(strongest) = strongest {
        found.retain(|file| file.found.as_ref().is_some_and(|found| found.strength == strongest));
    }
    found.dedup_by(|one, other| one.queues() == other.queues());
    match (found.pop(), found.as_slice()) {
        (Some(only), []) => {
            only.description().iter().for_each(|description| print_line(&super::printed::safe(description)));
            Ok(only)
        }
        (None, _) => Err(format!("{}: no queue configuration found; {}", path.display(), input::FORMS)),
        (Some(last), all) => {
            let place = |file: &ConfigFile| match &file.found {
                Some(found) => format!("{}:{}", file.name.display(), found.at.line),
                None => file.name.display().to_string(),
            };
            let places: Vec<String> = all.iter().chain([&last]).map(place).collect();
            Err(format!(
                "{}: expected one queue configuration, found {} different configurations: {}; name the file of one configuration",
                path.display(),
                places.len(),
                places.join(", ")
            ))
        }
    }
}

/// Returns every queue configuration of an argument in the order of the files.
pub fn each(path: &Path, policy_group: &str) -> Vec<Result<ConfigFile, Unread>> {
    match files(path) {
        Err(why) => vec![Err(Unread::Input(why))],
        Ok(None) => of_file(path, policy_group),
        Ok(Some(files)) => {
            let (mut all, mut unrelated) = (Vec::new(), Vec::new());
            for file in files {
                for read in of_file(&file, policy_group) {
                    match read {
                        Err(Unread::Faulty { name, text, faults }) if is_unrelated(&text, &faults) => {
                            unrelated.push(Unread::Faulty { name, text, faults });
                        }
                        Ok(file) if file.found.is_none() && !file.text.contains("partitions") => {}
                        read => all.push(read),
                    }
                }
            }
            // The error of the only close file is more helpful.
            let near = unrelated
                .into_iter()
                .find(|unread| matches!(unread, Unread::Faulty { faults, .. } if faults[0].code == "CFG-002"));
            if all.is_empty() {
                all.extend(near.map(Err));
            }
            let mut known: Vec<(PathBuf, usize)> = Vec::new();
            // A kustomization references files that are also in its directory.
            all.retain(|read| match read {
                Ok(file) => {
                    let key = (file.name.clone(), file.found.as_ref().map_or(0, |found| found.at.line as usize));
                    let is_new = !known.contains(&key);
                    known.push(key);
                    is_new
                }
                Err(_) => true,
            });
            all
        }
    }
}

/// Up to one byte more than the size limit.
fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    if path == Path::new("-") {
        return load::bytes(path);
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(yaml::LARGEST as u64 + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn is_unrelated(text: &str, faults: &[Fault]) -> bool {
    let is_other = |fault: &Fault| UNRELATED.contains(&fault.code);
    faults.iter().all(is_other) || !["yunikorn", "partitions"].iter().any(|word| text.contains(word))
}

fn of_file(path: &Path, policy_group: &str) -> Vec<Result<ConfigFile, Unread>> {
    match bytes(path) {
        Ok(bytes) => of_bytes(path, bytes, policy_group),
        Err(why) => vec![Err(Unread::Input(why))],
    }
}

/// Returns the configurations in the bytes of a file.
pub fn of_bytes(path: &Path, bytes: Vec<u8>, policy_group: &str) -> Vec<Result<ConfigFile, Unread>> {
    let name = path.to_path_buf();
    let faulty = |text: String, faults| vec![Err(Unread::Faulty { name: name.clone(), text, faults })];
    let text: Arc<str> = match input::text_of(&bytes) {
        Ok(text) => Arc::from(text),
        Err(fault) => {
            let shown = input::unpack(&bytes).unwrap_or_default();
            return faulty(String::from_utf8_lossy(&shown).into_owned(), vec![fault]);
        }
    };
    let file = |found| ConfigFile { name: name.clone(), bytes: bytes.clone(), text: Arc::clone(&text), found };
    match input::recognize(&text, policy_group) {
        Err(faults) => faulty(text.to_string(), faults),
        Ok(Input::Plain) => vec![Ok(file(None))],
        Ok(Input::Embedded(all)) => all.into_iter().map(|found| Ok(file(Some(found)))).collect(),
        Ok(Input::Elsewhere(references)) => match of_references(path, &references, policy_group) {
            Ok(found) => vec![Ok(found)],
            Err(why) => {
                let at = references.first().map(|reference| reference.at).unwrap_or_default();
                let (code, path, hint) = ("INP-007", String::new(), "name that file".to_owned());
                let fault = Fault { code, severity: config::Severity::Error, at, path, message: why, hint };
                faulty(text.to_string(), vec![fault])
            }
        },
    }
}

/// The first referenced file with a configuration.
fn of_references(from: &Path, references: &[Reference], policy_group: &str) -> Result<ConfigFile, String> {
    let directory = from.parent().unwrap_or(Path::new(""));
    let mut first = None;
    for reference in references {
        let named = Path::new(&reference.path);
        // Like Kustomize, reject files outside of the directory.
        if !named.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            first.get_or_insert(format!(
                "the queue configuration is in a file outside of this directory: {}",
                reference.path
            ));
            continue;
        }
        let file = directory.join(named);
        let bytes = match bytes(&file) {
            Ok(bytes) => bytes,
            Err(why) => {
                first.get_or_insert(format!("the queue configuration is in another file: {why}"));
                continue;
            }
        };
        let text = input::text_of(&bytes).map(Arc::from).unwrap_or_default();
        match input::recognize(&text, policy_group) {
            Ok(Input::Embedded(mut found)) if found.len() == 1 => {
                return Ok(ConfigFile { name: file, bytes, text, found: found.pop() });
            }
            Ok(Input::Plain) if reference.plain => return Ok(ConfigFile { name: file, bytes, text, found: None }),
            _ => {}
        }
    }
    let names: Vec<&str> = references.iter().map(|reference| reference.path.as_str()).collect();
    Err(first.unwrap_or_else(|| format!("no queue configuration in this file or in {}", names.join(", "))))
}

/// Replaces each pattern with `*` or `?` by the files that match it, sorted. Fails if none does.
pub fn matched(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for path in paths {
        match files(path) {
            Ok(Some(files)) if !path.is_dir() => all.extend(files),
            Err(why) if !path.is_dir() => return Err(why),
            _ => all.push(path.clone()),
        }
    }
    Ok(all)
}

/// `None` for a file.
fn files(path: &Path) -> Result<Option<Vec<PathBuf>>, String> {
    let mut found = Vec::new();
    if path.is_dir() {
        gather(path, &mut found)?;
    } else if !path.exists() && path.to_string_lossy().contains(['*', '?']) {
        matching(path, &mut found)?;
        if found.is_empty() {
            return Err(format!("{}: no file matches", path.display()));
        }
    } else {
        return Ok(None);
    }
    found.sort();
    Ok(Some(found))
}

/// Collects files by extension, without hidden ones, and without following links to directories.
fn gather(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("cannot read {}: {error}", directory.display());
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        let ending = path.extension().and_then(|ending| ending.to_str());
        if kind.is_dir() && !is_hidden {
            gather(&path, found)?;
        } else if path.is_file() && !is_hidden && ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
            found.push(path);
        }
        if found.len() > MOST_FILES {
            return Err(format!("{}: more than {MOST_FILES} files; name a smaller directory", directory.display()));
        }
    }
    Ok(())
}

fn matching(pattern: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let mut paths = vec![PathBuf::new()];
    for part in pattern.components() {
        let Component::Normal(name) = part else {
            paths.iter_mut().for_each(|path| path.push(part));
            continue;
        };
        let name = name.to_string_lossy();
        if !name.contains(['*', '?']) {
            paths.iter_mut().for_each(|path| path.push(&*name));
            continue;
        }
        let mut next = Vec::new();
        for path in &paths {
            let directory = if path.as_os_str().is_empty() { Path::new(".") } else { path };
            let Ok(entries) = std::fs::read_dir(directory) else { continue };
            for entry in entries.flatten() {
                let own = entry.file_name();
                let own = own.to_string_lossy();
                if matches(&name, &own) && (!own.starts_with('.') || name.starts_with('.')) {
                    next.push(path.join(&*own));
                }
            }
            if next.len() > MOST_FILES {
                return Err(format!("{}: more than {MOST_FILES} files match", pattern.display()));
            }
        }
        paths = next;
    }
    found.extend(paths.into_iter().filter(|path| path.is_file()));
    Ok(())
}

/// `*` is any text, `?` one character. One pass with one backtracking point.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    (p, n) = (at + 1, from + 1);
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, fits) in [
            ("*.yaml", "a.yaml", true),
            ("*.yaml", "a.yml", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?.tf", "x.tf", true),
            ("?.tf", ".tf", false),
            ("*", "", true),
            ("", "a", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
