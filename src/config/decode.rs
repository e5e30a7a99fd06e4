//! YAML tree → configuration as written: keys, types and quantities (`config.md` sections 1 to 3).

use std::fmt;

use super::fault::Faults;
use super::node::{Fields, Key, Read, unknown_key};
use super::raw::{
    RawFile, RawFilter, RawLimit, RawLimits, RawPartition, RawProperty, RawQueue, RawResource, RawRule, RawTemplate,
};
use super::types::{Place, Placed};
use super::yaml::Node;
use crate::model::{Profile, QuantityFault, parse_quantity};

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
/// The second only by 1.8.
pub(super) const PREEMPTION: [&str; 2] = ["enabled", "quotapreemptionenabled"];
/// Only by 1.8.
pub(super) const RESOLVER: [&str; 1] = ["type"];

/// The keys that may stand below a key, in the order in which they are usually written; empty where anything may, or nothing.
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

/// The keys under `preemption` that the profile knows.
pub(super) fn preemption_keys(profile: Profile) -> &'static [&'static str] {
    if profile == Profile::V1_8_0 { &PREEMPTION } else { &PREEMPTION[..1] }
}

/// Decodes the outermost node (CFG-002). `None` when it is no map.
pub(super) fn file(node: Node<'_>, faults: &mut Faults) -> Option<RawFile> {
    if !node.is_map() && !node.is_null() {
        let message = format!("the file is {}, not a map", node.kind());
        faults.error("CFG-002", node.at(), "", message, "begin with `partitions:` and a list of partitions");
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
        preemption: preemption.map_or(Read::Unset, |p| p.bool("enabled", path, faults)),
        quota_preemption: preemption
            .filter(|_| faults.profile() == Profile::V1_8_0)
            .map_or(Read::Unset, |p| p.bool("quotapreemptionenabled", path, faults)),
        name,
    })
}

/// The keys of a partition, which are not the same in all profiles (switch `config_keys`).
fn check_partition_keys(fields: Fields<'_>, path: &str, faults: &mut Faults) {
    let newer = faults.profile() == Profile::V1_8_0;
    for (key, node) in fields {
        match key.text {
            "statedumpfilepath" => {
                let message = "`statedumpfilepath` has no effect any more";
                faults.lenient("CFG-003", key.at, path, message, "leave it out");
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
    // Faults in the queue are told when it is read as one.
    let silent = &mut Faults::default();
    let name = node.any_map("", "", silent).and_then(|fields| fields.text("name", "", silent).good());
    name.is_some_and(|name| name.value.eq_ignore_ascii_case("root"))
}

fn queue(node: Node<'_>, above: Option<&str>, faults: &mut Faults) -> Option<RawQueue> {
    let above_path = above.unwrap_or_default();
    let fields = node.any_map("a queue", above_path, faults)?;
    let name = match fields.text("name", above_path, faults) {
        Read::Value(name) => name,
        _ => Placed { value: String::new(), at: node.at() },
    };
    let path = above.map_or_else(|| "root".to_owned(), |above| format!("{above}.{}", name.value.to_lowercase()));
    // The keys are looked at with the queue's own path.
    node.map("a queue", &QUEUE, &path, faults);
    let resources = fields.get("resources").and_then(|node| node.map("resources", &RESOURCES, &path, faults));
    let amounts = |key, faults: &mut Faults| resources.and_then(|r| resource(r, key, Amounts::Queue, &path, faults));
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

/// `maxapplications`; a written 0 is a fault and counts as not set for the releases (CFG-055).
fn count(fields: Fields<'_>, of: &str, path: &str, faults: &mut Faults) -> Read<u64> {
    let read = fields.uint("maxapplications", path, faults);
    match read.as_good() {
        Some(Placed { value: 0, at }) => {
            let message = format!("`maxapplications` of this {of} is 0, which would let nothing run");
            faults.strict("CFG-055", *at, path, message, "leave it out for no limit, or write 1 or more");
            if faults.as_release() { Read::Unset } else { Read::Faulty }
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
        if let Read::Value(value) = node.text(key.text, path, faults) {
            properties.push(RawProperty { key: key.text.to_owned(), key_at: key.at, value });
        }
    }
    properties
}

/// Whose quantities are read: the rules are the same, the profile's verdict is not.
#[derive(Clone, Copy, PartialEq)]
enum Amounts<'a> {
    Queue,
    Template,
    Limit(LimitName<'a>),
}

fn resource(fields: Fields<'_>, key: &str, whose: Amounts<'_>, path: &str, faults: &mut Faults) -> Option<RawResource> {
    let node = fields.get(key)?;
    let map = node.any_map(key, path, faults)?;
    let key_at = fields.key_at(key).unwrap_or(node.at());
    let mut raw = RawResource { at: node.at(), key_at, ..RawResource::default() };
    let mut amounts = Vec::new();
    for (name, node) in map {
        match amount(name, node, key, whose, path, faults) {
            Some(amount) => amounts.push((name.text, amount, node.at())),
            None => raw.faulty = true,
        }
    }
    // In their order, each is put at the end.
    amounts.sort_unstable_by_key(|(name, ..)| *name);
    raw.resource = amounts.iter().map(|(name, amount, _)| (*name, *amount)).collect();
    raw.places = amounts.into_iter().map(|(name, _, at)| (name.into(), at)).collect();
    Some(raw)
}

/// One quantity (CFG-020 to CFG-024).
fn amount(
    name: Key<'_>,
    node: Node<'_>,
    key: &str,
    whose: Amounts<'_>,
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
            ("CFG-020", "is negative", "digits, then an optional suffix; amounts cannot be negative")
        }
        QuantityFault::Malformed => ("CFG-020", "is no quantity", "digits, then an optional suffix: 500, 10G, 4Gi"),
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
    let (code, of) = match whose {
        Amounts::Queue => (own_code, format!("`{key}`")),
        Amounts::Template => ("CFG-023", format!("`{key}` of the child template")),
        Amounts::Limit(limit) => ("CFG-024", format!("`{key}` of {limit}")),
    };
    let message = format!("{of}: {} {:?} {wrong}", name.text, text.value);
    if whose == Amounts::Template {
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
    let amounts = |key, faults: &mut Faults| resources.and_then(|r| resource(r, key, Amounts::Template, path, faults));
    let guaranteed = amounts("guaranteed", faults);
    let max = amounts("max", faults);
    let max_applications = count(fields, "child template", path, faults);
    Some(RawTemplate { at: node.at(), max_applications, properties: properties(fields, path, faults), guaranteed, max })
}

fn limits(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Option<RawLimits> {
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
    raw.max_resources = resource(fields, "maxresources", Amounts::Limit(name), path, faults);
    raw.description = description;
    Some(raw)
}

/// How a limit is called in messages: its number in the list from 1, and its description.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct LimitName<'a> {
    /// Its index in the list.
    pub index: usize,
    pub description: &'a str,
}

impl fmt::Display for LimitName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "limit {}", self.index + 1)?;
        if self.description.is_empty() { Ok(()) } else { write!(f, " {:?}", self.description) }
    }
}

/// A list of names; `None` when it is faulty.
fn names_of(fields: Fields<'_>, key: &str, path: &str, faults: &mut Faults) -> Option<Vec<Placed<String>>> {
    let Some(node) = fields.get(key) else { return Some(Vec::new()) };
    let items = node.list(key, path, faults)?;
    let count = items.len();
    let names: Vec<_> = items.into_iter().filter_map(|node| node.text(key, path, faults).good()).collect();
    (names.len() == count).then_some(names)
}

type NodeSort = (Option<Placed<String>>, Option<Vec<Placed<(String, f64)>>>);

/// `nodesortpolicy`: a map, or the type alone (`config.md` section 11).
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
            } else if let Read::Value(weight) = node.float(key.text, "CFG-102", path, faults) {
                list.push(Placed { value: (key.text.to_owned(), weight.value), at: weight.at });
            }
        }
        list
    });
    (sort_type, weights)
}

