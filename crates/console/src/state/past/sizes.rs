//! The approximate size of a stored view.

use model::NodeId;
use std::sync::Arc;
use view::{PartitionView, View};

/// How many rows are compared of each kind, at most.
pub(super) const SAMPLE: usize = 500;
/// A completed application of the demo takes 7,000 with the scheduler's own copy.
pub(super) const APP: usize = 4_000;
pub(super) const QUEUE: usize = 2_000;
pub(super) const NODE: usize = 1_000;

pub(super) fn all_bytes(view: &View) -> usize {
    view.partitions.iter().map(partition_bytes).sum::<usize>() + 1_000
}

fn partition_bytes(part: &PartitionView) -> usize {
    (part.apps.len() + part.ended.len()) * APP + part.queues.len() * QUEUE + part.nodes.len() * NODE
}

fn newly_ended(before: &PartitionView, part: &PartitionView) -> usize {
    let Some(last) = before.ended.last() else { return part.ended.len() };
    part.ended.iter().rev().take_while(|row| !Arc::ptr_eq(row, last)).count()
}

pub(super) fn changed_bytes(old: &View, new: &View) -> usize {
    let mut bytes = 1_000;
    for part in &new.partitions {
        let Some(before) = old.partitions.iter().find(|known| known.name == part.name) else {
            bytes += partition_bytes(part);
            continue;
        };
        bytes += newly_ended(before, part) * APP;
        bytes += share(part.apps.len(), |at| !same(before.apps.get(at), part.apps.get(at))) * APP;
        bytes += share(part.queues.len(), |at| !same(before.queues.get(at), part.queues.get(at))) * QUEUE;
        if !before.nodes.ptr_eq(&part.nodes) {
            let differ = part
                .nodes
                .iter()
                .take(SAMPLE)
                .filter(|(id, row)| !same_row(before.nodes.get::<NodeId>(id), row))
                .count();
            bytes += differ * part.nodes.len() / part.nodes.len().clamp(1, SAMPLE) * NODE;
        }
    }
    bytes
}

pub(super) fn share(len: usize, differs: impl Fn(usize) -> bool) -> usize {
    let step = len.div_ceil(SAMPLE).max(1);
    (0..len).step_by(step).filter(|at| differs(*at)).count() * step
}

pub(super) fn same<T>(old: Option<&Option<Arc<T>>>, new: Option<&Option<Arc<T>>>) -> bool {
    match (old, new) {
        (Some(Some(old)), Some(Some(new))) => Arc::ptr_eq(old, new),
        (old, new) => old.is_some_and(Option::is_some) == new.is_some_and(Option::is_some),
    }
}

pub(super) fn same_row<T>(old: Option<&Arc<T>>, new: &Arc<T>) -> bool {
    old.is_some_and(|old| Arc::ptr_eq(old, new))
}
