//! Locating a queue in the tree of a text.

use super::change::PathSegment;
use super::refusal::EditFaults;
use super::syntax::{Id, Shape, Tree};
use crate::fault::Fault;
use model::QueuePath;

#[derive(Clone, Debug)]
pub(super) enum QueueLocation {
    /// The path to a written queue.
    Written(Vec<PathSegment>),
    /// The path to a partition without a written root (CFG-015).
    Root(Vec<PathSegment>),
}

impl QueueLocation {
    pub fn way(&self) -> &[PathSegment] {
        match self {
            Self::Written(way) | Self::Root(way) => way,
        }
    }
}

pub(super) fn partition(tree: &Tree<'_>, name: &str, refuse: EditFaults<'_>) -> Result<(Vec<PathSegment>, Id), Fault> {
    let nothing = || {
        let hint = "an empty file has the default configuration: write the default to the file first";
        refuse.missing(tree.place(0), "the configuration has no partition", hint)
    };
    let root = tree.root.ok_or_else(nothing)?;
    let list = value(tree, root, "partitions", refuse)?.ok_or_else(nothing)?;
    let same = |known: &str| {
        let default = |name: &str| name.is_empty() || name.eq_ignore_ascii_case("default");
        known == name || (default(known) && default(name))
    };
    let mut there = Vec::new();
    for (index, item) in tree.items(list).unwrap_or_default().iter().enumerate() {
        let item = tree.follow(*item);
        let known = text(tree, item, "name");
        if tree.entries(item).is_some() && same(known) {
            return Ok((vec![PathSegment::Key("partitions"), PathSegment::Index(index)], item));
        }
        there.push(if known.is_empty() { "default" } else { known });
    }
    let message = format!("partition {name:?} not found");
    Err(refuse.missing(tree.place(tree.node(list).range.start), message, format!("available: {}", there.join(", "))))
}

pub(super) fn queue(
    tree: &Tree<'_>,
    of_partition: &str,
    path: &QueuePath,
    refuse: EditFaults<'_>,
) -> Result<(QueueLocation, Id), Fault> {
    let (mut way, mut map) = partition(tree, of_partition, refuse)?;
    let mut parts = path.parts();
    if parts.next() != Some("root") {
        return Err(refuse.missing(
            tree.place(0),
            format!("{path} is not a full queue path"),
            "a full path starts with `root`",
        ));
    }
    let top = children(tree, map, refuse)?;
    let mut written = false;
    if let [(index, only)] = top.as_slice()
        && text(tree, *only, "name").eq_ignore_ascii_case("root")
    {
        way.extend([PathSegment::Key("queues"), PathSegment::Index(*index)]);
        (map, written) = (*only, true);
    }
    for part in parts {
        let below = children(tree, map, refuse)?;
        let child = below.into_iter().find(|(_, child)| text(tree, *child, "name").to_lowercase() == part);
        let Some((index, child)) = child else {
            let at = tree.place(tree.node(map).range.start);
            return Err(refuse.missing(at, format!("queue {path} not found"), format!("{part:?} not found here")));
        };
        way.extend([PathSegment::Key("queues"), PathSegment::Index(index)]);
        (map, written) = (child, true);
    }
    Ok((if written { QueueLocation::Written(way) } else { QueueLocation::Root(way) }, map))
}

pub(super) fn children(tree: &Tree<'_>, map: Id, refuse: EditFaults<'_>) -> Result<Vec<(usize, Id)>, Fault> {
    let Some(list) = value(tree, map, "queues", refuse)? else { return Ok(Vec::new()) };
    Ok(written_items(tree, list).into_iter().map(|(index, id)| (index, tree.follow(id))).collect())
}

/// Without null items, which reading skips.
pub(super) fn written_items(tree: &Tree<'_>, list: Id) -> Vec<(usize, Id)> {
    let items = tree.items(list).unwrap_or_default().iter().enumerate();
    items.filter(|(_, id)| !tree.is_null(**id)).map(|(index, id)| (index, *id)).collect()
}

/// Resolves aliases; `None` if missing or null. A value from `<<` is an error.
pub(super) fn value(tree: &Tree<'_>, map: Id, key: &str, refuse: EditFaults<'_>) -> Result<Option<Id>, Fault> {
    match tree.get(map, key) {
        Some(id) => Ok(Some(tree.follow(id)).filter(|id| !tree.is_null(*id))),
        None => match tree.merged(map, key) {
            Some(alias) => Err(refuse.alias(tree, &format!("`{key}`"), alias, written(tree, alias))),
            None => Ok(None),
        },
    }
}

pub(super) fn written(tree: &Tree<'_>, alias: usize) -> Option<usize> {
    tree.node_at(alias).and_then(|id| tree.target(id))
}

pub(super) fn text<'t>(tree: &'t Tree<'_>, map: Id, key: &str) -> &'t str {
    tree.get(map, key)
        .map(|id| tree.follow(id))
        .filter(|id| !tree.is_null(*id))
        .and_then(|id| tree.scalar(id))
        .unwrap_or_default()
}

impl Tree<'_> {
    /// The node, or the target of an alias.
    pub fn follow(&self, id: Id) -> Id {
        match self.node(id).shape {
            Shape::Alias(_) => self.target_id(id).unwrap_or(id),
            _ => id,
        }
    }
}
