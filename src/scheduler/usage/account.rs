//! What an application carries for the limits of its user and group.

use std::sync::Arc;

use super::Usage;
use super::limits::{max_applications, max_resources};
use super::tracker::QueueUsage;
use crate::config::LimitConfig;
use crate::model::{AppId, Resource};
use crate::scheduler::index::{GroupKey, QueueKey, UserKey};

/// Under whom an application counts, and the limits that hold for it.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Account {
    /// Its user; `None` for an application that is in no queue.
    pub user: Option<UserKey>,
    /// The one group that it counts under, if any (LIM-032).
    pub group: Option<GroupKey>,
    /// The limits that hold for it, from its leaf up to the root; `None` before its first scheduling attempt, when its group is
    /// not decided yet either (LIM-034).
    #[serde(with = "crate::scheduler::saved::decided")]
    pub bounds: Option<Vec<Bound>>,
    /// It runs for the limits of its user (LIM-013).
    pub running: bool,
    /// It runs for those of its group. Not the same only after a release has lost usage (switch `group_limit_gone`).
    pub(in crate::scheduler) running_in_group: bool,
}

/// One limit that holds for an application.
#[derive(Clone, Debug)]
pub struct Bound {
    /// Where the limit stands.
    pub queue: QueueKey,
    /// Whose usage it limits.
    pub side: Side,
    /// The limit.
    pub limit: Arc<LimitConfig>,
}

/// Whose usage is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The user's.
    User,
    /// The group's.
    Group,
}

impl Usage {
    /// What is in use of a limit: by the application's user or its group, in the queue of the limit and below.
    pub fn of_bound(&self, account: &Account, bound: &Bound) -> Option<&QueueUsage> {
        match bound.side {
            Side::User => self.users.get(account.user?)?.at(bound.queue),
            Side::Group => self.groups.get(account.group?)?.at(bound.queue),
        }
    }

    /// The name of the user that an application counts under.
    pub(in crate::scheduler) fn user_of(&self, account: &Account) -> Arc<str> {
        let tracker = account.user.and_then(|user| self.users.get(user));
        tracker.map(|tracker| Arc::clone(&tracker.name)).unwrap_or_default()
    }

    /// The name of the group that an application counts under, if any.
    pub(in crate::scheduler) fn group_of(&self, account: &Account) -> Option<Arc<str>> {
        self.groups.get(account.group?).map(|tracker| Arc::clone(&tracker.name))
    }

    /// What the limits of user and group leave to an application: over all levels the smallest rest of each resource name
    /// (LIM-040, LIM-041, SCH-125). `None`: no limit names a resource. Amounts may be negative.
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

    /// Whether the limits of user and group let an application begin to run (LIM-044).
    pub fn lets_run(&self, account: &Account, app: &AppId) -> bool {
        account.bounds.as_deref().unwrap_or_default().iter().all(|bound| {
            let usage = self.of_bound(account, bound);
            max_applications(&bound.limit).is_none_or(|max| has_place(usage, app, max))
        })
    }
}

/// Whether an application runs among those of a level, or may come to them (SCH-126).
pub(in crate::scheduler) fn has_place(usage: Option<&QueueUsage>, app: &AppId, max: u64) -> bool {
    usage.is_none_or(|usage| usage.running.contains(app) || (usage.running.len() as u64) < max)
}
