//! Quota preemption: a queue that was above its maximum for longer than its delay is brought down to it (N-01 of
//! `profiles.md`, section 10).
//!
//! This module decides when (10.1) with the times from `timing`, `excess` how much (10.2), `victims` which allocations
//! (10.3). They read a `tree`, so a view gives the same answers as the scheduler.
//!
//! Invariants:
//! - choosing changes nothing: all victims of one pass are known before the first one is changed;
//! - a timer is set exactly while the partition enforces maxima and a queue has a time.

mod excess;
mod timing;
mod tree;
mod victims;

pub use self::excess::{QuotaPlan, quota_plan};
pub use self::timing::{QuotaAfter, QuotaBefore, is_above, look_after, time_after};
pub use self::tree::{QuotaAsk, QuotaLaw, QuotaQueue, QuotaTree};

use std::sync::Arc;

use crate::index::{AppKey, AskKey, QueueKey};
use crate::interface::event::{Event, EventKind};
use crate::state::partition::Partition;
use crate::state::queue::{Queue, ROOT};
use crate::state::timer::Timer;
use model::{Resource, Time};

type Plan = QuotaPlan<(AppKey, AskKey)>;

impl Queue {
    /// Whether the usage exceeds the maximum in a name that both have.
    pub fn is_above_max(&self) -> bool {
        is_above(&self.allocated, self.max.as_ref())
    }
}

impl Partition {
    /// Sets, moves or drops the time of a queue that a configuration has just settled (section 10.1).
    pub(crate) fn arm_by_reload(&mut self, now: Time, key: QueueKey, before: &QuotaBefore) {
        if !self.switches.quota_preemption {
            return;
        }
        let law = QuotaLaw::from(&self.switches);
        let queue = &mut self.queues[key];
        let after = QuotaAfter {
            delay: queue.settings.properties.quota_preemption_delay,
            has_key: queue.settings.merged.contains_key("quota.preemption.delay"),
            allocated: &queue.allocated,
            max: queue.max.as_ref(),
        };
        queue.quota_due = time_after(law, now, queue.quota_due, before, &after);
    }

    /// An allocation has grown by itself: the queues that it takes above their maximum get their time (N-02).
    pub(crate) fn arm_by_growth(&mut self, now: Time, path: &[QueueKey]) {
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

    /// At a full second, if a queue has a time.
    pub(crate) fn schedule_quota_look(&mut self, now: Time) {
        let waits = |queue: &Queue| queue.quota_due.is_some();
        if self.quota_preemption && !self.quota_timer && self.queues.iter().any(waits) {
            self.quota_timer = true;
            self.set_timer(look_after(now, now), Timer::Quota);
        }
    }

    pub(crate) fn enforce_quotas(&mut self, now: Time, events: &mut Vec<Event>) {
        self.quota_timer = false;
        if !self.quota_preemption {
            return;
        }
        let due = self.due_quotas(now);
        let plans: Vec<Plan> = due.into_iter().filter_map(|key| quota_plan(self, key)).collect();
        let grounds = |plan: &Plan| {
            let key = self.queues.find(&plan.queue)?;
            Some(Arc::new(self.grounds_of_maximum(key, plan)))
        };
        let grounds: Vec<_> = plans.iter().map(grounds).collect();
        let mut victims = Vec::new();
        for (number, plan) in plans.iter().enumerate() {
            victims.extend(plan.victims.iter().map(|victim| (number, *victim)));
        }
        victims.sort_by(|(_, one), (_, other)| self.victim_name(*one).cmp(&self.victim_name(*other)));
        for (number, victim) in victims {
            let (queue, grounds) = (plans[number].queue.clone(), grounds[number].clone());
            let kind = |app, ask, resource| EventKind::QuotaPreempted { app, ask, queue, resource, grounds };
            self.take_victim(now, victim, kind, events);
        }
        for plan in plans.into_iter().filter(|plan| plan.had_candidates) {
            events.push(Event::new(now, self.quota_enforced(plan)));
        }
        self.schedule_quota_look(now);
    }

    /// Clears their time, and that of queues within their maximum.
    fn due_quotas(&mut self, now: Time) -> Vec<QueueKey> {
        let mut due = Vec::new();
        let mut stack = vec![ROOT];
        while let Some(key) = stack.pop() {
            let queue = &mut self.queues[key];
            let within = queue.max.is_some() && !queue.is_above_max();
            let runs = !within && queue.quota_due.is_some_and(|due| due <= now);
            let over = (within || runs) && queue.quota_due.take().is_some();
            if !runs {
                stack.extend(queue.children.iter().rev());
            }
            due.extend(runs.then_some(key));
            if over {
                self.mark_queue(key);
            }
        }
        due
    }

    fn quota_enforced(&self, plan: Plan) -> EventKind {
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
