//! Counts the events of one run, and records the decisions.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::guarantee::BelowGuarantee;
use super::trend::Trend;
use model::{AppId, AskId, NodeId, Priority, QueuePath, Resource, Time, VCORE};
use scheduler::state::app::Application;
use scheduler::{Event, EventKind, Partition, ReleaseReason, Scheduler};

const MOST_DECISIONS: usize = 1_000_000;

#[derive(Clone, Debug)]
struct UseMeter {
    allocated: Resource,
    /// Quantities times seconds.
    area: BTreeMap<Box<str>, f64>,
    since: Time,
    trend: Trend,
}

impl UseMeter {
    fn initial(allocated: &Resource, now: Time) -> Self {
        Self { allocated: allocated.clone(), area: BTreeMap::new(), since: now, trend: Trend::initial(now) }
    }

    fn move_on(&mut self, now: Time) {
        let seconds = now.since(self.since).as_secs_f64();
        if seconds > 0.0 {
            for (name, amount) in self.allocated.iter() {
                *self.area.entry(name.into()).or_default() += amount as f64 * seconds;
            }
            self.trend.add(self.allocated.amount(VCORE), self.since, now);
            self.since = now;
        }
    }

    fn change(&mut self, now: Time, by: &Resource, more: bool) {
        self.move_on(now);
        if more {
            self.allocated.add_assign(by);
        } else {
            self.allocated.sub_assign(by);
        }
    }

    fn mean(&mut self, started_at: Time, now: Time) -> Resource {
        self.move_on(now);
        let seconds = now.since(started_at).as_secs_f64();
        let mut mean = Resource::new();
        if seconds > 0.0 {
            self.area.iter().for_each(|(name, area)| mean.set(name, (area / seconds).round() as i64));
        }
        mean
    }
}

/// The result of an application in a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AppTally {
    /// Its last queue; empty if it was rejected.
    pub queue: QueuePath,
    /// Who submitted it.
    pub user: Arc<str>,
    /// At the start of the run.
    pub has_allocations: bool,
    /// First allocation, if it had none before.
    pub started: Option<Time>,
    /// End in the run.
    pub ended: Option<Time>,
    /// Reason of its rejection.
    pub rejected: Option<Arc<str>>,
    /// It was killed.
    pub killed: bool,
    /// Allocations of the run, including placeholders.
    pub allocations: u64,
    /// Number of its preempted allocations.
    pub preempted: u64,
    /// Resources of the preempted allocations.
    pub taken: Resource,
    /// Allocations at the end.
    pub running: u64,
    /// Pending requests at the end.
    pub waiting: u64,
    /// Of requests that were allocated in the run or are pending at its end.
    pub waited: Duration,
    /// Number of these requests.
    pub waits: u64,
    /// Number of waits above the plan's `long_wait`.
    pub long_waits: u64,
}

/// A queue, a user, or the total.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics {
    /// Usage at the end.
    pub allocated: Resource,
    /// Pending resources at the end.
    pub pending: Resource,
    /// Mean usage over the run.
    pub used: Resource,
    /// Applications with their first allocation in the run.
    pub started: u64,
    /// Applications that ended in the run.
    pub ended: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// Resources of the preempted allocations.
    pub taken: Resource,
    /// Pending requests at the end.
    pub waiting: u64,
    /// Of requests that were allocated in the run or are pending at its end.
    pub waited: Duration,
    /// Number of these requests.
    pub waits: u64,
    /// Number of waits above the plan's `long_wait`.
    pub long_waits: u64,
    /// With pending requests for guaranteed resources; only for a queue.
    pub below_guarantee: Duration,
    /// Applications that run at the end; of a queue only.
    pub running: u64,
    /// The effective priority at the end; of a queue only, `None` if nothing waits in it.
    pub priority: Option<i32>,
    /// The cpu in use over the run in equal steps, the mean of each; of a queue only.
    pub trend: Vec<i64>,
}

impl Metrics {
    /// Returns the mean wait of a request.
    pub fn mean_wait(&self) -> Duration {
        u32::try_from(self.waits).ok().filter(|waits| *waits > 0).map_or(Duration::ZERO, |waits| self.waited / waits)
    }

    fn count(&mut self, app: &AppTally) {
        self.started += u64::from(app.started.is_some());
        self.ended += u64::from(app.ended.is_some());
        self.preempted += app.preempted;
        self.taken.add_assign(&app.taken);
        self.waiting += app.waiting;
        self.waited += app.waited;
        self.waits += app.waits;
        self.long_waits += app.long_waits;
    }
}

/// The result of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeTally {
    /// Capacity at the end.
    pub capacity: Resource,
    /// Usage at the end.
    pub allocated: Resource,
    /// Number of allocations at the end.
    pub allocations: u64,
    /// It accepts allocations.
    pub schedulable: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub at: Time,
    pub text: Box<str>,
    /// Number of the command in its run.
    pub command: u64,
    pub subject: Option<(AppId, AskId)>,
}

