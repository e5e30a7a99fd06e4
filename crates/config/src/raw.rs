//! A decoded queue configuration without defaults, every value with its location: the input of the checks.

use super::node::FieldValue;
use super::types::{Place, Placed};
use model::Resource;

#[derive(Debug, Default)]
pub(super) struct RawFile {
    pub at: Place,
    pub partitions: Vec<RawPartition>,
}

#[derive(Debug)]
pub(super) struct RawPartition {
    pub at: Place,
    /// `default` if empty or missing.
    pub name: Placed<String>,
    /// The root of the tree, inserted if the file has none; `None` without queues (CFG-014).
    pub root: Option<RawQueue>,
    pub limits: Option<RawLimits>,
    pub rules: Vec<RawRule>,
    pub sort_type: Option<Placed<String>>,
    pub weights: Option<Vec<Placed<(String, f64)>>>,
    pub preemption: FieldValue<bool>,
    pub quota_preemption: FieldValue<bool>,
}

#[derive(Debug, Default)]
pub(super) struct RawQueue {
    pub at: Place,
    pub name: Placed<String>,
    /// The full path in lower case.
    pub path: String,
    pub parent: FieldValue<bool>,
    pub children: Vec<RawQueue>,
    pub max_applications: FieldValue<u64>,
    pub properties: Vec<RawProperty>,
    pub admin_acl: Option<Placed<String>>,
    pub submit_acl: Option<Placed<String>>,
    pub guaranteed: Option<RawResource>,
    pub max: Option<RawResource>,
    pub limits: Option<RawLimits>,
    pub template: Option<RawTemplate>,
}

impl RawQueue {
    /// Whether the queue has children or `parent: true` (CFG-033).
    pub fn is_parent(&self) -> bool {
        !self.children.is_empty() || self.parent.as_good().is_some_and(|parent| parent.value)
    }
}

#[derive(Debug)]
pub(super) struct RawProperty {
    pub key: String,
    pub key_at: Place,
    pub value: Placed<String>,
}

#[derive(Debug, Default)]
pub(super) struct RawResource {
    pub at: Place,
    pub key_at: Place,
    pub resource: Resource,
    /// The location of each value, sorted by name.
    pub places: Vec<(Box<str>, Place)>,
    /// A quantity is invalid and missing in `resource`.
    pub faulty: bool,
}

impl RawResource {
    pub fn own_place(&self, name: &str) -> Option<Place> {
        let at = self.places.binary_search_by(|(known, _)| (**known).cmp(name)).ok()?;
        Some(self.places[at].1)
    }

    /// The location of the value of `name`, otherwise of the map.
    pub fn place(&self, name: &str) -> Place {
        self.own_place(name).unwrap_or(self.at)
    }
}

#[derive(Debug, Default)]
pub(super) struct RawLimits {
    pub at: Place,
    pub list: Vec<RawLimit>,
}

#[derive(Debug, Default)]
pub(super) struct RawLimit {
    pub at: Place,
    pub description: String,
    pub users: Vec<Placed<String>>,
    pub groups: Vec<Placed<String>>,
    pub names_faulty: bool,
    pub max_applications: FieldValue<u64>,
    pub max_resources: Option<RawResource>,
}

#[derive(Debug, Default)]
pub(super) struct RawTemplate {
    pub at: Place,
    pub max_applications: FieldValue<u64>,
    pub properties: Vec<RawProperty>,
    pub guaranteed: Option<RawResource>,
    pub max: Option<RawResource>,
}

#[derive(Debug, Default)]
pub(super) struct RawRule {
    pub at: Place,
    pub name: Placed<String>,
    pub name_faulty: bool,
    pub create: FieldValue<bool>,
    pub filter: Option<RawFilter>,
    pub parent: Option<Box<RawRule>>,
    pub value: Option<Placed<String>>,
    /// Whether it was written as a text (PLC-013).
    pub text: bool,
}

#[derive(Debug, Default)]
pub(super) struct RawFilter {
    pub at: Place,
    pub kind: Option<Placed<String>>,
    pub users: Vec<Placed<String>>,
    pub groups: Vec<Placed<String>>,
}
