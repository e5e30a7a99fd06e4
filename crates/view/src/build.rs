//! Builds views of a scheduler incrementally.
//!
//! The first view reads everything. A later view costs only what changed: rows of untouched objects share their
//! allocation with the previous view.

use std::sync::Arc;

use imbl::Vector;

use super::act::Configuration;
use super::history::{self, History};
use super::notice::{Notice, NoticeWeight};
use super::row_builder::{app_row, ask_notes, ask_row, group_of, node_row, queue_row, settings_of};
use super::rows::{AppRow, NodeAllocation};
use super::sample::Sample;
use super::snapshot::{PartitionView, View};
use super::users::{self, Side, UsageBuilder};
use model::{NodeId, Time};
use scheduler::index::{AppKey, AskKey, NodeKey, QueueKey, SlabKey};
use scheduler::quota::QuotaTree;
use scheduler::state::dirty::Dirty;
use scheduler::state::queue::Settings;
use scheduler::usage::QueueLimits;
use scheduler::{Partition, Scheduler};

/// Builds the views of one scheduler.
#[derive(Debug, Default)]
pub struct ViewBuilder {
    view: View,
    partitions: Vec<PartitionBuilder>,
    rate_changes: Option<Time>,
    notice_count: u64,
    changed: bool,
    history: History,
}

#[derive(Debug, Default)]
struct PartitionBuilder {
    /// The settings behind each queue row, by slot.
    settings: Vec<Option<Arc<Settings>>>,
    node_ids: Vec<Option<NodeId>>,
    users: UsageBuilder,
    groups: UsageBuilder,
    ended_seen: u64,
}

impl ViewBuilder {
    /// `None` if it equals the previous one.
    pub fn update(&mut self, now: Time, scheduler: &mut Scheduler) -> Option<Arc<View>> {
        let names = |view: &View| view.partitions.iter().map(|p| Arc::clone(&p.name)).collect::<Vec<_>>();
        let mut changed = std::mem::take(&mut self.changed);
        if names(&self.view) != scheduler.partitions().iter().map(|p| Arc::clone(&p.name)).collect::<Vec<_>>() {
            self.reset(scheduler);
            changed = true;
        }
        let parts = self.view.partitions.iter_mut().zip(&mut self.partitions);
        for ((view, builder), partition) in parts.zip(scheduler.partitions_mut()) {
            changed |= builder.update(view, partition);
        }
        changed |= self.update_rate(now, scheduler);
        if !changed {
            return None;
        }
        self.view.generation += 1;
        self.view.stuck_after = scheduler.tuning().stuck_after;
        self.view.at = now;
        Some(Arc::new(self.view.clone()))
    }

    /// The last view.
    pub fn last(&self) -> Arc<View> {
        Arc::new(self.view.clone())
    }

    /// Makes the next view update all pending requests: their counts change in every cycle and are otherwise updated
    /// rarely.
    pub fn show_pending(&mut self, scheduler: &mut Scheduler) {
        scheduler.partitions_mut().iter_mut().for_each(Partition::mark_pending);
    }

    /// The state to save across restarts: the notices, their total number, and the samples.
    pub fn saved(&self) -> (&Vector<Arc<Notice>>, u64, &Vector<Arc<Sample>>) {
        (&self.view.notices, self.notice_count, self.history.samples())
    }

    /// Numbers the next view after `generation`, which another builder used. Returns that generation.
    pub fn skip_generation(&mut self, generation: u64) -> u64 {
        self.view.generation = self.view.generation.max(generation) + 1;
        self.view.generation
    }

    /// Restores the state from [`ViewBuilder::saved`].
    pub fn restore(&mut self, notices: Vec<Notice>, notice_count: u64, samples: Vec<Sample>) {
        self.changed = true;
        self.view.notices = notices.into_iter().map(Arc::new).collect();
        self.notice_count = notice_count;
        self.history = History::default();
        samples.into_iter().for_each(|sample| self.history.add(sample));
        self.view.history = self.history.samples().clone();
    }

    /// Adds a notice to the next view.
    pub fn notice(&mut self, at: Time, weight: NoticeWeight, title: String, text: String) {
        self.notice_count += 1;
        self.changed = true;
        self.view.add_notice(Notice { number: self.notice_count, at, weight, title, text });
    }

    /// Sets the active configuration for the next view.
    pub fn set_configuration(&mut self, configuration: Option<Arc<Configuration>>) {
        self.changed = true;
        self.view.configuration = configuration;
    }

    /// Sets the paused state for the next view.
    pub fn set_paused(&mut self, paused: bool) {
        self.changed |= self.view.paused != paused;
        self.view.paused = paused;
    }

    /// Takes a history sample for the next view (SCH-230).
    pub fn sample(&mut self, now: Time, scheduler: &Scheduler) {
        self.changed = true;
        self.history.add(history::take(now, scheduler));
        self.view.history = self.history.samples().clone();
    }

