//! The state machine of applications, its timers, and the clean-up at their end (`scheduler.md` section 16).

use std::sync::Arc;
use std::time::Duration;

use super::index::AppKey;
use crate::interface::event::{Event, EventKind};
use crate::state::app::Application;
use crate::state::partition::Partition;
use crate::state::timer::Timer;
use model::{AppState, Priority, Resource, Time};

/// With one allocation (SCH-170, SCH-171).
const STARTING: Duration = Duration::from_secs(5 * 60);
/// How long an application with nothing left may still send requests.
pub const COMPLETING: Duration = Duration::from_secs(30);
const REMEMBERED: Duration = Duration::from_secs(72 * 60 * 60);
const REMEMBERED_TAGS: usize = 4096;
const FORGET_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
/// Skips the time in Starting (SCH-073).
const STATEAWARE_DISABLE_TAG: &str = "application.stateaware.disable";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LastEnd {
    Allocation,
    Ask,
}

impl Application {
    fn shrink(&mut self) {
        self.asks.shrink();
        if self.asks.is_empty() {
            self.by_id = Default::default();
        }
        self.log.shrink_to_fit();
        let size = |(name, value): &(&String, &String)| name.len() + value.len();
        if self.tags.iter().map(|tag| size(&tag)).sum::<usize>() > REMEMBERED_TAGS {
            let mut space = REMEMBERED_TAGS;
            let mut fits = |tag: &(&String, &String)| {
                let left = space.checked_sub(size(tag));
                space = left.unwrap_or(space);
                left.is_some()
            };
            let retained = self.tags.iter().filter(|tag| fits(tag));
            self.tags = Arc::new(retained.map(|(name, value)| (name.clone(), value.clone())).collect());
        }
    }

    /// When the application completes unless it sends a new request (SCH-147, SCH-170).
    pub fn ends_by(&self) -> Option<Time> {
        let (due, _) = self.state_timer?;
        (self.state == AppState::Completing).then_some(due)
    }
}

impl Partition {
    /// SCH-170: one step towards Running, or none.
    pub(super) fn run_application(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        let next = match self.apps[app].state {
            AppState::New | AppState::Resuming => AppState::Accepted,
            AppState::Accepted if self.switches.starting_state => AppState::Starting,
            AppState::Accepted | AppState::Starting | AppState::Completing => AppState::Running,
            _ => return,
        };
        self.enter(now, app, next, None, events);
    }

    /// SCH-170. A Completing application does not count for the limits of its user (LIM-013). In the releases it still
    /// counts if a request was the last to end (P-16).
    pub(super) fn complete_application(&mut self, now: Time, app: AppKey, ended: LastEnd, events: &mut Vec<Event>) {
        let next = match self.apps[app].state {
            AppState::Accepted | AppState::Starting | AppState::Running => AppState::Completing,
            AppState::Completing => AppState::Completed,
            AppState::Resuming if ended == LastEnd::Allocation => return self.stop_counting_for_user(now, app, events),
            _ => return,
        };
        self.enter(now, app, next, None, events);
        if next == AppState::Completing && (ended == LastEnd::Allocation || !self.switches.running_leak) {
            self.stop_counting_for_user(now, app, events);
        }
    }

    /// The event resumeApplication (SCH-170).
    pub(super) fn resume_application(&mut self, now: Time, app: AppKey, message: &str, events: &mut Vec<Event>) {
        if matches!(self.apps[app].state, AppState::New | AppState::Accepted) {
            self.enter(now, app, AppState::Resuming, Some(Arc::from(message)), events);
        }
    }

    /// SCH-170; a kill also fails from Resuming and Completing.
    pub(super) fn fail_application(&mut self, now: Time, app: AppKey, message: &str, events: &mut Vec<Event>) {
        let next = match self.apps[app].state {
            AppState::New
            | AppState::Accepted
            | AppState::Starting
            | AppState::Running
            | AppState::Resuming
            | AppState::Completing => AppState::Failing,
            AppState::Failing => AppState::Failed,
            _ => return,
        };
        self.enter(now, app, next, Some(Arc::from(message)), events);
    }

