//! The configurations of two commits by file: differences and new errors and warnings.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::git::Extracted;
use crate::cli::inputs::{self, ConfigFile, Unread};
use config::{Config, Diff, Fault, Severity, lint};
use model::Profile;

pub(super) struct Rules<'r> {
    pub core: Profile,
    pub policy_group: &'r str,
    pub allow: &'r [String],
    pub deny: &'r [String],
}

pub(super) struct Side {
    /// The text that error locations refer to.
    pub text: Arc<str>,
    pub config: Option<Arc<Config>>,
    faults: Vec<Fault>,
}

pub(super) struct Reviewed {
    /// The path in the repository.
    pub file: String,
    /// The container, for example Helm values; empty for a plain configuration.
    pub within: String,
    pub base: Option<Side>,
    pub head: Option<Side>,
    /// `None` if one side is missing or invalid.
    pub diff: Option<Diff>,
    /// Errors and warnings that only the new configuration has.
    pub new: Vec<Fault>,
}

impl Reviewed {
    /// Whether the new configuration is accepted, or removed.
    pub fn is_valid(&self) -> bool {
        self.head.as_ref().is_none_or(|head| head.config.is_some())
            && self.new.iter().all(|fault| fault.severity != Severity::Error)
    }

    pub fn is_same(&self) -> bool {
        self.base.is_some() == self.head.is_some()
            && self.new.is_empty()
            && self.diff.as_ref().map_or_else(|| self.is_valid(), Diff::is_empty)
    }

    /// `2 queues changed`, `new`, `removed`, `invalid`.
    pub fn summary(&self) -> String {
        let state = match (&self.base, &self.head, &self.diff) {
            (None, ..) => "new configuration".to_owned(),
            (_, None, _) => "configuration removed".to_owned(),
            (.., Some(diff)) if diff.is_empty() => "no differences".to_owned(),
            (.., Some(diff)) => diff.summary(),
            (_, Some(head), None) if head.config.is_none() => "invalid".to_owned(),
            _ => "valid, and the old configuration is invalid".to_owned(),
        };
        let of = |severity| self.new.iter().filter(|fault| fault.severity == severity).count();
        let counted = |count: usize, word: &str| match count {
            0 => String::new(),
            1 => format!(", 1 new {word}"),
            _ => format!(", {count} new {word}s"),
        };
        format!("{state}{}{}", counted(of(Severity::Error), "error"), counted(of(Severity::Warning), "warning"))
    }
}

/// Returns every configuration of the two commits, including equal ones.
///
/// # Errors
/// A file cannot be read.
pub(super) fn reviewed([base, head]: &[Extracted; 2], rules: &Rules<'_>) -> Result<Vec<Reviewed>, String> {
    let mut olds = sides(base, rules)?;
    let mut all = Vec::new();
    for ((file, within, number), new) in sides(head, rules)? {
        let old = olds.remove(&(file.clone(), within.clone(), number));
        all.push(of(file, within, old, Some(new)));
    }
    // Recognizes moved files by equal content.
    let added: Vec<usize> = (0..all.len()).filter(|at| all[*at].base.is_none()).collect();
    if let ([at], 1) = (added.as_slice(), olds.len())
        && let Some((_, old)) = olds.pop_first()
    {
        let Reviewed { file, within, head, .. } = all.remove(*at);
        all.insert(*at, of(file, within, Some(old), head));
    }
    all.extend(olds.into_iter().map(|((file, within, _), old)| of(file, within, Some(old), None)));
    all.sort_by(|one, other| one.file.cmp(&other.file));
    Ok(all)
}

/// The file, the container, and the number in it.
type Key = (String, String, usize);

fn sides(extracted: &Extracted, rules: &Rules<'_>) -> Result<BTreeMap<Key, Side>, String> {
    let mut sides = BTreeMap::new();
    for found in inputs::each(extracted.dir(), rules.policy_group) {
        let (file, within, side) = match found {
            Ok(file) => (relative(&file.name, extracted), within(&file), side(&file, rules)),
            Err(Unread::Faulty { name, text, faults }) => {
                (relative(&name, extracted), String::new(), Side { text: Arc::from(text), config: None, faults })
            }
            Err(Unread::Input(why)) => {
                return Err(why.replace(&format!("{}/", extracted.dir().display()), ""));
            }
        };
        let number = (0..).find(|number| !sides.contains_key(&(file.clone(), within.clone(), *number)));
        sides.insert((file, within, number.unwrap_or_default()), side);
    }
    Ok(sides)
}

fn relative(name: &Path, extracted: &Extracted) -> String {
    name.strip_prefix(extracted.dir()).unwrap_or(name).display().to_string()
}

fn within(file: &ConfigFile) -> String {
    file.found.as_ref().map(|found| found.within.clone()).unwrap_or_default()
}

fn side(file: &ConfigFile, rules: &Rules<'_>) -> Side {
    let mut reading = file.read(rules.core);
    reading.faults.extend(file.lint());
    reading.faults = lint::judged(reading.faults, rules.allow, rules.deny);
    reading.faults.sort_by_key(|fault| (fault.at, fault.severity));
    Side { text: Arc::clone(&file.text), config: reading.config.map(Arc::new), faults: reading.faults }
}

fn of(file: String, within: String, base: Option<Side>, head: Option<Side>) -> Reviewed {
    let configs =
        base.as_ref().and_then(|old| old.config.clone()).zip(head.as_ref().and_then(|new| new.config.clone()));
    let diff = configs.map(|(old, new)| config::diff(&old, &new));
    // An error that only moved to another line is not new.
    let same = |one: &Fault, other: &Fault| {
        (one.code, &one.path, &one.severity) == (other.code, &other.path, &other.severity)
            && without_lines(&one.message) == without_lines(&other.message)
    };
    let mut known: Vec<&Fault> = base.iter().flat_map(|old| &old.faults).collect();
    let mut new = Vec::new();
    for fault in head.iter().flat_map(|new| &new.faults) {
        match known.iter().position(|old| same(old, fault)) {
            Some(at) => drop(known.swap_remove(at)),
            None => new.push(fault.clone()),
        }
    }
    Reviewed { file, within, base, head, diff, new }
}

fn without_lines(message: &str) -> String {
    let mut words = Vec::new();
    let mut follows_line = false;
    for word in message.split(' ') {
        let is_number = word.trim_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().is_ok();
        if !(follows_line && is_number) {
            words.push(word);
        }
        follows_line = word.trim_start_matches('(') == "line";
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_lines;

    #[test]
    fn a_message_is_the_same_on_another_line() {
        assert_eq!(without_lines("of root.a (line 6) 5 of 6"), "of root.a (line 5 of 6");
        assert_eq!(without_lines("in line 4 reach"), without_lines("in line 12 reach"));
        assert_ne!(without_lines("max 4"), without_lines("max 5"));
    }
}
