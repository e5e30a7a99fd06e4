//! YAML tree → raw configuration: keys, types, and quantities (`config.md` sections 1 to 3).

mod queue;
mod rule;

pub(super) use queue::LimitName;
use queue::{limits, queue};
use rule::rules;

use super::fault::Faults;
use super::input::{FORMS, TableCommand};
use super::node::{FieldValue, Fields, unknown_key};
use super::raw::{RawFile, RawPartition, RawQueue};
use super::types::{Place, Placed};
use super::yaml::Node;
use model::Profile;

pub(super) const FILE: [&str; 2] = ["partitions", "checksum"];
pub(super) const PARTITION: [&str; 6] = ["name", "queues", "placementrules", "limits", "nodesortpolicy", "preemption"];
pub(super) const QUEUE: [&str; 10] = [
    "name",
    "parent",
    "queues",
    "maxapplications",
    "properties",
    "adminacl",
    "submitacl",
    "resources",
    "limits",
    "childtemplate",
];
pub(super) const RESOURCES: [&str; 2] = ["guaranteed", "max"];
pub(super) const LIMIT: [&str; 5] = ["limit", "users", "groups", "maxapplications", "maxresources"];
pub(super) const TEMPLATE: [&str; 3] = ["maxapplications", "properties", "resources"];
pub(super) const RULE: [&str; 5] = ["name", "create", "filter", "parent", "value"];
pub(super) const FILTER: [&str; 3] = ["type", "users", "groups"];
pub(super) const NODE_SORT: [&str; 2] = ["type", "resourceweights"];
/// The second is unknown in 1.5.1 (switch `config_keys`).
pub(super) const PREEMPTION: [&str; 2] = ["enabled", "quotapreemptionenabled"];
/// Only 1.8 reads them.
pub(super) const RESOLVER: [&str; 1] = ["type"];

/// The keys that may be under a key, in their usual order; empty if any or none.
pub fn keys_below(key: &str) -> &'static [&'static str] {
    match key {
        "" => &FILE,
        "partitions" => &PARTITION,
        "queues" => &QUEUE,
        "resources" => &RESOURCES,
        "limits" => &LIMIT,
        "childtemplate" => &TEMPLATE,
        "placementrules" | "parent" => &RULE,
        "filter" => &FILTER,
        "nodesortpolicy" => &NODE_SORT,
        "preemption" => &PREEMPTION,
        _ => &[],
    }
}

/// The keys under `preemption` in the profile.
pub fn preemption_keys(profile: Profile) -> &'static [&'static str] {
    if profile == Profile::V1_5_1 { &PREEMPTION[..1] } else { &PREEMPTION }
}

/// CFG-002. `None` if it is not a map.
pub(super) fn file(node: Node<'_>, text: &str, faults: &mut Faults) -> Option<RawFile> {
    if !node.is_map() && !node.is_null() {
        let (message, hint) = match TableCommand::of(text) {
            Some(command) => (format!("the file is a table of `{}`", command.name()), command.remedy()),
            None => (format!("the file is {}, not a map", node.kind()), FORMS),
        };
        faults.error("CFG-002", node.at(), "", message, hint);
        return None;
    }
    let mut file = RawFile { at: node.at(), ..RawFile::default() };
    let Some(fields) = node.map("the file", &FILE, "", faults) else { return Some(file) };
    let _checksum_is_a_text = fields.text("checksum", "", faults);
    let partitions = fields.list("partitions", "", faults).unwrap_or_default();
    for (index, node) in partitions.into_iter().enumerate() {
        let path = format!("partitions[{index}]");
        file.partitions.extend(partition(node, &path, faults));
    }
    Some(file)
}

