//! Requests that a release treats as allocated although their allocation ended (D-23).

use crate::index::AppKey;
use crate::interface::event::{Event, EventKind};
use crate::lifecycle::LastEnd;
use crate::state::node::LeftBehind;
use crate::state::partition::Partition;
use model::{AppState, AskId, Resource, Time};

impl Partition {
    pub(crate) fn is_spent(&self, app: AppKey, id: &AskId) -> bool {
        self.apps[app].known_ids.spent(id).is_some()
    }

    /// As for an allocated request, every counter uses the new size, although nothing runs.
    ///
    /// # Errors
    /// The node does not exist.
    pub(crate) fn ask_spent_again(
        &mut self,
        now: Time,
        app: AppKey,
        id: &AskId,
        to: &Resource,
        events: &mut Vec<Event>,
    ) -> Result<(), String> {
        let application = &mut self.apps[app];
        let Some(spent) = application.known_ids.spent_mut(id) else { return Ok(()) };
        let (on, priority) = (spent.node.clone(), spent.priority);
        let Some(node) = self.nodes.find(&on) else {
            return Err(format!(
                "request {id:?} of application {:?} is allocated on node {on:?}, which is removed",
                application.id
            ));
        };
        if spent.resource == *to {
            return Ok(());
        }
        let before = std::mem::replace(&mut spent.resource, to.clone());
        let change = |sum: &mut Resource| {
            sum.sub_assign(&before);
            sum.add_assign(to);
            sum.prune();
        };
        change(&mut application.allocated);
        change(&mut application.known_ids.counted);
        application.bands.sub(priority, true, &before);
        application.bands.add(priority, true, to);
        application.max_allocated = application.max_allocated.max(&application.allocated);
        let path = self.queues.path_up(application.queue);
        self.usage.decrease(&application.account, &path, &before);
        self.usage.increase(&mut application.account, &path, &application.id, to);
        let owner = application.id.clone();
        for key in &path {
            let queue = &mut self.queues[*key];
            change(&mut queue.allocated);
            queue.refresh_share();
        }
        let left = LeftBehind { app: owner.clone(), ask: id.clone(), resource: to.sub(&before), listed: false };
        self.nodes.resize(node, |node| {
            change(&mut node.allocated);
            node.left_behind.push(left);
        });
        self.miscounted = true;
        let resized =
            EventKind::AskResized { app: owner, ask: id.clone(), resource: to.clone(), before, allocated: true };
        events.push(Event::new(now, resized));
        self.mark_node(node);
        self.mark_account(app);
        self.mark_path(self.apps[app].queue);
        self.refresh_app(app);
        self.arm_by_growth(now, &path);
        Ok(())
    }

    /// The application completes if it has nothing left (SCH-170).
    pub(crate) fn cancel_spent(&mut self, now: Time, app: AppKey, id: &AskId, events: &mut Vec<Event>) {
        let Some(spent) = self.apps[app].known_ids.cancel(id) else { return };
        let application = &self.apps[app];
        let kind = EventKind::AskSpent { app: application.id.clone(), ask: id.clone(), resource: spent.resource };
        events.push(Event::new(now, kind));
        if spent.priority >= application.counted_priority {
            self.refresh_stale(application.queue);
        }
        self.mark_app(app);
        let application = &self.apps[app];
        if application.allocated_placeholder.is_zero() && application.state != AppState::Failing {
            self.complete_if_idle(now, app, LastEnd::Ask, events);
        }
    }
}
