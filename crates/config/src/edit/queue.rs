//! Edits of a queue and its settings.

use super::change::{PathSegment, TreeChange};
use super::draft::Draft;
use super::limit::limit_value;
use super::locate::{self, QueueLocation};
use super::refusal::EditFaults;
use super::syntax::Tree;
use super::value::Value;
use super::{Access, Bound, NewQueue, Target};
use crate::fault::Fault;
use model::acl::AclNames;
use model::name::{NameChars, is_queue_name};
use model::{Acl, parse_quantity};

const QUEUE: &[&str] = &[
    "name",
    "parent",
    "adminacl",
    "submitacl",
    "maxapplications",
    "properties",
    "resources",
    "limits",
    "childtemplate",
    "queues",
];
const PARTITION: &[&str] = &["name", "placementrules", "nodesortpolicy", "preemption", "limits", "queues"];
const RESOURCES: &[&str] = &["guaranteed", "max"];

/// Sets `resources.max` or `resources.guaranteed` of one resource; `None` removes it.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn set_amount(
    text: &str,
    target: &Target<'_>,
    bound: Bound,
    resource: &str,
    amount: Option<&str>,
) -> Result<String, Fault> {
    let key = if bound == Bound::Max { "max" } else { "guaranteed" };
    let path = target.queue.to_string();
    if let Some(amount) = amount {
        check_amount(resource, amount, EditFaults { path: &path })?;
    }
    let inside: Inside = &[("resources", QUEUE), (key, RESOURCES)];
    set(text, target, &path, inside, resource, amount.map(|amount| Value::Text(amount.trim().to_owned())))
}

/// Sets `maxapplications`; `None` removes it.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn set_max_applications(text: &str, target: &Target<'_>, count: Option<u64>) -> Result<String, Fault> {
    let path = target.queue.to_string();
    check_count(count, EditFaults { path: &path })?;
    set(text, target, &path, &[], "maxapplications", count.map(|count| Value::Plain(count.to_string())))
}

/// Sets `parent`; `None` removes it.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn set_parent(text: &str, target: &Target<'_>, parent: Option<bool>) -> Result<String, Fault> {
    let path = target.queue.to_string();
    set(text, target, &path, &[], "parent", parent.map(|parent| Value::Plain(parent.to_string())))
}

/// Sets a property; `None` removes it.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn set_property(text: &str, target: &Target<'_>, key: &str, value: Option<&str>) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let value = value.map(|value| Value::Text(value.to_owned()));
    set(text, target, &path, &[("properties", QUEUE)], key, value)
}

/// Sets an access list; `None` removes it.
///
/// # Errors
/// EDT-001 to EDT-005.
pub fn set_acl(text: &str, target: &Target<'_>, access: Access, acl: Option<&str>) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let key = if access == Access::Admin { "adminacl" } else { "submitacl" };
    check_acl(key, acl.unwrap_or_default(), EditFaults { path: &path })?;
    set(text, target, &path, &[], key, acl.map(|acl| Value::Text(acl.to_owned())))
}

/// Adds a queue after the other children.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn add_queue(text: &str, target: &Target<'_>, queue: &NewQueue) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    let value = queue_value(queue, refuse)?;
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let (at, change) = draft.look(|tree| {
        let (found, map) = locate::queue(tree, target.partition, target.queue, refuse)?;
        let children = locate::children(tree, map, refuse)?;
        let same = |id: &usize| locate::text(tree, *id, "name").eq_ignore_ascii_case(&queue.name);
        if let Some((_, there)) = children.iter().find(|(_, id)| same(id)) {
            let message = format!("{path} already has a child {:?}", queue.name);
            return Err(refuse.fault(
                "EDT-005",
                tree.place(tree.node(*there).range.start),
                message,
                "use another name",
            ));
        }
        if matches!(found, QueueLocation::Root(_)) && children.is_empty() && queue.name.eq_ignore_ascii_case("root") {
            return Err(refuse.value("a single queue `root` is the root, not its child", "use another name"));
        }
        let mut at = found.way().to_vec();
        Ok(match locate::value(tree, map, "queues", refuse)? {
            Some(list) => {
                at.push(PathSegment::Key("queues"));
                (at, TreeChange::Insert { index: tree.items(list).map_or(0, <[_]>::len), value: value.clone() })
            }
            None => {
                (at, TreeChange::Put { key: "queues".into(), value: Value::List(vec![value.clone()]), order: QUEUE })
            }
        })
    })?;
    draft.apply(&at, &change)?;
    Ok(draft.finish())
}

