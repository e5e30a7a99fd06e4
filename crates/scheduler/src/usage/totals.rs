//! The usage of all users and groups of a partition, and the remainder of their limits.

use std::sync::Arc;

use crate::index::{GroupKey, QueueKey, UserKey};
use crate::usage::account::{Account, Bound};
use crate::usage::limits::{max_applications, max_resources};
use crate::usage::side::Side;
use crate::usage::tracker::{QueueUsage, Trackers};
use model::{AppId, Resource};

/// Usage of all users and groups of a partition (LIM-010, LIM-017).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Every user with an active application (LIM-015).
    pub users: Trackers<UserKey>,
    /// `*` is the shared pot (LIM-004).
    pub groups: Trackers<GroupKey>,
}

impl Usage {
    /// A new allocation: increases the usage on each level of the path; the application runs there (LIM-011, LIM-013).
    pub(crate) fn increase(&mut self, account: &mut Account, path: &[QueueKey], app: &AppId, by: &Resource) {
        if let Some(user) = account.user {
            let new = !std::mem::replace(&mut account.running, true);
            self.users.increase(user, path, by, new.then_some(app));
        }
        if let Some(group) = account.group {
            let new = !std::mem::replace(&mut account.running_in_group, true);
            self.groups.increase(group, path, by, new.then_some(app));
        }
    }

    pub(crate) fn decrease(&mut self, account: &Account, path: &[QueueKey], by: &Resource) {
        if let Some(user) = account.user {
            self.users.decrease(user, path, by);
        }
        if let Some(group) = account.group {
            self.groups.decrease(group, path, by);
        }
    }

    /// The usage of the application's user or group, in the subtree of the limit's queue.
    pub fn of_bound(&self, account: &Account, bound: &Bound) -> Option<&QueueUsage> {
        match bound.side {
            Side::User => self.users.get(account.user?)?.at(bound.queue),
            Side::Group => self.groups.get(account.group?)?.at(bound.queue),
        }
    }

    pub(crate) fn user_of(&self, account: &Account) -> Arc<str> {
        let tracker = account.user.and_then(|user| self.users.get(user));
        tracker.map(|tracker| Arc::clone(&tracker.name)).unwrap_or_default()
    }

    pub(crate) fn group_of(&self, account: &Account) -> Option<Arc<str>> {
        self.groups.get(account.group?).map(|tracker| Arc::clone(&tracker.name))
    }

    /// The smallest remainder by name (LIM-040, LIM-041, SCH-125), perhaps negative. `None`: no limit names a resource.
    pub fn headroom(&self, account: &Account) -> Option<Resource> {
        let mut headroom: Option<Resource> = None;
        for bound in account.bounds.as_deref().unwrap_or_default() {
            let Some(max) = max_resources(&bound.limit) else { continue };
            let rest = match self.of_bound(account, bound) {
                Some(usage) => max.sub_only_existing(&usage.allocated),
                None => max.clone(),
            };
            headroom = Some(match headroom {
                Some(smallest) => smallest.min_permissive(&rest),
                None => rest,
            });
        }
        headroom
    }

    /// Whether the limits of user and group let an application start to run (LIM-044).
    pub fn lets_run(&self, account: &Account, app: &AppId) -> bool {
        account.bounds.as_deref().unwrap_or_default().iter().all(|bound| {
            let usage = self.of_bound(account, bound);
            max_applications(&bound.limit).is_none_or(|max| has_place(usage, app, max))
        })
    }
}

/// Whether an application runs among those of a level, or may join them (SCH-126).
pub(crate) fn has_place(usage: Option<&QueueUsage>, app: &AppId, max: u64) -> bool {
    usage.is_none_or(|usage| usage.running.contains(app) || (usage.running.len() as u64) < max)
}
