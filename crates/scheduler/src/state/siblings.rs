//! The lists of the children of a parent; `sibling_order` maintains their order.

use crate::index::QueueKey;
use crate::state::share::ShareList;
use model::{Priority, Resource};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiblingRank {
    pub(super) priority: Priority,
    pub(super) share: ShareList,
    pub(super) pending: Resource,
}

/// With the most significant keys, so that a search need not read the queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) lead: [i64; 2],
    pub(super) key: QueueKey,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    pub(super) list: Vec<Entry>,
    pub(super) by_priority: bool,
    pub(super) breaks: usize,
    pub(super) front: Vec<QueueKey>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Visit {
    pub(super) parent: QueueKey,
    pub(super) at: usize,
    pub(super) class: Vec<QueueKey>,
}

impl Visit {
    /// Starts a walk among the children of `parent`.
    pub fn start(&mut self, parent: QueueKey) {
        self.parent = parent;
        self.at = 0;
        self.class.clear();
    }
}
