//! Edits of the limits of a queue.

use super::change::{PathSegment, TreeChange};
use super::draft::Draft;
use super::locate;
use super::queue::{amounts_value, check_amount, check_count, holder_of_limits, put, take_out};
use super::refusal::EditFaults;
use super::syntax::Tree;
use super::value::Value;
use super::{NewLimit, Target};
use crate::fault::Fault;

const LIMIT: &[&str] = &["limit", "users", "groups", "maxapplications", "maxresources"];

/// The limits as written, in order.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn limits(text: &str, target: &Target<'_>) -> Result<Vec<NewLimit>, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    Draft::new(text, target.policy_group, refuse)?.look(|tree| {
        let (_, map, _) = holder_of_limits(tree, target, refuse)?;
        let Some(list) = locate::value(tree, map, "limits", refuse)? else { return Ok(Vec::new()) };
        let items = locate::written_items(tree, list).into_iter();
        items.map(|(_, item)| written(tree, tree.follow(item), refuse)).collect()
    })
}

fn written(tree: &Tree<'_>, map: usize, refuse: EditFaults<'_>) -> Result<NewLimit, Fault> {
    let scalar = |id: usize| tree.scalar(tree.follow(id)).unwrap_or_default().to_owned();
    let names = |key| -> Result<Vec<String>, Fault> {
        let list = locate::value(tree, map, key, refuse)?.and_then(|list| tree.items(list));
        Ok(list.unwrap_or_default().iter().filter(|id| !tree.is_null(**id)).map(|id| scalar(*id)).collect())
    };
    let amounts = locate::value(tree, map, "maxresources", refuse)?.and_then(|id| tree.entries(id));
    let amounts = amounts.unwrap_or_default().iter().map(|(name, amount)| (scalar(*name), scalar(*amount)));
    Ok(NewLimit {
        description: locate::text(tree, map, "limit").to_owned(),
        users: names("users")?,
        groups: names("groups")?,
        max_applications: locate::text(tree, map, "maxapplications").parse().ok(),
        max_resources: amounts.collect(),
    })
}

/// Adds a limit at `index`, or at the end.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn add_limit(text: &str, target: &Target<'_>, index: Option<usize>, limit: &NewLimit) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    let value = limit_value(limit, refuse)?;
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let (at, change) = draft.look(|tree| {
        let (mut at, map, order) = holder_of_limits(tree, target, refuse)?;
        let Some(list) = locate::value(tree, map, "limits", refuse)? else {
            return Ok((at, TreeChange::Put { key: "limits".into(), value: Value::List(vec![value.clone()]), order }));
        };
        let there = locate::written_items(tree, list);
        let end = tree.items(list).map_or(0, <[_]>::len);
        let index = match index {
            Some(index) if index > there.len() => return Err(no_limit(tree, list, index, there.len(), refuse)),
            Some(index) => there.get(index).map_or(end, |(at, _)| *at),
            None => end,
        };
        at.push(PathSegment::Key("limits"));
        Ok((at, TreeChange::Insert { index, value: value.clone() }))
    })?;
    draft.apply(&at, &change)?;
    Ok(draft.finish())
}

/// Changes a limit; equal values stay as written.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn change_limit(text: &str, target: &Target<'_>, index: usize, limit: &NewLimit) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    limit_value(limit, refuse)?;
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let at = draft.look(|tree| limit_at(tree, target, index, refuse).map(|(at, ..)| at))?;
    let one = |text: &str| (!text.is_empty()).then(|| Value::Text(text.to_owned()));
    let count = limit.max_applications.map(|count| Value::Plain(count.to_string()));
    let lists = [("users", &limit.users), ("groups", &limit.groups)];
    let settings = [("limit", one(&limit.description)), ("maxapplications", count)];
    // So that nothing is ever empty in between.
    for (key, value) in &settings {
        if let Some(value) = value {
            put(&mut draft, &at, &[], key, value.clone(), LIMIT)?;
        }
    }
    for (key, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
        put_names(&mut draft, &at, key, names)?;
    }
    for (resource, amount) in &limit.max_resources {
        put(&mut draft, &at, &[("maxresources", LIMIT)], resource, Value::Text(amount.clone()), &[])?;
    }
    let stays = |resource: &String| limit.max_resources.iter().any(|(known, _)| known == resource);
    for resource in resources(&draft, &at)?.iter().filter(|resource| !stays(resource)) {
        take_out(&mut draft, &at, &[("maxresources", LIMIT)], resource)?;
    }
    for (key, _) in lists.iter().filter(|(_, names)| names.is_empty()) {
        take_out(&mut draft, &at, &[], key)?;
    }
    for (key, _) in settings.iter().filter(|(_, value)| value.is_none()) {
        take_out(&mut draft, &at, &[], key)?;
    }
    Ok(draft.finish())
}

