//! The maps of settings in an input, and the entry that YuniKorn would use for its queues (K8S-010 to K8S-013).

use std::sync::Arc;

use super::Loaded;
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

/// The place of values among those of one Helm release: a higher order overrides a lower one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Source {
    pub release: u32,
    pub order: u32,
}

/// Where a map of settings is.
#[derive(Clone, Debug, Default)]
pub(super) struct Origin {
    /// `None`: it is independent of the others.
    pub source: Option<Source>,
    /// The keys of the values above it.
    pub path: String,
    /// The object with the values, and its key.
    pub holder: Option<(Object, String)>,
    /// `None`: the input itself.
    pub file: Option<Arc<Loaded>>,
}

/// A ConfigMap or a Secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
}

impl Object {
    pub fn is_same(&self, other: &Self) -> bool {
        let is_near = match (&self.namespace, &other.namespace) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        is_near && self.kind == other.kind && self.name == other.name
    }
}

#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub origin: Origin,
    pub rank: Rank,
    pub shape: String,
    /// The name of the map in the input; empty for separate entries.
    pub name: String,
    pub at: Place,
    /// Whether any key that ends in `.yaml` may have the queue configuration.
    pub any_key: bool,
    /// In order: a later entry of the same key replaces an earlier one.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub key: String,
    pub at: Place,
    pub value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String, Places),
    File(String),
    Faulty(Box<Fault>),
    /// The same, and the error is already reported.
    Reported,
}

impl Layer {
    pub fn order(&self) -> u32 {
        self.origin.source.map_or(0, |source| source.order)
    }

    fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.key == key)
    }

    fn missing(&self, key: &str, keys: &[&str]) -> Fault {
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
        let at = self.origin.file.as_ref().map_or(self.at, |file| file.at);
        Fault { code: "CFG-002", severity: Severity::Error, at, path: path.to_owned(), message, hint }
    }
}

/// Layers that Helm merges, from the weakest one.
struct Merged<'l> {
    rank: Rank,
    layers: Vec<&'l Layer>,
}

impl<'l> Merged<'l> {
    fn all(layers: &'l [Layer]) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for layer in layers {
            let is_part = |merged: &&mut Self| {
                let Layer { origin, rank, .. } = merged.layers[0];
                let release = |origin: &Origin| origin.source.map(|source| source.release);
                release(origin).is_some()
                    && release(origin) == release(&layer.origin)
                    && (origin.path == layer.origin.path && *rank == layer.rank)
            };
            match all.iter_mut().find(|merged| layer.origin.source.is_some() && is_part(merged)) {
                Some(merged) => merged.layers.push(layer),
                None => all.push(Self { rank: layer.rank, layers: vec![layer] }),
            }
        }
        for merged in &mut all {
            merged.layers.sort_by_key(|layer| layer.order());
        }
        all
    }

    fn chosen(&self, key: &str) -> Option<Chosen<'l>> {
        let of = |layer: &&'l Layer| Some((*layer, layer.entry(key)?));
        let mut all: Vec<_> = self.layers.iter().filter_map(of).collect();
        let (layer, entry) = all.pop()?;
        Some(Chosen { layer, entry, overridden: all })
    }

    fn group(&self) -> Option<&'l str> {
        match &self.chosen(GROUP)?.entry.value {
            Value::Text(text, _) => Some(text.trim()).filter(|text| !text.is_empty()),
            _ => None,
        }
    }

    fn missing(&self, key: &str) -> Option<Fault> {
        let entries = self.layers.iter().flat_map(|layer| &layer.entries);
        let keys: Vec<&str> = entries.map(|entry| entry.key.as_str()).collect();
        Some(self.layers.last()?.missing(key, &keys))
    }
}

/// An entry that YuniKorn would use.
pub(super) struct Chosen<'l> {
    pub layer: &'l Layer,
    pub entry: &'l Entry,
    /// Entries of the same release with the same key, from the weakest one.
    pub overridden: Vec<(&'l Layer, &'l Entry)>,
}

/// Several if they differ.
///
/// # Errors
/// CFG-002: none found.
pub(super) fn select<'l>(layers: &'l [Layer], asked: &str) -> Result<Vec<Chosen<'l>>, Fault> {
    let mut ranked = Merged::all(layers);
    ranked.sort_by_key(|merged| std::cmp::Reverse(merged.rank));
    // A requested name takes precedence over the maps.
    let reported = if asked == DEFAULT_POLICY_GROUP { ranked.iter().find_map(Merged::group) } else { None };
    let key = format!("{}.yaml", reported.unwrap_or(asked));
    let mut found: Vec<Chosen<'l>> = Vec::new();
    for merged in &ranked {
        let Some(chosen) = merged.chosen(&key) else { continue };
        if found.first().is_some_and(|first| first.layer.rank != merged.rank) {
            break;
        }
        if !found.iter().any(|known| is_same(known.entry, chosen.entry)) {
            found.push(chosen);
        }
    }
    if found.is_empty() && asked == DEFAULT_POLICY_GROUP && reported.is_none() {
        let lone = ranked.iter().flat_map(|merged| &merged.layers).filter(|layer| layer.any_key);
        let entries = lone.flat_map(|layer| layer.entries.iter().map(|entry| (*layer, entry)));
        let is_one = |entry: &Entry| matches!(&entry.value, Value::Text(text, _) if entry.key != GROUP && is_configuration(text));
        let chosen = |(layer, entry)| Chosen { layer, entry, overridden: Vec::new() };
        found.extend(entries.filter(|(_, entry)| is_one(entry)).map(chosen));
    }
    match ranked.first().and_then(|first| first.missing(&key)) {
        Some(fault) if found.is_empty() => Err(fault),
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
