//! The active configuration as YAML in YuniKorn's layout (`rest.md` 5.8).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::dto;

enum Yaml {
    Text(String),
    Bare(String),
    Map(Vec<(String, Yaml)>),
    List(Vec<Yaml>),
}

/// Formats as YAML with YuniKorn's lowercase field names, without empty values.
pub fn config_yaml(config: &dto::Config) -> String {
    let mut map = Fields::default();
    map.put("partitions", config.partitions.as_ref().map(|all| Yaml::List(all.iter().map(partition).collect())));
    map.text("checksum", &config.checksum);
    map.texts("extra", &config.extra);
    map.put("deadlockdetectionenabled", config.deadlock_detection_enabled.map(|on| Yaml::Bare(on.to_string())));
    map.put("deadlocktimeoutseconds", config.deadlock_timeout_seconds.map(|count| Yaml::Bare(count.to_string())));
    let mut out = String::new();
    write_map(&mut out, &map.0, 0, false);
    out
}

#[derive(Default)]
struct Fields(Vec<(String, Yaml)>);

impl Fields {
    fn put(&mut self, key: &str, value: Option<Yaml>) {
        if let Some(value) = value {
            self.0.push((key.to_owned(), value));
        }
    }

    fn text(&mut self, key: &str, text: &str) {
        self.put(key, (!text.is_empty()).then(|| Yaml::Text(text.to_owned())));
    }

    fn texts(&mut self, key: &str, texts: &BTreeMap<String, String>) {
        let map = || Yaml::Map(texts.iter().map(|(key, text)| (key.clone(), Yaml::Text(text.clone()))).collect());
        self.put(key, (!texts.is_empty()).then(map));
    }

    fn names(&mut self, key: &str, names: &[String]) {
        let list = || Yaml::List(names.iter().cloned().map(Yaml::Text).collect());
        self.put(key, (!names.is_empty()).then(list));
    }

    fn count(&mut self, key: &str, count: u64) {
        self.put(key, (count > 0).then(|| Yaml::Bare(count.to_string())));
    }

    fn flag(&mut self, key: &str, on: bool) {
        self.put(key, on.then(|| Yaml::Bare("true".to_owned())));
    }

    fn map(&mut self, key: &str, fields: Self) {
        self.put(key, (!fields.0.is_empty()).then_some(Yaml::Map(fields.0)));
    }

    fn list<T>(&mut self, key: &str, items: &[T], one: impl Fn(&T) -> Yaml) {
        self.put(key, (!items.is_empty()).then(|| Yaml::List(items.iter().map(one).collect())));
    }
}

fn partition(config: &dto::PartitionConfig) -> Yaml {
    let mut map = Fields(vec![("name".to_owned(), Yaml::Text(config.name.clone()))]);
    map.put("queues", Some(Yaml::List(config.queues.iter().map(queue).collect())));
    map.list("placementrules", &config.placement_rules, rule);
    map.list("limits", &config.limits, limit);
    let mut preemption = Fields::default();
    let flag = |on: Option<bool>| on.map(|on| Yaml::Bare(on.to_string()));
    preemption.put("enabled", flag(config.preemption.enabled));
    preemption.put("quotapreemptionenabled", flag(config.preemption.quota_preemption_enabled));
    map.map("preemption", preemption);
    let mut sort = Fields::default();
    sort.text("type", &config.node_sort_policy.kind);
    let weights = config.node_sort_policy.resource_weights.iter();
    let weights = weights.map(|(name, weight)| (name.clone(), Yaml::Bare(weight.to_string()))).collect();
    sort.map("resourceweights", Fields(weights));
    map.map("nodesortpolicy", sort);
    let mut resolver = Fields::default();
    resolver.text("type", config.user_group_resolver.as_ref().map_or("", |resolver| &resolver.kind));
    map.map("usergroupresolver", resolver);
    Yaml::Map(map.0)
}

fn queue(config: &dto::QueueConfig) -> Yaml {
    let mut map = Fields(vec![("name".to_owned(), Yaml::Text(config.name.clone()))]);
    map.flag("parent", config.parent);
    map.map("resources", resources(&config.resources));
    map.count("maxapplications", config.max_applications);
    map.texts("properties", &config.properties);
    map.text("adminacl", &config.admin_acl);
    map.text("submitacl", &config.submit_acl);
    let mut template = Fields::default();
    template.count("maxapplications", config.child_template.max_applications);
    template.texts("properties", &config.child_template.properties);
    template.map("resources", resources(&config.child_template.resources));
    map.map("childtemplate", template);
    map.list("queues", &config.queues, queue);
    map.list("limits", &config.limits, limit);
    Yaml::Map(map.0)
}

fn resources(resources: &dto::Resources) -> Fields {
    let mut map = Fields::default();
    map.texts("guaranteed", &resources.guaranteed);
    map.texts("max", &resources.max);
    map
}

fn rule(config: &dto::Rule) -> Yaml {
    let mut map = Fields(vec![("name".to_owned(), Yaml::Text(config.name.clone()))]);
    map.flag("create", config.create);
    let mut filter = Fields::default();
    filter.text("type", &config.filter.kind);
    filter.names("users", &config.filter.users);
    filter.names("groups", &config.filter.groups);
    map.map("filter", filter);
    map.put("parent", config.parent.as_deref().map(rule));
    map.text("value", &config.value);
    Yaml::Map(map.0)
}

