//! Measures all values of all subjects of a partition.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;

use super::moment::{Layout, Moment, Row};
use super::value::{Measure, Subject};
use crate::record::{ChangeDetail, ChangeType, ObjectType, Record};
use crate::usage::UsageRow;
use crate::{AppRow, AskState, NodeRow, PartitionView, QueueRow, QueueSlot, Side, View};
use model::{AppId, MEMORY, NodeId, Resource, Time, VCORE};

/// The time range of preemptions and starts.
pub const LATELY: Duration = Duration::from_secs(600);
/// How long a removed node counts as lost.
pub const LOST_FOR: Duration = Duration::from_secs(3600);
/// The maximum number of resources: cpu, memory, and others by name.
const MOST_RESOURCES: usize = 8;

/// Inputs besides the view.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'k> {
    /// The important events of the last hour, the oldest first; `None` if the cluster does not report events.
    pub happened: Option<&'k [Arc<Record>]>,
    /// Whether the applications are loaded.
    pub apps: bool,
    /// The time and [`View::allocations_made`] of the previous measurement.
    pub before: Option<(Time, u64)>,
}

/// Measures a partition. If a clock or counter jumped back, a rate is unknown, not negative.
pub fn measure(view: &View, part: &PartitionView, at: Time, known: &Known) -> Moment {
    let layout = Layout { resources: resources(part) };
    let tallies = Tallies::of(part, at, known);
    let measurer = Measurer { layout: &layout, part, known };
    let mut rows = Vec::with_capacity(1 + part.queues.len() + part.users.len() + part.nodes.len());
    rows.push(measurer.cluster(view, at, &tallies));
    rows.extend(part.walk().map(|queue| measurer.queue(queue, &tallies)));
    rows.extend(part.users.values().map(|user| measurer.user(user, &tallies)));
    rows.extend(part.nodes.values().map(|node| measurer.node(node)));
    Moment { at, partition: Arc::clone(&part.name), layout, rows }
}

fn resources(part: &PartitionView) -> Arc<[Arc<str>]> {
    let mut names: Vec<&str> = part.capacity.iter().filter(|(_, amount)| *amount > 0).map(|(name, _)| name).collect();
    names.sort_by_key(|name| match *name {
        VCORE => 0,
        MEMORY => 1,
        // No one requests pods.
        "pods" => 3,
        _ => 2,
    });
    names.into_iter().take(MOST_RESOURCES).map(Arc::from).collect()
}

#[derive(Clone, Debug, Default)]
struct Tally {
    /// The waits of waiting applications, in ms.
    waiting: Vec<u64>,
    /// The waits of recently started applications, in ms.
    started: Vec<u64>,
    preempted: i64,
    /// Only for users; the rows of queues contain it.
    pending: Resource,
}

struct Tallies<'v> {
    queues: Vec<Tally>,
    users: FxHashMap<&'v str, Tally>,
}

impl<'v> Tallies<'v> {
    fn of(part: &'v PartitionView, at: Time, known: &Known) -> Self {
        let mut tallies = Self { queues: vec![Tally::default(); part.queues.len()], users: FxHashMap::default() };
        let since = at - LATELY;
        for leaf in part.queues.iter().flatten().filter(|queue| queue.leaf) {
            for app in leaf.apps.iter().filter_map(|slot| part.app(*slot)) {
                tallies.add_app(part, leaf, app, at);
                tallies.add_start(part, leaf, app, since, at);
            }
        }
        let lately = |app: &&Arc<AppRow>| app.finished.is_none_or(|finished| finished >= since);
        for app in part.ended.iter().rev().take_while(lately) {
            if let Some(leaf) = part.queue_at(&app.queue) {
                tallies.add_start(part, leaf, app, since, at);
            }
        }
        tallies.add_preemptions(part, known, since, at);
        for tally in tallies.queues.iter_mut().chain(tallies.users.values_mut()) {
            tally.waiting.sort_unstable();
            tally.started.sort_unstable();
        }
        tallies
    }

    fn each_up(&mut self, part: &PartitionView, from: QueueSlot, add: impl Fn(&mut Tally)) {
        let mut next = Some(from);
        while let Some(slot) = next {
            let Some(tally) = self.queues.get_mut(slot.0 as usize) else { return };
            add(tally);
            next = part.queue(slot).and_then(|row| row.parent);
        }
    }

