//! The counters that one allocation or release changes.

use std::iter;

use crate::index::{AppKey, AskKey, NodeKey, QueueKey};
use crate::interface::event::{Event, EventKind, Holder};
use crate::interface::switches::AskAgainPending;
use crate::state::app::Application;
use crate::state::app_rank::AppRank;
use crate::state::ask::{Allocation, Ask};
use crate::state::ask_log::TryResult;
use crate::state::partition::Partition;
use crate::state::queue::Queue;
use crate::state::task_group::TaskGroup;
use model::{AskId, Resource, Time};

impl Partition {
    /// A pending ask becomes an allocation: everything that this moves (SCH-017).
    pub(crate) fn commit(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        debug_assert!(self.fits_path(app, ask), "{} exceeds a maximum (SCH-095)", self.apps[app].asks[ask].id);
        self.put(now, app, ask, node, events);
    }

    /// Without a check of the maxima: an allocation stays when they are lowered.
    pub(crate) fn put(&mut self, now: Time, app: AppKey, ask: AskKey, node: NodeKey, events: &mut Vec<Event>) {
        self.unreserve(now, app, ask, events);
        let tried = &self.apps[app].asks[ask];
        if let Some(later) = tried.superseded.then(|| self.apps[app].ask_key(&tried.id)).flatten() {
            self.unreserve(now, app, later, events);
        }
        self.cancel_pending(app, ask);
        self.allocations_made += 1;
        self.charge_node(node, self.allocations_made, app, ask);
        let allocation = Allocation { node, number: self.allocations_made, since: now, preempted: false };
        self.book(now, app, ask, allocation, false, events);
        if self.apps[app].asks[ask].placeholder {
            self.placeholder_allocated(now, app, ask, events);
        } else {
            self.run_application(now, app, events);
        }
    }

    /// Whether an ask fits the maximum of every queue on its path, in each name that it needs (SCH-095).
    fn fits_path(&self, app: AppKey, ask: AskKey) -> bool {
        let Application { queue, asks, .. } = &self.apps[app];
        let fits = |queue: &Queue| {
            let space = queue.max.as_ref().map(|max| max.sub_only_existing(&queue.allocated));
            space.is_none_or(|space| space.fit_in_max_undef(&asks[ask].resource))
        };
        self.queues.path_up(*queue).iter().all(|key| fits(&self.queues[*key]))
    }

    pub(crate) fn cancel_pending(&mut self, app: AppKey, ask: AskKey) {
        let application = &mut self.apps[app];
        let decides = application.asks[ask].priority >= application.counted_priority;
        application.take_pending(ask, true);
        let resource = &application.asks[ask].resource;
        for key in self.queues.path_up(application.queue) {
            let queue = &mut self.queues[key];
            queue.pending.sub_assign(resource);
            queue.pending.prune();
        }
        if decides {
            self.refresh_stale(self.apps[app].queue);
        }
    }

    pub(crate) fn charge_node(&mut self, node: NodeKey, number: u64, app: AppKey, ask: AskKey) {
        let Ask { id, resource, .. } = &self.apps[app].asks[ask];
        self.nodes.change(node, |node| {
            node.allocated.add_assign(resource);
            node.allocations.insert(number, (app, ask));
        });
        self.nodes.report_placement(id, node, true);
        self.mark_allocation(node, number);
    }

