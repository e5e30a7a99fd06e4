//! Counts the events of a run, exactly; only [`super::metrics::Series`] has bins.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::bins::Bins;
use super::metrics::{Group, Longest, Metrics, ResourceUse, Waits, jain};
use super::never::{Judge, NEVER, by_name};
use ledger::Integral;
use model::{AppId, AskId, QueuePath, Resource, Time};
use scheduler::state::app::Application;
use scheduler::{Event, EventKind, ReleaseReason, Scheduler};

type LongestWait = (u64, AppId, AskId, Resource);

/// Meaning of pending requests at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Recorded: they waited until now.
    Recorded,
    /// Cut off: those that fit on no node never run, the others waited until now.
    CutOff,
    /// Complete: none of them ever runs.
    Over,
}

#[derive(Clone, Debug, Default)]
struct Account {
    /// Current usage and its start.
    now: Resource,
    since: Time,
    used: Integral,
    /// In milliseconds, not sorted.
    waits: Vec<u64>,
    waiting: u64,
    longest: Option<LongestWait>,
    preempted: u64,
    taken_back: u64,
}

impl Account {
    fn waited(&mut self, wait: u64, (app, ask, wants): (&AppId, &AskId, &Resource)) {
        self.waits.push(wait);
        if wait > self.longest.as_ref().map_or(0, |(longest, ..)| *longest) {
            self.longest = Some((wait, app.clone(), ask.clone(), wants.clone()));
        }
    }

    fn change(&mut self, at: Time, by: &Resource, more: bool) {
        self.used.add(&self.now, at.since(self.since));
        self.since = at;
        if more {
            self.now.add_assign(by);
        } else {
            self.now.sub_assign(by);
        }
    }
}

/// Counts one run.
#[derive(Debug, Default)]
pub struct Meter {
    accounts: HashMap<(QueuePath, Arc<str>), Account>,
    pending: HashMap<(AppId, AskId), Time>,
    applications: u64,
    rejected: u64,
    rejected_because: Option<String>,
    asks_rejected: u64,
    capacity: Resource,
    nodes: HashMap<Box<str>, Resource>,
    allocated: Resource,
    peak: Resource,
    capacity_time: Integral,
    since: Time,
    last: Time,
    bins: Bins,
    /// Earlier requests do not count as waits.
    waits_from: Time,
    /// Tasks of gangs that waited before they were requested, and since when.
    earlier: HashMap<(AppId, AskId), Time>,
    /// Tasks that wait for their gang, by application.
    current: BTreeMap<AppId, Vec<(AskId, Resource, Time)>>,
}

impl Meter {
    /// Starts counting now; earlier requests have no waits.
    pub fn initial(scheduler: &Scheduler, now: Time) -> Self {
        let mut meter = Self { since: now, last: now, waits_from: now, ..Self::default() };
        for part in scheduler.partitions() {
            for node in part.nodes.iter() {
                meter.node(now, node.id.as_str(), Some(&node.total));
            }
            for (_, app) in part.apps.iter() {
                let user = Arc::<str>::from(app.who.user.as_str());
                for (_, ask) in app.asks.iter() {
                    if ask.allocation.is_some() {
                        meter.account(&app.queue_path, &user, now).change(now, &ask.resource, true);
                        meter.allocated.add_assign(&ask.resource);
                    } else {
                        meter.pending.insert((app.id.clone(), ask.id.clone()), ask.created);
                    }
                }
            }
        }
        meter
    }

    /// A task of a gang that will be requested waits since an earlier time.
    pub fn waits_since(&mut self, app: &AppId, ask: &AskId, since: Time) {
        self.earlier.insert((app.clone(), ask.clone()), since);
    }

    /// At the end a task is not requested, as its gang has not come together.
    pub fn allocate(&mut self, app: &AppId, ask: AskId, wants: &Resource, since: Time) {
        self.current.entry(app.clone()).or_default().push((ask, wants.clone(), since));
    }

    /// Takes in what one command did; the scheduler is as it is after that.
    pub fn observe(&mut self, events: &[Event], scheduler: &Scheduler) {
        for event in events {
            self.last = self.last.max(event.at);
            self.one(event, scheduler);
        }
    }

