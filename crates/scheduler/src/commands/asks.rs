//! Requests of applications (SCH-013, SCH-080).

use std::time::Duration;

use crate::index::{AppKey, AskKey};
use crate::interface::command::AskSpec;
use crate::interface::event::{Event, EventKind};
use crate::interface::switches::{AskAgainAllocated, AskAgainPending};
use crate::state::ask::{Allocation, Ask};
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use model::{AppState, AskId, Resource, Time};

const MANY: u32 = 4;
/// Few, because the requests may still be rejected.
const SPACE: u32 = 10_000;

impl Partition {
    pub(crate) fn ask(&mut self, now: Time, spec: &AskSpec, events: &mut Vec<Event>) {
        if let Some(app) = self.app_key(&spec.app).filter(|_| spec.count > MANY) {
            self.apps[app].make_space(spec.count.min(SPACE) as usize);
        }
        for (number, id) in (0..).zip(spec.ids()) {
            let created = spec.created.map_or(now, |created| created.min(now)) + Duration::from_micros(number);
            if let Err(message) = self.add_ask(now, created, id.clone(), spec, events) {
                let kind = if spec.has_no_group() && self.app_key(&spec.app).is_some() {
                    EventKind::Refused { message }
                } else {
                    EventKind::AskRejected { app: spec.app.clone(), ask: id, message }
                };
                events.push(Event { at: now, kind });
            }
        }
    }

    /// Checks a request that comes after `more` resources.
    ///
    /// # Errors
    /// The reason for the rejection.
    pub(crate) fn check_ask(&self, id: &AskId, spec: &AskSpec, more: &Resource) -> Result<AppKey, String> {
        let app = self.app_key(&spec.app).ok_or_else(|| format!("no active application {:?}", spec.app))?;
        if !spec.resource.strictly_greater_than_zero() {
            return Err(format!("request {id:?} of application {:?} is empty", spec.app));
        }
        // The sum of the partition must not overflow: saturation would make counters drift.
        let root = &self.queues[ROOT];
        let mut counted = root.pending.add(&root.allocated);
        counted.add_assign(more);
        if !counted.adds_exactly(&spec.resource) {
            return Err(format!(
                "request {id:?} of application {:?} is too large: the sum of all requests overflows",
                spec.app
            ));
        }
        if spec.has_no_group() {
            return Err(format!("placeholder {id:?} of application {:?} has no task group", spec.app));
        }
        if let Some(state) = self.apps[app].ending {
            return Err(format!("application {:?} is about to be {state} and accepts no requests", spec.app));
        }
        // In the releases only its gang makes an application fail, which then accepts requests until the last
        // placeholder is removed.
        if self.apps[app].state == AppState::Failing && !self.switches.gang_failed_leak {
            return Err(format!("application {:?} is failing and accepts no requests", spec.app));
        }
        let known = self.apps[app].ask_key(id).map(|known| &self.apps[app].asks[known]);
        let refused = self.switches.ask_again_allocated == AskAgainAllocated::Refused;
        if refused && known.is_some_and(|known| known.allocation.is_some()) {
            return Err(format!("request {id:?} of application {:?} is already allocated", spec.app));
        }
        Ok(app)
    }

    fn add_ask(
        &mut self,
        now: Time,
        created: Time,
        id: AskId,
        spec: &AskSpec,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let app = self.check_ask(&id, spec, &Resource::new())?;
        if self.is_spent(app, &id) {
            return self.ask_spent_again(now, app, &id, &spec.resource, events);
        }
        let known = self.apps[app].ask_key(&id);
        if let Some(known) = known
            && self.asked_again(now, app, known, &spec.resource, events)
        {
            return Ok(());
        }
        let arrival = self.next_arrival();
        let ask = Ask::new(id.clone(), arrival, created, spec);
        self.apps[app].expect(&ask);
        self.add_pending(app, ask);
        if matches!(self.apps[app].state, AppState::New | AppState::Completing) {
            self.run_application(now, app, events);
        }
        let kind = EventKind::AskAdded { app: spec.app.clone(), ask: id, resource: spec.resource.clone() };
        events.push(Event { at: now, kind });
        Ok(())
    }

