//! Queues with their resources, limits, properties, and child templates, as written.

use std::fmt;

use super::{LIMIT, QUEUE, RESOURCES, TEMPLATE, names_of};
use crate::fault::Faults;
use crate::node::{FieldValue, Fields, MapKey};
use crate::raw::{RawLimit, RawLimits, RawProperty, RawQueue, RawResource, RawTemplate};
use crate::types::Placed;
use crate::yaml::Node;
use model::{QuantityFault, parse_quantity};

pub(super) fn queue(node: Node<'_>, above: Option<&str>, faults: &mut Faults) -> Option<RawQueue> {
    let above_path = above.unwrap_or_default();
    let fields = node.any_map("a queue", above_path, faults)?;
    let name = match fields.text("name", above_path, faults) {
        FieldValue::Value(name) => name,
        _ => Placed { value: String::new(), at: node.at() },
    };
    let path = above.map_or_else(|| "root".to_owned(), |above| format!("{above}.{}", name.value.to_lowercase()));
    node.map("a queue", &QUEUE, &path, faults);
    let resources = fields.get("resources").and_then(|node| node.map("resources", &RESOURCES, &path, faults));
    let amounts =
        |key, faults: &mut Faults| resources.and_then(|r| resource(r, key, QuantityOwner::Queue, &path, faults));
    let guaranteed = amounts("guaranteed", faults);
    let max = amounts("max", faults);
    let children = fields.list("queues", &path, faults).unwrap_or_default();
    Some(RawQueue {
        at: node.at(),
        parent: fields.bool("parent", &path, faults),
        max_applications: count(fields, "queue", &path, faults),
        properties: properties(fields, &path, faults),
        admin_acl: fields.text("adminacl", &path, faults).good(),
        submit_acl: fields.text("submitacl", &path, faults).good(),
        guaranteed,
        max,
        limits: limits(fields, &path, faults),
        template: template(fields, &path, faults),
        children: children.into_iter().filter_map(|node| queue(node, Some(&path), faults)).collect(),
        name,
        path,
    })
}

/// 0 is an error, and counts as unset in the releases (CFG-055).
fn count(fields: Fields<'_>, of: &str, path: &str, faults: &mut Faults) -> FieldValue<u64> {
    let read = fields.uint("maxapplications", path, faults);
    match read.as_good() {
        Some(Placed { value: 0, at }) => {
            let message = format!("`maxapplications` of this {of} is 0, so no application could run");
            faults.strict("CFG-055", *at, path, message, "remove it for no limit, or write 1 or more");
            if faults.as_release() { FieldValue::Unset } else { FieldValue::Faulty }
        }
        _ => read,
    }
}