/// Removes a subtree. Comments above it stay.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn remove_queue(text: &str, target: &Target<'_>) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let Some(parent) = target.queue.parent() else {
        return Err(refuse.value("the root of a partition cannot be removed", "remove its children"));
    };
    let (at, change) = draft.look(|tree| {
        let (found, _) = locate::queue(tree, target.partition, target.queue, refuse)?;
        let (above, map) = locate::queue(tree, target.partition, &parent, refuse)?;
        let Some(PathSegment::Index(index)) = found.way().last() else {
            return Err(refuse.value("the root of a partition cannot be removed", "remove its children"));
        };
        let left: Vec<_> = locate::children(tree, map, refuse)?.into_iter().filter(|(at, _)| at != index).collect();
        if let (QueueLocation::Root(_), [(_, only)]) = (&above, left.as_slice())
            && locate::text(tree, *only, "name").eq_ignore_ascii_case("root")
        {
            let at = tree.place(tree.node(*only).range.start);
            let message = "otherwise the queue `root.root` would become the root";
            return Err(refuse.fault("EDT-004", at, message, "rename that queue first"));
        }
        let mut at = above.way().to_vec();
        let null_left = tree.get(map, "queues").and_then(|list| tree.items(list)).is_some_and(|items| items.len() > 1);
        if left.is_empty() && !null_left && matches!(above, QueueLocation::Written(_)) {
            return Ok((at, TreeChange::Drop { key: "queues".into() }));
        }
        at.push(PathSegment::Key("queues"));
        Ok((at, TreeChange::Remove { index: *index }))
    })?;
    draft.apply(&at, &change)?;
    Ok(draft.finish())
}

