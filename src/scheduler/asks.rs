//! Asks of applications (SCH-013, SCH-080).

use std::time::Duration;

use super::app::{Ask, Tried};
use super::command::AskSpec;
use super::event::{Event, EventKind};
use super::index::AppKey;
use super::partition::Partition;
use super::queue::ROOT;
use crate::model::{AppState, AskId, Resource, Time};

impl Partition {
    /// An application asks for something, once or several times.
    pub(super) fn ask(&mut self, now: Time, spec: &AskSpec, events: &mut Vec<Event>) {
        for (number, id) in (0..).zip(spec.ids()) {
            let created = now + Duration::from_micros(number);
            if let Err(message) = self.add_ask(now, created, id.clone(), spec, events) {
                let kind = EventKind::AskRejected { app: spec.app.clone(), ask: id, message };
                events.push(Event { at: now, kind });
            }
        }
    }

    /// Whether an ask would be taken, with `more` asked for before it. Gives its application.
    ///
    /// # Errors
    /// Why it would not.
    pub(super) fn check_ask(&self, id: &AskId, spec: &AskSpec, more: &Resource) -> Result<AppKey, String> {
        let app = self.app_key(&spec.app).ok_or_else(|| format!("there is no live application {:?}", spec.app))?;
        if !spec.resource.strictly_greater_than_zero() {
            return Err(format!("ask {id:?} of application {:?} asks for nothing", spec.app));
        }
        // Everything in the partition together must stay countable, or counters would drift by saturation.
        let root = &self.queues[ROOT];
        let mut counted = root.pending.add(&root.allocated);
        counted.add_assign(more);
        if !counted.adds_exactly(&spec.resource) {
            return Err(format!("ask {id:?} of application {:?} is too large to be counted with the others", spec.app));
        }
        if spec.placeholder && spec.task_group.is_none() {
            return Err(format!("placeholder {id:?} of application {:?} names no task group", spec.app));
        }
        if self.apps[app].state == AppState::Failing {
            return Err(format!("application {:?} is failing and takes no asks", spec.app));
        }
        let known = self.apps[app].ask_key(id).map(|known| &self.apps[app].asks[known]);
        if known.is_some_and(|known| known.allocation.is_some()) {
            return Err(format!("ask {id:?} of application {:?} is allocated already", spec.app));
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
        if let Some(known) = self.apps[app].ask_key(&id)
            && let Some(old) = self.take_ask(now, app, known, events)
        {
            self.apps[app].expect_less(&old);
        }
        let arrival = self.next_arrival();
        let ask = Ask {
            id: id.clone(),
            arrival,
            resource: spec.resource.clone(),
            priority: spec.priority,
            created,
            required_node: spec.required_node.clone(),
            allow_preempt_self: spec.allow_preempt_self,
            allow_preempt_other: spec.allow_preempt_other,
            originator: spec.originator,
            placeholder: spec.placeholder,
            task_group: spec.task_group.clone(),
            allocation: None,
            released: false,
            takes_over: None,
            gives_way: None,
            tried: Tried::Never,
            fits_queue: true,
            fits_limits: true,
            preempted_others: false,
            preemption_tried: None,
            no_victim_told: None,
            predicates_told: None,
        };
        self.apps[app].expect(&ask);
        self.add_pending(app, ask);
        if matches!(self.apps[app].state, AppState::New | AppState::Completing) {
            self.run_application(now, app, events);
        }
        let kind = EventKind::AskAdded { app: spec.app.clone(), ask: id, resource: spec.resource.clone() };
        events.push(Event { at: now, kind });
        Ok(())
    }

    /// Adds a pending ask with the counters that it moves.
    fn add_pending(&mut self, app: AppKey, ask: Ask) {
        let application = &mut self.apps[app];
        let leaf = application.queue;
        for queue in self.queues.path_up(leaf) {
            self.queues[queue].pending.add_assign(&ask.resource);
        }
        let arrival = ask.arrival;
        let key = application.add_ask(ask);
        self.touch_ask(app, key, arrival);
        self.touch_path(leaf);
        self.refresh_app(app);
    }
}
