//! Parsers of the values of the scheduler's own configuration. Each error contains the expected form.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::properties::parse_duration;
use crate::values::boolean;
use model::Acl;
use model::acl::AclNames;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SettingText {
    One(String),
    Many(Vec<String>),
}

impl SettingText {
    /// Keys without lists never get a list.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::One(text) => text,
            Self::Many(texts) => texts.first().map_or("", String::as_str),
        }
    }

    /// Joins a relative path to `folder`.
    pub(super) fn within(self, dir: &Path) -> Self {
        match self {
            Self::One(text) if !text.is_empty() => Self::One(dir.join(text).display().to_string()),
            other => other,
        }
    }
}

pub(super) fn text(written: &SettingText) -> Result<String, String> {
    let text = written.text();
    let bad = text.is_empty() || text.chars().any(|c| c.is_control() || c.is_whitespace());
    if bad { Err("write a text without white space".to_owned()) } else { Ok(text.to_owned()) }
}

pub(super) fn path(written: &SettingText) -> Result<Option<PathBuf>, String> {
    match written.text() {
        "" => Err("write the name of a file or directory, or remove the key".to_owned()),
        text if text.contains('\0') => Err("a name cannot have a NUL byte".to_owned()),
        text => Ok(Some(PathBuf::from(text))),
    }
}

pub(super) fn number<T>(written: &SettingText, least: u32, most: u32) -> Result<T, String>
where
    T: TryFrom<u32>,
{
    let due = || format!("write a whole number from {least} to {most}");
    let text = written.text();
    let digits = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let number = text.parse::<u32>().ok().filter(|number| digits && (least..=most).contains(number));
    number.and_then(|number| T::try_from(number).ok()).ok_or_else(due)
}

/// From `least` to 30 days; zero only if that is the minimum.
pub(super) fn duration(written: &SettingText, least: Duration) -> Result<Duration, String> {
    const MOST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
    let duration = parse_duration(written.text()).filter(|duration| (least..=MOST).contains(duration));
    duration.ok_or_else(|| {
        let from = if least.is_zero() { "0".to_owned() } else { format!("{least:?}") };
        format!("write a duration such as 500ms, 10s, 5m, or 1h30m, from {from} to 720h")
    })
}

pub(super) fn flag(written: &SettingText) -> Result<bool, String> {
    let [yes, no] = boolean::names();
    match written.text() {
        text if text == yes => Ok(true),
        text if text == no => Ok(false),
        _ => Err(format!("write `{yes}` or `{no}`")),
    }
}

/// In the syntax of queues, with valid names.
pub(super) fn acl(written: &SettingText) -> Result<Acl, String> {
    const DUE: &str = "write users, a space, groups: `sue,bob ops`; `*` for all users";
    let reading = Acl::parse(written.text(), AclNames::Portable)
        .map_err(|parts| format!("{parts} parts separated by spaces are too many; {DUE}"))?;
    if let Some(odd) = reading.ignored.first() {
        return Err(format!("{odd:?} is not a valid user or group name; {DUE}"));
    }
    Ok(reading.acl)
}

/// A single text is the program alone and is not split.
pub(super) fn command(written: &SettingText) -> Result<Vec<String>, String> {
    let words = match written {
        SettingText::One(program) => vec![program.clone()],
        SettingText::Many(words) => words.clone(),
    };
    let good = words.first().is_some_and(|program| !program.is_empty()) && !words.iter().any(|w| w.contains('\0'));
    if good { Ok(words) } else { Err("write a program, or a list of a program and its arguments".to_owned()) }
}

pub(super) fn webhook(written: &SettingText) -> Result<Option<String>, String> {
    let text = written.text();
    let rest = ["http://", "https://"].iter().find_map(|scheme| text.strip_prefix(scheme));
    let rest = rest.filter(|rest| rest.chars().all(|c| c.is_ascii_graphic() && !"\"<>`".contains(c)));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', ':']).next()).unwrap_or_default();
    if host.is_empty() {
        return Err("write an address such as https://hooks.example/drains".to_owned());
    }
    Ok(Some(text.to_owned()))
}
