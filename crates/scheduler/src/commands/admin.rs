//! Administrative actions: killing and moving an application (`scheduler.md` section 20).

use std::sync::Arc;

use crate::index::{AppKey, QueueKey};
use crate::interface::denial::{Denial, Misfit, MisfitKind};
use crate::interface::event::{Event, EventKind};
use crate::placement::access::AclKind;
use crate::placement::{QueueTree, RECOVERY_QUEUE, access, ancestors};
use crate::state::partition::Partition;
use crate::state::queue_tree::PathUp;
use crate::usage::Side;
use model::{AppId, AppState, Identity, QueuePath, QueueState, Time};

impl Partition {
    /// Kills an application (SCH-202).
    pub(crate) fn kill(&mut self, now: Time, app: &AppId, by: &Identity, reason: &str, events: &mut Vec<Event>) {
        let key = match self.may_kill(app, by) {
            Ok(key) => key,
            Err(why) => return deny(now, app, why, events),
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
        self.end_as(now, key, AppState::Failed, events);
    }

    /// SCH-203 to SCH-205.
    pub(crate) fn move_app(&mut self, now: Time, app: &AppId, to: &QueuePath, by: &Identity, events: &mut Vec<Event>) {
        match self.may_move(app, to, by) {
            Err(why) => deny(now, app, why, events),
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

    /// Checks whether `by` may kill an application (SCH-201, SCH-202).
    ///
    /// # Errors
    /// The failed check.
    pub fn may_kill(&self, app: &AppId, by: &Identity) -> Result<AppKey, Denial> {
        let Some(key) = self.app_key(app) else {
            let ended = self.ended.iter().rev().find(|ended| ended.id == *app);
            return Err(match ended {
                Some(ended) => Denial::Ended { app: app.clone(), state: ended.state },
                None => Denial::NoApp(app.clone()),
            });
        };
        let application = &self.apps[key];
        let state = application.ending.unwrap_or(application.state);
        self.unless_trusted(may_touch(&self.queues, app, state, &application.queue_path, by))?;
        Ok(key)
    }

    /// Checks whether `by` may move an application to `to` (SCH-203).
    ///
    /// # Errors
    /// The first failed check; of checks 6 to 9 all.
    pub fn may_move(&self, app: &AppId, to: &QueuePath, by: &Identity) -> Result<(AppKey, QueueKey), Denial> {
        let key = self.may_kill(app, by)?;
        self.unless_trusted(may_take(&self.queues, &self.apps[key].queue_path, to, by))?;
        let target = self.queues.find(to).ok_or_else(|| Denial::NoQueue(to.clone()))?;
        let path = self.queues.path_up(target);
        let stopped = |queue: &&QueueKey| self.queues[**queue].state == QueueState::Stopped;
        if let Some(stopped) = path.iter().find(stopped) {
            return Err(Denial::Closed { queue: self.queues[*stopped].path.clone(), state: QueueState::Stopped });
        }
        let misfits = self.misfits(key, target, &path);
        if misfits.is_empty() { Ok((key, target)) } else { Err(Denial::Misfits(misfits)) }
    }

    /// Everything that does not fit the target's path below the common ancestor.
    fn misfits(&self, app: AppKey, target: QueueKey, path: &PathUp) -> Vec<Misfit> {
        let application = &self.apps[app];
        let mut misfits = Vec::new();
        let gang_open = !application.placeholder_ask.is_zero()
            && (matches!(application.state, AppState::New | AppState::Accepted)
                || !application.allocated_placeholder.is_zero());
        if gang_open && let Err(text) = self.accepts_gang(target, &application.placeholder_ask) {
            misfits.push(Misfit { kind: MisfitKind::Gang, queue: self.queues[target].path.clone(), text });
        }
        let shared = self.queues.path_up(application.queue);
        let total_allocated = application.total_allocated();
        let own = path.iter().filter(|key| !shared.contains(key)).map(|key| &self.queues[*key]);
        for queue in own.clone() {
            if queue.max.as_ref().is_some_and(|max| !max.fit_in_max_undef(&queue.allocated.add(&total_allocated))) {
                let text = format!("quota of {} exceeded", queue.path);
                misfits.push(Misfit { kind: MisfitKind::Quota, queue: queue.path.clone(), text });
            }
        }
        let counts = application.counts_as_running()
            || self.queues[application.queue].allocating_accepted.contains(&application.id);
        for queue in own {
            let running = queue.running + queue.allocating_accepted.len() as u64;
            if counts && queue.settings.max_applications.is_some_and(|max| running + 1 > max) {
                let text = format!("maxapplications of {} reached", queue.path);
                misfits.push(Misfit { kind: MisfitKind::Applications, queue: queue.path.clone(), text });
            }
        }
        misfits.extend(self.limit_misfits(app, path));
        misfits
    }

    /// Moves every counter of the application from its path to the target's (SCH-204).
    fn carry_over(&mut self, now: Time, key: AppKey, target: QueueKey, events: &mut Vec<Event>) {
        self.report_group_link(now, key, true, false, events);
        let user = self.usage.user_of(&self.apps[key].account);
        events.extend(self.usage_event(now, Side::User, Arc::clone(&user), key, false));
        let app = &self.apps[key];
        let (source, id) = (app.queue, app.id.clone());
        let (total_allocated, pending, runs) = (app.total_allocated(), app.pending.clone(), app.counts_as_running());
        let preempting = app.preempting();
        let accepted = self.queues[source].allocating_accepted.contains(&id);
        let (from, to) = (self.queues.path_up(source), self.queues.path_up(target));
        self.leave_queue(key, false);
        for queue in from {
            let queue = &mut self.queues[queue];
            queue.allocated.sub_assign(&total_allocated);
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
            queue.allocated.add_assign(&total_allocated);
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
            self.mark_ask(key, ask, arrival);
        }
        self.join_queue(key);
        events.extend(self.usage_event(now, Side::User, user, key, true));
        if self.apps[key].account.bounds.take().is_some() {
            self.decide_limits(now, key, true, events);
        }
    }
}

/// Checks 1 and 2: the application is active, and `by` administers its queue (SCH-201).
///
/// # Errors
/// The failed check.
pub fn may_touch<T: QueueTree + ?Sized>(
    tree: &T,
    app: &AppId,
    state: AppState,
    queue: &QueuePath,
    by: &Identity,
) -> Result<(), Denial> {
    if state.is_ended() || state == AppState::Failing {
        return Err(Denial::Ended { app: app.clone(), state });
    }
    if access::admin(tree, queue.as_str(), by).is_none() {
        return Err(Denial::NoAccess { queue: queue.clone(), access: AclKind::Admin, user: by.user.clone() });
    }
    Ok(())
}

/// Checks 3 to 5: the target accepts applications, and `by` may submit there (SCH-203).
///
/// # Errors
/// The first failed check.
pub fn may_take<T: QueueTree + ?Sized>(
    tree: &T,
    from: &QueuePath,
    to: &QueuePath,
    by: &Identity,
) -> Result<(), Denial> {
    let target = tree.queue(to.as_str()).ok_or_else(|| Denial::NoQueue(to.clone()))?;
    if !target.state.leaf {
        return Err(Denial::NotLeaf(to.clone()));
    }
    if to == from {
        return Err(Denial::SameQueue(to.clone()));
    }
    if to.as_str() == RECOVERY_QUEUE {
        return Err(Denial::RecoveryQueue);
    }
    let closed = ancestors(to.as_str()).filter_map(|path| tree.queue(path)).find(|queue| queue.state.draining);
    if let Some(closed) = closed {
        return Err(Denial::Closed { queue: closed.path.clone(), state: QueueState::Draining });
    }
    if access::submit(tree, to.as_str(), by).is_none() {
        return Err(Denial::NoAccess { queue: to.clone(), access: AclKind::Submit, user: by.user.clone() });
    }
    Ok(())
}

fn deny(now: Time, app: &AppId, why: Denial, events: &mut Vec<Event>) {
    let message = why.to_string();
    events.push(Event { at: now, kind: EventKind::Denied { app: app.clone(), message, why } });
}