    /// Handles a repeated id (D-23). Returns whether that is all.
    fn asked_again(
        &mut self,
        now: Time,
        app: AppKey,
        known: AskKey,
        resource: &Resource,
        events: &mut Vec<Event>,
    ) -> bool {
        let allocated = self.apps[app].asks[known].allocation.is_some();
        match (allocated, self.switches.ask_again_pending, self.switches.ask_again_allocated) {
            (false, AskAgainPending::Replaces, _) => {
                if let Some(old) = self.take_ask(now, app, known, events) {
                    self.apps[app].expect_less(&old);
                }
                false
            }
            (false, AskAgainPending::LeavesOld, _) => {
                self.supersede(app, known);
                false
            }
            (true, _, AskAgainAllocated::Second) => false,
            (false, AskAgainPending::Resizes, _) | (true, ..) => {
                self.resize(now, app, known, resource, events);
                true
            }
        }
    }

    /// Stops counting a pending request that is still tried. The application keeps its priority until a request of at
    /// least this priority is allocated or removed.
    fn supersede(&mut self, app: AppKey, ask: AskKey) {
        let application = &mut self.apps[app];
        let priority = application.priority();
        let old = &mut application.asks[ask];
        if std::mem::replace(&mut old.superseded, true) {
            return;
        }
        application.retained_priority = Some(priority);
        application.pending.sub_assign(&old.resource);
        application.pending.prune();
        application.bands.sub(old.priority, false, &old.resource);
        for queue in self.queues.path_up(application.queue) {
            let pending = &mut self.queues[queue].pending;
            pending.sub_assign(&old.resource);
            pending.prune();
        }
        self.refresh_app(app);
    }

    /// Removes superseded requests, and their error in the pending sums.
    pub(crate) fn drop_leftovers(&mut self, now: Time, app: AppKey, events: &mut Vec<Event>) {
        if self.switches.ask_again_pending != AskAgainPending::LeavesOld {
            return;
        }
        let left: Vec<AskKey> = self.apps[app].pending_order.iter().map(|(.., ask)| *ask).collect();
        let before = self.pending_on_path(app);
        for ask in left {
            self.take_ask(now, app, ask, events);
        }
        self.end_pending(app, before);
    }

    /// Changes the size of a request or an allocation, even if the new size does not fit.
    fn resize(&mut self, now: Time, app: AppKey, ask: AskKey, to: &Resource, events: &mut Vec<Event>) {
        let application = &mut self.apps[app];
        let path = self.queues.path_up(application.queue);
        let resized = &mut application.asks[ask];
        if resized.resource == *to {
            return;
        }
        let before = std::mem::replace(&mut resized.resource, to.clone());
        let change = |sum: &mut Resource| {
            sum.sub_assign(&before);
            sum.add_assign(to);
            sum.prune();
        };
        let (allocation, arrival) = (resized.allocation, resized.arrival);
        // As in the releases, the growth of a placeholder counts as really allocated.
        change(if allocation.is_none() { &mut application.pending } else { &mut application.allocated });
        let priority = resized.priority;
        application.bands.sub(priority, allocation.is_some(), &before);
        application.bands.add(priority, allocation.is_some(), to);
        for key in &path {
            let queue = &mut self.queues[*key];
            change(if allocation.is_some() { &mut queue.allocated } else { &mut queue.pending });
            queue.refresh_share();
        }
        let kind = EventKind::AskResized {
            app: application.id.clone(),
            ask: application.asks[ask].id.clone(),
            resource: to.clone(),
            before: before.clone(),
            allocated: allocation.is_some(),
        };
        events.push(Event::new(now, kind));
        if let Some(Allocation { node, number, .. }) = allocation {
            application.max_allocated = application.max_allocated.max(&application.allocated);
            self.usage.decrease(&application.account, &path, &before);
            self.usage.increase(&mut application.account, &path, &application.id, to);
            self.nodes.resize(node, |node| change(&mut node.allocated));
            self.mark_allocation(node, number);
            self.mark_account(app);
        }
        self.mark_ask(app, ask, arrival);
        self.mark_path(self.apps[app].queue);
        self.refresh_app(app);
        if allocation.is_some() {
            self.arm_by_growth(now, &path);
        }
    }

    fn add_pending(&mut self, app: AppKey, ask: Ask) {
        let application = &mut self.apps[app];
        let leaf = application.queue;
        for queue in self.queues.path_up(leaf) {
            self.queues[queue].pending.add_assign(&ask.resource);
        }
        let (arrival, leads) = (ask.arrival, ask.priority > application.counted_priority);
        let key = application.add_ask(ask);
        self.mark_ask(app, key, arrival);
        self.mark_path(leaf);
        self.refresh_app(app);
        if leads {
            self.refresh_stale(leaf);
        }
    }
}