    fn one(&mut self, Event { at, kind }: &Event, scheduler: &Scheduler) {
        let at = *at;
        match kind {
            EventKind::AskAdded { app, ask, .. } => {
                self.pass(at);
                let key = (app.clone(), ask.clone());
                let since = self.earlier.remove(&key).unwrap_or(at);
                self.pending.insert(key, since);
            }
            EventKind::AskRemoved { app, ask, .. } => {
                self.pass(at);
                let since = self.pending.remove(&(app.clone(), ask.clone()));
                let counts = since.is_some_and(|since| since >= self.waits_from);
                if let Some((queue, user)) = holder_of(scheduler, app).filter(|_| counts) {
                    self.account(&queue, &user, at).taken_back += 1;
                }
            }
            EventKind::Allocated { app, ask, resource, holder, placeholder, .. } => {
                self.pass(at);
                let since = self.pending.remove(&(app.clone(), ask.clone()));
                let counts = !placeholder && since.is_none_or(|since| since >= self.waits_from);
                let account = self.account(&holder.queue, &holder.user, at);
                account.change(at, resource, true);
                if counts {
                    account.waited(since.map_or(0, |since| millis(at.since(since))), (app, ask, resource));
                }
                self.allocated.add_assign(resource);
                let peaks = resource.iter().map(|(name, _)| (name, self.allocated.amount(name)));
                peaks.for_each(|(name, now)| self.peak.set(name, now.max(self.peak.amount(name))));
            }
            EventKind::Released { resource, holder, reason, .. } => {
                self.pass(at);
                let account = self.account(&holder.queue, &holder.user, at);
                account.change(at, resource, false);
                account.preempted += u64::from(*reason == ReleaseReason::Preempted);
                self.allocated.sub_assign(resource);
            }
            EventKind::Moved { app, from, queue, .. } => self.moved(at, (app, from, queue), scheduler),
            EventKind::AskResized { app, resource, before, allocated: true, .. } => {
                self.pass(at);
                if let Some((queue, user)) = holder_of(scheduler, app) {
                    let account = self.account(&queue, &user, at);
                    account.change(at, before, false);
                    account.change(at, resource, true);
                    self.allocated.sub_assign(before);
                    self.allocated.add_assign(resource);
                }
            }
            EventKind::AppAccepted { .. } => self.applications += 1,
            EventKind::AppRejected { message, .. } => {
                self.applications += 1;
                self.rejected += 1;
                self.rejected_because.get_or_insert_with(|| message.clone());
            }
            EventKind::AskRejected { .. } => self.asks_rejected += 1,
            EventKind::NodeAdded { node, capacity } | EventKind::NodeCapacity { node, capacity } => {
                self.node(at, node.as_str(), Some(capacity));
            }
            EventKind::NodeRemoved { node } => self.node(at, node.as_str(), None),
            _ => {}
        }
    }

    fn account(&mut self, queue: &QueuePath, user: &Arc<str>, at: Time) -> &mut Account {
        let fresh = || Account { since: at, ..Account::default() };
        self.accounts.entry((queue.clone(), Arc::clone(user))).or_insert_with(fresh)
    }

    fn moved(&mut self, at: Time, (app, from, to): (&AppId, &QueuePath, &QueuePath), scheduler: &Scheduler) {
        let found = scheduler.partitions().iter().find_map(|part| part.app(app));
        let Some((allocate, user)) = found.map(|app| (app.total_allocated(), Arc::<str>::from(app.who.user.as_str())))
        else {
            return;
        };
        self.account(from, &user, at).change(at, &allocate, false);
        self.account(to, &user, at).change(at, &allocate, true);
    }

    fn node(&mut self, at: Time, node: &str, capacity: Option<&Resource>) {
        self.pass(at);
        let before = match capacity {
            Some(capacity) => self.nodes.insert(node.into(), capacity.clone()),
            None => self.nodes.remove(node),
        };
        before.iter().for_each(|before| self.capacity.sub_assign(before));
        capacity.iter().for_each(|capacity| self.capacity.add_assign(capacity));
    }

    fn pass(&mut self, at: Time) {
        let Some(time) = at.0.checked_sub(self.since.0).filter(|time| *time > 0) else { return };
        self.capacity_time.add(&self.capacity, Duration::from_micros(time));
        self.bins.add((self.since, at), &self.allocated, &self.capacity, self.pending.len() as u64);
        self.since = at;
    }

    /// Ends the count, including pending requests.
    pub fn end(mut self, scheduler: &Scheduler, now: Time, pending: Pending) -> Metrics {
        let now = now.max(self.last);
        self.pass(now);
        let mut largest = None;
        let mut never = Vec::new();
        for part in scheduler.partitions() {
            let mut judge = Judge::new(part, now, pending == Pending::Over);
            for (_, app) in part.apps.iter() {
                let mut gang_never = false;
                for (.., key) in &app.pending_order {
                    let ask = &app.asks[*key];
                    let since = self.pending.get(&(app.id.clone(), ask.id.clone())).copied().unwrap_or(ask.created);
                    // The room of a gang is no ask of its own: its tasks are.
                    let counts = !ask.placeholder || self.current.contains_key(&app.id);
                    if since < self.waits_from || !counts {
                        continue;
                    }
                    let never = pending != Pending::Recorded && judge.never_runs(app, ask);
                    if ask.placeholder {
                        gang_never |= never;
                        continue;
                    }
                    let wait = if never { NEVER } else { millis(now.since(since)) };
                    self.still_waits(app, (&ask.id, &ask.resource), wait, now, &mut largest);
                }
                for (ask, wants, since) in self.current.remove(&app.id).unwrap_or_default() {
                    let wait = if gang_never { NEVER } else { millis(now.since(since)) };
                    self.still_waits(app, (&ask, &wants), wait, now, &mut largest);
                }
            }
            never.extend(judge.found());
        }
        let (total, queues, users) = self.groups(now);
        let fairness = self.fairness(&users);
        Metrics {
            ended: self.last.as_millis(),
            applications: self.applications,
            rejected: self.rejected,
            rejected_because: self.rejected_because.take(),
            asks_rejected: self.asks_rejected,
            resources: self.resources(&total),
            total,
            queues,
            users,
            fairness,
            series: self.bins.series(),
            largest_waiting: largest.map(|(_, name, resource)| (name, by_name(&resource))),
            never,
            node_groups: None,
        }
    }