fn rules(fields: Fields<'_>, path: &str, faults: &mut Faults) -> Vec<RawRule> {
    let rules = fields.list("placementrules", path, faults).unwrap_or_default();
    let each = rules.into_iter().enumerate();
    each.filter_map(|(index, node)| rule(node, &format!("{path}.placementrules[{index}]"), faults)).collect()
}

fn rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let fields = node.map("a placement rule", &RULE, path, faults)?;
    let (name, name_faulty) = match fields.text("name", path, faults) {
        Read::Value(name) => (name, false),
        Read::Unset => (Placed { value: String::new(), at: node.at() }, false),
        Read::Faulty => (Placed { value: String::new(), at: node.at() }, true),
    };
    let filter = fields.get("filter").and_then(|node| {
        let fields = node.map("filter", &FILTER, path, faults)?;
        Some(RawFilter {
            at: node.at(),
            kind: fields.text("type", path, faults).good(),
            users: names_of(fields, "users", path, faults).unwrap_or_default(),
            groups: names_of(fields, "groups", path, faults).unwrap_or_default(),
        })
    });
    Some(RawRule {
        at: node.at(),
        name,
        name_faulty,
        create: fields.bool("create", path, faults),
        filter,
        parent: fields.get("parent").and_then(|node| parent_rule(node, path, faults)).map(Box::new),
        value: fields.text("value", path, faults).good(),
        text: false,
    })
}

/// A parent rule: a map, and by our own profile also a text or a list of one (CFG-093, PLC-013).
fn parent_rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let path = format!("{path}.parent");
    let written = match node {
        node if node.scalar().is_some() => "a text",
        node if node.is_list() => "a list",
        node => return rule(node, &path, faults),
    };
    if faults.as_release() {
        node.wrong_type("parent", "a map", &path, faults);
        return None;
    }
    if written == "a text" {
        return text_rule(node, &path, faults);
    }
    match node.list("parent", &path, faults)?.as_slice() {
        [one] => rule(*one, &path, faults),
        many => {
            let message = format!("`parent` is a list of {} rules", many.len());
            let hint = "a rule has one parent rule: write that as a map; it may have a parent of its own";
            faults.error("CFG-093", node.at(), &path, message, hint);
            None
        }
    }
}

/// A parent rule written as text: a queue path is a `fixed` rule, anything else a rule's name.
fn text_rule(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<RawRule> {
    let text = node.text("parent", path, faults).good()?;
    let lower = text.value.to_lowercase();
    let mut rule = RawRule { at: text.at, text: true, ..RawRule::default() };
    if lower == "root" || lower.starts_with("root.") {
        rule.name = Placed { value: "fixed".into(), at: text.at };
        rule.value = Some(text);
    } else {
        rule.name = text;
    }
    Some(rule)
}
