//! Two runs from one state, without and with the changes.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::arrivals::Arrivals;
use super::change::Change;
use super::compare::{Comparison, compared, first_difference, parting};
use super::fork::Fork;
use super::runtimes::{RuntimeRule, Runtimes};
use super::tally::Metrics;
use super::why;
use super::world::{GoOn, StopBefore, World};
use crate::simulate::node_groups::{GroupsReport, NodeGroup, checked_names, requested_names};
use model::Time;
use scenario::StepKind;
use scheduler::PartitionCommand;

/// Default threshold of a long wait.
pub const LONG_WAIT: Duration = Duration::from_secs(600);
const MOST_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// One thing that is changed.
#[derive(Clone, Debug)]
pub enum Step {
    /// A change in text form.
    Change(Change),
    /// A new queue configuration.
    Config(Arc<str>),
    /// A scenario step.
    Scenario(StepKind),
}

/// How long both runs continue after the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// At most 30 days of the scheduler's time.
    Idle,
    /// This much of the scheduler's time.
    For(Duration),
    /// This many cycles.
    Cycles(u64),
}

/// The plan of a what-if.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Changes in order.
    pub steps: Vec<Step>,
    /// Length of both runs.
    pub span: Span,
    /// When what runs ends.
    pub runtimes: Vec<RuntimeRule>,
    /// Draws run times instead of using the median.
    pub seed: Option<u64>,
    /// Arrivals in both runs.
    pub arrivals: Arrivals,
    /// Threshold of a long wait; default: [`LONG_WAIT`].
    pub long_wait: Duration,
    /// Nodes that an autoscaler adds and removes in both runs.
    pub node_groups: Vec<NodeGroup>,
}

impl Plan {
    /// Fails for a resource of a node group that neither the requests of the fork nor those of the plan name.
    pub fn check_names(&self, fork: &Fork) -> Result<(), String> {
        if self.node_groups.is_empty() {
            return Ok(());
        }
        let mut names = fork.partition().map(requested_names).unwrap_or_default();
        let steps = self.steps.iter().filter_map(|step| match step {
            Step::Scenario(StepKind::Command(command)) => Some(command),
            _ => None,
        });
        for command in self.arrivals.list.iter().map(|arrival| &arrival.command).chain(steps) {
            if let PartitionCommand::Ask(ask) = command {
                names.extend(ask.resource.iter().map(|(name, _)| name.to_owned()));
            }
        }
        checked_names(&self.node_groups, &names)
    }
}

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum cycles of each run.
    pub cycles: u64,
    /// Maximum lines of the trace.
    pub trace_lines: usize,
}

/// Why both runs ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// Nothing changes any more.
    Idle,
    /// All cycles have run.
    Cycles,
    /// The time has passed.
    Time,
}

/// Why a what-if has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// Canceled by the caller, or timed out.
    Stopped,
    /// It would exceed this number of cycles.
    Cycles(u64),
}

/// A rejected change; the others were applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedStep {
    /// Index of the change, from 0.
    pub step: usize,
    /// What it was.
    pub what: String,
    /// The scheduler's reason.
    pub why: String,
}

/// Both runs and their differences.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The moment that both started from.
    pub started_at: Time,
    /// When they ended.
    pub ended: Time,
    /// Reason of the end.
    pub stopped: Stopped,
    /// Cycles of the run with the changes.
    pub cycles: u64,
    /// The partition at the start.
    pub before: Metrics,
    /// What differs between the two.
    pub comparison: Comparison,
    /// The changes that were not made.
    pub refused: Vec<RefusedStep>,
    /// Assumed run times.
    pub runtimes: String,
    /// What was assumed to arrive.
    pub arrivals: String,
    /// What became of the node groups, without the changes and with them.
    pub node_groups: Option<[GroupsReport; 2]>,
    /// What the run with the changes did, line by line, as a scenario's trace.
    pub trace: String,
    /// The trace is cut off.
    pub truncated: bool,
}

/// One of the two runs, as a closure.
pub type Job<'a> = &'a mut (dyn FnMut() + Send);

/// `go_on` cancels by returning false.
pub fn run(fork: &Fork, plan: &Plan, bounds: Bounds, go_on: GoOn<'_>) -> Result<Pair, Unfinished> {
    let one_after_the_other = |one: Job<'_>, other: Job<'_>| {
        one();
        other();
    };
    run_by(fork, plan, bounds, go_on, &one_after_the_other)
}

