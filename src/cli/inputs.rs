//! Queue configurations in files, directories, patterns, or standard input.

mod names;

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use self::names::files;
pub use self::names::matched;
use super::{load, print_line};
use ::config::input::{self, Files, Found, Input, Reference};
use ::config::lint::Known;
use ::config::{self, Config, Fault, Reading, Source, yaml};
use model::Profile;

/// File name extensions that are read in a directory.
pub const ENDINGS: [&str; 7] = ["yaml", "yml", "json", "tf", "tfvars", "gz", "zst"];
const OUTSIDE: &str = "a file outside of this directory";
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

    /// Reads the configuration with a profile; locations refer to the file.
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
            // Comments of the file are not in a text that was made from values.
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

/// The only queue configuration of an argument; its container is reported on stderr.
///
/// # Errors
/// Why there is not exactly one.
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
            // The name of the file does not select one of several in it.
            let remedy = match all.iter().all(|file| file.name != last.name) {
                true => "name the file of one configuration".to_owned(),
                false => format!("name one with its line, for example {}", place(&last)),
            };
            Err(format!(
                "{}: expected one queue configuration, found {} different configurations: {}; {remedy}",
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
        Ok(None) => match of_line(path) {
            Some((file, line)) => at_line(&file, line, policy_group),
            None => of_file(path, policy_group),
        },
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
            let is_near = |unread: &Unread| match unread {
                Unread::Faulty { faults, text, .. } => {
                    faults[0].code == "CFG-002" || (faults[0].code == "INP-005" && text.contains("partitions"))
                }
                Unread::Input(_) => false,
            };
            let near = unrelated.into_iter().find(is_near);
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

/// `FILE:LINE` names one of several configurations in a file.
fn of_line(path: &Path) -> Option<(PathBuf, u32)> {
    let (file, line) = path.to_str()?.rsplit_once(':')?;
    let line = line.parse().ok().filter(|_| !path.exists() && Path::new(file).is_file())?;
    Some((PathBuf::from(file), line))
}

fn at_line(path: &Path, line: u32, policy_group: &str) -> Vec<Result<ConfigFile, Unread>> {
    let is_it = |file: &ConfigFile| file.found.as_ref().is_some_and(|found| found.at.line == line);
    let mut all = of_file(path, policy_group);
    all.retain(|read| read.as_ref().map_or(true, is_it));
    if all.is_empty() {
        let why = format!("{}: no queue configuration starts on line {line}", path.display());
        all.push(Err(Unread::Input(why)));
    }
    all
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
    let file = |found: Option<Found>| match found.as_ref().and_then(|found| found.file.clone()) {
        Some(loaded) => {
            let (name, text) = (PathBuf::from(&loaded.name), Arc::clone(&loaded.text));
            ConfigFile { name, bytes: text.as_bytes().to_vec(), text, found }
        }
        None => ConfigFile { name: name.clone(), bytes: bytes.clone(), text: Arc::clone(&text), found },
    };
    let read = |named: &str| beside(path, named);
    let template = path.extension().is_some_and(|ending| ending == "tftpl");
    let files = Files { name: &path.to_string_lossy(), read: &read, template };
    match input::recognize_with(&text, policy_group, &files) {
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
    let (mut first, mut chosen) = (None, None::<ConfigFile>);
    for reference in references {
        let (name, text) = match beside(from, &reference.path) {
            Ok(read) => read,
            Err(why) => {
                let other = if why.starts_with(OUTSIDE) { "" } else { "another file: " };
                first.get_or_insert(format!("the queue configuration is in {other}{why}"));
                continue;
            }
        };
        let read = |named: &str| beside(Path::new(&name), named);
        let files = Files { name: &name, read: &read, template: reference.template };
        let (text, name): (Arc<str>, _) = (Arc::from(text.as_str()), PathBuf::from(&name));
        let bytes = text.as_bytes().to_vec();
        let file = match input::recognize_with(&text, policy_group, &files) {
            Ok(Input::Embedded(mut found)) if found.len() == 1 && found[0].file.is_none() => {
                ConfigFile { name, bytes, text, found: found.pop() }
            }
            Ok(Input::Plain) if reference.plain => ConfigFile { name, bytes, text, found: None },
            Err(faults) => {
                // A placeholder in it explains why it has no configuration.
                let unexpanded = faults.iter().find(|fault| ["INP-004", "INP-005"].contains(&fault.code));
                first = first.or_else(|| unexpanded.map(|fault| format!("{}:{fault}; {}", name.display(), fault.hint)));
                continue;
            }
            _ => continue,
        };
        match &chosen {
            _ if !reference.rival => return Ok(file),
            None => chosen = Some(file),
            Some(known) if known.queues() == file.queues() => {}
            Some(known) => {
                let names = [&known.name, &file.name].map(|name| name.display().to_string()).join(" and ");
                return Err(format!("different queue configurations are in {names}, and their order is unknown"));
            }
        }
    }
    if let Some(file) = chosen {
        return Ok(file);
    }
    let names: Vec<&str> = references.iter().map(|reference| reference.path.as_str()).collect();
    Err(first.unwrap_or_else(|| format!("no queue configuration in this file or in {}", names.join(", "))))
}

/// The name and the text of a file that another one names.
fn beside(from: &Path, named: &str) -> Result<(String, String), String> {
    // Like Kustomize, reject files outside of the directory.
    if !Path::new(named).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!("{OUTSIDE}: {named}"));
    }
    let file = from.parent().unwrap_or(Path::new("")).join(named);
    let text = input::text_of(&bytes(&file)?).map(Cow::into_owned);
    Ok((file.display().to_string(), text.map_err(|fault| fault.to_string())?))
}
