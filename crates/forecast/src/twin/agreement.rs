//! Compares the decisions of a simulation copy with those of the remote scheduler.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Twin;
use model::{AppId, AskId, Resource, Time};
use scheduler::state::app::Application;
use scheduler::state::ask::Ask;
use scheduler::{Command, Event, EventKind, Partition, Scheduler};

/// Cycles for each decision; after this many without one, no more is predicted.
const CYCLES: usize = 4;
const MOST: usize = 256;
/// Fewer compared decisions prove nothing.
const ENOUGH: u64 = 10;

/// Agreement of a copy with the remote scheduler.
#[derive(Clone, Debug, Default)]
pub struct Agreement {
    last: Option<Arc<Twin>>,
    expected: Option<Expected>,
    agreed: u64,
    of: u64,
}

/// Identical requests are interchangeable.
type Kind = (AppId, Vec<(String, i64)>);

/// What remains of a copy to compare it with the next one: two copies at one time are large.
#[derive(Clone, Debug)]
struct Expected {
    partition: Arc<str>,
    nodes: usize,
    /// The requests, each with whether it is allocated.
    asks: BTreeMap<(AppId, AskId), bool>,
    cycles: Vec<Vec<Kind>>,
}

impl Agreement {
    /// Call it before the next copy is made.
    pub fn expect(&mut self, until: Time) {
        if let Some(last) = self.last.take() {
            self.expected = Expected::of(last, until);
        }
    }

    /// Compares the previous copy's predictions with the decisions since, unless something else has changed.
    pub fn see(&mut self, twin: &Arc<Twin>) {
        self.expect(twin.now);
        self.last = Some(Arc::clone(twin));
        let Some(expected) = self.expected.take().filter(|expected| expected.partition == twin.partition) else {
            return;
        };
        let Some(done) = twin.partition().and_then(|part| expected.allocated_in(part)) else { return };
        let decided = expected.decided(done.values().sum());
        self.of += done.values().sum::<u64>();
        self.agreed +=
            done.iter().map(|(kind, count)| (*count).min(decided.get(kind).copied().unwrap_or(0))).sum::<u64>();
    }

    /// Drops the previous copy: the next one is not compared.
    pub fn forget(&mut self) {
        (self.last, self.expected) = (None, None);
    }

    /// Counts equal decisions, and all.
    pub const fn counts(&self) -> (u64, u64) {
        (self.agreed, self.of)
    }

    /// Returns the agreement as a sentence.
    pub fn sentence(&self) -> String {
        match self.of {
            0 => "computed on a simulation copy; no decision compared yet".to_owned(),
            of => format!("computed on a simulation copy that agreed in {} of {of} decisions", self.agreed),
        }
    }

    /// Returns true if more than one in ten decisions differs.
    pub const fn is_bad(&self) -> bool {
        self.of >= ENOUGH && self.agreed * 10 < self.of * 9
    }
}

impl Expected {
    fn of(twin: Arc<Twin>, until: Time) -> Option<Self> {
        let part = twin.partition().filter(|_| twin.differs.is_empty())?;
        let known = |(app, ask): (&Application, &Ask)| ((app.id.clone(), ask.id.clone()), ask.allocation.is_some());
        let asks: BTreeMap<(AppId, AskId), bool> = asks(part).map(known).collect();
        let pending = asks.values().filter(|allocated| !**allocated).count();
        let (partition, nodes, from) = (Arc::clone(&twin.partition), part.nodes.len(), twin.now);
        let scheduler = Arc::try_unwrap(twin).map_or_else(|twin| twin.scheduler.clone(), |twin| twin.scheduler);
        let cycles = predicted(scheduler, (from, until), pending.min(MOST));
        Some(Self { partition, nodes, asks, cycles })
    }

    /// `None` if something else changed that affects decisions.
    fn allocated_in(&self, new: &Partition) -> Option<BTreeMap<Kind, u64>> {
        if self.asks.len() != asks(new).count() || self.nodes != new.nodes.len() {
            return None;
        }
        let mut done = BTreeMap::new();
        for (app, ask) in asks(new) {
            let was_allocated = self.asks.get(&(app.id.clone(), ask.id.clone()))?;
            match (was_allocated, ask.allocation.is_some()) {
                (true, false) => return None,
                (false, true) => *done.entry((app.id.clone(), amounts(&ask.resource))).or_default() += 1,
                _ => {}
            }
        }
        Some(done)
    }

    fn decided(&self, most: u64) -> BTreeMap<&Kind, u64> {
        let mut decided = BTreeMap::new();
        let mut left = usize::try_from(most).unwrap_or(usize::MAX);
        for cycle in self.cycles.iter().take(left.saturating_mul(CYCLES)) {
            cycle.iter().for_each(|kind| *decided.entry(kind).or_default() += 1);
            left = left.saturating_sub(cycle.len());
            if left == 0 {
                break;
            }
        }
        decided
    }
}

fn predicted(mut scheduler: Scheduler, (from, until): (Time, Time), most: usize) -> Vec<Vec<Kind>> {
    let (mut cycles, mut left, mut empty): (Vec<Vec<Kind>>, usize, usize) = (Vec::new(), most, 0);
    while left > 0 && empty < CYCLES {
        // Later cycles may reserve and preempt, which requires waiting time.
        let now = if cycles.is_empty() { from } else { until };
        let kind = |event: Event| match event.kind {
            EventKind::Allocated { app, resource, .. } => Some((app, amounts(&resource))),
            _ => None,
        };
        let kinds: Vec<Kind> = scheduler.apply(now, &Command::Cycle).into_iter().filter_map(kind).collect();
        left = left.saturating_sub(kinds.len());
        empty = if kinds.is_empty() { empty + 1 } else { 0 };
        cycles.push(kinds);
    }
    cycles
}

fn asks(part: &Partition) -> impl Iterator<Item = (&Application, &Ask)> {
    part.apps.iter().flat_map(|(_, app)| app.asks.iter().map(move |(_, ask)| (app, ask)))
}

fn amounts(resource: &Resource) -> Vec<(String, i64)> {
    resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect()
}
