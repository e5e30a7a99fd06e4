//! What users and groups have in use, and the limits that hold for them (`acl-and-users.md` sections 5 to 11, SCH-120 to
//! SCH-128).
//!
//! Invariants:
//! - usage is tracked for every user with a live application, and for every group that an application counts under;
//!   a tracker has a level for each queue with such an application in or below it, and is gone with the last of them;
//! - the sums of a level are those of the applications that count there; [`crate::scheduler::inspect::invariants`] counts them anew;
//! - which limits hold for an application is worked out once, at its first scheduling attempt, and anew when the
//!   configuration, its queue or its group changes. An application without limits carries an empty list, so that a cycle
//!   asks nothing more for it.
//!
//! Where to read: [`limits`] is what a queue's limits say of whom, [`tracker`] the sums, [`account`] what an application carries;
//! `decide` asks all this in a cycle, `change` brings new limits into force.
//!
//! Known limits: under a release's profile the limits of the partition loaded last hold in all partitions (LIM-017), but what a
//! user has in use is still counted in each partition by itself.

pub mod account;
pub mod limits;
pub mod tracked_resources;
pub mod tracker;

pub use crate::scheduler::user_limits::check::{bounds_of, group_of};
pub use account::{Account, Bound, Side};
pub use limits::QueueLimits;
pub use tracker::{QueueUsage, Tracker, Trackers};

use super::index::{GroupKey, QueueKey, UserKey};
use crate::model::{AppId, Resource};
use crate::scheduler::state::app::Application;

/// Usage of all users and groups of a partition (LIM-010, LIM-017).
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Every user with a live application (LIM-015).
    pub users: Trackers<UserKey>,
    /// Every group that a live application counts under; the shared pot of a group `*` has that name (LIM-004).
    pub groups: Trackers<GroupKey>,
}

impl Usage {
    /// An application is in a leaf: its user is tracked there, with what it brings along.
    pub(in crate::scheduler) fn join(&mut self, app: &mut Application, path: &[QueueKey]) {
        let user = self.users.open(&app.who.user);
        app.account.user = Some(user);
        self.users.enter(user, path, &app.id, &app.holds(), app.account.running);
    }

    /// An application leaves its leaf, with everything that it has in use; it counts under no group any more.
    pub(in crate::scheduler) fn leave(&mut self, app: &mut Application, path: &[QueueKey]) {
        self.unlink(app, path);
        if let Some(user) = app.account.user.take() {
            self.users.exit(user, path, &app.id, &app.holds());
        }
    }

    /// An application counts under a group from now on; what it has in use already counts there too if it `brings` it along.
    pub(in crate::scheduler) fn link(&mut self, app: &mut Application, path: &[QueueKey], group: &str, brings: bool) {
        let key = self.groups.open(group);
        let usage = if brings { app.holds() } else { Resource::new() };
        app.account.group = Some(key);
        app.account.running_in_group = brings && app.account.running;
        self.groups.enter(key, path, &app.id, &usage, app.account.running_in_group);
    }

    /// An application counts under no group any more, and takes what it has in use with it.
    pub(in crate::scheduler) fn unlink(&mut self, app: &mut Application, path: &[QueueKey]) {
        app.account.running_in_group = false;
        if let Some(group) = app.account.group.take() {
            self.groups.exit(group, path, &app.id, &app.holds());
        }
    }

    /// An allocation came: more on every level of the path, and the application runs there (LIM-011, LIM-013).
    pub(in crate::scheduler) fn increase(
        &mut self,
        account: &mut Account,
        path: &[QueueKey],
        app: &AppId,
        by: &Resource,
    ) {
        if let Some(user) = account.user {
            let new = !std::mem::replace(&mut account.running, true);
            self.users.increase(user, path, by, new.then_some(app));
        }
        if let Some(group) = account.group {
            let new = !std::mem::replace(&mut account.running_in_group, true);
            self.groups.increase(group, path, by, new.then_some(app));
        }
    }

    /// An allocation went: less on every level of the path.
    pub(in crate::scheduler) fn decrease(&mut self, account: &Account, path: &[QueueKey], by: &Resource) {
        if let Some(user) = account.user {
            self.users.decrease(user, path, by);
        }
        if let Some(group) = account.group {
            self.groups.decrease(group, path, by);
        }
    }

    /// The application has nothing left: it runs for no limit any more, and its group is searched anew if it comes back
    /// (LIM-013, LIM-034).
    pub(in crate::scheduler) fn stop(&mut self, app: &mut Application, path: &[QueueKey]) {
        if let Some(user) = app.account.user {
            self.users.stop(user, path, &app.id);
        }
        if let Some(group) = app.account.group {
            self.groups.stop(group, path, &app.id);
        }
        app.account.running = false;
        app.account.running_in_group = false;
        app.account.bounds = None;
        // Placeholders that are still there count until they go, or until another group is found.
        if app.holds().is_zero() {
            self.unlink(app, path);
        }
    }
}
