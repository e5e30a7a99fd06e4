//! Quota preemption: a queue that has been above its maximum for its delay is brought down to it (N-01 of `profiles.md`, section 10).
//!
//! Where to read: here is when that is (section 10.1), [`excess`] says how much goes and how children share it (10.2), [`victims`] which
//! allocations go (10.3).
//!
//! Invariants:
//! - choosing changes nothing; the victims of one look are all known before the first one is changed;
//! - a timer is set exactly while the partition enforces maxima and a queue has its time.

mod excess;
mod victims;

use std::time::Duration;

use crate::model::{QueuePath, Resource, Time};
use crate::scheduler::index::{AppKey, AskKey, QueueKey};
use crate::scheduler::interface::event::{Event, EventKind};
use crate::scheduler::state::partition::Partition;
use crate::scheduler::state::queue::{Queue, ROOT};
use crate::scheduler::state::timer::Timer;

/// A second, in microseconds: as often it is looked for maxima to enforce.
const SECOND: u64 = 1_000_000;

/// What a queue was before a reload.
pub(in crate::scheduler) struct QuotaBefore {
    /// Its maximum; `None` also for a queue that the reload made.
    pub max: Option<Resource>,
    /// Its delay.
    pub delay: Duration,
}

/// What enforcing the maximum of one queue comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaPlan {
    /// The queue.
    pub queue: QueuePath,
    /// How much is to go.
    pub excess: Resource,
    /// Which allocations go, in the order in which they are chosen.
    pub victims: Vec<(AppKey, AskKey)>,
    /// Whether there were allocations to choose from.
    had_candidates: bool,
}

impl Queue {
    /// Whether it uses more than its maximum in some name of both.
    pub fn is_above_max(&self) -> bool {
        let above = |max: &Resource| max.iter().any(|(name, most)| self.allocated.get(name).is_some_and(|a| a > most));
        self.max.as_ref().is_some_and(above)
    }
}

impl Partition {
    /// Sets, moves or drops the time of a queue that a configuration has just settled (section 10.1).
    pub(in crate::scheduler) fn arm_by_reload(&mut self, now: Time, key: QueueKey, before: &QuotaBefore) {
        if !self.switches.quota_preemption {
            return;
        }
        let keeps_time = self.switches.quota_keeps_time;
        let queue = &mut self.queues[key];
        let delay = queue.settings.properties.quota_preemption_delay;
        let has_key = queue.settings.merged.contains_key("quota.preemption.delay");
        if keeps_time && (!has_key || delay.is_zero()) {
            return;
        }
        queue.quota_due = if delay.is_zero() || !queue.is_above_max() {
            None
        } else {
            match (queue.quota_due, change(before.max.as_ref(), queue.max.as_ref())) {
                (due, Change::Other) => due,
                (Some(due), _) => Some(moved(due, delay, before.delay)),
                (None, Change::Lowered) => Some(now + delay),
                (None, Change::Same) => before.delay.is_zero().then(|| now + delay),
                (None, Change::Raised) => None,
            }
        };
    }

    /// An allocation has grown by itself: the queues that it takes above their maximum get their time (N-02).
    pub(in crate::scheduler) fn arm_by_growth(&mut self, now: Time, path: &[QueueKey]) {
        if !self.switches.quota_arm || !self.quota_preemption {
            return;
        }
        for key in path {
            let queue = &mut self.queues[*key];
            let delay = queue.settings.properties.quota_preemption_delay;
            if queue.managed && queue.quota_due.is_none() && !delay.is_zero() && queue.is_above_max() {
                queue.quota_due = Some(now + delay);
            }
        }
        self.schedule_quota_look(now);
    }

    /// Sets the timer of the next look, at the next full second, if there is anything to look at.
    pub(in crate::scheduler) fn schedule_quota_look(&mut self, now: Time) {
        let waits = |queue: &Queue| queue.quota_due.is_some();
        if self.quota_preemption && !self.quota_timer && self.queues.iter().any(waits) {
            self.quota_timer = true;
            let due = (now.0 / SECOND).saturating_add(1).saturating_mul(SECOND);
            self.set_timer(Time(due), Timer::Quota);
        }
    }

    /// Looks for queues whose time has come, and brings them down.
    pub(in crate::scheduler) fn enforce_quotas(&mut self, now: Time, events: &mut Vec<Event>) {
        self.quota_timer = false;
        if !self.quota_preemption {
            return;
        }
        let plans: Vec<QuotaPlan> = self.due_quotas(now).into_iter().map(|key| self.quota_plan(key)).collect();
        let mut victims = Vec::new();
        for (number, plan) in plans.iter().enumerate() {
            victims.extend(plan.victims.iter().map(|victim| (number, *victim)));
        }
        victims.sort_by(|(_, one), (_, other)| self.victim_name(*one).cmp(&self.victim_name(*other)));
        for (number, victim) in victims {
            let queue = plans[number].queue.clone();
            let kind = |app, ask, resource| EventKind::QuotaPreempted { app, ask, queue, resource };
            self.take_victim(now, victim, kind, events);
        }
        for plan in plans.into_iter().filter(|plan| plan.had_candidates) {
            events.push(Event::new(now, self.quota_enforced(plan)));
        }
        self.schedule_quota_look(now);
    }

    /// The queues whose time has come by now. Their time is taken off them, and off those that are within their maximum.
    fn due_quotas(&mut self, now: Time) -> Vec<QueueKey> {
        let mut due = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(key) = stack.pop() {
            let queue = &mut self.queues[key];
            if queue.max.is_some() && !queue.is_above_max() {
                queue.quota_due = None;
            } else if queue.quota_due.is_some_and(|due| due <= now) {
                queue.quota_due = None;
                due.push(key);
                continue;
            }
            stack.extend(queue.children.iter().rev());
        }
        due
    }

    fn quota_enforced(&self, plan: QuotaPlan) -> EventKind {
        let mut preempted = Resource::new();
        for (app, ask) in &plan.victims {
            preempted.add_assign(&self.apps[*app].asks[*ask].resource);
        }
        let max = self.queues.find(&plan.queue).and_then(|key| self.queues[key].max.clone()).unwrap_or_default();
        let victims = plan.victims.len() as u64;
        EventKind::QuotaEnforced { queue: plan.queue, max, excess: plan.excess, preempted, victims }
    }

    fn victim_name(&self, (app, ask): (AppKey, AskKey)) -> (&str, &str) {
        let app = &self.apps[app];
        (app.id.as_str(), app.asks[ask].id.as_str())
    }
}

/// What a reload did to a maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Same,
    /// No name got more, one got less.
    Lowered,
    /// No name got less, one got more.
    Raised,
    /// One up, one down; or the first maximum.
    Other,
}

fn change(before: Option<&Resource>, now: Option<&Resource>) -> Change {
    let (Some(before), Some(now)) = (before, now) else { return Change::Other };
    let names = || before.iter().chain(now.iter()).map(|(name, _)| name);
    let up = names().any(|name| now.amount(name) > before.amount(name));
    let down = names().any(|name| now.amount(name) < before.amount(name));
    match (up, down) {
        (false, false) => Change::Same,
        (false, true) => Change::Lowered,
        (true, false) => Change::Raised,
        (true, true) => Change::Other,
    }
}

/// A time that was set by one delay, as the other would have set it; it may be past.
fn moved(due: Time, delay: Duration, before: Duration) -> Time {
    if delay >= before { due + (delay - before) } else { due - (before - delay) }
}