    /// When the allocation rate next changes because time passes.
    pub fn next_change(&self) -> Option<Time> {
        self.rate_changes
    }

    fn reset(&mut self, scheduler: &mut Scheduler) {
        self.view.partitions.clear();
        self.partitions.clear();
        for partition in scheduler.partitions_mut() {
            partition.dirty = None;
            self.view.partitions.push(PartitionView { name: Arc::clone(&partition.name), ..Default::default() });
            self.partitions.push(PartitionBuilder::default());
        }
    }

    fn update_rate(&mut self, now: Time, scheduler: &Scheduler) -> bool {
        let meters = || scheduler.partitions().iter().map(|partition| &partition.meter);
        let rate: f64 = meters().map(|meter| meter.rate(now)).sum();
        let made = scheduler.partitions().iter().map(|partition| partition.allocations_made).sum();
        let changed = (rate - self.view.allocation_rate).abs() > f64::EPSILON || made != self.view.allocations_made;
        (self.view.allocation_rate, self.view.allocations_made) = (rate, made);
        self.rate_changes = meters().filter_map(|meter| meter.next_change(now)).min();
        changed
    }
}

impl PartitionBuilder {
    fn update(&mut self, view: &mut PartitionView, partition: &mut Partition) -> bool {
        let dirty = match &mut partition.dirty {
            Some(dirty) if dirty.is_empty() => return false,
            Some(dirty) => dirty.take(),
            None => {
                // The partition is new, possibly with the name of a removed one.
                let (tree_generation, app_generation) = (view.tree_generation, view.app_generation);
                let name = Arc::clone(&partition.name);
                *view = PartitionView { name, tree_generation, app_generation, ..PartitionView::default() };
                *self = Self::default();
                partition.dirty = Some(Dirty::default());
                everything(partition)
            }
        };
        view.tree_generation += u64::from(dirty.tree);
        view.app_generation += u64::from(dirty.app_set);
        let mut limits_changed = false;
        for key in dirty.queues.iter() {
            limits_changed |= self.update_queue(view, partition, key);
        }
        if limits_changed {
            view.limited_users = users::limited(view, Side::User);
            view.limited_groups = users::limited(view, Side::Group);
        }
        for key in dirty.apps.iter() {
            update_app(view, partition, key);
        }
        for (app, ask, arrival) in &dirty.asks {
            update_ask(view, partition, *app, *ask, *arrival);
        }
        // Slots are reused: the id of a new object must stay.
        for key in dirty.nodes.iter() {
            self.drop_node(view, partition, key);
        }
        for key in dirty.nodes.iter() {
            self.update_node(view, partition, key);
        }
        for (node, number) in &dirty.allocations {
            self.update_allocation(view, partition, *node, *number);
        }
        let PartitionView { users, groups, .. } = view;
        self.users.update(users, &partition.usage.users, Side::User, dirty.users.iter(), partition);
        self.groups.update(groups, &partition.usage.groups, Side::Group, dirty.groups.iter(), partition);
        self.update_ended(view, partition);
        view.state = partition.state;
        view.preemption = partition.preemption;
        view.quota_preemption = partition.quota_preemption;
        view.quota_law = Some(partition.law());
        if *view.node_sort != *partition.nodes.sort() {
            view.node_sort = Arc::new(partition.nodes.sort().clone());
        }
        view.rules = Arc::clone(&partition.rules);
        view.hits = Arc::clone(&partition.hits);
        view.capacity = partition.capacity();
        view.allocated = partition.queues.get(QueueKey(0)).map(|root| root.allocated.clone()).unwrap_or_default();
        view.live_apps = partition.apps.len();
        true
    }

    fn update_queue(&mut self, view: &mut PartitionView, partition: &Partition, key: QueueKey) -> bool {
        let slot = key.slot();
        grow(&mut view.queues, slot);
        if self.settings.len() <= slot {
            self.settings.resize(slot + 1, None);
        }
        let Some(queue) = partition.queues.get(key) else {
            let gone = view.queues.set(slot, None);
            self.settings[slot] = None;
            return gone.is_some_and(|row| !row.settings.limits.is_empty());
        };
        let old = view.queues[slot].take();
        let same = self.settings[slot].as_ref().is_some_and(|made_from| Arc::ptr_eq(made_from, &queue.settings));
        let settings = match &old {
            Some(old) if same => Arc::clone(&old.settings),
            _ => {
                self.settings[slot] = Some(Arc::clone(&queue.settings));
                Arc::new(settings_of(&queue.settings))
            }
        };
        let children = match &old {
            Some(old) if *old.children == *queue.children => Arc::clone(&old.children),
            _ => Arc::from(queue.children.as_slice()),
        };
        let changed = match &old {
            Some(old) => !same_limits(&old.settings.limits, &settings.limits),
            None => !settings.limits.is_empty(),
        };
        view.queues.set(slot, Some(Arc::new(queue_row(queue, settings, children))));
        changed
    }