    /// Completes an application that has nothing left to do (SCH-170).
    pub(super) fn complete_if_idle(&mut self, now: Time, app: AppKey, ended: LastEnd, events: &mut Vec<Event>) {
        let application = &self.apps[app];
        if !application.is_idle() || application.state == AppState::Completing {
            return;
        }
        self.complete_application(now, app, ended, events);
    }

    pub(super) fn state_timer(&mut self, due: Time, app: AppKey, events: &mut Vec<Event>) {
        let Some(application) = self.apps.get_mut(app) else { return };
        application.state_timer = None;
        match application.state {
            AppState::Starting => self.run_application(due, app, events),
            // The end of the last placeholder then completes it (SCH-147).
            AppState::Completing if !application.allocated_placeholder.is_zero() => self.release_placeholders(app),
            AppState::Completing => self.complete_application(due, app, LastEnd::Allocation, events),
            _ => {}
        }
    }

    /// Nothing is left of an application that ends: it enters its final state (SCH-173, SCH-202).
    pub(super) fn enter_last(&mut self, now: Time, app: AppKey, state: AppState, events: &mut Vec<Event>) {
        let message = self.apps[app].message.clone().filter(|_| state == AppState::Failed);
        self.enter(now, app, state, message, events);
    }

    pub(super) fn stop_timers(&mut self, app: AppKey) {
        if let Some(timer) = self.apps[app].state_timer.take() {
            self.timers.remove(&timer);
        }
        self.stop_placeholder_timer(app);
    }

    fn enter(&mut self, now: Time, key: AppKey, to: AppState, message: Option<Arc<str>>, events: &mut Vec<Event>) {
        let app = &mut self.apps[key];
        let timer = app.state_timer.take();
        let ran = app.counts_as_running();
        app.state = to;
        app.log.push((now, to));
        let runs = app.counts_as_running();
        if runs && app.started.is_none() {
            app.started = Some(now);
        }
        if message.is_some() {
            app.message.clone_from(&message);
        }
        let allocated = app.allocated.clone();
        events
            .push(Event { at: now, kind: EventKind::AppState { app: app.id.clone(), state: to, message, allocated } });
        if let Some(timer) = timer {
            self.timers.remove(&timer);
        }
        if runs != ran {
            self.count_running(key, runs);
        }
        match to {
            AppState::Starting => {
                let at_once = self.apps[key].tags.get(STATEAWARE_DISABLE_TAG).is_some_and(|value| !value.is_empty());
                self.set_state_timer(now + if at_once { Duration::ZERO } else { STARTING }, key);
            }
            AppState::Completing => self.set_state_timer(now + COMPLETING, key),
            AppState::Completed | AppState::Failed => self.end(now, key, events),
            _ => {}
        }
        if self.apps.get(key).is_some() {
            self.mark_app(key);
        }
    }

    fn set_state_timer(&mut self, due: Time, key: AppKey) {
        let timer = self.set_timer(due, Timer::AppState(key));
        self.apps[key].state_timer = Some(timer);
    }

    /// One running application more or less, in the leaf and above (SCH-111).
    fn count_running(&mut self, key: AppKey, runs: bool) {
        let app = &self.apps[key];
        for queue in self.queues.path_up(app.queue) {
            let queue = &mut self.queues[queue];
            if !runs {
                queue.running = queue.running.saturating_sub(1);
                continue;
            }
            queue.running += 1;
            queue.allocating_accepted.remove(&app.id);
            if let (true, Some(max)) = (self.switches.running_count_cut, queue.settings.max_applications) {
                queue.running = queue.running.min(max);
            }
        }
        let leaf = app.queue;
        self.mark_path(leaf);
    }

    /// The limits of its user do not count it any more (LIM-013).
    pub(super) fn stop_counting_for_user(&mut self, now: Time, key: AppKey, events: &mut Vec<Event>) {
        self.mark_account(key);
        let app = &mut self.apps[key];
        let group = self.usage.group_of(&app.account);
        self.usage.stop(app, &self.queues.path_up(app.queue));
        if let Some(group) = group.filter(|_| app.account.group.is_none()) {
            events.push(Event::new(now, EventKind::GroupLink { group, app: app.id.clone(), linked: false }));
        }
    }

