//! One change of a YAML tree. If [`super::patch`] changes the text differently, the text is not changed.

use super::value::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathSegment {
    Key(&'static str),
    /// The index in a list, including null entries.
    Index(usize),
}

#[derive(Clone, Debug)]
pub(super) enum TreeChange {
    /// `order` gives the position of a new entry.
    Put {
        key: String,
        value: Value,
        order: &'static [&'static str],
    },
    /// Removes an entry of a map, but not the last one.
    Drop {
        key: String,
    },
    Insert {
        index: usize,
        value: Value,
    },
    /// The list remains, perhaps empty.
    Remove {
        index: usize,
    },
}

/// The last one before it in `order`, otherwise the first.
pub(super) fn predecessor<'a>(
    keys: impl ExactSizeIterator<Item = &'a str>,
    key: &str,
    order: &[&str],
) -> Option<usize> {
    let last = keys.len().checked_sub(1)?;
    let rank = |key: &str| order.iter().position(|known| *known == key);
    let Some(own) = rank(key) else { return Some(last) };
    let before = keys.enumerate().filter(|(_, known)| rank(known).is_some_and(|rank| rank < own));
    Some(before.map(|(index, _)| index).max().unwrap_or(0))
}

/// `None` if the path does not lead to a suitable node.
pub(super) fn apply(mut tree: Value, at: &[PathSegment], change: &TreeChange) -> Option<Value> {
    let mut here = &mut tree;
    for step in at {
        here = match (step, here) {
            (PathSegment::Key(key), Value::Map(entries)) => &mut entries.iter_mut().find(|(known, _)| known == key)?.1,
            (PathSegment::Index(index), Value::List(items)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    match (change, here) {
        (TreeChange::Put { key, value, order }, Value::Map(entries)) => {
            if let Some((_, old)) = entries.iter_mut().find(|(known, _)| known == key) {
                *old = value.clone();
            } else {
                let behind = predecessor(entries.iter().map(|(key, _)| key.as_str()), key, order);
                entries.insert(behind.map_or(0, |index| index + 1), (key.clone(), value.clone()));
            }
        }
        (TreeChange::Drop { key }, Value::Map(entries)) => entries.retain(|(known, _)| known != key),
        (TreeChange::Insert { index, value }, Value::List(items)) if *index <= items.len() => {
            items.insert(*index, value.clone());
        }
        (TreeChange::Remove { index }, Value::List(items)) if *index < items.len() => {
            items.remove(*index);
        }
        _ => return None,
    }
    Some(tree)
}
