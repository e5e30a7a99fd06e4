//! Administrative actions: killing and moving an application (`scheduler.md` section 20).

use std::sync::Arc;

use super::event::{Event, EventKind};
use super::index::{AppKey, QueueKey};
use super::partition::Partition;
use super::place::{RECOVERY_QUEUE, access};
use super::queue::PathUp;
use super::usage::Side;
use crate::model::{AppId, AppState, Identity, QueuePath, QueueState, Time};

impl Partition {
    /// Kills an application (SCH-202).
    pub(super) fn kill(&mut self, now: Time, app: &AppId, by: &Identity, reason: &str, events: &mut Vec<Event>) {
        let key = match self.may_act(app, by) {
            Ok(key) => key,
            Err(message) => return deny(now, app, message, events),
        };
        let queue = self.apps[key].queue_path.clone();
        let (user, why) = (Arc::from(by.user.as_str()), Arc::from(reason));
        events.push(Event { at: now, kind: EventKind::Killed { app: app.clone(), queue, by: user, reason: why } });
        let message = if reason.is_empty() {
            format!("killed by {}", by.user)
        } else {
            format!("killed by {}: {reason}", by.user)
        };
        self.fail_application(now, key, &message, events);
        self.release_everything(now, key, events);
        self.fail_application(now, key, &message, events);
    }

    /// Moves an application to another leaf (SCH-203 to SCH-205).
    pub(super) fn move_app(&mut self, now: Time, app: &AppId, to: &QueuePath, by: &Identity, events: &mut Vec<Event>) {
        match self.may_act(app, by).and_then(|key| Ok((key, self.move_target(key, to, by)?))) {
            Err(message) => deny(now, app, message, events),
            Ok((key, target)) => {
                let from = self.apps[key].queue_path.clone();
                self.unreserve_app(now, key, events);
                let queue = self.queues[target].path.clone();
                let by = Arc::from(by.user.as_str());
                events.push(Event { at: now, kind: EventKind::Moved { app: app.clone(), from, queue, by } });
                self.carry_over(now, key, target, events);
            }
        }
    }

    /// Checks 1 and 2: the application is there and alive, and the identity administers its queue (SCH-201).
    fn may_act(&self, app: &AppId, by: &Identity) -> Result<AppKey, String> {
        let Some(key) = self.app_key(app) else {
            let ended = self.ended.iter().rev().find(|ended| ended.id == *app);
            return Err(match ended {
                Some(ended) => format!("application {app:?} is already {}", ended.state),
                None => format!("application not found: {app:?}"),
            });
        };
        let application = &self.apps[key];
        if application.state == AppState::Failing {
            return Err(format!("application {app:?} is already {}", application.state));
        }
        if access::admin(&self.queues, application.queue_path.as_str(), by).is_none() {
            return Err(format!("no admin access to {} for user {:?}", application.queue_path, by.user));
        }
        Ok(key)
    }

    /// Checks 3 to 9 of a move: the target, and whether the application fits there.
    fn move_target(&self, app: AppKey, to: &QueuePath, by: &Identity) -> Result<QueueKey, String> {
        let target = self.queues.find(to).ok_or_else(|| format!("queue not found: {to}"))?;
        if !self.queues[target].leaf {
            return Err(format!("not a leaf queue: {to}"));
        }
        if target == self.apps[app].queue {
            return Err(format!("already there: {to}"));
        }
        if to.as_str() == RECOVERY_QUEUE {
            return Err(format!("queue not found: {to} takes nothing but recovered applications"));
        }
        let path = self.queues.path_up(target);
        if let Some(closed) = path.iter().map(|key| &self.queues[*key]).find(|q| q.state != QueueState::Active) {
            let state = if closed.state == QueueState::Draining { "draining" } else { "stopped" };
            return Err(format!("queue is {state}: {}", closed.path));
        }
        if access::submit(&self.queues, to.as_str(), by).is_none() {
            return Err(format!("no submit access to {to} for user {:?}", by.user));
        }
        let misfits = self.misfits(app, target, &path);
        if misfits.is_empty() { Ok(target) } else { Err(misfits.join("; ")) }
    }