/// Removes the limit at `index`.
///
/// # Errors
/// EDT-001 to EDT-005, see [`super`].
pub fn remove_limit(text: &str, target: &Target<'_>, index: usize) -> Result<String, Fault> {
    let path = target.queue.to_string();
    let refuse = EditFaults { path: &path };
    let mut draft = Draft::new(text, target.policy_group, refuse)?;
    let (at, change) = draft.look(|tree| {
        let (mut at, number, count) = limit_at(tree, target, index, refuse)?;
        at.pop();
        if count > 1 {
            return Ok((at, TreeChange::Remove { index: number }));
        }
        at.pop();
        Ok((at, TreeChange::Drop { key: "limits".into() }))
    })?;
    draft.apply(&at, &change)?;
    Ok(draft.finish())
}

fn limit_at(
    tree: &Tree<'_>,
    target: &Target<'_>,
    index: usize,
    refuse: EditFaults<'_>,
) -> Result<(Vec<PathSegment>, usize, usize), Fault> {
    let (mut at, map, _) = holder_of_limits(tree, target, refuse)?;
    let Some(list) = locate::value(tree, map, "limits", refuse)? else {
        return Err(no_limit(tree, map, index, 0, refuse));
    };
    let there = locate::written_items(tree, list);
    let (number, _) = there.get(index).ok_or_else(|| no_limit(tree, list, index, there.len(), refuse))?;
    at.extend([PathSegment::Key("limits"), PathSegment::Index(*number)]);
    Ok((at, *number, tree.items(list).map_or(0, <[_]>::len)))
}

fn no_limit(tree: &Tree<'_>, at: usize, index: usize, count: usize, refuse: EditFaults<'_>) -> Fault {
    let message = format!("limit {} not found on {}", index + 1, refuse.path);
    refuse.missing(tree.place(tree.node(at).range.start), message, format!("it has {count}"))
}

/// Without touching the names that remain in order.
fn put_names(draft: &mut Draft<'_>, at: &[PathSegment], key: &'static str, names: &[String]) -> Result<(), Fault> {
    let refuse = draft.refuse;
    let there = draft.look(|tree| {
        let map = super::queue::descend(tree, at);
        let Some(list) = locate::value(tree, map, key, refuse)? else { return Ok(None) };
        let items = tree.items(list).unwrap_or_default().iter();
        let name =
            |id: &usize| tree.scalar(tree.follow(*id)).filter(|_| !tree.is_null(*id)).unwrap_or_default().to_owned();
        Ok(Some(items.map(name).collect::<Vec<String>>()))
    })?;
    let text = |name: &String| Value::Text(name.clone());
    let Some(mut there) = there else {
        let value = Value::List(names.iter().map(text).collect());
        return draft.apply(at, &TreeChange::Put { key: key.to_owned(), value, order: LIMIT });
    };
    let list = [at, &[PathSegment::Key(key)]].concat();
    let retained = there.iter().filter(|name| names.contains(name));
    let in_order = names.iter().filter(|name| there.contains(name)).eq(retained);
    let old = if in_order { 0 } else { there.len() };
    let mut next = old;
    for name in names {
        match there.iter().position(|known| known == name).filter(|_| in_order) {
            Some(there) => next = there + 1,
            None => {
                draft.apply(&list, &TreeChange::Insert { index: next, value: text(name) })?;
                there.insert(next, name.clone());
                next += 1;
            }
        }
    }
    for index in (0..there.len()).rev() {
        if index < old || !names.contains(&there[index]) {
            draft.apply(&list, &TreeChange::Remove { index })?;
        }
    }
    Ok(())
}

fn resources(draft: &Draft<'_>, at: &[PathSegment]) -> Result<Vec<String>, Fault> {
    draft.look(|tree| {
        let map = super::queue::descend(tree, at);
        let amounts = locate::value(tree, map, "maxresources", draft.refuse)?.and_then(|id| tree.entries(id));
        let keys = amounts.unwrap_or_default().iter().filter_map(|(key, _)| tree.scalar(*key));
        Ok(keys.filter(|key| *key != "<<").map(str::to_owned).collect())
    })
}

pub(super) fn limit_value(limit: &NewLimit, refuse: EditFaults<'_>) -> Result<Value, Fault> {
    if limit.users.is_empty() && limit.groups.is_empty() {
        return Err(refuse.value("a limit without users and groups matches no user", "name some, or `*`"));
    }
    if limit.max_applications.is_none() && limit.max_resources.is_empty() {
        return Err(refuse.value("the limit has no values", "set a number of applications, or resources"));
    }
    check_count(limit.max_applications, refuse)?;
    let mut entries = Vec::new();
    let mut add = |key: &str, value: Value| entries.push((key.to_owned(), value));
    if !limit.description.is_empty() {
        add("limit", Value::Text(limit.description.clone()));
    }
    for (key, names) in [("users", &limit.users), ("groups", &limit.groups)] {
        if !names.is_empty() {
            add(key, Value::List(names.iter().map(|name| Value::Text(name.clone())).collect()));
        }
    }
    if let Some(count) = limit.max_applications {
        add("maxapplications", Value::Plain(count.to_string()));
    }
    for (resource, amount) in &limit.max_resources {
        check_amount(resource, amount, refuse)?;
    }
    if !limit.max_resources.is_empty() {
        add("maxresources", amounts_value(&limit.max_resources, refuse)?);
    }
    Ok(Value::Map(entries))
}