impl PartialEq for Decision {
    /// Command numbers differ between runs.
    fn eq(&self, other: &Self) -> bool {
        self.at == other.at && self.text == other.text
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    partition: Arc<str>,
    started_at: Time,
    pub apps: BTreeMap<AppId, AppTally>,
    pub queues: BTreeMap<QueuePath, Metrics>,
    pub users: BTreeMap<Arc<str>, Metrics>,
    pub nodes: BTreeMap<NodeId, NodeTally>,
    pub total: Metrics,
    pub decisions: Vec<Decision>,
    pub command: u64,
    pub long_wait: Duration,
    below: BelowGuarantee,
    meters: BTreeMap<QueuePath, UseMeter>,
    user_meters: BTreeMap<Arc<str>, UseMeter>,
}

impl Tally {
    pub fn initial(partition: &Partition, now: Time, long_wait: Duration) -> Self {
        let (name, below) = (Arc::clone(&partition.name), BelowGuarantee::initial(partition, now));
        let mut tally = Self { partition: name, started_at: now, long_wait, below, ..Self::default() };
        for queue in partition.queues.iter() {
            tally.meters.insert(queue.path.clone(), UseMeter::initial(&queue.allocated, now));
        }
        for (_, app) in partition.apps.iter() {
            let (total_allocated, user) = (app.total_allocated(), Arc::<str>::from(app.who.user.as_str()));
            let fresh = || UseMeter::initial(&Resource::new(), now);
            let of_user = tally.user_meters.entry(Arc::clone(&user)).or_insert_with(fresh);
            of_user.allocated.add_assign(&total_allocated);
            let has_allocations = !app.allocations.is_empty();
            tally.apps.insert(
                app.id.clone(),
                AppTally { queue: app.queue_path.clone(), user, has_allocations, ..AppTally::default() },
            );
        }
        tally
    }