    /// Checks 6 to 9: what of the application does not fit the target's path below the common ancestor.
    fn misfits(&self, app: AppKey, target: QueueKey, path: &PathUp) -> Vec<String> {
        let application = &self.apps[app];
        let mut misfits = Vec::new();
        let gang_open = !application.placeholder_ask.is_zero()
            && (matches!(application.state, AppState::New | AppState::Accepted)
                || !application.allocated_placeholder.is_zero());
        if gang_open && let Err(message) = self.takes_gang(target, &application.placeholder_ask) {
            misfits.push(message);
        }
        let shared = self.queues.path_up(application.queue);
        let holds = application.holds();
        let own = path.iter().filter(|key| !shared.contains(key)).map(|key| &self.queues[*key]);
        for queue in own.clone() {
            if queue.max.as_ref().is_some_and(|max| !max.fit_in_max_undef(&queue.allocated.add(&holds))) {
                misfits.push(format!("quota of {} exceeded", queue.path));
            }
        }
        let counts = application.counts_as_running()
            || self.queues[application.queue].allocating_accepted.contains(&application.id);
        for queue in own {
            let running = queue.running + queue.allocating_accepted.len() as u64;
            if counts && queue.settings.max_applications.is_some_and(|max| running + 1 > max) {
                misfits.push(format!("maxapplications of {} reached", queue.path));
            }
        }
        misfits.extend(self.limit_misfits(app, path));
        misfits
    }

    /// Moves every counter of the application from its path to the target's (SCH-204).
    fn carry_over(&mut self, now: Time, key: AppKey, target: QueueKey, events: &mut Vec<Event>) {
        self.tell_group(now, key, true, false, events);
        let user = self.usage.user_of(&self.apps[key].account);
        events.extend(self.usage_event(now, Side::User, Arc::clone(&user), key, false));
        let app = &self.apps[key];
        let (source, id) = (app.queue, app.id.clone());
        let (holds, pending, runs) = (app.holds(), app.pending.clone(), app.counts_as_running());
        let preempting = app.preempting();
        let accepted = self.queues[source].allocating_accepted.contains(&id);
        let (from, to) = (self.queues.path_up(source), self.queues.path_up(target));
        self.leave_queue(key);
        for queue in from {
            let queue = &mut self.queues[queue];
            queue.allocated.sub_assign(&holds);
            queue.allocated.prune();
            queue.pending.sub_assign(&pending);
            queue.pending.prune();
            queue.preempting.sub_assign(&preempting);
            queue.preempting.prune();
            queue.running = queue.running.saturating_sub(u64::from(runs));
            queue.refresh_share();
        }
        for queue in to.iter().copied() {
            let queue = &mut self.queues[queue];
            queue.allocated.add_assign(&holds);
            queue.pending.add_assign(&pending);
            queue.preempting.add_assign(&preempting);
            queue.running += u64::from(runs);
            if accepted {
                queue.allocating_accepted.insert(id.clone());
            }
            queue.refresh_share();
        }
        let app = &mut self.apps[key];
        app.queue = target;
        app.queue_path = self.queues[target].path.clone();
        let mut asks = Vec::new();
        for (ask_key, ask) in app.asks.iter_mut() {
            Self::untried(ask);
            asks.push((ask_key, ask.arrival));
        }
        for (ask, arrival) in asks {
            self.touch_ask(key, ask, arrival);
        }
        self.join_queue(key);
        events.extend(self.usage_event(now, Side::User, user, key, true));
        if self.apps[key].account.bounds.take().is_some() {
            self.decide_limits(now, key, true, events);
        }
    }
}

fn deny(now: Time, app: &AppId, message: String, events: &mut Vec<Event>) {
    events.push(Event { at: now, kind: EventKind::Denied { app: app.clone(), message } });
}