    /// Undoes [`Partition::charge_node`] for each of these numbers and resources.
    pub(crate) fn free_node<'r>(
        &mut self,
        node: NodeKey,
        ended: impl Iterator<Item = (u64, &'r AskId, &'r Resource)> + Clone,
    ) {
        self.nodes.change(node, |node| {
            for (number, _, resource) in ended.clone() {
                node.allocated.sub_assign(resource);
                node.allocations.remove(&number);
            }
            node.allocated.prune();
        });
        for (number, id, _) in ended {
            self.nodes.report_placement(id, node, false);
            self.mark_allocation(node, number);
        }
    }

    /// All counters except the node's. `in_place`: uses the node resources of a placeholder.
    pub(crate) fn book(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        allocation: Allocation,
        in_place: bool,
        events: &mut Vec<Event>,
    ) {
        self.meter.count(now);
        let application = &mut self.apps[app];
        application.allocate(ask, allocation);
        let Ask { id, resource, placeholder, arrival, .. } = &application.asks[ask];
        self.placeholders += u64::from(*placeholder);
        let (arrival, leaf) = (*arrival, application.queue);
        let path = self.queues.path_up(leaf);
        for key in &path {
            let queue = &mut self.queues[*key];
            queue.allocated.add_assign(resource);
            queue.refresh_share();
        }
        self.usage.increase(&mut application.account, &path, &application.id, resource);
        let kind = EventKind::Allocated {
            app: application.id.clone(),
            ask: id.clone(),
            node: self.nodes[allocation.node].id.clone(),
            resource: resource.clone(),
            holder: Holder {
                queue: application.queue_path.clone(),
                user: self.usage.user_of(&application.account),
                group: self.usage.group_of(&application.account),
            },
            placeholder: *placeholder,
            in_place,
        };
        events.push(Event { at: now, kind });
        self.mark_ask(app, ask, arrival);
        self.mark_account(app);
        self.mark_path(leaf);
        self.refresh_app(app);
    }

    pub(crate) fn take_ask(&mut self, now: Time, app: AppKey, ask: AskKey, events: &mut Vec<Event>) -> Option<Ask> {
        self.unreserve(now, app, ask, events);
        self.untie(app, ask);
        let application = &mut self.apps[app];
        let counted = application.counted_priority;
        let taken = application.remove_ask(ask)?;
        let leaf = application.queue;
        if taken.allocation.is_none() && !taken.superseded && taken.priority >= counted {
            self.refresh_stale(leaf);
        }
        let application = &self.apps[app];
        let path = self.queues.path_up(leaf);
        if let Some(allocation) = &taken.allocation {
            self.usage.decrease(&application.account, &path, &taken.resource);
            self.placeholders -= u64::from(taken.placeholder);
            self.free_node(allocation.node, iter::once((allocation.number, &taken.id, &taken.resource)));
            self.mark_account(app);
        }
        self.end_preemption(app, &taken);
        for key in path {
            let queue = &mut self.queues[key];
            let sum = match taken.allocation {
                Some(_) => &mut queue.allocated,
                None if taken.superseded => continue,
                None => {
                    self.miscounted |= cut_off(&mut queue.pending, &taken.resource, self.switches.ask_again_pending);
                    queue.refresh_share();
                    continue;
                }
            };
            sum.sub_assign(&taken.resource);
            sum.prune();
            queue.refresh_share();
        }
        self.mark_ask(app, ask, taken.arrival);
        self.mark_path(leaf);
        self.refresh_app(app);
        Some(taken)
    }

    pub(crate) fn pending_on_path(&self, app: AppKey) -> (Resource, Vec<Resource>) {
        let application = &self.apps[app];
        let path = self.queues.path_up(application.queue);
        (application.pending.clone(), path.iter().map(|key| self.queues[*key].pending.clone()).collect())
    }

    /// 1.5.1 subtracts the count of the application from the queues, errors included (D-23).
    pub(crate) fn end_pending(&mut self, app: AppKey, (sum, queues): (Resource, Vec<Resource>)) {
        let application = &mut self.apps[app];
        application.pending = Resource::new();
        application.bands.end_pending();
        for (key, pending) in self.queues.path_up(application.queue).into_iter().zip(queues) {
            self.queues[key].pending = pending;
            self.miscounted |= cut_off(&mut self.queues[key].pending, &sum, self.switches.ask_again_pending);
        }
        self.refresh_app(app);
    }

    /// First the real ones, then placeholders. Nothing is subtracted if a release counts more than the queue has.
    pub(crate) fn take_off_queues(&mut self, app: AppKey, real: &Resource, placeholders: &Resource) {
        let path = self.queues.path_up(self.apps[app].queue);
        for counted in [real, placeholders] {
            if !path.iter().all(|key| self.queues[*key].allocated.fit_in(counted)) {
                self.miscounted = true;
                continue;
            }
            for key in &path {
                let queue = &mut self.queues[*key];
                queue.allocated.sub_assign(counted);
                queue.allocated.prune();
                queue.refresh_share();
            }
        }
        let application = &mut self.apps[app];
        application.allocated = Resource::new();
        application.allocated_placeholder = Resource::new();
        application.known_ids.counted = Resource::new();
    }

    pub(crate) fn refresh_app(&mut self, key: AppKey) {
        if self.apps[key].asleep.is_some() {
            self.end_backoff(key);
        }
        let app = &mut self.apps[key];
        let leaf = app.queue;
        let keys = app.pending.strictly_greater_than_zero().then(|| AppRank::keys_of(app, &self.queues[leaf]));
        let may_replace = keys.is_some() && app.task_groups.values().any(TaskGroup::may_replace);
        let stays = match (&keys, &app.rank) {
            (Some(keys), Some(rank)) => rank.is_current(keys),
            (keys, rank) => keys.is_none() && rank.is_none(),
        };
        if !stays || may_replace != app.may_replace {
            let rank = keys.map(|keys| AppRank::by(keys, app));
            let Queue { candidates, replacers, .. } = &mut self.queues[leaf];
            if let Some(old) = &app.rank {
                candidates.remove(old);
                replacers.remove(old);
            }
            if let Some(new) = &rank {
                candidates.insert(new.clone());
                if may_replace {
                    replacers.insert(new.clone());
                }
            }
            app.rank = rank;
            app.may_replace = may_replace;
        }
        let priority = app.priority();
        let counted = std::mem::replace(&mut app.counted_priority, priority);
        self.queues.note_priority(leaf, Some(counted), Some(priority));
        self.mark_app(key);
    }

    /// P-02: the releases report it when a request arrives that exceeds all pending ones, or one ends that none
    /// exceeded.
    pub(crate) fn refresh_stale(&mut self, leaf: QueueKey) {
        if self.switches.priority_cache {
            self.queues.report_priority_up(leaf);
        }
    }

    pub(crate) fn untried(ask: &mut Ask) {
        ask.tried = TryResult::Never;
        ask.fits_queue = true;
        ask.fits_limits = true;
    }
}

/// Down to 0 where a release may count too little. Returns whether that was necessary.
fn cut_off(pending: &mut Resource, by: &Resource, switch: AskAgainPending) -> bool {
    pending.sub_assign(by);
    let mut cut = false;
    if switch == AskAgainPending::LeavesOld {
        for (name, _) in by.iter() {
            if pending.amount(name) < 0 {
                pending.set(name, 0);
                cut = true;
            }
        }
    }
    pending.prune();
    cut
}
