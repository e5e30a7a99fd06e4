//! The checks of limits in a scheduling cycle and before a move.

use std::sync::Arc;

use crate::index::{AppKey, QueueKey};
use crate::interface::denial::{Misfit, MisfitKind};
use crate::interface::event::{Event, EventKind};
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::state::queue_tree::{PathUp, QueueTree};
use crate::usage::account::Bound;
use crate::usage::limits::{max_applications, max_resources};
use crate::usage::side::Side;
use crate::usage::totals::has_place;
use model::{Identity, Resource, Time};

/// The group of an application, from the leaf up: the first level that names one of the groups or has `*` (LIM-030,
/// SCH-124).
pub fn group_of<'t>(tree: &'t QueueTree, path: &[QueueKey], who: &Identity) -> Option<&'t str> {
    path.iter().find_map(|queue| tree[*queue].settings.limits.group_of(who))
}

/// The limits on a path that apply to a user and a group (LIM-006, LIM-007).
pub fn bounds_of(tree: &QueueTree, path: &[QueueKey], user: &str, group: Option<&str>) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for key in path {
        let limits = &tree[*key].settings.limits;
        if limits.is_empty() {
            continue;
        }
        let of_user = limits.for_user(user).map(|limit| (Side::User, limit));
        let of_group = group.and_then(|group| limits.for_group(group)).map(|limit| (Side::Group, limit));
        let both = of_user.into_iter().chain(of_group);
        bounds.extend(both.map(|(side, limit)| Bound { queue: *key, side, limit: limit.clone() }));
    }
    bounds
}

impl Partition {
    /// The name of the group under which an application counts.
    pub fn group_name(&self, app: &Application) -> Option<&str> {
        self.usage.groups.get(app.account.group?).map(|tracker| &*tracker.name)
    }

    /// Once (SCH-124, LIM-034). With `brings`, the usage counts for the group at once.
    pub(crate) fn decide_limits(&mut self, now: Time, key: AppKey, adds: bool, events: &mut Vec<Event>) {
        if self.apps[key].account.bounds.is_some() {
            return;
        }
        let app = &self.apps[key];
        let path = self.queues.path_up(app.queue);
        let group = group_of(&self.queues, &path, &app.who);
        if group != self.group_name(app) {
            let group = group.map(str::to_owned);
            self.mark_account(key);
            self.report_group_link(now, key, true, false, events);
            let app = &mut self.apps[key];
            self.usage.unlink(app, &path);
            if let Some(group) = group {
                self.usage.link(app, &path, &group, adds);
                self.report_group_link(now, key, adds, true, events);
            }
            self.mark_account(key);
        }
        self.bind(key, &path);
        self.mark_app(key);
    }

    pub(crate) fn report_group_link(&self, now: Time, key: AppKey, adds: bool, linked: bool, events: &mut Vec<Event>) {
        let app = &self.apps[key];
        let Some(group) = self.usage.group_of(&app.account) else { return };
        let link = Event::new(now, EventKind::GroupLink { group: Arc::clone(&group), app: app.id.clone(), linked });
        let usage = adds.then(|| self.usage_event(now, Side::Group, group, key, linked)).flatten();
        let both = [Some(link), usage];
        events.extend(both.into_iter().flatten());
    }

    /// `None` if the usage is zero.
    pub(crate) fn usage_event(&self, now: Time, side: Side, name: Arc<str>, key: AppKey, more: bool) -> Option<Event> {
        let app = &self.apps[key];
        let resource = app.total_allocated();
        let kind = EventKind::Usage { side, name, queue: app.queue_path.clone(), resource, more };
        (!app.total_allocated().is_zero()).then(|| Event::new(now, kind))
    }

    pub(crate) fn bind(&mut self, key: AppKey, path: &PathUp) {
        let app = &self.apps[key];
        let bounds = bounds_of(&self.queues, path, &app.who.user, self.group_name(app));
        self.apps[key].account.bounds = Some(bounds);
    }

    /// SCH-203 check 9. Shared queues count it already.
    pub(crate) fn limit_misfits(&self, key: AppKey, path: &PathUp) -> Vec<Misfit> {
        let app = &self.apps[key];
        let total_allocated = app.total_allocated();
        if total_allocated.is_zero() && !app.account.running {
            return Vec::new();
        }
        let shared = self.queues.path_up(app.queue);
        let group = group_of(&self.queues, path, &app.who);
        let same_group = group.is_some() && group == self.group_name(app);
        let bounds = bounds_of(&self.queues, path, &app.who.user, group);
        let counts = |bound: &&Bound| shared.contains(&bound.queue) && (bound.side == Side::User || same_group);
        bounds
            .iter()
            .filter(|bound| !counts(bound))
            .filter_map(|bound| self.misfit(app, &total_allocated, bound, group))
            .collect()
    }

    fn misfit(
        &self,
        app: &Application,
        total_allocated: &Resource,
        bound: &Bound,
        group: Option<&str>,
    ) -> Option<Misfit> {
        let (who, tracker) = match bound.side {
            Side::User => {
                (format!("user {}", app.who.user), app.account.user.and_then(|key| self.usage.users.get(key)))
            }
            Side::Group => {
                let group = group.unwrap_or_default();
                let key = self.usage.groups.find(group);
                (format!("group {group}"), key.and_then(|key| self.usage.groups.get(key)))
            }
        };
        let usage = tracker.and_then(|tracker| tracker.at(bound.queue));
        let path = &self.queues[bound.queue].path;
        let misfit = |text| Misfit { kind: MisfitKind::Limit, queue: path.clone(), text };
        if let Some(max) = max_resources(&bound.limit) {
            let used = usage.map(|usage| usage.allocated.clone()).unwrap_or_default();
            if !max.sub_only_existing(&used).fit_in_max_undef(total_allocated) {
                let text = format!("limit of {who} on {path} exceeded: it allows {max}, {used} is in use");
                return Some(misfit(text));
            }
        }
        let max = max_applications(&bound.limit).filter(|_| app.account.running)?;
        let running = usage.map_or(0, |usage| usage.running.len());
        (!has_place(usage, &app.id, max))
            .then(|| misfit(format!("limit of {who} on {path} reached: {running} of {max} applications run")))
    }
}
