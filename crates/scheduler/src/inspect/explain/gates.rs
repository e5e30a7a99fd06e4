//! The checks before an application's requests: whether it may run, and its remaining limits.

use std::borrow::Cow;

use crate::index::AppKey;
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::usage::limits::max_applications;
use crate::usage::totals::has_place;
use crate::usage::{Account, Bound, QueueUsage};
use crate::user_limits::{bounds_of, group_of};
use model::{AppState, Resource};

pub(super) struct Limits<'p> {
    partition: &'p Partition,
    app: &'p Application,
    account: Cow<'p, Account>,
}

impl<'p> Limits<'p> {
    pub fn of(partition: &'p Partition, app: &'p Application) -> Self {
        let account = match app.account.bounds {
            Some(_) => Cow::Borrowed(&app.account),
            None => Cow::Owned(decided(partition, app)),
        };
        Self { partition, app, account }
    }

    pub fn bounds(&self) -> &[Bound] {
        self.account.bounds.as_deref().unwrap_or_default()
    }

    pub fn account(&self) -> &Account {
        &self.account
    }

    pub fn usage(&self, bound: &Bound) -> Option<&'p QueueUsage> {
        self.partition.usage.of_bound(&self.account, bound)
    }

    /// Their headroom; `None` if they name no resource.
    pub fn headroom(&self) -> Option<Resource> {
        self.partition.usage.headroom(&self.account)
    }

    /// The limits with the maximum number of running applications.
    pub fn full(&self) -> impl Iterator<Item = (&Bound, u64)> {
        let full = |bound: &&Bound| {
            max_applications(&bound.limit).is_some_and(|max| !has_place(self.usage(bound), &self.app.id, max))
        };
        self.bounds().iter().filter(full).filter_map(|bound| Some((bound, max_applications(&bound.limit)?)))
    }
}

/// At the first attempt (SCH-124, LIM-034).
fn decided(partition: &Partition, app: &Application) -> Account {
    let path = partition.queues.path_up(app.queue);
    let group = group_of(&partition.queues, &path, &app.who);
    Account {
        group: group.and_then(|group| partition.usage.groups.find(group)),
        bounds: Some(bounds_of(&partition.queues, &path, &app.who.user, group)),
        ..app.account.clone()
    }
}

impl Partition {
    /// Whether numbers of applications allow a cycle to examine the requests of an application.
    pub(super) fn lets_run(&self, app: AppKey, limits: &Limits<'_>) -> bool {
        let application = &self.apps[app];
        application.state != AppState::Accepted
            || self.queues.can_run(application.queue, &application.id) && limits.full().next().is_none()
    }
}
