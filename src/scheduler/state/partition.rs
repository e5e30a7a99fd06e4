//! One partition: its state, and the counters that one allocation or release moves.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
use std::sync::Arc;

use crate::model::{AppId, QueueState, Resource, Time};
use crate::scheduler::cycle::skipped_cycles::Slept;
use crate::scheduler::gang::TaskGroup;
use crate::scheduler::index::{AppKey, AskKey, Index, NodeKey, QueueKey, Slab};
use crate::scheduler::interface::command::PartitionCommand;
use crate::scheduler::interface::event::{Event, EventKind, Holder, ReleaseReason};
use crate::scheduler::interface::switches::Switches;
use crate::scheduler::interface::tuning::Tuning;
use crate::scheduler::placement::{Hits, Records, Rules};
use crate::scheduler::state::app::{Allocation, Application, Ask, Tried};
use crate::scheduler::state::dirty::Touched;
use crate::scheduler::state::meter::Meter;
use crate::scheduler::state::node::Nodes;
use crate::scheduler::state::order::AppRank;
use crate::scheduler::state::queue::{Queue, QueueTree, ROOT};
use crate::scheduler::usage::Usage;

/// A partition (SCH-010).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Partition {
    /// The name.
    #[serde(with = "crate::model::saved::text")]
    pub name: Arc<str>,
    /// The state.
    pub state: QueueState,
    /// The queue tree.
    pub queues: QueueTree,
    /// The nodes.
    pub nodes: Nodes,
    /// The live applications.
    pub apps: Slab<AppKey, Application>,
    /// Applications that ended, the oldest first (SCH-172).
    #[serde(with = "crate::model::saved::arcs")]
    pub ended: VecDeque<Arc<Application>>,
    /// How many applications have ended so far, also those that were forgotten since.
    pub ended_total: u64,
    /// What users have in use.
    pub usage: Usage,
    /// Allocations made since the beginning.
    pub allocations_made: u64,
    /// Reservations that stand.
    pub reservations: u64,
    /// Placeholders that are allocated.
    pub placeholders: u64,
    /// How many allocations a second.
    pub meter: Meter,
    /// What changed since it was last asked for; `None` while nobody asks.
    #[serde(skip)]
    pub touched: Option<Touched>,
    /// The placement rules in force.
    #[serde(skip)]
    pub rules: Arc<Rules>,
    /// How often they decided since they came into force.
    #[serde(with = "crate::model::saved::arc")]
    pub hits: Arc<Hits>,
    #[serde(skip)]
    pub(in crate::scheduler) records: Records,
    /// Whether an ask may preempt others for its queue's guarantee (SCH-150).
    pub preemption: bool,
    #[serde(skip, default = "crate::scheduler::saved::no_switches")]
    pub(in crate::scheduler) switches: Switches,
    #[serde(skip)]
    pub(in crate::scheduler) tuning: Tuning,
    #[serde(skip)]
    pub(in crate::scheduler) app_index: Index<AppId, AppKey>,
    pub(in crate::scheduler) timers: BTreeMap<TimerKey, Timer>,
    pub(in crate::scheduler) timers_set: u64,
    pub(in crate::scheduler) arrivals: u64,
    /// What the resource manager is asked to stop, in the order in which that was asked, each with its ask's arrival (SCH-046).
    #[serde(skip)]
    pub(in crate::scheduler) stopping: VecDeque<(AppKey, AskKey, u64, ReleaseReason)>,
    /// Whether the bases of the 1.8.0 fair shares are out of date.
    pub(in crate::scheduler) share_bases_stale: bool,
    /// Applications whose end takes more than one command.
    #[serde(skip)]
    pub(in crate::scheduler) unfinished: BTreeSet<AppKey>,
    /// How often something changed that concerns everybody, such as the configuration.
    #[serde(skip)]
    pub(in crate::scheduler) epoch: u64,
    /// Until when cycles find nothing and tell nothing, if nothing happens before.
    #[serde(skip)]
    pub(in crate::scheduler) quiet: Option<Time>,
    /// How many cycles found nothing because of that.
    #[serde(skip)]
    pub(in crate::scheduler) slept: Slept,
    /// Scratch of the cycle, kept for its capacity.
    #[serde(skip)]
    pub(in crate::scheduler) scratch: crate::scheduler::cycle::try_queues::Scratch,
}

/// When a timer is due, and which of those due then was set first.
pub type TimerKey = (Time, u64);

/// What happens when time comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Timer {
    /// The time in its present state is over (SCH-170).
    AppState(AppKey),
    /// The gang has had its time to come together (SCH-146).
    Placeholder(AppKey),
    /// Applications that ended long ago are forgotten (SCH-172).
    Forget,
}

