//! The maps of settings in an input, and the entry that YuniKorn would use for its queues (K8S-010 to K8S-013).

use super::places::Places;
use crate::fault::{Fault, Severity};
use crate::manifest::DEFAULT_POLICY_GROUP;
use crate::types::Place;

const GROUP: &str = "service.policyGroup";

/// A later map replaces the entries of an earlier one by key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    Other,
    /// `configuration` of a chart before 1.0.
    OldChart,
    /// `yunikorn-defaults`, also as Helm values.
    Defaults,
    /// `yunikorn-configs` of the administrator.
    Configs,
}

impl Rank {
    pub fn of_map(name: &str) -> Self {
        match name {
            "yunikorn-defaults" => Self::Defaults,
            "yunikorn-configs" => Self::Configs,
            _ => Self::Other,
        }
    }
}

#[derive(Debug)]
pub(super) struct Layer {
    pub rank: Rank,
    pub shape: String,
    /// The name of the map in the input; empty for separate entries.
    pub name: String,
    pub at: Place,
    /// Whether any key that ends in `.yaml` may have the queue configuration.
    pub any_key: bool,
    /// In order: later ones replace by key.
    pub entries: Vec<Entry>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub key: String,
    pub at: Place,
    pub value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Text(String, Places),
    File(String),
    Faulty(Box<Fault>),
    /// The same, and the error is already reported.
    Reported,
}

impl Layer {
    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    fn group(&self) -> Option<&str> {
        match &self.entry(GROUP)?.value {
            Value::Text(text, _) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    fn missing(&self, key: &str) -> Fault {
        let keys: Vec<&str> = self.entries.iter().map(|entry| entry.key.as_str()).collect();
        let hint = if keys.is_empty() {
            "put the queue configuration into `data`, as a block: `queues.yaml: |`".to_owned()
        } else {
            format!("existing entries: {}; `--policy-group NAME` reads `NAME.yaml`", keys.join(", "))
        };
        let message = if self.name.is_empty() {
            format!("the ConfigMap has no entry `{key}` in `data`")
        } else {
            format!("`{}` has no entry `{key}`, so YuniKorn loads its built-in default", self.name)
        };
        let path = if self.name.is_empty() { "data" } else { self.name.as_str() };
        Fault { code: "CFG-002", severity: Severity::Error, at: self.at, path: path.to_owned(), message, hint }
    }
}

/// Several if they differ.
///
/// # Errors
/// CFG-002: none found.
pub(super) fn select<'l>(layers: &'l [Layer], asked: &str) -> Result<Vec<(&'l Layer, &'l Entry)>, Fault> {
    let mut ranked: Vec<&Layer> = layers.iter().collect();
    ranked.sort_by_key(|layer| std::cmp::Reverse(layer.rank));
    // A requested name takes precedence over the maps.
    let reported = if asked == DEFAULT_POLICY_GROUP { ranked.iter().find_map(|layer| layer.group()) } else { None };
    let key = format!("{}.yaml", reported.unwrap_or(asked));
    let mut found: Vec<(&Layer, &Entry)> = Vec::new();
    for layer in &ranked {
        let Some(entry) = layer.entry(&key) else { continue };
        if found.first().is_some_and(|(first, _)| first.rank != layer.rank) {
            break;
        }
        if !found.iter().any(|(_, known)| is_same(known, entry)) {
            found.push((layer, entry));
        }
    }
    if found.is_empty() && asked == DEFAULT_POLICY_GROUP && reported.is_none() {
        let lone = ranked.iter().filter(|layer| layer.any_key);
        found.extend(lone.flat_map(|layer| layer.entries.iter().map(|entry| (*layer, entry))).filter(
            |(_, entry)| matches!(&entry.value, Value::Text(text, _) if entry.key != GROUP && is_configuration(text)),
        ));
    }
    match ranked.first() {
        Some(first) if found.is_empty() => Err(first.missing(&key)),
        _ => Ok(found),
    }
}

fn is_same(one: &Entry, other: &Entry) -> bool {
    match (&one.value, &other.value) {
        (Value::Text(one, _), Value::Text(other, _)) | (Value::File(one), Value::File(other)) => one == other,
        _ => false,
    }
}

pub(super) fn is_configuration(text: &str) -> bool {
    text.lines().any(|line| line.trim_start_matches(['{', '"', '\'', ' ', '\t']).starts_with("partitions"))
}
