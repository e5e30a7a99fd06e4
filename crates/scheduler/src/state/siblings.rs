//! The lists in which the children of a parent represent the cycle; `sibling_order` keeps them in order.

use crate::index::QueueKey;
use crate::state::share::ShareList;
use model::{Priority, Resource};

/// The keys by which a queue is among its siblings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SiblingRank {
    pub(super) priority: Priority,
    pub(super) share: ShareList,
    pub(super) pending: Resource,
}

/// A child on its parent's list. What mostly decides is next to it, so that a search does not have to look at the queues.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) lead: [i64; 2],
    pub(super) key: QueueKey,
}

/// The children of a parent that want something.
#[derive(Clone, Debug, Default)]
pub(crate) struct Siblings {
    pub(super) list: Vec<Entry>,
    /// What the list was made by.
    pub(super) by_priority: bool,
    /// How many neighbors of one class are a break.
    pub(super) breaks: usize,
    pub(super) front: Vec<QueueKey>,
}

/// How far a walk has come among the children of a parent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Visit {
    pub(super) parent: QueueKey,
    pub(super) at: usize,
    /// What is left of the present class, the next last; empty where the list is the order.
    pub(super) class: Vec<QueueKey>,
}

impl Visit {
    /// Starts among the children of `parent`.
    pub fn begin(&mut self, parent: QueueKey) {
        self.parent = parent;
        self.at = 0;
        self.class.clear();
    }
}