impl Partition {
    /// An empty partition, before its first configuration.
    pub(in crate::scheduler) fn new(name: Arc<str>, switches: Switches, tuning: Tuning, rules: Arc<Rules>) -> Self {
        Self {
            name,
            state: QueueState::Active,
            queues: QueueTree::default(),
            nodes: Nodes::default(),
            apps: Slab::default(),
            ended: VecDeque::new(),
            ended_total: 0,
            usage: Usage::default(),
            allocations_made: 0,
            reservations: 0,
            placeholders: 0,
            meter: Meter::default(),
            touched: None,
            hits: Arc::new(Hits::of(&rules)),
            records: Records::default(),
            rules,
            preemption: true,
            switches,
            tuning,
            app_index: Index::default(),
            timers: BTreeMap::new(),
            timers_set: 0,
            arrivals: 0,
            stopping: VecDeque::new(),
            share_bases_stale: false,
            unfinished: BTreeSet::new(),
            epoch: 0,
            quiet: None,
            slept: Slept::default(),
            scratch: crate::scheduler::cycle::try_queues::Scratch::default(),
        }
    }

    /// Carries out one command.
    pub(in crate::scheduler) fn apply(&mut self, now: Time, command: &PartitionCommand, events: &mut Vec<Event>) {
        self.quiet = None;
        match command {
            PartitionCommand::AddNode(spec) => self.add_node(now, spec, events),
            PartitionCommand::UpdateNode { id, capacity, occupied } => {
                self.update_node(now, id, capacity.as_ref(), occupied.as_ref(), events);
            }
            PartitionCommand::RemoveNode(id) => self.remove_node(now, id, events),
            PartitionCommand::DrainNode(id) => self.set_schedulable(now, id, false, events),
            PartitionCommand::ResumeNode(id) => self.set_schedulable(now, id, true, events),
            PartitionCommand::Submit(submission) => self.submit(now, submission, events),
            PartitionCommand::Ask(spec) => self.ask(now, spec, events),
            PartitionCommand::Release { app, ask } => self.release(now, app, ask, events),
            PartitionCommand::Remove { app } => self.remove_app(now, app, events),
            PartitionCommand::Kill { app, by, reason } => self.kill(now, app, by, reason, events),
            PartitionCommand::Clean { queues, applications } => self.clean_up(now, *queues, *applications, events),
            PartitionCommand::Move { app, to, by } => self.move_app(now, app, to, by, events),
        }
        self.confirm_stopped(now, events);
        self.run_timers(now, events);
    }

    /// Drops everything that cycles keep to save work.
    pub(in crate::scheduler) fn forget_shortcuts(&mut self) {
        self.wake_all();
        self.queues.forget_order();
        self.nodes.lower_bounds();
    }

    /// Brings placement rules into force (PLC-100). Hits go on counting as long as the rules say the same.
    pub(in crate::scheduler) fn set_rules(&mut self, rules: Arc<Rules>) {
        if !self.rules.same_as(&rules) {
            self.hits = Arc::new(Hits::of(&rules));
        }
        self.rules = rules;
    }

    /// Asks the resource manager to stop an allocation; until it confirms that, the allocation stands (SCH-046).
    pub(in crate::scheduler) fn stop(&mut self, app: AppKey, ask: AskKey, reason: ReleaseReason) {
        let stopped = &mut self.apps[app].asks[ask];
        stopped.released = true;
        self.stopping.push_back((app, ask, stopped.arrival, reason));
    }

    /// The resource manager of this process confirms at once what it was asked to stop, after the command that asked it.
    pub(in crate::scheduler) fn confirm_stopped(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some((app, ask, arrival, reason)) = self.stopping.pop_front() {
            let there = self.apps.get(app).and_then(|app| app.asks.get(ask)).is_some_and(|ask| ask.arrival == arrival);
            let spent = (there && reason != ReleaseReason::Timeout).then(|| self.spent(app, ask)).flatten();
            if there && reason == ReleaseReason::Replaced {
                self.end_replacement(now, app, ask, reason, events);
            } else if there {
                self.end_allocation(now, app, ask, reason, events);
            }
            if let Some(spent) = spent {
                events.push(Event::new(now, spent));
            }
        }
    }

    /// Under whom the allocations of an application count.
    pub(in crate::scheduler) fn holder(&self, app: AppKey) -> Holder {
        let Application { queue_path, account, .. } = &self.apps[app];
        let (user, group) = (self.usage.user_of(account), self.usage.group_of(account));
        Holder { queue: queue_path.clone(), user, group }
    }

    /// The key of a live application.
    pub fn app_key(&self, id: &AppId) -> Option<AppKey> {
        self.app_index.get(id).copied()
    }

