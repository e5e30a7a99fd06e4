//! Reads the values of one step: each reader reports an error, returns a default, and continues.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use config::Faults;
use config::node::{FieldValue, Fields};
use config::properties::parse_duration;
use config::yaml::{Node, Style};
use model::{Identity, QuantityFault, Resource, parse_quantity};

/// The keys and values of a step, or of a map in it.
pub struct Values<'d, 'f> {
    /// The map whose keys are read.
    pub fields: Fields<'d>,
    /// Its path of keys, for messages.
    pub path: Cow<'f, str>,
    /// Where errors are added.
    pub faults: &'f mut Faults,
}

impl<'d> Values<'d, '_> {
    /// A nested map.
    pub fn inner(&mut self, key: &str, known: &[&str]) -> Option<Values<'d, '_>> {
        let node = self.needed(key)?;
        let path = format!("{}.{key}", self.path);
        let fields = node.map(key, known, &path, self.faults)?;
        Some(Values { fields, path: path.into(), faults: self.faults })
    }

    fn needed(&mut self, key: &str) -> Option<Node<'d>> {
        let node = self.fields.get(key);
        if node.is_none() {
            let at = self.fields.key_at(key).unwrap_or(self.fields.at());
            self.faults.error("SCN-021", at, &self.path, format!("`{key}` is missing"), format!("add `{key}: …`"));
        }
        node
    }

    /// A required, non-empty id.
    pub fn id(&mut self, key: &str) -> &'d str {
        let Some(node) = self.needed(key) else { return "" };
        id(node, key, &self.path, self.faults)
    }

    /// A required text, which may be empty.
    pub fn text(&mut self, key: &str) -> String {
        let Some(node) = self.needed(key) else { return String::new() };
        node.text(key, &self.path, self.faults).good().map(|text| text.value).unwrap_or_default()
    }

    /// An optional text, empty by default.
    pub fn optional_text(&mut self, key: &str) -> String {
        self.fields.text(key, &self.path, self.faults).good().map(|text| text.value).unwrap_or_default()
    }

    /// An optional id.
    pub fn optional_id(&mut self, key: &str) -> Option<&'d str> {
        let node = self.fields.get(key)?;
        Some(id(node, key, &self.path, self.faults))
    }

    /// An optional bool, false by default.
    pub fn flag(&mut self, key: &str) -> bool {
        self.fields.bool(key, &self.path, self.faults).good().is_some_and(|flag| flag.value)
    }

    /// A whole number from `least` to `most`.
    pub fn number(&mut self, key: &str, least: i64, most: i64, default: i64) -> i64 {
        match self.fields.get(key) {
            Some(node) => number(node, key, least, most, &self.path, self.faults).unwrap_or(default),
            None => default,
        }
    }

    /// An optional duration.
    pub fn duration(&mut self, key: &str) -> Option<Duration> {
        duration(self.fields.get(key)?, key, &self.path, self.faults)
    }

    /// Quantities that must be there.
    pub fn resource(&mut self, key: &str) -> Resource {
        self.needed(key).map(|node| resource(node, key, &self.path, self.faults)).unwrap_or_default()
    }

    /// Quantities, if they are given.
    pub fn optional_resource(&mut self, key: &str) -> Option<Resource> {
        let node = self.fields.get(key)?;
        Some(resource(node, key, &self.path, self.faults))
    }

    /// An optional word from a list.
    pub fn word<T: Copy>(&mut self, key: &str, words: &[(&str, T)]) -> Option<T> {
        let node = self.fields.get(key)?;
        let text = node.text(key, &self.path, self.faults).good()?;
        let found = words.iter().find(|(word, _)| *word == text.value);
        if found.is_none() {
            let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("`{key}` is {:?}", text.value);
            self.faults.error("SCN-023", text.at, &self.path, message, format!("write {}", allowed.join(" or ")));
        }
        found.map(|(_, value)| *value)
    }

    /// A map of texts.
    pub fn texts(&mut self, key: &str) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        let Some(map) = self.fields.get(key).and_then(|node| node.any_map(key, &self.path, self.faults)) else {
            return texts;
        };
        for (name, node) in map {
            if let FieldValue::Value(value) = node.text(name.text, &self.path, self.faults) {
                texts.insert(name.text.to_owned(), value.value);
            }
        }
        texts
    }

    /// `user` and `groups`; without groups the list is the user alone (USR-004).
    pub fn identity(&mut self) -> Identity {
        let user = self.text("user");
        let nodes = self.fields.list("groups", &self.path, self.faults).unwrap_or_default();
        let groups = nodes.into_iter().filter_map(|node| node.text("groups", &self.path, self.faults).good());
        let mut groups: Vec<String> = groups.map(|group| group.value).collect();
        if groups.is_empty() && !user.is_empty() {
            groups.push(user.clone());
        }
        Identity { user, groups }
    }

    /// The sum of `minMember` times `minResource` over the task groups.
    pub fn task_groups(&mut self) -> Resource {
        let mut total = Resource::new();
        let groups = self.fields.list("taskGroups", &self.path, self.faults).unwrap_or_default();
        for (index, node) in groups.into_iter().enumerate() {
            let path = format!("{}.taskGroups[{index}]", self.path);
            let known = ["name", "minMember", "minResource"];
            let Some(fields) = node.map("a task group", &known, &path, self.faults) else { continue };
            let mut group = Values { fields, path: path.into(), faults: self.faults };
            group.id("name");
            let members = group.number("minMember", 0, i64::from(u32::MAX), 1);
            for (resource, amount) in group.resource("minResource").iter() {
                let sum = total.amount(resource).saturating_add(amount.saturating_mul(members));
                total.set(resource, sum);
            }
        }
        total
    }
}

