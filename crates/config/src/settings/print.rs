//! The scheduler's own configuration as text: the effective values with their origin, and a template.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::keys::{KEYS, SettingKey};
use super::values::SettingText;
use super::{Origin, Settings};

impl Settings {
    /// The values, one line per key, with their origin. The text is a valid configuration.
    pub fn print(&self) -> String {
        let lines: Vec<(String, String)> = KEYS
            .iter()
            .zip(&self.written)
            .map(|(key, (written, origin))| {
                let value = written.as_ref().map_or("~".to_owned(), value);
                (format!("{}: {value}", key.name), self.remark(key, written.is_some(), origin))
            })
            .collect();
        let width = lines.iter().map(|(line, _)| line.chars().count()).filter(|width| *width <= 44).max().unwrap_or(0);
        let line = |(line, remark)| format!("{line:width$}  # {remark}\n");
        lines.into_iter().map(line).collect()
    }

    /// The values from the file and the flags. Commands and webhooks are only mentioned, because they may be secret.
    pub fn extra(&self) -> BTreeMap<String, String> {
        const SECRET: [&str; 2] = ["drain.command", "drain.webhook"];
        let set = KEYS.iter().zip(&self.written).filter(|(_, (_, origin))| *origin != Origin::Default);
        set.filter_map(|(key, (written, _))| {
            let text = match written.as_ref()? {
                _ if SECRET.contains(&key.name) => "(set)".to_owned(),
                SettingText::One(text) => text.clone(),
                SettingText::Many(texts) => texts.join(" "),
            };
            Some((key.name.to_owned(), text))
        })
        .collect()
    }

    fn remark(&self, key: &SettingKey, set: bool, origin: &Origin) -> String {
        let from = match origin {
            Origin::Default if set => "default".to_owned(),
            Origin::Default => "default, not set".to_owned(),
            Origin::File(at) => format!("{}:{}", one_line(&self.file), at.line),
            Origin::Flag(flag) => one_line(flag),
        };
        if key.waits_for.is_empty() { from } else { format!("{from}; no effect yet: {}", key.waits_for) }
    }
}

/// The documentation of all keys, as a file with the defaults.
pub fn template() -> String {
    let mut text = "# The scheduler's own configuration. Read once, at start. Command-line flags override it.\n# \
            Relative paths are relative to the directory of this file.\n"
        .to_owned();
    for key in &KEYS {
        text.push('\n');
        let default = if key.default.is_empty() { "not set" } else { key.default };
        for line in wrapped(&format!("{} ({}; default: {default})", key.doc, key.kind), 98) {
            let _written = writeln!(text, "# {line}");
        }
        if !key.waits_for.is_empty() {
            let _written = writeln!(text, "# No effect yet: {}.", key.waits_for);
        }
        let value = if key.default.is_empty() { "~".to_owned() } else { plain_or_quoted(key.default) };
        let _written = writeln!(text, "{}: {value}", key.name);
    }
    text
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let Some(last) = lines.last_mut() else { break };
        if !last.is_empty() && last.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

fn value(written: &SettingText) -> String {
    match written {
        SettingText::One(text) => plain_or_quoted(text),
        SettingText::Many(texts) => {
            format!("[{}]", texts.iter().map(|text| plain_or_quoted(text)).collect::<Vec<_>>().join(", "))
        }
    }
}

/// YAML reads it back unchanged.
fn plain_or_quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let null = matches!(text, "null" | "Null" | "NULL");
    let first = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '/');
    if first && !null && text.chars().all(plain) {
        return text.to_owned();
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => format!("\\U{:08X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