fn partition(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawPartition> {
    let fields = node.any_map("a partition", path, faults)?;
    check_partition_keys(fields, path, faults);
    let name = fields.text("name", path, faults).good().filter(|name| !name.value.is_empty());
    let name = name.unwrap_or_else(|| Placed { value: "default".into(), at: node.at() });
    let preemption = fields.get("preemption").and_then(|node| {
        let known = preemption_keys(faults.profile());
        node.map("preemption", known, path, faults)
    });
    let (sort_type, weights) = node_sort(fields, path, faults);
    Some(RawPartition {
        at: node.at(),
        root: root(fields, path, faults),
        limits: limits(fields, path, faults),
        rules: rules(fields, path, faults),
        sort_type,
        weights,
        preemption: preemption.map_or(FieldValue::Unset, |p| p.bool("enabled", path, faults)),
        quota_preemption: preemption
            .filter(|_| faults.profile() != Profile::V1_5_1)
            .map_or(FieldValue::Unset, |p| p.bool("quotapreemptionenabled", path, faults)),
        name,
    })
}

/// They depend on the profile (switch `config_keys`).
fn check_partition_keys(fields: Fields<'_>, path: &str, faults: &mut Faults) {
    let newer = faults.profile().is_since_1_8();
    for (key, node) in fields {
        match key.text {
            "statedumpfilepath" => {
                let message = "`statedumpfilepath` has no effect";
                faults.lenient("CFG-003", key.at, path, message, "remove it");
            }
            "usergroupresolver" if newer => {
                if let Some(fields) = node.map("usergroupresolver", &RESOLVER, path, faults) {
                    let _type_is_a_text = fields.text("type", path, faults);
                }
            }
            text if PARTITION.contains(&text) => {}
            text => unknown_key(text, key.at, "a partition", &PARTITION, path, faults),
        }
    }
}

/// The queues below one root (CFG-014, CFG-015).
fn root(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Option<RawQueue> {
    let queues = fields.list("queues", path, faults)?;
    let at = fields.key_at("queues").unwrap_or(fields.at());
    let only_root = match queues.as_slice() {
        [only] => has_root_name(*only),
        _ => false,
    };
    if only_root {
        let mut root = queue(*queues.first()?, None, faults)?;
        "root".clone_into(&mut root.path);
        return Some(root);
    }
    let children = queues.into_iter().filter_map(|node| queue(node, Some("root"), faults)).collect();
    let name = Placed { value: "root".into(), at: Place::default() };
    Some(RawQueue { at, name, path: "root".into(), children, ..RawQueue::default() })
}

fn has_root_name(node: Node<'_>) -> bool {
    // Errors in the queue are reported when it is decoded.
    let silent = &mut Faults::default();
    let name = node.any_map("", "", silent).and_then(|fields| fields.text("name", "", silent).good());
    name.is_some_and(|name| name.value.eq_ignore_ascii_case("root"))
}

type NodeSort = (Option<Placed<String>>, Option<Vec<Placed<(String, f64)>>>);

/// A map, or only the type (`config.md` section 11).
fn node_sort(fields: Fields<'_>, path: &str, faults: &mut Faults) -> NodeSort {
    let Some(node) = fields.get("nodesortpolicy") else { return (None, None) };
    if node.scalar().is_some() {
        if faults.as_release() {
            node.wrong_type("nodesortpolicy", "a map", path, faults);
        }
        return (node.text("nodesortpolicy", path, faults).good(), None);
    }
    let Some(fields) = node.map("nodesortpolicy", &NODE_SORT, path, faults) else {
        return (None, None);
    };
    let sort_type = fields.text("type", path, faults).good();
    let weights = fields.get("resourceweights").and_then(|node| node.any_map("resourceweights", path, faults));
    let weights = weights.map(|map| {
        let mut list = Vec::new();
        for (key, node) in map {
            if node.is_null() {
                list.push(Placed { value: (key.text.to_owned(), 0.0), at: node.at() });
            } else if let FieldValue::Value(weight) = node.float(key.text, "CFG-102", path, faults) {
                list.push(Placed { value: (key.text.to_owned(), weight.value), at: weight.at });
            }
        }
        list
    });
    (sort_type, weights)
}

fn names_of(fields: Fields<'_>, key: &str, path: &str, faults: &mut Faults) -> Option<Vec<Placed<String>>> {
    let Some(node) = fields.get(key) else { return Some(Vec::new()) };
    let items = node.list(key, path, faults)?;
    let count = items.len();
    let names: Vec<_> = items.into_iter().filter_map(|node| node.text(key, path, faults).good()).collect();
    (names.len() == count).then_some(names)
}
