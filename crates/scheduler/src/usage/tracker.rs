//! Sums of usage by queue, for one user or one group, and the list of all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{QueueKey, Slab, SlabKey};
use crate::shareable::Shareable;
use model::{AppId, Resource};

/// Usage in one queue and everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueUsage {
    /// What is in use in the queue and below it.
    pub allocated: Resource,
    /// Applications that run, as limits count it: from their first allocation until they have nothing left (LIM-013). A
    /// persistent set, so that a read model shares it.
    #[serde(with = "model::saved::list")]
    pub running: imbl::OrdSet<AppId>,
    /// Live applications that count here, in any state.
    pub apps: u64,
}

impl QueueUsage {
    /// Whether something is in use or running here.
    pub fn is_used(&self) -> bool {
        !self.allocated.is_zero() || !self.running.is_empty()
    }
}

/// What one user, or one group, has in use (LIM-010).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Tracker {
    /// The name; `*` is the shared pot of the groups that no limit names.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    levels: Shareable<BTreeMap<QueueKey, QueueUsage>>,
}

impl Tracker {
    /// The usage in a queue and below it, if an application counts there.
    pub fn at(&self, queue: QueueKey) -> Option<&QueueUsage> {
        self.levels.get(&queue)
    }

    /// The queues with an application in or below them, in the order of their keys.
    pub fn levels(&self) -> impl Iterator<Item = (QueueKey, &QueueUsage)> {
        self.levels.iter().map(|(queue, usage)| (*queue, usage))
    }
}

/// All users, or all groups, of a partition.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Trackers<K> {
    slots: Slab<K, Tracker>,
    #[serde(skip)]
    by_name: Shareable<BTreeMap<Arc<str>, K>>,
}

impl<K> Default for Trackers<K> {
    fn default() -> Self {
        Self { slots: Slab::default(), by_name: Shareable::default() }
    }
}

impl<K: SlabKey> Trackers<K> {
    /// Rebuilds the look-up by name.
    pub(crate) fn index(&mut self) {
        let by_name = self.slots.iter().map(|(key, tracker)| (Arc::clone(&tracker.name), key)).collect();
        self.by_name = Shareable::Owned(by_name);
    }

    /// From now on clones share what neither side changes.
    pub(crate) fn share(&mut self) {
        self.slots.share(|tracker| tracker.levels.share());
        self.by_name.share();
    }

    /// The tracker of a key, if it is still there.
    pub fn get(&self, key: K) -> Option<&Tracker> {
        self.slots.get(key)
    }

    /// The key of a name.
    pub fn find(&self, name: &str) -> Option<K> {
        self.by_name.get(name).copied()
    }

    /// All trackers by name.
    pub fn iter(&self) -> impl Iterator<Item = (K, &Tracker)> {
        self.by_name.values().map(|key| (*key, &self.slots[*key]))
    }

    /// The key of a name, which is tracked from now on.
    pub(crate) fn open(&mut self, name: &str) -> K {
        if let Some(key) = self.find(name) {
            return key;
        }
        let name: Arc<str> = Arc::from(name);
        let tracker = Tracker { name: Arc::clone(&name), levels: Shareable::default() };
        let key = self.slots.insert_with(|_| tracker);
        self.by_name.insert(name, key);
        key
    }

    /// An application counts here from now on, with what it has in use.
    pub(crate) fn enter(&mut self, key: K, path: &[QueueKey], app: &AppId, usage: &Resource, runs: bool) {
        let levels = &mut self.slots[key].levels;
        for queue in path {
            let level = levels.entry(*queue).or_default();
            level.apps += 1;
            level.allocated.add_assign(usage);
            level.allocated.prune();
            if runs {
                level.running.insert(app.clone());
            }
        }
    }

    /// An application does not count here any more, and takes away what it has in use.
    pub(crate) fn exit(&mut self, key: K, path: &[QueueKey], app: &AppId, usage: &Resource) {
        self.stop(key, path, app);
        self.desert(key, path, usage);
    }

    /// The same, but if it runs here it keeps that place, though nothing runs (P-16).
    pub(crate) fn desert(&mut self, key: K, path: &[QueueKey], usage: &Resource) {
        let levels = &mut self.slots[key].levels;
        for queue in path {
            let Some(level) = levels.get_mut(queue) else { continue };
            level.apps = level.apps.saturating_sub(1);
            level.allocated.sub_assign(usage);
            level.allocated.prune();
            if level.apps == 0 && !level.is_used() {
                levels.remove(queue);
            }
        }
        self.drop_if_idle(key);
    }

    /// More is in use; `new` runs here from now on.
    pub(crate) fn increase(&mut self, key: K, path: &[QueueKey], by: &Resource, new: Option<&AppId>) {
        for queue in path {
            let Some(level) = self.slots[key].levels.get_mut(queue) else { continue };
            level.allocated.add_assign(by);
            if let Some(app) = new {
                level.running.insert(app.clone());
            }
        }
    }

    /// Less is in use.
    pub(crate) fn decrease(&mut self, key: K, path: &[QueueKey], by: &Resource) {
        for queue in path {
            let Some(level) = self.slots[key].levels.get_mut(queue) else { continue };
            level.allocated.sub_assign(by);
            level.allocated.prune();
        }
    }

    /// An application does not run here any more.
    pub(crate) fn stop(&mut self, key: K, path: &[QueueKey], app: &AppId) {
        for queue in path {
            if let Some(level) = self.slots[key].levels.get_mut(queue) {
                level.running.remove(app);
            }
        }
    }

    /// Forgets what is in use and runs in a queue, but not that applications count there (switch `group_limit_gone`).
    pub(crate) fn wipe(&mut self, key: K, queue: QueueKey) {
        if let Some(level) = self.slots[key].levels.get_mut(&queue) {
            *level = QueueUsage { apps: level.apps, ..QueueUsage::default() };
        }
    }

    /// Forgets a queue that no longer exists.
    pub(crate) fn forget(&mut self, queue: QueueKey) {
        let keys: Vec<K> = self.by_name.values().copied().collect();
        for key in keys {
            if self.slots[key].levels.remove(&queue).is_some() {
                self.drop_if_idle(key);
            }
        }
    }

    fn drop_if_idle(&mut self, key: K) {
        if self.slots[key].levels.is_empty()
            && let Some(tracker) = self.slots.remove(key)
        {
            self.by_name.remove(&tracker.name);
        }
    }
}