    fn part<'s>(&self, scheduler: &'s Scheduler) -> Option<&'s Partition> {
        scheduler.partitions().iter().find(|part| part.name == self.partition)
    }

    /// Counts events; the scheduler is in the state after the command.
    pub fn observe(&mut self, events: &[Event], scheduler: &Scheduler) {
        for event in events {
            self.observe_one(event, scheduler);
        }
        if let Some(part) = scheduler.partitions().iter().find(|part| part.name == self.partition) {
            let apps = &self.apps;
            self.below.observe(part, events, |app| apps.get(app).map(|tally| &tally.queue));
        }
    }

    fn observe_one(&mut self, Event { at, kind }: &Event, scheduler: &Scheduler) {
        let at = *at;
        match kind {
            EventKind::Allocated { app, ask, node, resource, holder, placeholder, .. } => {
                self.use_changes(at, (&holder.queue, &holder.user), resource, true);
                let waited = self.part(scheduler).and_then(|part| waited(part, app, ask));
                let tally = self.apps.entry(app.clone()).or_default();
                tally.allocations += 1;
                if !tally.has_allocations {
                    tally.started.get_or_insert(at);
                }
                if !placeholder && let Some(waited) = waited {
                    tally.waited += waited;
                    tally.waits += 1;
                    tally.long_waits += u64::from(waited > self.long_wait);
                }
                self.decide(at, Some((app, ask)), || format!("{app}/{ask} is allocated on {node}"));
            }
            EventKind::Released { resource, holder, reason, app, ask, .. } => {
                self.use_changes(at, (&holder.queue, &holder.user), resource, false);
                if *reason == ReleaseReason::Timeout {
                    self.decide(at, None, || format!("{app}/{ask} is abandoned"));
                }
            }
            EventKind::Preempted { app, ask, by_app, by_ask, resource, .. } => {
                let tally = self.apps.entry(app.clone()).or_default();
                tally.preempted += 1;
                tally.taken.add_assign(resource);
                self.decide(at, Some((by_app, by_ask)), || format!("{app}/{ask} is preempted for {by_app}/{by_ask}"));
            }
            EventKind::Reserved { app, ask, node, .. } => {
                self.decide(at, Some((app, ask)), || format!("{node} is reserved for {app}/{ask}"));
            }
            EventKind::AppAccepted { app, queue } => {
                let user = self.part(scheduler).and_then(|part| user_of(part, app));
                let tally = self.apps.entry(app.clone()).or_default();
                tally.queue = queue.clone();
                tally.user = user.unwrap_or_default();
                self.decide(at, None, || format!("{app} is accepted in {queue}"));
            }
            EventKind::AppRejected { app, message } => {
                // An active application of this name stays.
                let tally = self.apps.entry(app.clone()).or_default();
                tally.rejected = Some(Arc::from(message.as_str()));
                self.decide(at, None, || format!("{app} is rejected: {message}"));
            }
            EventKind::Killed { app, queue, .. } => {
                self.apps.entry(app.clone()).or_default().killed = true;
                self.decide(at, None, || format!("{app} is killed in {queue}"));
            }
            EventKind::Moved { app, from, queue, .. } => self.moved(at, (app, from, queue), scheduler),
            EventKind::AppState { app, state, .. } if state.is_ended() => {
                self.apps.entry(app.clone()).or_default().ended.get_or_insert(at);
            }
            EventKind::AskResized { app, resource, before, allocated: true, .. } => {
                let Some(AppTally { queue, user, .. }) = self.apps.get(app).cloned() else { return };
                self.use_changes(at, (&queue, &user), before, false);
                self.use_changes(at, (&queue, &user), resource, true);
            }
            _ => {}
        }
    }

    fn moved(&mut self, at: Time, (app, from, to): (&AppId, &QueuePath, &QueuePath), scheduler: &Scheduler) {
        let tally = self.apps.entry(app.clone()).or_default();
        tally.queue = to.clone();
        let user = Arc::clone(&tally.user);
        let found = self.part(scheduler).and_then(|part| part.app(app));
        let total_allocated = found.map(Application::total_allocated).unwrap_or_default();
        self.use_changes(at, (from, &user), &total_allocated, false);
        self.use_changes(at, (to, &user), &total_allocated, true);
        self.decide(at, None, || format!("{app} is moved to {to}"));
    }

    fn use_changes(&mut self, at: Time, (queue, user): (&QueuePath, &Arc<str>), by: &Resource, more: bool) {
        let started_at = self.started_at;
        let fresh = || UseMeter::initial(&Resource::new(), started_at);
        let mut here = Some(queue.clone());
        while let Some(queue) = here {
            here = queue.parent();
            self.meters.entry(queue).or_insert_with(fresh).change(at, by, more);
        }
        self.user_meters.entry(Arc::clone(user)).or_insert_with(fresh).change(at, by, more);
    }

    fn decide(&mut self, at: Time, subject: Option<(&AppId, &AskId)>, text: impl FnOnce() -> String) {
        if self.decisions.len() < MOST_DECISIONS {
            let subject = subject.map(|(app, ask)| (app.clone(), ask.clone()));
            self.decisions.push(Decision { at, text: text().into(), command: self.command, subject });
        }
    }

    pub fn end(&mut self, partition: Option<&Partition>, now: Time) {
        let Some(partition) = partition else { return };
        for (_, app) in partition.apps.iter() {
            let tally = self.apps.entry(app.id.clone()).or_default();
            tally.queue = app.queue_path.clone();
            (tally.running, tally.waiting) = (app.allocations.len() as u64, app.pending_order.len() as u64);
            for (.., key) in &app.pending_order {
                let waited = now.since(app.asks[*key].created);
                tally.waited += waited;
                tally.waits += 1;
                tally.long_waits += u64::from(waited > self.long_wait);
            }
            let metrics = self.users.entry(Arc::clone(&tally.user)).or_default();
            metrics.allocated.add_assign(&app.total_allocated());
            metrics.pending.add_assign(&app.pending);
        }
        for queue in partition.queues.iter() {
            let (allocated, pending) = (queue.allocated.clone(), queue.pending.clone());
            let priority = Some(queue.current_priority()).filter(|priority| *priority != Priority::MIN);
            let priority = priority.map(|priority| priority.0);
            let metrics = Metrics { allocated, pending, running: queue.running, priority, ..Metrics::default() };
            self.queues.insert(queue.path.clone(), metrics);
        }
        for (queue, time) in self.below.end(now) {
            self.queues.entry(queue).or_default().below_guarantee = time;
        }
        let started_at = self.started_at;
        for (queue, meter) in &mut self.meters {
            let metrics = self.queues.entry(queue.clone()).or_default();
            metrics.used = meter.mean(started_at, now);
            metrics.trend = meter.trend.means(now);
        }
        for (user, meter) in &mut self.user_meters {
            self.users.entry(Arc::clone(user)).or_default().used = meter.mean(started_at, now);
        }
        for app in self.apps.values() {
            let mut here = (!app.queue.as_str().is_empty()).then(|| app.queue.clone());
            while let Some(queue) = here {
                here = queue.parent();
                self.queues.entry(queue).or_default().count(app);
            }
            self.users.entry(Arc::clone(&app.user)).or_default().count(app);
        }
        self.total = self.queues.get(&QueuePath::root()).cloned().unwrap_or_default();
        for node in partition.nodes.iter() {
            let (capacity, allocated) = (node.total.clone(), node.allocated.clone());
            let (allocations, schedulable) = (node.allocations.len() as u64, node.schedulable);
            self.nodes.insert(node.id.clone(), NodeTally { capacity, allocated, allocations, schedulable });
        }
    }
}

fn waited(partition: &Partition, app: &AppId, ask: &AskId) -> Option<Duration> {
    let app = partition.app(app)?;
    let ask = app.asks.get(app.ask_key(ask)?)?;
    Some(ask.allocation?.since.since(ask.created))
}

fn user_of(partition: &Partition, app: &AppId) -> Option<Arc<str>> {
    Some(Arc::from(partition.app(app)?.who.user.as_str()))
}