    /// Whether a cycle has something to look at (SCH-041, SCH-042).
    pub fn has_work(&self) -> bool {
        self.queues.get(ROOT).is_some_and(|root| root.max.is_some() && root.wants())
    }

    /// When the next timer is due.
    pub fn next_timer(&self) -> Option<Time> {
        self.timers.first_key_value().map(|((due, _), _)| *due)
    }

    /// Sum of the nodes' capacities, which is also the root's maximum.
    pub fn capacity(&self) -> Resource {
        self.queues.get(ROOT).and_then(|root| root.max.clone()).unwrap_or_default()
    }

    pub(in crate::scheduler) fn set_timer(&mut self, due: Time, timer: Timer) -> TimerKey {
        self.timers_set += 1;
        let key = (due, self.timers_set);
        self.timers.insert(key, timer);
        key
    }

    /// Carries out what is due by `now`, in the order in which it became due.
    pub(in crate::scheduler) fn run_timers(&mut self, now: Time, events: &mut Vec<Event>) {
        while let Some(entry) = self.timers.first_entry()
            && entry.key().0 <= now
        {
            let ((due, _), timer) = entry.remove_entry();
            self.quiet = None;
            match timer {
                Timer::AppState(app) => self.state_timer(due, app, events),
                Timer::Placeholder(app) => self.placeholder_timeout(due, app, events),
                Timer::Forget => self.forget_ended(due, events),
            }
            self.confirm_stopped(due, events);
        }
    }