/// A non-empty id.
pub fn id<'d>(node: Node<'d>, key: &str, path: &str, faults: &mut Faults) -> &'d str {
    let text = node.str(key, path, faults);
    if text == Some("") {
        faults.error("SCN-021", node.at(), path, format!("`{key}` is empty"), "write a name");
    }
    text.unwrap_or_default()
}

/// A whole number from `least` to `most`.
pub fn number(node: Node<'_>, key: &str, least: i64, most: i64, path: &str, faults: &mut Faults) -> Option<i64> {
    let Some(scalar) = node.scalar() else {
        node.wrong_type(key, "a whole number", path, faults);
        return None;
    };
    let number = scalar.text.parse::<i64>().ok().filter(|_| scalar.style == Style::Plain);
    match number {
        Some(number) if (least..=most).contains(&number) => Some(number),
        _ => {
            let or_idle = if key == "schedule" { ", or `idle`" } else { "" };
            let hint = format!("write a whole number from {least} to {most}, without quotes{or_idle}");
            faults.error("SCN-022", node.at(), path, format!("`{key}` is {:?}", scalar.text), hint);
            None
        }
    }
}

/// A duration in Go syntax.
pub fn duration(node: Node<'_>, key: &str, path: &str, faults: &mut Faults) -> Option<Duration> {
    let text = node.text(key, path, faults).good()?;
    let duration = parse_duration(&text.value);
    if duration.is_none() {
        let message = format!("`{key}` is {:?}, which is not a duration", text.value);
        faults.error("SCN-024", text.at, path, message, "a number with its unit: 250ms, 1s, 1m30s, 2h");
    }
    duration
}

/// Quantities by resource name.
pub fn resource(node: Node<'_>, key: &str, path: &str, faults: &mut Faults) -> Resource {
    let mut resource = Resource::new();
    let Some(map) = node.any_map(key, path, faults) else { return resource };
    for (name, node) in map {
        let Some(text) = node.str(name.text, path, faults) else { continue };
        match parse_quantity(name.text, text) {
            Ok(amount) => resource.set(name.text, amount),
            Err(fault) => {
                let (wrong, hint) = quantity_fault(fault);
                let message = format!("{} of `{key}` is {text:?}, which {wrong}", name.text);
                faults.error("SCN-025", node.at(), path, message, hint);
            }
        }
    }
    resource
}

fn quantity_fault(fault: QuantityFault) -> (&'static str, &'static str) {
    match fault {
        QuantityFault::Malformed => ("is not a quantity", "digits, then an optional suffix: 500, 10G, 4Gi"),
        QuantityFault::Suffix => (
            "has an unknown suffix",
            "suffixes: k M G T P E (powers of 1000), Ki Mi Gi Ti Pi Ei (powers of 1024), and m for vcore only",
        ),
        QuantityFault::Overflow => {
            ("is too large", "at most 9223372036854775807 once the suffix is applied; vcore counts in thousandths")
        }
    }
}
