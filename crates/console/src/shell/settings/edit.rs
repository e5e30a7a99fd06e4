//! Changes one value in the user's settings, preserving the rest.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use toml::de::{DeTable, DeValue};

/// Sets or removes a key, with the value as TOML.
///
/// # Errors
/// The text has errors, or another form of the table.
pub fn set(text: &str, table: &str, key: &str, value: Option<&str>) -> Result<String, String> {
    let (root, faults) = DeTable::parse_recoverable(text);
    if let Some(fault) = faults.first() {
        return Err(format!("it is not TOML: {}", fault.message()));
    }
    let found = root.get_ref().iter().find(|(name, _)| name.get_ref() == table).map(|(_, found)| found.get_ref());
    let entry = match found {
        None => None,
        Some(DeValue::Table(entries)) => entries.iter().find(|(name, _)| name.get_ref() == key),
        Some(_) => return Err(format!("{table} is not a table in it")),
    };
    let changed = match (entry, value) {
        (None, None) => return Ok(text.to_owned()),
        (Some((_, old)), Some(value)) => {
            let span = old.span();
            format!("{}{value}{}", &text[..span.start], &text[span.end..])
        }
        (Some((name, old)), None) => {
            // Remove whole lines.
            let start = text[..name.span().start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[old.span().end..].find('\n').map_or(text.len(), |at| old.span().end + at + 1);
            format!("{}{}", &text[..start], &text[end..])
        }
        (None, Some(value)) => added(text, table, key, value, found.is_some())?,
    };
    match DeTable::parse_recoverable(&changed).1.first() {
        None => Ok(changed),
        Some(_) => Err(format!("[{table}] has a form that cannot be extended")),
    }
}

fn added(text: &str, table: &str, key: &str, value: &str, there: bool) -> Result<String, String> {
    let line = format!("{} = {value}\n", name(key));
    if !there {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => "\n",
            _ => "\n\n",
        };
        return Ok(format!("{text}{gap}[{table}]\n{line}"));
    }
    let heading = format!("[{table}]");
    let mut at = 0;
    for written in text.split_inclusive('\n') {
        at += written.len();
        if written.split('#').next().unwrap_or_default().trim() == heading {
            let gap = if written.ends_with('\n') { "" } else { "\n" };
            return Ok(format!("{}{gap}{line}{}", &text[..at], &text[at..]));
        }
    }
    Err(format!("it has no section [{table}]"))
}

fn name(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { serde_json::Value::from(key).to_string() }
}

/// Changes a file by rename, so that readers see a complete file.
///
/// # Errors
/// Why not.
pub fn set_in_file(file: &Path, table: &str, key: &str, value: Option<&str>) -> Result<(), String> {
    let name = file.display();
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(format!("not saved: cannot read {name}: {error}")),
    };
    let changed = set(&text, table, key, value).map_err(|why| format!("not saved in {name}: {why}"))?;
    // Change the target of a link, not the link.
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let written = || -> std::io::Result<()> {
        if let Some(dir) = file.parent() {
            std::fs::create_dir_all(dir)?;
        }
        let temporary = file.with_extension("toml.new");
        // Settings may contain secret HTTP headers.
        let new = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary);
        let mut opened = new?;
        if let Ok(old) = std::fs::metadata(&file) {
            opened.set_permissions(old.permissions())?;
        }
        opened.write_all(changed.as_bytes())?;
        opened.sync_all()?;
        std::fs::rename(&temporary, &file)
    };
    written().map_err(|error| format!("not saved: cannot write {name}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_changes_and_all_else_stays() {
        let text = "theme = 'dark' # mine\n\n[columns] # what I look at\nqueues = [\n  'state',\n]\napps = ['user']\n\n[keys.list]\nf = 'apps'\n";
        let set = |value| set(text, "columns", "queues", value).unwrap();
        assert_eq!(set(Some("['cpu']")), text.replace("[\n  'state',\n]", "['cpu']"));
        assert_eq!(set(None), text.replace("queues = [\n  'state',\n]\n", ""));
        let added = super::set(text, "columns", "nodes", Some("['cpu']")).unwrap();
        assert_eq!(added, text.replace("look at\n", "look at\nnodes = ['cpu']\n"));
        let table = super::set(text, "views", "mine", Some("{ page = 'apps' }")).unwrap();
        assert_eq!(table, format!("{text}\n[views]\nmine = {{ page = 'apps' }}\n"));
        assert_eq!(super::set("", "views", "a b", Some("1")).unwrap(), "[views]\n\"a b\" = 1\n");
    }

    #[test]
    fn what_cannot_be_changed_is_left_as_it_is() {
        for text in ["theme = ", "columns = 3\n", "columns.apps = ['user']\n", "columns = { apps = ['user'] }\n"] {
            assert!(set(text, "columns", "nodes", Some("['cpu']")).is_err(), "{text}");
        }
    }
}