    fn still_waits(
        &mut self,
        app: &Application,
        (ask, wants): (&AskId, &Resource),
        wait: u64,
        now: Time,
        largest: &mut Option<(f64, String, Resource)>,
    ) {
        let account = self.account(&app.queue_path, &Arc::from(app.who.user.as_str()), now);
        account.waited(wait, (&app.id, ask, wants));
        account.waiting += 1;
        let size = dominant(wants, &self.capacity);
        if largest.as_ref().is_none_or(|(other, ..)| size > *other) {
            *largest = Some((size, format!("{}/{ask}", app.id), wants.clone()));
        }
    }

    /// Everything, every queue with what is below it, and every user.
    fn groups(&mut self, now: Time) -> (Group, Vec<Group>, Vec<Group>) {
        let mut total = Gathered::default();
        let (mut queues, mut users) = (BTreeMap::<String, Gathered>::new(), BTreeMap::<String, Gathered>::new());
        // Sorted, so that a sum does not depend on a hash.
        let mut accounts: Vec<_> = self.accounts.drain().collect();
        accounts.sort_by(|(one, _), (other, _)| one.cmp(other));
        for ((queue, user), mut account) in accounts {
            account.change(now, &Resource::new(), true);
            total.add(&account);
            users.entry(user.to_string()).or_default().add(&account);
            for path in std::iter::successors(Some(queue), QueuePath::parent) {
                queues.entry(path.to_string()).or_default().add(&account);
            }
        }
        let all = |groups: BTreeMap<String, Gathered>| groups.into_iter().map(|(name, all)| all.group(name)).collect();
        (total.group(String::new()), all(queues), all(users))
    }

    fn resources(&self, total: &Group) -> BTreeMap<String, ResourceUse> {
        let names = self.capacity_time.names().map(str::to_owned).chain(total.used.keys().cloned());
        let names: std::collections::BTreeSet<String> = names.collect();
        let one = |name: String| {
            let (capacity, used) =
                (self.capacity_time.seconds(&name), total.used.get(&name).copied().unwrap_or_default());
            let last = share(self.allocated.amount(&name), self.capacity.amount(&name));
            let peak = self.peak.amount(&name);
            (name, ResourceUse { capacity, used, peak, last })
        };
        names.into_iter().map(one).collect()
    }

    fn fairness(&self, users: &[Group]) -> Option<f64> {
        let share = |user: &Group| {
            let shares =
                user.used.iter().map(|(name, used)| *used as f64 / self.capacity_time.seconds(name).max(1) as f64);
            shares.fold(0.0, f64::max)
        };
        jain(&users.iter().map(share).collect::<Vec<f64>>())
    }
}

#[derive(Default)]
struct Gathered {
    used: Integral,
    waits: Vec<u64>,
    waiting: u64,
    longest: Option<LongestWait>,
    preempted: u64,
    taken_back: u64,
}

impl Gathered {
    fn add(&mut self, account: &Account) {
        self.used.add_assign(&account.used);
        self.waits.extend_from_slice(&account.waits);
        self.waiting += account.waiting;
        self.preempted += account.preempted;
        self.taken_back += account.taken_back;
        let wait = |longest: &Option<LongestWait>| longest.as_ref().map_or(0, |(wait, ..)| *wait);
        if wait(&account.longest) > wait(&self.longest) {
            self.longest.clone_from(&account.longest);
        }
    }

    fn group(self, name: String) -> Group {
        let used = self.used.names().map(|name| (name.to_owned(), self.used.seconds(name))).collect();
        let allocated = (self.waits.len() as u64).saturating_sub(self.waiting);
        let longest = self.longest.map(|(wait, app, ask, wants)| {
            let name = format!("{app}/{ask}");
            Longest { name, wait, wants: by_name(&wants) }
        });
        let waits = Waits::of(self.waits, self.waiting);
        let (preempted, taken_back) = (self.preempted, self.taken_back);
        Group { name, waits, longest, allocated, preempted, taken_back, used }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Thousandths of the capacity.
fn share(used: i64, of: i64) -> u32 {
    u32::try_from(i128::from(used.max(0)) * 1000 / i128::from(of.max(1))).unwrap_or(u32::MAX)
}

fn dominant(request: &Resource, capacity: &Resource) -> f64 {
    let shares = request.iter().map(|(name, amount)| amount as f64 / capacity.amount(name).max(1) as f64);
    shares.fold(0.0, f64::max)
}

fn holder_of(scheduler: &Scheduler, app: &AppId) -> Option<(QueuePath, Arc<str>)> {
    let app = scheduler.partitions().iter().find_map(|part| part.app(app))?;
    Some((app.queue_path.clone(), Arc::from(app.who.user.as_str())))
}