    fn add_app(&mut self, part: &PartitionView, leaf: &QueueRow, app: &'v AppRow, at: Time) {
        if app.pending_asks == 0 || app.state.is_ended() {
            return;
        }
        let pending = |ask: &&Arc<crate::AskRow>| matches!(ask.state, AskState::Pending { .. });
        // Requests are ordered by arrival: the first pending one is the oldest.
        let since = app.asks.values().find(pending).map_or(app.submitted, |ask| ask.created);
        let waited = millis(at.since(since));
        self.each_up(part, leaf.slot, |tally| tally.waiting.push(waited));
        let user = self.users.entry(&app.who.user).or_default();
        user.waiting.push(waited);
        user.pending.add_assign(&app.pending);
    }

    fn add_start(&mut self, part: &PartitionView, leaf: &QueueRow, app: &'v AppRow, since: Time, at: Time) {
        let Some(started) = app.started.filter(|started| (since..=at).contains(started)) else { return };
        let waited = millis(started.since(app.submitted));
        self.each_up(part, leaf.slot, |tally| tally.started.push(waited));
        self.users.entry(&app.who.user).or_default().started.push(waited);
    }

    fn add_preemptions(&mut self, part: &'v PartitionView, known: &Known, since: Time, at: Time) {
        let victim = |record: &&Arc<Record>| {
            record.kind == ObjectType::APP
                && record.detail == ChangeDetail::ALLOC_PREEMPT
                && (since..=at).contains(&record.at)
        };
        let victims: Vec<&Arc<Record>> = known.happened.unwrap_or_default().iter().filter(victim).collect();
        if victims.is_empty() {
            return;
        }
        let apps = part.ended.iter().chain(part.apps.iter().flatten());
        let queues: FxHashMap<&AppId, &AppRow> = apps.map(|app| (&app.id, &**app)).collect();
        for record in victims {
            let app = queues.get(&AppId::from(&*record.object));
            // An unknown application counts for the cluster.
            let leaf = app.and_then(|app| part.queue_at(&app.queue)).map_or(QueueSlot(0), |leaf| leaf.slot);
            self.each_up(part, leaf, |tally| tally.preempted += 1);
        }
    }

    fn of_queue(&self, slot: QueueSlot) -> Option<&Tally> {
        self.queues.get(slot.0 as usize)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn percentile(sorted: &[u64], percent: usize) -> Option<i64> {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).map(|metric| i64::try_from(*metric).unwrap_or(i64::MAX))
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

struct Metrics<'m> {
    layout: &'m Layout,
    all: Box<[Option<i64>]>,
}

impl Metrics<'_> {
    fn set(&mut self, measure: Measure, metric: impl Into<Option<i64>>) {
        self.all[self.layout.plain(measure)] = metric.into();
    }

    /// All resources; an absent name is 0.
    fn amounts(&mut self, measure: Measure, of: &Resource) {
        for (at, name) in self.layout.resources.iter().enumerate() {
            self.all[self.layout.of_resource(measure, at)] = Some(of.amount(name));
        }
    }

    /// Only the resources that are present.
    fn named(&mut self, measure: Measure, of: Option<&Resource>) {
        let Some(of) = of else { return };
        for (at, name) in self.layout.resources.iter().enumerate() {
            self.all[self.layout.of_resource(measure, at)] = of.get(name);
        }
    }

    fn of_apps(&mut self, tally: Option<&Tally>) {
        let none = Tally::default();
        let tally = tally.unwrap_or(&none);
        self.set(Measure::Waiting, number(tally.waiting.len()));
        self.set(Measure::WaitingP50, percentile(&tally.waiting, 50));
        self.set(Measure::WaitingP95, percentile(&tally.waiting, 95));
        self.set(Measure::StartedP50, percentile(&tally.started, 50));
        self.set(Measure::StartedP95, percentile(&tally.started, 95));
    }

    fn row(self, subject: Subject) -> Row {
        Row { subject, metrics: self.all }
    }
}

struct Measurer<'m> {
    layout: &'m Layout,
    part: &'m PartitionView,
    known: &'m Known<'m>,
}

