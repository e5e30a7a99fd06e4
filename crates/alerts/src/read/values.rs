//! Values of rules: durations, words, names.

use std::time::Duration;

use config::Fault;
use config::properties::parse_duration;
use config::toml_table::Entry;

const LONGEST: Duration = Duration::from_secs(90 * 24 * 3600);

/// `90s`, `10m`, `1h30m`, or `2d`, at most 90 days.
pub fn duration(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<Duration> {
    let text = entry.text(faults)?;
    let days = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
    let read = match days {
        Some(days) => Some(Duration::from_secs(u64::from(days) * 86_400)),
        None => parse_duration(text),
    };
    let found = read.filter(|duration| *duration <= LONGEST);
    if found.is_none() {
        let message = format!("{text:?} is not a duration up to 90 days");
        faults.push(entry.wrong("ALR-012", message, "as \"90s\", \"10m\", \"1h30m\" or \"2d\""));
    }
    found
}

/// Parses one of some words.
pub fn one_of<T: Copy>(entry: &Entry<'_, '_>, names: &[(&str, T)], faults: &mut Vec<Fault>) -> Option<T> {
    let text = entry.text(faults)?;
    let found = names.iter().find(|(name, _)| *name == text).map(|(_, found)| *found);
    if found.is_none() {
        let all: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        let message = format!("unknown {} {text:?}", entry.name);
        faults.push(entry.wrong("ALR-003", message, &format!("available: {}", all.join(", "))));
    }
    found
}

/// Parses a name of a rule or receiver, which is also used as a label and in commands and URLs.
pub fn name(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<String> {
    let text = entry.text(faults)?;
    let legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !text.is_empty() && text.len() <= 60 && text.chars().all(legal) {
        return Some(text.to_owned());
    }
    faults.push(entry.wrong(
        "ALR-005",
        format!("{text:?} is not a name"),
        "use at most 60 letters, digits, `-`, `_`, and `.`",
    ));
    None
}