/// Each with the key order of its map.
pub(super) type Inside<'a> = &'a [(&'static str, &'static [&'static str])];

fn set(
    text: &str,
    target: &Target<'_>,
    path: &str,
    inside: Inside<'_>,
    key: &str,
    value: Option<Value>,
) -> Result<String, Fault> {
    let refuse = EditFaults { path };
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let at = draft.look(|tree| {
        let (found, map) = locate::queue(tree, target.partition, target.queue, refuse)?;
        match found {
            QueueLocation::Written(way) => Ok(way),
            QueueLocation::Root(_) => {
                let at = tree.place(tree.node(map).range.start);
                let message = "this partition does not name the root queue";
                Err(refuse.missing(at, message, "move the queues into a queue `root`"))
            }
        }
    })?;
    match value {
        Some(value) => put(&mut draft, &at, inside, key, value, QUEUE)?,
        None => take_out(&mut draft, &at, inside, key)?,
    }
    Ok(draft.finish())
}

pub(super) fn put(
    draft: &mut Draft<'_>,
    at: &[PathSegment],
    inside: Inside<'_>,
    key: &str,
    value: Value,
    order: &'static [&'static str],
) -> Result<(), Fault> {
    let refuse = draft.refuse;
    let mut at = at.to_vec();
    let change = draft.look(|tree| {
        let mut map = descend(tree, &at);
        for (depth, (step, order)) in inside.iter().enumerate() {
            match locate::value(tree, map, step, refuse)? {
                Some(below) => {
                    at.push(PathSegment::Key(step));
                    map = below;
                }
                None => {
                    let innermost = Value::Map(vec![(key.to_owned(), value.clone())]);
                    let deeper = inside[depth + 1..].iter().rev();
                    let value = deeper.fold(innermost, |value, (key, _)| Value::Map(vec![((*key).to_owned(), value)]));
                    return Ok(TreeChange::Put { key: (*step).to_owned(), value, order });
                }
            }
        }
        let order = if inside.is_empty() { order } else { &[] };
        Ok(TreeChange::Put { key: key.to_owned(), value: value.clone(), order })
    })?;
    draft.apply(&at, &change)
}

/// Also removes the maps that become empty.
pub(super) fn take_out(draft: &mut Draft<'_>, at: &[PathSegment], inside: Inside<'_>, key: &str) -> Result<(), Fault> {
    let refuse = draft.refuse;
    let found = draft.look(|tree| {
        let mut maps = vec![descend(tree, at)];
        for (step, _) in inside {
            let Some(below) = locate::value(tree, maps[maps.len() - 1], step, refuse)? else { return Ok(None) };
            maps.push(below);
        }
        let innermost = maps[maps.len() - 1];
        if let Some(alias) = tree.merged(innermost, key) {
            return Err(refuse.alias(tree, &format!("`{key}`"), alias, locate::written(tree, alias)));
        }
        if tree.find(innermost, key).is_none() {
            return Ok(None);
        }
        let alone = |map: usize| tree.entries(map).is_some_and(|entries| entries.len() == 1);
        let depth = (0..=inside.len()).rev().find(|depth| *depth == 0 || !alone(maps[*depth])).unwrap_or(0);
        Ok(Some(depth))
    })?;
    let Some(depth) = found else { return Ok(()) };
    // The removed maps must be written here too.
    let way =
        |depth: usize| [at, &inside[..depth].iter().map(|(key, _)| PathSegment::Key(key)).collect::<Vec<_>>()].concat();
    let key = inside.get(depth).map_or(key, |(key, _)| key);
    draft.apply(&way(depth), &TreeChange::Drop { key: key.to_owned() })
}

pub(super) fn descend(tree: &Tree<'_>, at: &[PathSegment]) -> usize {
    let mut id = tree.root.unwrap_or_default();
    for step in at {
        let next = match step {
            PathSegment::Key(key) => tree.get(id, key),
            PathSegment::Index(index) => tree.items(id).and_then(|items| items.get(*index).copied()),
        };
        id = tree.follow(next.unwrap_or(id));
    }
    id
}

/// The partition, if it has limits (CFG-079).
pub(super) fn holder_of_limits(
    tree: &Tree<'_>,
    target: &Target<'_>,
    refuse: EditFaults<'_>,
) -> Result<(Vec<PathSegment>, usize, &'static [&'static str]), Fault> {
    let (found, map) = locate::queue(tree, target.partition, target.queue, refuse)?;
    let (way, partition) = locate::partition(tree, target.partition, refuse)?;
    if target.queue.parent().is_some() {
        return Ok((found.way().to_vec(), map, QUEUE));
    }
    let on_partition = locate::value(tree, partition, "limits", refuse)?;
    match (found, on_partition) {
        (QueueLocation::Root(way), _) => Ok((way, map, PARTITION)),
        (QueueLocation::Written(own), None) => Ok((own, map, QUEUE)),
        (QueueLocation::Written(_), Some(there)) => match locate::value(tree, map, "limits", refuse)? {
            None => Ok((way, partition, PARTITION)),
            Some(_) => {
                let message = "the partition repeats the limits of root, and both must be identical";
                Err(refuse.fault("EDT-004", tree.place(tree.node(there).range.start), message, "keep one of the two"))
            }
        },
    }
}

fn queue_value(queue: &NewQueue, refuse: EditFaults<'_>) -> Result<Value, Fault> {
    if !is_queue_name(&queue.name, NameChars::Wide) {
        return Err(refuse.value(format!("{:?} is not a valid queue name", queue.name), "1 to 64 of a-z A-Z 0-9 _ -"));
    }
    check_count(queue.max_applications, refuse)?;
    let mut entries = vec![("name".to_owned(), Value::Text(queue.name.clone()))];
    let mut add = |key: &str, value: Value| entries.push((key.to_owned(), value));
    if queue.parent {
        add("parent", Value::Plain("true".to_owned()));
    }
    for (key, acl) in [("adminacl", &queue.admin_acl), ("submitacl", &queue.submit_acl)] {
        check_acl(key, acl, refuse)?;
        if !acl.is_empty() {
            add(key, Value::Text(acl.clone()));
        }
    }
    if let Some(count) = queue.max_applications {
        add("maxapplications", Value::Plain(count.to_string()));
    }
    if !queue.properties.is_empty() {
        add("properties", texts(&queue.properties));
    }
    let mut resources = Vec::new();
    for (key, amounts) in [("guaranteed", &queue.guaranteed), ("max", &queue.max)] {
        if !amounts.is_empty() {
            resources.push((key.to_owned(), amounts_value(amounts, refuse)?));
        }
    }
    if !resources.is_empty() {
        add("resources", Value::Map(resources));
    }
    let limits: Vec<Value> = queue.limits.iter().map(|limit| limit_value(limit, refuse)).collect::<Result<_, _>>()?;
    if !limits.is_empty() {
        add("limits", Value::List(limits));
    }
    Ok(Value::Map(entries))
}

fn texts(pairs: &[(String, String)]) -> Value {
    Value::Map(pairs.iter().map(|(key, value)| (key.clone(), Value::Text(value.clone()))).collect())
}

pub(super) fn amounts_value(amounts: &[(String, String)], refuse: EditFaults<'_>) -> Result<Value, Fault> {
    for (resource, amount) in amounts {
        check_amount(resource, amount, refuse)?;
    }
    Ok(texts(amounts))
}

pub(super) fn check_amount(resource: &str, amount: &str, refuse: EditFaults<'_>) -> Result<(), Fault> {
    parse_quantity(resource, amount)
        .map(|_| ())
        .map_err(|fault| refuse.value(format!("{resource} {amount:?}: {fault}"), "write for example 500, 10G, or 4Gi"))
}

pub(super) fn check_count(count: Option<u64>, refuse: EditFaults<'_>) -> Result<(), Fault> {
    match count {
        Some(0) => Err(refuse.value("with `maxapplications` 0 no application could run", "remove it for no limit")),
        _ => Ok(()),
    }
}

fn check_acl(key: &str, acl: &str, refuse: EditFaults<'_>) -> Result<(), Fault> {
    match Acl::parse(acl, AclNames::Portable) {
        Ok(_) => Ok(()),
        Err(parts) => {
            let message = format!("`{key}` {acl:?} has {parts} parts");
            Err(refuse.value(message, "users with commas, one space, groups with commas"))
        }
    }
}
