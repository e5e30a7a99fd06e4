//! Usage by queue for one user or one group, and the list of all users or groups.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::index::{QueueKey, Slab, SlabKey};
use crate::shareable::Shareable;
use model::{AppId, Resource};

/// Usage in the subtree of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct QueueUsage {
    /// The allocated resources.
    pub allocated: Resource,
    /// From the first allocation until nothing is left (LIM-013). A persistent set, which a read model shares.
    #[serde(with = "model::saved::list")]
    pub running: imbl::OrdSet<AppId>,
    /// The number of active applications that count here, in any state.
    pub apps: u64,
}

impl QueueUsage {
    /// Whether anything is allocated or running.
    pub fn is_used(&self) -> bool {
        !self.allocated.is_zero() || !self.running.is_empty()
    }
}

/// The usage of one user or group (LIM-010).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Tracker {
    /// `*` is the shared pot of the groups without a limit.
    #[serde(with = "model::saved::text")]
    pub name: Arc<str>,
    levels: Shareable<BTreeMap<QueueKey, QueueUsage>>,
}

impl Tracker {
    /// The usage in the subtree of a queue, if an application counts there.
    pub fn at(&self, queue: QueueKey) -> Option<&QueueUsage> {
        self.levels.get(&queue)
    }

    /// The queues with an application in their subtree, in the order of their keys.
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
    pub(crate) fn index(&mut self) {
        let by_name = self.slots.iter().map(|(key, tracker)| (Arc::clone(&tracker.name), key)).collect();
        self.by_name = Shareable::Owned(by_name);
    }

    pub(crate) fn share(&mut self) {
        self.slots.share(|tracker| tracker.levels.share());
        self.by_name.share();
    }

    /// The tracker of a key, if it still exists.
    pub fn get(&self, key: K) -> Option<&Tracker> {
        self.slots.get(key)
    }

    /// The key of a name.
    pub fn find(&self, name: &str) -> Option<K> {
        self.by_name.get(name).copied()
    }

    /// All trackers in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (K, &Tracker)> {
        self.by_name.values().map(|key| (*key, &self.slots[*key]))
    }

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

    pub(crate) fn exit(&mut self, key: K, path: &[QueueKey], app: &AppId, usage: &Resource) {
        self.stop(key, path, app);
        self.desert(key, path, usage);
    }

    /// A running application stays in the running set (P-16).
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

    pub(crate) fn increase(&mut self, key: K, path: &[QueueKey], by: &Resource, new: Option<&AppId>) {
        for queue in path {
            let Some(level) = self.slots[key].levels.get_mut(queue) else { continue };
            level.allocated.add_assign(by);
            if let Some(app) = new {
                level.running.insert(app.clone());
            }
        }
    }

    pub(crate) fn decrease(&mut self, key: K, path: &[QueueKey], by: &Resource) {
        for queue in path {
            let Some(level) = self.slots[key].levels.get_mut(queue) else { continue };
            level.allocated.sub_assign(by);
            level.allocated.prune();
        }
    }

    pub(crate) fn stop(&mut self, key: K, path: &[QueueKey], app: &AppId) {
        for queue in path {
            if let Some(level) = self.slots[key].levels.get_mut(queue) {
                level.running.remove(app);
            }
        }
    }

    /// Keeps which applications count there (switch `group_limit_gone`).
    pub(crate) fn wipe(&mut self, key: K, queue: QueueKey) {
        if let Some(level) = self.slots[key].levels.get_mut(&queue) {
            *level = QueueUsage { apps: level.apps, ..QueueUsage::default() };
        }
    }

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
