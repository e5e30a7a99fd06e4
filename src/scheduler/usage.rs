//! What each user has in use, on every level of the queue tree (SCH-120, SCH-121, LIM-010 to LIM-016).

use std::collections::{BTreeMap, BTreeSet};

use super::index::QueueKey;
use crate::model::{AppId, Resource};

/// Usage of one user in one queue and everything below it.
#[derive(Clone, Debug, Default)]
pub struct QueueUsage {
    /// In use.
    pub allocated: Resource,
    /// Applications that count as running: from their first allocation until they have nothing left (LIM-013).
    pub running: BTreeSet<AppId>,
}

impl QueueUsage {
    fn is_empty(&self) -> bool {
        self.allocated.is_zero() && self.running.is_empty()
    }
}

/// Usage of all users of a partition. Entries vanish when they hold nothing (LIM-016).
#[derive(Clone, Debug, Default)]
pub struct Usage {
    users: BTreeMap<String, BTreeMap<QueueKey, QueueUsage>>,
}

impl Usage {
    /// The users with what they use in each queue.
    pub fn users(&self) -> impl Iterator<Item = (&str, &BTreeMap<QueueKey, QueueUsage>)> {
        self.users.iter().map(|(user, queues)| (user.as_str(), queues))
    }

    /// Whether an application counts as running for its user in a queue.
    pub(super) fn counts(&self, user: &str, queue: QueueKey, app: &AppId) -> bool {
        let usage = self.users.get(user).and_then(|queues| queues.get(&queue));
        usage.is_some_and(|usage| usage.running.contains(app))
    }

    /// An allocation came: more on every level of the path, and the application runs there.
    pub(super) fn increase(&mut self, user: &str, path: &[QueueKey], app: &AppId, by: &Resource) {
        if !self.users.contains_key(user) {
            self.users.insert(user.to_owned(), BTreeMap::new());
        }
        let Some(queues) = self.users.get_mut(user) else { return };
        for key in path {
            let usage = queues.entry(*key).or_default();
            usage.allocated.add_assign(by);
            if !usage.running.contains(app) {
                usage.running.insert(app.clone());
            }
        }
    }

    /// An allocation went: less on every level of the path.
    pub(super) fn decrease(&mut self, user: &str, path: &[QueueKey], by: &Resource) {
        self.change(user, path, |usage| {
            usage.allocated.sub_assign(by);
            usage.allocated.prune();
        });
    }

    /// The application has nothing left: it does not run there any more.
    pub(super) fn app_done(&mut self, user: &str, path: &[QueueKey], app: &AppId) {
        self.change(user, path, |usage| {
            usage.running.remove(app);
        });
    }

    fn change(&mut self, user: &str, path: &[QueueKey], change: impl Fn(&mut QueueUsage)) {
        let Some(queues) = self.users.get_mut(user) else { return };
        for key in path {
            if let Some(usage) = queues.get_mut(key) {
                change(usage);
                if usage.is_empty() {
                    queues.remove(key);
                }
            }
        }
        if queues.is_empty() {
            self.users.remove(user);
        }
    }
}
