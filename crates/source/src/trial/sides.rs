//! The two sides of a what-if, the log of all that was done to them, and the comparison of them.

use std::sync::Arc;

use engine::{Core, EventLog, Progress};
use forecast::whatif::{Change, Comparison, Course, Fork, PartingPlace, Runtimes};
use model::Time;
use view::act::{Act, Actor, Order, PartitionAct};

/// What was done, to be done again without a part of it.
#[derive(Clone)]
pub(super) enum TrialStep {
    /// An order was carried out.
    Ordered(Box<Order>),
    /// A change was made that is written in words; it is worked out again where it is made again.
    Supposed(Box<Change>),
    /// Time was moved on to this.
    Advanced(Time),
}

/// What both sides are made of, and who acts in them.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub fork: &'a Fork,
    pub runtimes: &'a Runtimes,
    pub actor: &'a Actor,
}

/// The run with the changes, and the one without.
pub(super) struct Sides {
    pub changed: Core,
    pub unchanged: Core,
    pub log: Vec<TrialStep>,
}

impl Sides {
    /// Both sides as they start, after what is due at once.
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

    /// Does on both sides what is due at once after a change. The unchanged side has its cycle too, so that both decide at the same moments.
    pub fn settle(&mut self) {
        let now = self.changed.now();
        self.changed.run_until(now, usize::MAX);
        self.unchanged.wake();
        self.unchanged.run_until(now, usize::MAX);
    }

    /// An order that was carried out here as it is given to the cluster: a revision that was brought back is one of this what-if, so its
    /// text is given.
    pub fn lasting(&self, order: &Order) -> Order {
        match (&order.act, self.changed.configuration()) {
            (Act::Rollback { base, .. }, Some(written)) => {
                let act = Act::Configure { text: written.text.to_string(), base: base.clone(), dry_run: false };
                Order { act, ..order.clone() }
            }
            _ => order.clone(),
        }
    }

    /// What differs, and why the first decision that does is not made on the other side.
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

    /// Why one side does not decide what the other one does: that side once more up to there, and the explanation there. `None` where that
    /// moment is not reached again.
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

/// Runs a core up to a time, at most to where the courses part. Whether that place is reached.
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

/// Whether an act that was carried out changed something.
pub(super) fn is_change(act: &Act) -> bool {
    !matches!(
        act,
        Act::Configure { dry_run: true, .. }
            | Act::Rollback { dry_run: true, .. }
            | Act::In { act: PartitionAct::Move { dry_run: true, .. } | PartitionAct::Clean { dry_run: true, .. }, .. }
    )
}

/// A change as a person names it.
pub(super) fn words(act: &Act) -> String {
    match act {
        Act::In { act: PartitionAct::Move { app, to, .. }, .. } => format!("move {app} to {to}"),
        Act::Configure { .. } => "another configuration".to_owned(),
        other => other.to_string(),
    }
}