fn limit(config: &dto::Limit) -> Yaml {
    let mut map = Fields(vec![("limit".to_owned(), Yaml::Text(config.limit.clone()))]);
    map.names("users", &config.users);
    map.names("groups", &config.groups);
    map.texts("maxresources", &config.max_resources);
    map.count("maxapplications", config.max_applications);
    Yaml::Map(map.0)
}

/// YuniKorn indents to the next multiple of four, even from the odd columns of list items.
fn inner(column: usize) -> usize {
    (column + 4) / 4 * 4
}

/// The first key may follow the dash of a list.
fn write_map(out: &mut String, fields: &[(String, Yaml)], column: usize, behind_dash: bool) {
    for (at, (key, value)) in fields.iter().enumerate() {
        let indent = if at == 0 && behind_dash { 0 } else { column };
        // Writing to a String cannot fail.
        let _written = write!(out, "{:indent$}{}:", "", scalar(key));
        write_value(out, value, column);
    }
}

fn write_value(out: &mut String, value: &Yaml, column: usize) {
    match value {
        Yaml::Text(text) => {
            let _written = writeln!(out, " {}", scalar(text));
        }
        Yaml::Bare(text) => {
            let _written = writeln!(out, " {text}");
        }
        Yaml::List(items) if items.is_empty() => out.push_str(" []\n"),
        Yaml::Map(fields) => {
            out.push('\n');
            write_map(out, fields, inner(column), false);
        }
        Yaml::List(items) => {
            out.push('\n');
            let column = inner(column);
            for item in items {
                let _written = write!(out, "{:column$}-", "");
                match item {
                    Yaml::Map(fields) => {
                        out.push(' ');
                        write_map(out, fields, column + 2, true);
                    }
                    other => write_value(out, other, column + 2),
                }
            }
        }
    }
}

fn scalar(text: &str) -> String {
    if text.chars().any(|c| c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}')) {
        return double_quoted(text);
    }
    if text.is_empty() || reads_as_other(text) {
        return format!("\"{text}\"");
    }
    let first = text.as_bytes()[0];
    let second = text.as_bytes().get(1).copied();
    let indicator = match first {
        b'-' | b'?' | b':' => second.is_none_or(|next| next == b' '),
        _ => b",[]{}#&*!|>'\"%@` ".contains(&first),
    };
    let breaks = indicator || text.ends_with([' ', ':']) || text.contains(": ") || text.contains(" #");
    let document = text.starts_with("---") || text.starts_with("...");
    if breaks || document { format!("'{}'", text.replace('\'', "''")) } else { text.to_owned() }
}

fn double_quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _written = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether some parsers read it as a number, a boolean, null, or a date.
fn reads_as_other(text: &str) -> bool {
    const WORDS: [&str; 12] = ["~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", ".nan", "<<"];
    let lower = text.to_ascii_lowercase();
    if WORDS.contains(&lower.as_str()) || lower.trim_start_matches(['+', '-']) == ".inf" {
        return true;
    }
    let digits = lower.trim_start_matches(['+', '-']);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return false;
    }
    let plain = digits.replace('_', "");
    let based = ["0x", "0o", "0b"].iter().any(|base| {
        plain.strip_prefix(base).is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    let sixty = plain.contains(':') && plain.bytes().all(|b| b.is_ascii_digit() || b == b':' || b == b'.');
    let date =
        digits.len() >= 8 && digits.as_bytes()[4..5] == *b"-" && digits.bytes().take(4).all(|b| b.is_ascii_digit());
    based || sixty || date || plain.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::{Faults, yaml};

    #[test]
    fn quotes_what_would_read_as_something_else() {
        let cases = [
            ("8G", "8G"),
            ("4", "\"4\""),
            ("-10", "\"-10\""),
            ("1e3", "\"1e3\""),
            ("0x1F", "\"0x1F\""),
            ("yes", "\"yes\""),
            ("*", "'*'"),
            ("admin admins", "admin admins"),
            (" ops", "' ops'"),
            ("it's", "it's"),
            ("'x", "'''x'"),
            ("a: b", "'a: b'"),
            ("2001-01-01", "\"2001-01-01\""),
            ("a\nb", "\"a\\nb\""),
            ("", "\"\""),
        ];
        for (text, written) in cases {
            assert_eq!(scalar(text), written, "{text:?}");
        }
    }

    #[test]
    fn every_scalar_reads_as_itself_again() {
        let parts = ["a", "'", "\"", ":", "#", " ", "-", "*", "é", "\n", "\u{7}", "0", ".", "[", "%", "\\", "~"];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = format!("{first}{second}{third}");
                    let yaml_text = format!("key: {}\n", scalar(&text));
                    let mut faults = Faults::default();
                    let document = yaml::parse(&yaml_text, &mut faults).unwrap();
                    let fields = document.root().unwrap().any_map("", "", &mut faults).unwrap();
                    let read = fields.get("key").and_then(yaml::Node::scalar).map(|scalar| scalar.text.to_owned());
                    assert_eq!(read.as_deref(), Some(text.as_str()), "{yaml_text}");
                }
            }
        }
    }
}
