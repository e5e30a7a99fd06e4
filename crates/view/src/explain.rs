//! Values that need several rows, computed on demand: headroom, binding maxima, effective priority.

use std::sync::Arc;

use super::{PartitionView, QueueRow};
use model::{Priority, PriorityPolicy, QueuePath, Resource};
pub use scheduler::placement::access::AclKind;

/// One step of a priority on the path to the root (SCH-063, SCH-068).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityStep {
    /// The full path of the queue.
    pub queue: QueuePath,
    /// The highest priority inside it.
    pub inside: Priority,
    /// The `priority.offset` of the queue, added on the way up.
    pub offset: i32,
    /// Whether a fence lets only the offset through.
    pub policy: PriorityPolicy,
    /// The priority that the parent sees.
    pub outside: Priority,
}

impl PartitionView {
    /// The queue and its ancestors, from the queue up to the root.
    pub fn path_up<'a>(&'a self, queue: &'a QueueRow) -> impl Iterator<Item = &'a QueueRow> {
        let parent = |row: &&'a QueueRow| row.parent.and_then(|slot| self.queue(slot)).map(Arc::as_ref);
        std::iter::successors(Some(queue), parent)
    }

    /// The headroom of the queue: the minimum over its path, per resource (SCH-100). `None` if nothing is limited, or
    /// the cluster has no nodes.
    pub fn headroom(&self, queue: &QueueRow) -> Option<Resource> {
        self.path_up(queue).fold(None, |headroom, row| {
            let rest = row.max.as_ref().map(|max| max.sub_only_existing(&row.allocated));
            Resource::min_permissive_unset(headroom.as_ref(), rest.as_ref())
        })
    }

    /// The smallest maximum of a resource over the queue's path, and the queue that sets it.
    pub fn effective_max(&self, queue: &QueueRow, name: &str) -> Option<(QueuePath, i64)> {
        let own = |row: &QueueRow| row.max.as_ref().and_then(|max| max.get(name)).map(|max| (row.path.clone(), max));
        self.path_up(queue).filter_map(own).min_by_key(|(_, max)| *max)
    }

    /// The lowest queue of the path in which `wanted` does not fit, with its free resources (SCH-101).
    pub fn too_full_for(&self, queue: &QueueRow, wanted: &Resource) -> Option<(QueuePath, Resource)> {
        self.path_up(queue).find_map(|row| {
            let rest = row.max.as_ref()?.sub_only_existing(&row.allocated);
            (!rest.fit_in_max_undef(wanted)).then(|| (row.path.clone(), rest))
        })
    }

    /// The steps of the priority, from the queue up to the root.
    pub fn priority_steps(&self, queue: &QueueRow) -> Vec<PriorityStep> {
        let step = |row: &QueueRow| PriorityStep {
            queue: row.path.clone(),
            inside: row.priority.raw,
            offset: row.priority.offset,
            policy: row.priority.policy,
            outside: row.priority.current,
        };
        self.path_up(queue).map(step).collect()
    }

    /// The access lists on a queue's path: each non-empty list, nearest first.
    pub fn acls<'a>(&'a self, queue: &'a QueueRow) -> impl Iterator<Item = (&'a QueueRow, AclKind, String)> {
        self.path_up(queue).flat_map(|row| {
            let own = [(AclKind::Submit, &row.settings.submit_acl), (AclKind::Admin, &row.settings.admin_acl)];
            own.into_iter().filter(|(_, acl)| !acl.is_empty_list()).map(move |(kind, acl)| (row, kind, acl.to_string()))
        })
    }
}