fn properties(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Vec<RawProperty> {
    let Some(map) = fields.get("properties").and_then(|node| node.any_map("properties", path, faults)) else {
        return Vec::new();
    };
    let mut properties = Vec::new();
    for (key, node) in map {
        if let FieldValue::Value(value) = node.text(key.text, path, faults) {
            properties.push(RawProperty { key: key.text.to_owned(), key_at: key.at, value });
        }
    }
    properties
}

/// Decides the severity, depending on the profile.
#[derive(Clone, Copy, PartialEq)]
enum QuantityOwner<'a> {
    Queue,
    Template,
    Limit(LimitName<'a>),
}

fn resource(
    fields: Fields<'_>,
    key: &str,
    owner: QuantityOwner<'_>,
    path: &str,
    faults: &mut Faults,
) -> Option<RawResource> {
    let node = fields.get(key)?;
    let map = node.any_map(key, path, faults)?;
    let key_at = fields.key_at(key).unwrap_or(node.at());
    let mut raw = RawResource { at: node.at(), key_at, ..RawResource::default() };
    let mut amounts = Vec::new();
    for (name, node) in map {
        match amount(name, node, key, owner, path, faults) {
            Some(amount) => amounts.push((name.text, amount, node.at())),
            None => raw.faulty = true,
        }
    }
    // Sorted, so that each is appended at the end.
    amounts.sort_unstable_by_key(|(name, ..)| *name);
    raw.resource = amounts.iter().map(|(name, amount, _)| (*name, *amount)).collect();
    raw.places = amounts.into_iter().map(|(name, _, at)| (name.into(), at)).collect();
    Some(raw)
}

/// CFG-020 to CFG-024.
fn amount(
    name: MapKey<'_>,
    node: Node<'_>,
    key: &str,
    owner: QuantityOwner<'_>,
    path: &str,
    faults: &mut Faults,
) -> Option<i64> {
    let text = node.text(name.text, path, faults).good()?;
    let fault = match parse_quantity(name.text, &text.value) {
        Ok(amount) => return Some(amount),
        Err(fault) => fault,
    };
    let (own_code, wrong, hint) = match fault {
        QuantityFault::Malformed if text.value.trim().starts_with('-') => {
            ("CFG-020", "is negative", "digits, then an optional suffix; quantities cannot be negative")
        }
        QuantityFault::Malformed => ("CFG-020", "is not a quantity", "digits, then an optional suffix: 500, 10G, 4Gi"),
        QuantityFault::Suffix => (
            "CFG-021",
            "has an unknown suffix",
            "suffixes: k M G T P E (powers of 1000), Ki Mi Gi Ti Pi Ei (powers of 1024), and m for vcore only",
        ),
        QuantityFault::Overflow => (
            "CFG-022",
            "is too large",
            "at most 9223372036854775807 once the suffix is applied; vcore counts in thousandths",
        ),
    };
    let (code, of) = match owner {
        QuantityOwner::Queue => (own_code, format!("`{key}`")),
        QuantityOwner::Template => ("CFG-023", format!("`{key}` of the child template")),
        QuantityOwner::Limit(limit) => ("CFG-024", format!("`{key}` of {limit}")),
    };
    let message = format!("{of}: {} {:?} {wrong}", name.text, text.value);
    if owner == QuantityOwner::Template {
        faults.strict(code, text.at, path, message, hint);
    } else {
        faults.error(code, text.at, path, message, hint);
    }
    None
}

fn template(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Option<RawTemplate> {
    let node = fields.get("childtemplate")?;
    let fields = node.map("childtemplate", &TEMPLATE, path, faults)?;
    let resources = fields.get("resources").and_then(|node| node.map("resources", &RESOURCES, path, faults));
    let amounts =
        |key, faults: &mut Faults| resources.and_then(|r| resource(r, key, QuantityOwner::Template, path, faults));
    let guaranteed = amounts("guaranteed", faults);
    let max = amounts("max", faults);
    let max_applications = count(fields, "child template", path, faults);
    Some(RawTemplate { at: node.at(), max_applications, properties: properties(fields, path, faults), guaranteed, max })
}

pub(super) fn limits(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Option<RawLimits> {
    let node = fields.get("limits")?;
    let items = node.list("limits", path, faults)?;
    let at = fields.key_at("limits").unwrap_or(node.at());
    let list = items.into_iter().enumerate().filter_map(|(index, node)| limit(node, index, path, faults)).collect();
    Some(RawLimits { at, list })
}

fn limit(node: Node<'_>, index: usize, path: &str, faults: &mut Faults) -> Option<RawLimit> {
    let fields = node.map("a limit", &LIMIT, path, faults)?;
    let description = fields.text("limit", path, faults).good().map(|d| d.value).unwrap_or_default();
    let mut raw = RawLimit { at: node.at(), ..RawLimit::default() };
    for (key, names) in [("users", &mut raw.users), ("groups", &mut raw.groups)] {
        match names_of(fields, key, path, faults) {
            Some(list) => *names = list,
            None => raw.names_faulty = true,
        }
    }
    raw.max_applications = count(fields, "limit", path, faults);
    let name = LimitName { index, description: &description };
    raw.max_resources = resource(fields, "maxresources", QuantityOwner::Limit(name), path, faults);
    raw.description = description;
    Some(raw)
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) struct LimitName<'a> {
    pub index: usize,
    pub description: &'a str,
}

impl fmt::Display for LimitName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "limit {}", self.index + 1)?;
        if self.description.is_empty() { Ok(()) } else { write!(f, " {:?}", self.description) }
    }
}
