//! The two sides of a what-if, the log of their steps, and their comparison.

use std::sync::Arc;

use engine::{Core, EventLog, Progress};
use forecast::whatif::{Change, Comparison, Course, Fork, PartingPlace, Runtimes};
use model::Time;
use view::act::{Act, Actor, Order, PartitionAct};

#[derive(Clone)]
pub(super) enum TrialStep {
    Ordered(Box<Order>),
    /// A textual change, recomputed in a replay.
    Supposed(Box<Change>),
    Advanced(Time),
}

#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub fork: &'a Fork,
    pub runtimes: &'a Runtimes,
    pub actor: &'a Actor,
}

pub(super) struct Sides {
    pub changed: Core,
    pub unchanged: Core,
    pub log: Vec<TrialStep>,
}

impl Sides {
    /// Both sides at their start, after everything due at once.
    pub fn new(fork: &Fork, runtimes: &Runtimes) -> Self {
        let side = |name: &str| {
            let mut core = Core::of_fork(fork, runtimes, name);
            core.run_until(fork.now(), usize::MAX);
            core
        };
        Self { changed: side("what-if"), unchanged: side("what-if, unchanged"), log: Vec::new() }
    }

    /// The events of both sides, the changed one first.
    pub fn logs(&self) -> [Arc<EventLog>; 2] {
        [Arc::clone(self.changed.events()), Arc::clone(self.unchanged.events())]
    }

    /// Executes on both sides what a change makes necessary. The unchanged side also runs its cycle, so both sides
    /// decide at the same times.
    pub fn settle(&mut self) {
        let now = self.changed.now();
        self.changed.run_until(now, usize::MAX);
        self.unchanged.wake();
        self.unchanged.run_until(now, usize::MAX);
    }

    /// The order for the real cluster: a rollback refers to a revision of this what-if, so its text is used.
    pub fn lasting(&self, order: &Order) -> Order {
        match (&order.act, self.changed.configuration()) {
            (Act::Rollback { base, .. }, Some(written)) => {
                let act = Act::Configure { text: written.text.to_string(), base: base.clone(), dry_run: false };
                Order { act, ..order.clone() }
            }
            _ => order.clone(),
        }
    }

    /// The difference, and why the first different decision is not made on the other side.
    pub fn compared(&mut self, origin: Origin<'_>) -> Comparison {
        let mut comparison = Core::compared(&mut self.unchanged, &mut self.changed, origin.fork.partition_name());
        let courses = self.unchanged.course().zip(self.changed.course());
        let [without, with] = courses.map_or([None, None], |(without, with)| Course::parting(without, with));
        if let Some(first) = &mut comparison.first {
            first.why_not_without = without.and_then(|place| self.not_decided(origin, false, &place));
            first.why_not_with = with.and_then(|place| self.not_decided(origin, true, &place));
        }
        comparison
    }

    /// `None` if that time is not reached again.
    fn not_decided(&self, origin: Origin<'_>, changed: bool, place: &PartingPlace) -> Option<String> {
        let mut core = Core::of_fork(origin.fork, origin.runtimes, "what-if, run again");
        let (mut there, partition) = (run_before(&mut core, origin.fork.now(), place), origin.fork.partition_name());
        for step in &self.log {
            if there {
                break;
            }
            let now = core.now();
            match step {
                TrialStep::Advanced(until) => there = run_before(&mut core, *until, place),
                TrialStep::Ordered(order) if changed => drop(core.perform(origin.actor, order)),
                TrialStep::Supposed(change) if changed => drop(core.suppose(origin.actor, partition, change)),
                TrialStep::Ordered(_) | TrialStep::Supposed(_) => core.wake(),
            }
            there = there || run_before(&mut core, now, place);
        }
        let passed =
            place.command.is_some_and(|command| core.course().is_none_or(|so_far| so_far.commands() >= command));
        if passed { None } else { core.explained(partition, &place.subject) }
    }
}

/// Returns whether that was reached.
fn run_before(core: &mut Core, until: Time, place: &PartingPlace) -> bool {
    loop {
        let so_far = core.course().map_or(u64::MAX, Course::commands);
        if place.command.is_some_and(|command| so_far.saturating_add(1) >= command) {
            return true;
        }
        if core.run_until(until.min(place.at), 1) == Progress::Reached {
            return until > place.at;
        }
    }
}

pub(super) fn is_change(act: &Act) -> bool {
    !matches!(
        act,
        Act::Configure { dry_run: true, .. }
            | Act::Rollback { dry_run: true, .. }
            | Act::In { act: PartitionAct::Move { dry_run: true, .. } | PartitionAct::Clean { dry_run: true, .. }, .. }
    )
}

pub(super) fn words(act: &Act) -> String {
    match act {
        Act::In { act: PartitionAct::Move { app, to, .. }, .. } => format!("move {app} to {to}"),
        Act::Configure { .. } => "another configuration".to_owned(),
        other => other.to_string(),
    }
}