    /// The application has ended: it leaves its queue and is remembered for a while (SCH-172, SCH-174).
    pub(super) fn end(&mut self, now: Time, key: AppKey, events: &mut Vec<Event>) {
        self.drop_leftovers(now, key, events);
        let app = &self.apps[key];
        let counts_on = self.switches.running_leak && app.state == AppState::Completed && app.ending.is_none();
        if !counts_on {
            self.stop_counting_for_user(now, key, events);
            self.report_group_link(now, key, true, false, events);
        }
        self.stop_placeholder_timer(key);
        self.leave_queue(key, counts_on);
        let Some(mut app) = self.apps.remove(key) else { return };
        let kind = EventKind::AppLeft { app: app.id.clone(), queue: app.queue_path.clone() };
        events.push(Event::new(now, kind));
        self.app_index.remove(&app.id);
        self.unfinished.remove(&key);
        app.ending = None;
        app.finished = Some(now);
        self.mark_app(key);
        self.mark_app_set();
        self.remember(now, app);
    }

    pub(super) fn remember(&mut self, now: Time, mut app: Application) {
        app.shrink();
        if self.ended.is_empty() {
            self.set_timer(now + FORGET_EVERY, Timer::Forget);
        }
        self.ended.push_back(Arc::new(app));
        // Limits memory on a busy cluster. After a start with a lower limit, there may be more.
        while self.ended.len() > self.tuning.ended_applications {
            self.ended.pop_front();
        }
        self.ended_total += 1;
    }

    /// With `counts_on`, the application stays in the running sets (P-16).
    pub(super) fn leave_queue(&mut self, key: AppKey, counts_on: bool) {
        if self.apps[key].asleep.is_some() {
            self.end_backoff(key);
        }
        self.mark_account(key);
        let app = &mut self.apps[key];
        let leaf = app.queue;
        self.usage.leave(app, &self.queues.path_up(leaf), counts_on);
        let queue = &mut self.queues[leaf];
        queue.apps.remove(&key);
        if let Some(rank) = app.rank.take() {
            queue.candidates.remove(&rank);
            queue.replacers.remove(&rank);
            app.may_replace = false;
        }
        let priority = app.counted_priority;
        let id = app.id.clone();
        for (level, queue) in self.queues.path_up(leaf).into_iter().enumerate() {
            let queue = &mut self.queues[queue];
            queue.app_count -= 1;
            if level == 0 || !self.switches.accepted_leak {
                queue.allocating_accepted.remove(&id);
            }
        }
        self.queues.note_priority(leaf, Some(priority), None);
        self.refresh_stale(leaf);
        self.mark_path(leaf);
    }

    pub(super) fn join_queue(&mut self, key: AppKey) {
        let leaf = self.apps[key].queue;
        self.queues[leaf].apps.insert(key);
        for queue in self.queues.path_up(leaf) {
            self.queues[queue].app_count += 1;
        }
        let app = &mut self.apps[key];
        self.usage.join(app, &self.queues.path_up(leaf));
        app.counted_priority = app.priority();
        let priority = app.counted_priority;
        self.queues.count_priority(leaf, None, Some(priority));
        // Only 1.5.1 reports without requests, and refreshes what P-02 left outdated (P-03).
        if priority != Priority::MIN || self.switches.priority_on_submit {
            self.queues.report_priority_up(leaf);
        }
        self.mark_account(key);
        self.mark_path(leaf);
        self.mark_app_set();
        self.refresh_app(key);
    }

    pub(super) fn drop_expired(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(oldest) = self.ended.front().filter(|oldest| is_expired(now, oldest)) {
            let kind = EventKind::AppState {
                app: oldest.id.clone(),
                state: AppState::Expired,
                message: None,
                allocated: Resource::new(),
            };
            events.push(Event::new(now, kind));
            self.ended.pop_front();
        }
    }

    pub(super) fn forget_ended(&mut self, now: Time, events: &mut Vec<Event>) {
        self.drop_expired(now, events);
        if !self.ended.is_empty() {
            self.set_timer(now + FORGET_EVERY, Timer::Forget);
        }
    }
}

/// Whether an application ended so long ago that it may be forgotten (SCH-172).
pub(super) fn is_expired(now: Time, app: &Application) -> bool {
    app.finished.is_some_and(|finished| now.since(finished) >= REMEMBERED)
}
