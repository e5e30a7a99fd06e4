//! Changes that are tried in a fork, without a configuration.
//!
//! Invariant: the caches of cycles stay correct, and a raised limit applies to all users and groups that it concerns.

use std::sync::Arc;

use super::explain::types::Place;
use crate::index::{AppKey, QueueKey};
use crate::interface::switches::ReloadMaxApps;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::state::scheduler::Scheduler;
use crate::usage::{QueueLimits, Side};
use config::LimitConfig;
use model::{AppId, AskId, Priority, QueuePath};

impl Scheduler {
    /// Raises a maximum or limit to `to`: of `resource` (memory in bytes, vcore in thousandths), or of applications.
    /// Returns whether a configuration could do that. For forks only.
    pub fn raise(&mut self, app: &AppId, place: &Place, resource: Option<&str>, to: i64) -> bool {
        let Some(part) = self.partitions.first_mut() else { return false };
        part.quiet = None;
        match place {
            Place::Queue(queue) => part.raise_queue(queue, resource, to),
            Place::User(_, queue) => part.raise_limit(app, (Side::User, queue), resource, to),
            Place::Group(_, queue) => part.raise_limit(app, (Side::Group, queue), resource, to),
            Place::Partition | Place::Node(_) | Place::App(..) | Place::TaskGroup(_) => false,
        }
    }

    /// Changes the priority of a pending request but not its age. Returns whether the request exists.
    pub fn set_priority(&mut self, app: &AppId, ask: &AskId, to: Priority) -> bool {
        let Some(part) = self.partitions.first_mut() else { return false };
        part.quiet = None;
        part.set_priority(app, ask, to).is_some()
    }
}

impl Partition {
    fn raise_queue(&mut self, path: &QueuePath, resource: Option<&str>, to: i64) -> bool {
        let Some(key) = self.queues.find(path).filter(|key| *key != ROOT || resource.is_none()) else { return false };
        let comes_in = resource.is_some()
            || match self.switches.reload_max_apps {
                ReloadMaxApps::All => true,
                ReloadMaxApps::NotRoot => key != ROOT,
                ReloadMaxApps::None => false,
            };
        if !comes_in || !self.queues[key].managed {
            return false;
        }
        match resource {
            Some(name) => match &mut self.queues[key].max {
                Some(max) => max.set(name, to),
                None => return false,
            },
            None => {
                let settings = Arc::make_mut(&mut self.queues[key].settings);
                settings.max_applications = u64::try_from(to).ok();
            }
        }
        // The shares of 1.8.0 also depend on maxima.
        self.share_bases_stale = true;
        true
    }

    /// Raises the limit of an application for all users or groups under it.
    fn raise_limit(&mut self, app: &AppId, (side, path): (Side, &QueuePath), resource: Option<&str>, to: i64) -> bool {
        let Some(queue) = self.queues.find(path) else { return false };
        let Some(old) = self.limit_of(app, side, queue) else { return false };
        let raised = |limit: &Arc<LimitConfig>| {
            let mut limit = LimitConfig::clone(limit);
            match resource {
                Some(name) => {
                    let mut max = limit.max_resources.take().unwrap_or_default();
                    max.set(name, to);
                    limit.max_resources = Some(max);
                }
                None => limit.max_applications = u64::try_from(to).ok(),
            }
            limit
        };
        let limits: Vec<LimitConfig> = self.queues[queue]
            .settings
            .limits
            .list()
            .iter()
            .map(|limit| if Arc::ptr_eq(limit, &old) { raised(limit) } else { LimitConfig::clone(limit) })
            .collect();
        let settings = Arc::make_mut(&mut self.queues[queue].settings);
        settings.limits = Arc::new(QueueLimits::of(&limits));
        for key in self.bound_by(queue) {
            let path = self.queues.path_up(self.apps[key].queue);
            self.bind(key, &path);
            self.end_backoff(key);
        }
        true
    }

    fn limit_of(&self, app: &AppId, side: Side, queue: QueueKey) -> Option<Arc<LimitConfig>> {
        let app = &self.apps[self.app_key(app)?];
        let limits = &self.queues[queue].settings.limits;
        match side {
            Side::User => limits.for_user(&app.who.user).cloned(),
            Side::Group => {
                let own = self.group_name(app).or_else(|| {
                    let path = self.queues.path_up(app.queue);
                    crate::user_limits::group_of(&self.queues, &path, &app.who)
                });
                limits.for_group(own?).cloned()
            }
        }
    }

    fn bound_by(&self, queue: QueueKey) -> Vec<AppKey> {
        let (mut found, mut stack) = (Vec::new(), vec![queue]);
        while let Some(key) = stack.pop() {
            let queue = &self.queues[key];
            stack.extend(&queue.children);
            let bound = |app: &&AppKey| {
                let bounds = self.apps[**app].account.bounds.as_ref();
                bounds.is_some_and(|bounds| !bounds.is_empty())
            };
            found.extend(queue.apps.iter().filter(bound));
        }
        found
    }

    fn set_priority(&mut self, app: &AppId, ask: &AskId, to: Priority) -> Option<()> {
        let key = self.app_key(app)?;
        let ask = self.apps[key].ask_key(ask)?;
        let application = &mut self.apps[key];
        let before = application.asks[ask].rank(ask);
        if !application.pending_order.remove(&before) {
            return None;
        }
        let (from, resource) = (application.asks[ask].priority, application.asks[ask].resource.clone());
        application.bands.sub(from, false, &resource);
        application.bands.add(to, false, &resource);
        application.asks[ask].priority = to;
        let after = application.asks[ask].rank(ask);
        application.pending_order.insert(after);
        let arrival = application.asks[ask].arrival;
        self.mark_ask(key, ask, arrival);
        self.refresh_app(key);
        Some(())
    }
}