    fn drop_node(&mut self, view: &mut PartitionView, partition: &Partition, key: NodeKey) {
        let Some(known) = self.node_ids.get_mut(key.slot()) else { return };
        let node = partition.nodes.get(key);
        if let Some(gone) = known.take_if(|known| node.is_none_or(|node| node.id != *known)) {
            view.nodes.remove(&gone);
        }
    }

    fn update_node(&mut self, view: &mut PartitionView, partition: &Partition, key: NodeKey) {
        let Some(node) = partition.nodes.get(key) else { return };
        if self.node_ids.len() <= key.slot() {
            self.node_ids.resize(key.slot() + 1, None);
        }
        let allocations = view.nodes.get(&node.id).map(|row| row.allocations.clone()).unwrap_or_default();
        self.node_ids[key.slot()] = Some(node.id.clone());
        view.nodes.insert(node.id.clone(), Arc::new(node_row(node, allocations, partition)));
    }

    fn update_allocation(&mut self, view: &mut PartitionView, partition: &Partition, key: NodeKey, number: u64) {
        let Some(node) = partition.nodes.get(key) else { return };
        let Some(row) = view.nodes.get_mut(&node.id) else { return };
        let allocations = &mut Arc::make_mut(row).allocations;
        let there = node.allocations.get(&number).and_then(|(app, ask)| {
            let app = partition.apps.get(*app)?;
            let ask = app.asks.get(*ask)?;
            let (id, since) = (ask.id.clone(), ask.allocation?.since);
            let (app, pod) = (app.id.clone(), ask.rare.tags.pod().map(Arc::from));
            Some(NodeAllocation { app, ask: id, pod, resource: ask.resource.clone(), since: Some(since) })
        });
        match there {
            Some(allocation) => allocations.insert(number, allocation),
            None => allocations.remove(&number),
        };
    }

    fn update_ended(&mut self, view: &mut PartitionView, partition: &Partition) {
        let new = usize::try_from(partition.ended_total - self.ended_seen).unwrap_or(usize::MAX);
        self.ended_seen = partition.ended_total;
        let new = new.min(partition.ended.len());
        for app in partition.ended.range(partition.ended.len() - new..) {
            view.ended.push_back(Arc::new(app_row(app, None)));
        }
        while view.ended.len() > partition.ended.len() {
            view.ended.pop_front();
        }
    }
}

fn everything(partition: &Partition) -> Dirty {
    let mut all = Dirty { tree: true, app_set: true, ..Dirty::default() };
    partition.queues.iter().for_each(|queue| all.queues.mark(queue.key));
    for (key, app) in partition.apps.iter() {
        all.apps.mark(key);
        all.asks.extend(app.asks.iter().map(|(ask_key, ask)| (key, ask_key, ask.arrival)));
    }
    partition.usage.users.iter().for_each(|(user, _)| all.users.mark(user));
    partition.usage.groups.iter().for_each(|(group, _)| all.groups.mark(group));
    for node in partition.nodes.iter() {
        all.nodes.mark(node.key);
        all.allocations.extend(node.allocations.keys().map(|number| (node.key, *number)));
    }
    all
}

fn grow<T: Clone>(rows: &mut Vector<Option<Arc<T>>>, slot: usize) {
    while rows.len() <= slot {
        rows.push_back(None);
    }
}

fn update_app(view: &mut PartitionView, partition: &Partition, key: AppKey) {
    grow(&mut view.apps, key.slot());
    let row = partition.apps.get(key).map(|app| {
        // The slot may have contained another application before.
        let old = view.apps[key.slot()].as_deref().filter(|old| old.id == app.id && old.submitted == app.submitted);
        Arc::new(AppRow { group: group_of(app, partition), ..app_row(app, old) })
    });
    view.apps.set(key.slot(), row);
}

fn update_ask(view: &mut PartitionView, partition: &Partition, app: AppKey, ask: AskKey, arrival: u64) {
    let Some(Some(row)) = view.apps.get_mut(app.slot()) else { return };
    let there = partition.apps.get(app).and_then(|app| {
        let row = app.asks.get(ask).filter(|ask| ask.arrival == arrival)?;
        let retained = app.reservations.iter().find(|(reserved, _)| *reserved == ask).map(|(_, node)| *node);
        Some((row, retained.and_then(|node| partition.nodes.get(node)).map(|node| node.id.clone())))
    });
    let row = Arc::make_mut(row);
    let notes = match there {
        Some((ask, reserved)) => {
            row.asks.insert(arrival, Arc::new(ask_row(ask, reserved, partition)));
            ask_notes(ask)
        }
        None => {
            row.asks.remove(&arrival);
            None
        }
    };
    match notes {
        Some(notes) => row.notes.insert(arrival, notes).map(|_| ()),
        None => row.notes.remove(&arrival).map(|_| ()),
    };
}

fn same_limits(one: &Arc<QueueLimits>, other: &Arc<QueueLimits>) -> bool {
    Arc::ptr_eq(one, other) || one.is_empty() && other.is_empty()
}
