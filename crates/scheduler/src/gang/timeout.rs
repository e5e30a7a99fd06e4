//! The timer of a gang, and the consequences of ended placeholders (SCH-145 to SCH-147).

use std::time::Duration;

use crate::index::{AppKey, AskKey};
use crate::interface::command::GangStyle;
use crate::interface::event::{Event, ReleaseReason};
use crate::lifecycle::LastEnd;
use crate::placement::tag;
use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use crate::state::task_group::TaskGroup;
use crate::state::timer::Timer;
use model::{AppState, Time};

/// If the gang has none (SCH-145).
const TIMEOUT: Duration = Duration::from_secs(15 * 60);
const LEAST: Duration = Duration::from_millis(1);
/// In seconds of the scheduler's clock; the time since then is subtracted.
const CREATED_TAG: &str = "yunikorn.apache.org/creationTime";
const NOT_TOGETHER: &str = "ResourceReservationTimeout";

impl Application {
    fn gang_time(&self) -> Duration {
        let time = self.placeholder_timeout.filter(|timeout| *timeout >= LEAST).unwrap_or(TIMEOUT);
        let created = tag(&self.tags, CREATED_TAG).and_then(|seconds| seconds.parse::<u64>().ok());
        match created {
            None => time,
            Some(seconds) => {
                let passed = self.submitted.since(Time::ZERO + Duration::from_secs(seconds));
                time.saturating_sub(passed).max(LEAST)
            }
        }
    }

    fn allocated_placeholders(&self) -> Vec<AskKey> {
        let reserved = self.allocations.values().copied();
        reserved.filter(|key| self.asks[*key].placeholder && !self.asks[*key].continues_anyway()).collect()
    }

    pub(crate) fn task_group_of(&mut self, placeholder: AskKey) -> Option<&mut TaskGroup> {
        let name = self.asks[placeholder].rare.task_group.as_ref()?;
        self.task_groups.get_mut(name)
    }
}

impl Partition {
    /// The first placeholder starts the timer, the last makes the application run (SCH-142, SCH-145). Until then the
    /// application counts against the application maxima (SCH-084).
    pub(crate) fn placeholder_allocated(&mut self, now: Time, app: AppKey, ask: AskKey, events: &mut Vec<Event>) {
        let application = &self.apps[app];
        let first = application.allocated_placeholder == application.asks[ask].resource;
        let complete = application.allocated_placeholder == application.placeholder_ask;
        if first && application.state == AppState::Accepted && application.placeholder_timer.is_none() {
            let timer = self.set_timer(now + application.gang_time(), Timer::Placeholder(app));
            self.apps[app].placeholder_timer = Some(timer);
        }
        if complete {
            self.run_application(now, app, events);
        }
        self.hold_place(app);
    }

    /// The gang's time is over (SCH-146).
    pub(crate) fn placeholder_timeout(&mut self, due: Time, app: AppKey, events: &mut Vec<Event>) {
        let Some(application) = self.apps.get_mut(app) else { return };
        application.placeholder_timer = None;
        match application.state {
            AppState::Starting | AppState::Running | AppState::Completing => {
                if !self.switches.timed_out_when_gone {
                    for placeholder in application.allocated_placeholders() {
                        application.task_group_of(placeholder).into_iter().for_each(TaskGroup::note_timed_out);
                    }
                }
                self.release_placeholders(app);
            }
            AppState::New | AppState::Accepted => self.give_up_gang(due, app, events),
            _ => {}
        }
    }

    fn give_up_gang(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        match self.apps[app].gang_style {
            GangStyle::Soft => self.resume_application(now, app, NOT_TOGETHER, events),
            GangStyle::Hard => self.fail_application(now, app, NOT_TOGETHER, events),
        }
        if self.switches.timed_out_when_gone {
            self.count_missing(app);
        }
        self.remove_asks(now, app, ReleaseReason::Timeout, events);
        if !self.switches.timed_out_when_gone {
            for group in self.apps[app].task_groups.values_mut() {
                group.timed_out = group.count;
            }
        }
        if self.switches.gang_timeout_real {
            self.release_everything_of_gang(app);
        } else {
            self.release_placeholders(app);
        }
    }

    /// Allocated placeholders count when they are removed (P-07), as do real requests in the releases that treat them
    /// as placeholders (P-21).
    fn count_missing(&mut self, app: AppKey) {
        let counts_real = self.switches.gang_timeout_real;
        let Application { pending_order, asks, task_groups, .. } = &mut self.apps[app];
        for (.., key) in pending_order.iter() {
            let ask = &asks[*key];
            let name = ask.rare.task_group.as_ref().filter(|_| ask.placeholder || counts_real);
            if let Some(group) = name.and_then(|name| task_groups.get_mut(name)) {
                group.timed_out += 1;
            }
        }
    }

    /// Including real allocations, in the order of ids (P-21).
    fn release_everything_of_gang(&mut self, app: AppKey) {
        let Application { allocations, asks, .. } = &self.apps[app];
        let mut stopped: Vec<AskKey> = allocations.values().copied().filter(|key| !asks[*key].released).collect();
        stopped.sort_by(|one, other| asks[*one].id.cmp(&asks[*other].id));
        for ask in stopped {
            self.stop(app, ask, ReleaseReason::Timeout);
        }
    }

    /// Asks the resource manager to stop all placeholders that stand (SCH-146, SCH-147).
    pub(crate) fn release_placeholders(&mut self, app: AppKey) {
        for placeholder in self.apps[app].allocated_placeholders() {
            self.stop(app, placeholder, ReleaseReason::Timeout);
        }
    }

    /// A placeholder ended without giving way (SCH-144, P-07).
    pub(crate) fn note_timed_out(&mut self, app: AppKey, ended: &Ask, reason: ReleaseReason) {
        if reason != ReleaseReason::Timeout || self.switches.timed_out_when_gone {
            let unbounded = self.switches.gang_timeout_real;
            let Some(group) = self.apps[app].group_of(ended) else { return };
            if unbounded {
                group.timed_out += 1;
            } else {
                group.note_timed_out();
            }
        }
    }

    /// What follows once the last placeholder no longer exists (SCH-170).
    pub(crate) fn placeholder_gone(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        if !self.stop_idle_placeholder_timer(app) {
            return;
        }
        let application = &self.apps[app];
        match application.state {
            AppState::Failing => {
                let message = application.message.clone().unwrap_or_default();
                if self.switches.gang_failed_leak {
                    self.leave_allocations_behind(now, app, events);
                } else {
                    self.release_everything(now, app, events);
                }
                self.fail_application(now, app, &message, events);
            }
            AppState::Resuming => self.run_application(now, app, events),
            AppState::Completing if application.state_timer.is_none() => {
                self.complete_application(now, app, LastEnd::Allocation, events);
            }
            _ if application.is_idle() => self.complete_application(now, app, LastEnd::Allocation, events),
            _ => {}
        }
    }

    /// Returns whether no placeholder is left.
    pub(crate) fn stop_idle_placeholder_timer(&mut self, app: AppKey) -> bool {
        let none = self.apps[app].allocated_placeholder.is_zero();
        if none {
            self.stop_placeholder_timer(app);
        }
        none
    }

    pub(crate) fn stop_placeholder_timer(&mut self, app: AppKey) {
        if let Some(timer) = self.apps[app].placeholder_timer.take() {
            self.timers.remove(&timer);
        }
    }
}