    /// A pending ask becomes an allocation: everything that this moves (SCH-017).
    pub(in crate::scheduler) fn commit(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        node: NodeKey,
        events: &mut Vec<Event>,
    ) {
        debug_assert!(self.fits_path(app, ask), "{} exceeds a maximum (SCH-095)", self.apps[app].asks[ask].id);
        self.unreserve(now, app, ask, events);
        self.withdraw_pending(app, ask);
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

    /// Whether an ask fits the maximum of every queue on its path, in each name that it wants (SCH-095).
    fn fits_path(&self, app: AppKey, ask: AskKey) -> bool {
        let Application { queue, asks, .. } = &self.apps[app];
        let fits = |queue: &Queue| {
            let room = queue.max.as_ref().map(|max| max.sub_only_existing(&queue.allocated));
            room.is_none_or(|room| room.fit_in_max_undef(&asks[ask].resource))
        };
        self.queues.path_up(*queue).iter().all(|key| fits(&self.queues[*key]))
    }

    /// A pending ask counts as pending no more, in its application and its queues.
    pub(in crate::scheduler) fn withdraw_pending(&mut self, app: AppKey, ask: AskKey) {
        let application = &mut self.apps[app];
        application.take_pending(ask, true);
        let resource = &application.asks[ask].resource;
        for key in self.queues.path_up(application.queue) {
            let queue = &mut self.queues[key];
            queue.pending.sub_assign(resource);
            queue.pending.prune();
        }
    }

    /// A node has an allocation more, or gives room to one that is to come.
    pub(in crate::scheduler) fn charge_node(&mut self, node: NodeKey, number: u64, app: AppKey, ask: AskKey) {
        let resource = &self.apps[app].asks[ask].resource;
        self.nodes.change(node, |node| {
            node.allocated.add_assign(resource);
            node.allocations.insert(number, (app, ask));
        });
        self.touch_allocation(node, number);
    }

    /// What [`Partition::charge_node`] did is undone, for each of these numbers and amounts.
    pub(in crate::scheduler) fn free_node<'r>(
        &mut self,
        node: NodeKey,
        ended: impl Iterator<Item = (u64, &'r Resource)> + Clone,
    ) {
        self.nodes.change(node, |node| {
            for (number, resource) in ended.clone() {
                node.allocated.sub_assign(resource);
                node.allocations.remove(&number);
            }
            node.allocated.prune();
        });
        ended.for_each(|(number, _)| self.touch_allocation(node, number));
    }

    /// An ask that is not pending any more is allocated from now on: everything that this moves but its node. `in_place`: it
    /// takes the room of a placeholder on that node.
    pub(in crate::scheduler) fn book(
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
        for key in self.queues.path_up(leaf) {
            let queue = &mut self.queues[key];
            queue.allocated.add_assign(resource);
            queue.refresh_share();
        }
        self.usage.increase(&mut application.account, &self.queues.path_up(leaf), &application.id, resource);
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
        self.touch_ask(app, ask, arrival);
        self.touch_account(app);
        self.touch_path(leaf);
        self.refresh_app(app);
    }

    /// Takes an ask out of its application, pending or allocated, with every counter that it moved. Gives the ask, and the
    /// node if it had one.
    pub(in crate::scheduler) fn take_ask(
        &mut self,
        now: Time,
        app: AppKey,
        ask: AskKey,
        events: &mut Vec<Event>,
    ) -> Option<Ask> {
        self.unreserve(now, app, ask, events);
        self.untie(app, ask);
        let application = &mut self.apps[app];
        let taken = application.remove_ask(ask)?;
        let leaf = application.queue;
        let path = self.queues.path_up(leaf);
        if let Some(allocation) = &taken.allocation {
            self.usage.decrease(&application.account, &path, &taken.resource);
            self.placeholders -= u64::from(taken.placeholder);
            self.free_node(allocation.node, iter::once((allocation.number, &taken.resource)));
            self.touch_account(app);
        }
        self.end_preemption(app, &taken);
        for key in path {
            let queue = &mut self.queues[key];
            let sum = match taken.allocation {
                Some(_) => &mut queue.allocated,
                None if taken.superseded => continue,
                None => &mut queue.pending,
            };
            sum.sub_assign(&taken.resource);
            sum.prune();
            queue.refresh_share();
        }
        self.touch_ask(app, ask, taken.arrival);
        self.touch_path(leaf);
        self.refresh_app(app);
        Some(taken)
    }

    /// Brings what a leaf keeps of an application up to date: its place among the candidates, its priority.
    pub(in crate::scheduler) fn refresh_app(&mut self, key: AppKey) {
        let app = &mut self.apps[key];
        let leaf = app.queue;
        let rank = app.pending.strictly_greater_than_zero().then(|| AppRank::of(app, &self.queues[leaf]));
        let may_replace = rank.is_some() && app.task_groups.values().any(TaskGroup::may_replace);
        if rank != app.rank || may_replace != app.may_replace {
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
        self.touch_app(key);
    }

    /// A new ask's state of mind: nothing is known of it yet.
    pub(in crate::scheduler) fn untried(ask: &mut Ask) {
        ask.tried = Tried::Never;
        ask.fits_queue = true;
        ask.fits_limits = true;
    }

    pub(in crate::scheduler) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    pub(in crate::scheduler) fn touch_app(&mut self, app: AppKey) {
        self.wake_app(app);
        if let Some(touched) = &mut self.touched {
            touched.apps.mark(app);
        }
    }

    pub(in crate::scheduler) fn touch_ask(&mut self, app: AppKey, ask: AskKey, arrival: u64) {
        self.wake_app(app);
        if let Some(touched) = &mut self.touched {
            touched.apps.mark(app);
            touched.asks.push((app, ask, arrival));
        }
    }

    /// Every pending ask is to be looked at again.
    pub fn touch_pending(&mut self) {
        self.count_all_slept();
        let Some(touched) = &mut self.touched else { return };
        for (key, app) in self.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()) {
            touched.apps.mark(key);
            touched.asks.extend(app.pending_order.iter().map(|(.., ask)| (key, *ask, app.asks[*ask].arrival)));
        }
    }

    pub(in crate::scheduler) fn touch_node(&mut self, node: NodeKey) {
        if let Some(touched) = &mut self.touched {
            touched.nodes.mark(node);
        }
    }

    pub(in crate::scheduler) fn touch_allocation(&mut self, node: NodeKey, number: u64) {
        if let Some(touched) = &mut self.touched {
            touched.nodes.mark(node);
            touched.allocations.push((node, number));
        }
    }

    /// The user and the group that an application counts under.
    pub(in crate::scheduler) fn touch_account(&mut self, app: AppKey) {
        if let Some(touched) = &mut self.touched {
            let account = &self.apps[app].account;
            account.user.into_iter().for_each(|user| touched.users.mark(user));
            account.group.into_iter().for_each(|group| touched.groups.mark(group));
        }
    }

    /// All users and groups.
    pub(in crate::scheduler) fn touch_accounts(&mut self) {
        if let Some(touched) = &mut self.touched {
            self.usage.users.iter().for_each(|(user, _)| touched.users.mark(user));
            self.usage.groups.iter().for_each(|(group, _)| touched.groups.mark(group));
        }
    }

    pub(in crate::scheduler) fn touch_queue(&mut self, queue: QueueKey) {
        if let Some(touched) = &mut self.touched {
            touched.queues.mark(queue);
        }
    }

    pub(in crate::scheduler) fn touch_path(&mut self, leaf: QueueKey) {
        if self.touched.is_some() {
            for key in self.queues.path_up(leaf) {
                self.touch_queue(key);
            }
        }
    }

    pub(in crate::scheduler) fn touch_tree(&mut self) {
        if let Some(touched) = &mut self.touched {
            touched.tree = true;
        }
    }

    pub(in crate::scheduler) fn touch_app_set(&mut self) {
        if let Some(touched) = &mut self.touched {
            touched.app_set = true;
        }
    }
}