/// Runs both sides with `two_jobs`, possibly in parallel.
///
/// # Errors
/// It was canceled, or exceeds the limits.
pub fn run_by(
    fork: &Fork,
    plan: &Plan,
    bounds: Bounds,
    go_on: GoOn<'_>,
    two_jobs: &dyn Fn(Job<'_>, Job<'_>),
) -> Result<Pair, Unfinished> {
    let runtimes = fork.partition().map(|part| Runtimes::new(&plan.runtimes, part, plan.seed)).unwrap_or_default();
    let before = fork.partition().map(totals).unwrap_or_default();
    let world = |traced| {
        let world = World::new(fork.clone(), runtimes.clone(), bounds, traced, go_on);
        world.counting_long_waits(plan.long_wait).with_arrivals(&plan.arrivals).scaled(&plan.node_groups)
    };
    let (mut without, mut with) = (world(false)?, world(true)?);
    with.carry_out(&plan.steps)?;
    without.wait_for(&plan.steps);
    // Both count cycles from the same time.
    let counted_from = with.now;
    let drive = |world: &mut World<'_>| drive(world, plan.span, fork.now, counted_from);
    let mut idle = [Ok(false), Ok(false)];
    let [idle_without, idle_with] = &mut idle;
    two_jobs(&mut || *idle_without = drive(&mut without), &mut || *idle_with = drive(&mut with));
    let [idle_without, idle_with] = idle;
    let idle = idle_without? & idle_with?;
    let stopped = why_ended(plan.span, idle);
    // Both end at the same time, so that their usage is comparable.
    let ended = without.now.max(with.now);
    if plan.span == Span::Idle {
        without.until(ended)?;
        with.until(ended)?;
    }
    let mut tallies = [std::mem::take(&mut without.tally), std::mem::take(&mut with.tally)];
    tallies[0].end(without.part(), ended);
    tallies[1].end(with.part(), ended);
    let (trace, truncated) = with.take_trace();
    let first = first_difference(&tallies[0], &tallies[1]);
    let mut comparison = compared(&tallies[0], &tallies[1], first, plan.long_wait);
    if let (Some(first), Some(both)) = (&mut comparison.first, parting(&tallies[0], &tallies[1])) {
        let again = |changed: bool, stop: StopBefore| {
            let mut world = world(false)?;
            world.stop = Some(stop);
            let done = if changed {
                world.carry_out(&plan.steps)
            } else {
                world.wait_for(&plan.steps);
                Ok(())
            };
            let done = done.and_then(|()| drive(&mut world));
            match done {
                Err(Unfinished::Stopped) if !go_on() => Err(Unfinished::Stopped),
                _ => Ok(world),
            }
        };
        [first.why_not_without, first.why_not_with] = why::not_in_the_other(both, again)?;
    }
    Ok(Pair {
        started_at: fork.now,
        ended,
        stopped,
        cycles: with.cycles,
        before,
        comparison,
        refused: std::mem::take(&mut with.refused),
        runtimes: with.runtimes.text(),
        arrivals: plan.arrivals.text.clone(),
        node_groups: node_groups([&mut without, &mut with], plan.span),
        trace,
        truncated,
    })
}

fn node_groups(both: [&mut World<'_>; 2], span: Span) -> Option<[GroupsReport; 2]> {
    let [without, with] = both.map(|world| world.node_groups(span != Span::Idle));
    Some([without?, with?])
}

fn why_ended(span: Span, idle: bool) -> Stopped {
    match span {
        Span::For(_) => Stopped::Time,
        Span::Cycles(_) => Stopped::Cycles,
        Span::Idle if idle => Stopped::Idle,
        Span::Idle => Stopped::Time,
    }
}

/// Returns true if nothing changes any more.
fn drive(world: &mut World<'_>, span: Span, started_at: Time, counted_from: Time) -> Result<bool, Unfinished> {
    match span {
        Span::For(time) => world.until(started_at + time).map(|()| false),
        Span::Cycles(cycles) => {
            world.until(counted_from)?;
            world.cycle_often(cycles).map(|()| false)
        }
        Span::Idle => world.until_idle(started_at + MOST_TIME),
    }
}

fn totals(partition: &scheduler::Partition) -> Metrics {
    let root = partition.queues.iter().next();
    let waiting = partition.apps.iter().map(|(_, app)| app.pending_order.len() as u64).sum();
    let (allocated, pending) = root.map(|root| (root.allocated.clone(), root.pending.clone())).unwrap_or_default();
    Metrics { allocated, pending, waiting, ..Metrics::default() }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(change) => change.fmt(f),
            Self::Config(_) => f.write_str("config"),
            Self::Scenario(kind) => f.write_str(&match kind {
                StepKind::Command(command) => named(command),
                StepKind::Schedule(_) => "schedule".to_owned(),
                StepKind::Config(_) => "config".to_owned(),
                StepKind::Clean => "clean".to_owned(),
                StepKind::Advance(by) => format!("advance {by:?}"),
                StepKind::Snapshot(_) => "snapshot".to_owned(),
            }),
        }
    }
}

fn named(command: &PartitionCommand) -> String {
    match command {
        PartitionCommand::AddNode(spec) => format!("node {}", spec.id),
        PartitionCommand::UpdateNode { id, .. } => format!("updateNode {id}"),
        PartitionCommand::RemoveNode(id) => format!("removeNode {id}"),
        PartitionCommand::DrainNode(id) => format!("drainNode {id}"),
        PartitionCommand::ResumeNode(id) => format!("resumeNode {id}"),
        PartitionCommand::Submit(submission) => format!("submit {}", submission.app),
        PartitionCommand::Ask(ask) => format!("request {} of {}", ask.id, ask.app),
        PartitionCommand::Adopt { app, ask, node } => format!("adopt {ask} of {app} on {node}"),
        PartitionCommand::Release { app, ask } => format!("release {ask} of {app}"),
        PartitionCommand::Remove { app } => format!("remove {app}"),
        PartitionCommand::Kill { app, .. } => format!("kill {app}"),
        PartitionCommand::Clean { .. } => "clean".to_owned(),
        PartitionCommand::SetForeign { node, .. } => format!("setForeign {node}"),
        PartitionCommand::Move { app, to, .. } => format!("move {app} to {to}"),
    }
}
