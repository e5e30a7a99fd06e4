//! One change of a YAML tree, as data: made to the text by [`super::patch`], and to the tree here. Both must agree, or
//! the text is left unchanged.

use super::value::Value;

/// The way from the outermost map to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathSegment {
    Key(&'static str),
    /// The place in a list, null entries counted.
    Index(usize),
}

/// What happens to the map or list at the end of such a way.
#[derive(Clone, Debug)]
pub(super) enum TreeChange {
    /// An entry of a map gets this value; a new one comes where `order` puts it.
    Put { key: String, value: Value, order: &'static [&'static str] },
    /// An entry of a map goes. It is not the last one.
    Drop { key: String },
    /// An item of a list comes.
    Insert { index: usize, value: Value },
    /// An item of a list goes; the list stays, empty perhaps.
    Remove { index: usize },
}

/// Behind which of `keys` a new key belongs: the last one that comes before it in `order`, else the first.
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

/// The tree with the change made. `None` where there is nothing at the end of the way that fits it.
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