impl<'m> Measurer<'m> {
    fn metrics(&self) -> Metrics<'m> {
        Metrics { layout: self.layout, all: vec![None; self.layout.width()].into() }
    }

    fn cluster(&self, view: &View, at: Time, tallies: &Tallies) -> Row {
        let (part, mut metrics) = (self.part, self.metrics());
        metrics.amounts(Measure::Use, &part.allocated);
        metrics.amounts(Measure::Maximum, &part.capacity);
        metrics.set(Measure::Share, self.share(&part.allocated, &part.capacity));
        if let Some(root) = part.root() {
            metrics.amounts(Measure::Pending, &root.pending);
            metrics.set(Measure::Running, signed(root.running));
            self.tallied(&mut metrics, tallies.of_queue(root.slot));
        }
        let up = part.nodes.values().filter(|node| node.is_open()).count();
        metrics.set(Measure::NodesUp, number(up));
        metrics.set(Measure::NodesClosed, number(part.nodes.len() - up));
        metrics.set(Measure::NodesLost, self.known.happened.map(|happened| lost(part, happened, at)));
        let made = self.known.before.and_then(|(before, made)| {
            let took = i64::try_from(at.0.checked_sub(before.0)?).ok().filter(|took| *took > 0)?;
            let made = signed(view.allocations_made.checked_sub(made)?);
            i64::try_from(i128::from(made) * 60_000_000 / i128::from(took)).ok()
        });
        metrics.set(Measure::Allocations, made);
        metrics.row(Subject::Cluster)
    }

    fn queue(&self, queue: &QueueRow, tallies: &Tallies) -> Row {
        let mut metrics = self.metrics();
        metrics.amounts(Measure::Use, &queue.allocated);
        metrics.amounts(Measure::Pending, &queue.pending);
        metrics.named(Measure::Guarantee, queue.guaranteed.as_ref());
        metrics.named(Measure::Maximum, queue.max.as_ref());
        metrics.set(Measure::Share, self.share(&queue.allocated, &self.part.capacity));
        metrics.set(Measure::Running, signed(queue.running));
        self.tallied(&mut metrics, tallies.of_queue(queue.slot));
        metrics.row(Subject::Queue(queue.path.clone()))
    }

    fn tallied(&self, metrics: &mut Metrics, tally: Option<&Tally>) {
        if self.known.apps {
            metrics.of_apps(tally);
        }
        if self.known.happened.is_some() {
            metrics.set(Measure::Preemptions, tally.map_or(0, |tally| tally.preempted));
        }
    }

    fn user(&self, user: &UsageRow, tallies: &Tallies) -> Row {
        let mut metrics = self.metrics();
        // Queues are ordered by path; the root's row includes all.
        if let Some(root) = user.queues.first() {
            metrics.amounts(Measure::Use, &root.allocated);
            metrics.set(Measure::Share, self.share(&root.allocated, &self.part.capacity));
            metrics.set(Measure::Running, number(root.running.len()));
            let limit = root.limit_use(Side::User, &user.name);
            metrics.named(Measure::Maximum, limit.as_ref().and_then(|limit| limit.max()));
        }
        if self.known.apps {
            let tally = tallies.users.get(&*user.name);
            metrics.of_apps(tally);
            metrics.amounts(Measure::Pending, &tally.map(|tally| tally.pending.clone()).unwrap_or_default());
        }
        metrics.row(Subject::User(Arc::clone(&user.name)))
    }

    fn node(&self, node: &NodeRow) -> Row {
        let mut metrics = self.metrics();
        metrics.amounts(Measure::Use, &node.allocated);
        metrics.amounts(Measure::Maximum, &node.capacity);
        metrics.set(Measure::Share, self.share(&node.allocated.add(&node.occupied), &node.capacity));
        metrics.set(Measure::Running, number(node.allocations.len()));
        metrics.set(Measure::NodesUp, i64::from(node.is_open()));
        metrics.row(Subject::Node(node.id.clone()))
    }

    /// The dominant share over all resources, in thousandths.
    fn share(&self, used: &Resource, of: &Resource) -> Option<i64> {
        let part = |name: &Arc<str>| {
            let all = of.amount(name);
            let part = (all > 0).then(|| i128::from(used.amount(name)) * 1000 / i128::from(all))?;
            i64::try_from(part).ok()
        };
        self.layout.resources.iter().filter_map(part).max()
    }
}

fn lost(part: &PartitionView, happened: &[Arc<Record>], at: Time) -> i64 {
    let removed = |record: &&Arc<Record>| {
        record.kind == ObjectType::NODE
            && record.detail == ChangeDetail::NODE_DECOMMISSION
            && record.change == ChangeType::REMOVE
            && (at - LOST_FOR..=at).contains(&record.at)
    };
    let names: BTreeSet<&str> = happened.iter().filter(removed).map(|record| &*record.object).collect();
    number(names.into_iter().filter(|name| !part.nodes.contains_key(&NodeId::from(*name))).count())
}

#[cfg(test)]
mod tests;
