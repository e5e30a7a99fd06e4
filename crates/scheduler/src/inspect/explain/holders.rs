//! The applications that use a missing resource.

use super::types::Holder;
use crate::index::QueueKey;
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::usage::{Account, Bound, Side};
use model::AppState;

const MOST_HOLDERS: usize = 5;

pub(super) enum Scope<'a> {
    Queue(QueueKey),
    /// The usage of a user or group in the subtree of the limit's queue.
    Bound(&'a Bound, &'a Account),
}

impl Scope<'_> {
    fn queue(&self) -> QueueKey {
        match self {
            Self::Queue(queue) => *queue,
            Self::Bound(bound, _) => bound.queue,
        }
    }

    fn counts(&self, app: &Application) -> bool {
        match self {
            Self::Queue(_) => true,
            Self::Bound(Bound { side: Side::User, .. }, account) => app.account.user == account.user,
            Self::Bound(Bound { side: Side::Group, .. }, account) => app.account.group == account.group,
        }
    }
}

impl Partition {
    pub(super) fn holders_of(&self, scope: &Scope<'_>, name: &str) -> Vec<Holder> {
        self.largest(scope, |app| app.allocated.amount(name).saturating_add(app.allocated_placeholder.amount(name)))
    }

    /// The first submitted first.
    pub(super) fn running_in(&self, scope: &Scope<'_>) -> Vec<Holder> {
        let counts = |app: &Application| match scope {
            Scope::Queue(queue) => app.counts_as_running() || self.queues[*queue].allocating_accepted.contains(&app.id),
            Scope::Bound(bound, _) if bound.side == Side::User => app.account.running,
            Scope::Bound(..) => app.account.running_in_group,
        };
        self.largest(scope, |app| i64::from(counts(app) && app.state != AppState::Completed))
    }

    fn largest(&self, scope: &Scope<'_>, amount: impl Fn(&Application) -> i64) -> Vec<Holder> {
        let mut found: Vec<(i64, &Application)> = Vec::new();
        let mut stack = vec![scope.queue()];
        while let Some(key) = stack.pop() {
            let queue = &self.queues[key];
            stack.extend(&queue.children);
            let apps = queue.apps.iter().map(|app| &self.apps[*app]).filter(|app| scope.counts(app));
            found.extend(apps.map(|app| (amount(app), app)).filter(|(amount, _)| *amount > 0));
        }
        let rank = |(amount, app): &(i64, &Application)| (std::cmp::Reverse(*amount), app.submitted, app.id.clone());
        if found.len() > MOST_HOLDERS {
            found.select_nth_unstable_by_key(MOST_HOLDERS - 1, rank);
            found.truncate(MOST_HOLDERS);
        }
        found.sort_by_cached_key(rank);
        let holder =
            |(amount, app): (i64, &Application)| Holder { app: app.id.clone(), queue: app.queue_path.clone(), amount };
        found.into_iter().map(holder).collect()
    }
}
