//! The objects that changed since the last call, for a read model.

use crate::index::{AppKey, AskKey, GroupKey, NodeKey, QueueKey, SlabKey, UserKey};

/// The objects of a partition that changed since the last [`Dirty::take`], each once.
#[derive(Clone, Debug, Default)]
pub struct Dirty {
    /// Queues that were added, removed, or changed in counters, state, or settings.
    pub queues: DirtyKeys<QueueKey>,
    /// Applications that were added, changed, or removed.
    pub apps: DirtyKeys<AppKey>,
    /// Nodes that were added, removed, or changed in their own data.
    pub nodes: DirtyKeys<NodeKey>,
    /// Users that were added, removed, or changed in usage or limits.
    pub users: DirtyKeys<UserKey>,
    /// Groups that were added, removed, or changed in usage or limits.
    pub groups: DirtyKeys<GroupKey>,
    /// Requests with their unique arrival number. May contain duplicates.
    pub asks: Vec<(AppKey, AskKey, u64)>,
    /// Allocations, by number, that were added or removed. May contain duplicates.
    pub allocations: Vec<(NodeKey, u64)>,
    /// A queue was added, removed, or moved.
    pub tree: bool,
    /// An application was added, removed, or moved.
    pub app_set: bool,
}

impl Dirty {
    /// Returns the changes since the last call.
    pub fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.queues.list.is_empty()
            && self.apps.list.is_empty()
            && self.nodes.list.is_empty()
            && self.users.list.is_empty()
            && self.groups.list.is_empty()
            && !self.app_set
    }
}

/// A list of keys without duplicates, in the order of marking.
#[derive(Clone, Debug)]
pub struct DirtyKeys<K> {
    list: Vec<K>,
    seen: Vec<u64>,
}

impl<K> Default for DirtyKeys<K> {
    fn default() -> Self {
        Self { list: Vec::new(), seen: Vec::new() }
    }
}

impl<K: SlabKey> DirtyKeys<K> {
    /// Marks one key.
    pub fn mark(&mut self, key: K) {
        let (word, bit) = (key.slot() / 64, 1 << (key.slot() % 64));
        if self.seen.len() <= word {
            self.seen.resize(word + 1, 0);
        }
        if self.seen[word] & bit == 0 {
            self.seen[word] |= bit;
            self.list.push(key);
        }
    }

    /// The keys marked.
    pub fn iter(&self) -> impl Iterator<Item = K> + Clone {
        self.list.iter().copied()
    }
}
