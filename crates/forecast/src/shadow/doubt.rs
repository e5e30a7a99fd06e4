//! Whether the verdict on a decision would be another one if the other scheduler had not seen the inputs of the last moment, or had seen
//! them in another order (K8S-303, unsettled).

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::follow::{put_in, take_over};
use super::foresee::AskOf;
use super::judge::{Bench, is_recent, judge};
use super::seen::{Decision, Input};
use super::verdict::{Ruling, Verdict};
use model::{AskId, NodeId, Time};
use scheduler::{PartitionCommand, Scheduler};

/// So many inputs are omitted one by one, the last ones; and this many times the last ones together.
const MOST_ALONE: usize = 16;
/// So many entries are kept; where more come within the window, nothing in it is settled.
const MOST_ENTRIES: usize = 4_000;

/// What happened to the state.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Input(Input),
    /// An ask, its node, how exact the time is, the placeholder that went for it.
    Decided(AskOf, NodeId, Duration, Option<AskId>),
}

impl Entry {
    /// Whether a decision could not have been made without it, at this time.
    fn is_needed_by(&self, at: Time, decision: &Decision) -> bool {
        match self {
            Self::Input(Input::Command(command)) => match command {
                PartitionCommand::AddNode(node) => node.id == decision.node,
                PartitionCommand::Submit(submission) => submission.app == decision.app,
                PartitionCommand::Ask(ask) => ask.app == decision.app && ask.ids().any(|id| id == decision.ask),
                _ => false,
            },
            Self::Input(_) => false,
            // Decisions whose times are exact happened, and in that order.
            // Two times that are off may be so in opposite directions.
            Self::Decided(_, _, resolution, _) => resolution.is_zero() || decision.at.since(at) > *resolution * 2,
        }
    }
}

/// The last inputs and decisions, with states that they can be added to again.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// The state before the entry of a number, at a time.
    states: VecDeque<(Time, u64, Scheduler)>,
    entries: VecDeque<(Time, Entry)>,
    /// The number of the first entry.
    first: u64,
    /// The number of the first entry that could be kept since too many came.
    overflowed: Option<Time>,
}

impl Past {
    /// Takes note of the state at a time, before something changes it.
    pub fn keep(&mut self, at: Time, window: Duration, partition: &str, state: &mut Scheduler) {
        if window.is_zero() {
            return;
        }
        let due = self.states.back().is_none_or(|(last, ..)| at.since(*last) * 2 >= window);
        if due {
            state.share();
            let next = self.first + self.entries.len() as u64;
            self.states.extend(state.fork(partition).map(|fork| (at, next, fork)));
        }
        // The oldest state that is needed is the last one before the window.
        while self.states.get(1).is_some_and(|(second, ..)| *second + window < at) {
            self.states.pop_front();
        }
        let oldest = self.states.front().map_or(u64::MAX, |(_, number, _)| *number);
        while self.first < oldest && self.entries.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Remembers what was put into the state, or decided; nothing while no state is kept.
    pub fn note(&mut self, at: Time, entry: Entry) {
        if self.states.is_empty() {
            return;
        }
        self.entries.push_back((at, entry));
        if self.entries.len() > MOST_ENTRIES {
            self.overflowed = Some(at);
            self.states.clear();
            self.first += self.entries.len() as u64;
            self.entries.clear();
        }
    }

    /// Why a verdict does not apply to sure; `None`: it does.
    pub fn doubt(
        &mut self,
        decision: &Decision,
        window: Duration,
        found: &Ruling,
        bench: &Bench<'_>,
    ) -> Option<String> {
        if self.overflowed.is_some_and(|at| is_recent(at, decision.at, window)) {
            return Some(format!("more than {MOST_ENTRIES} changes arrived at one time"));
        }
        let position = self.states.iter().rposition(|(at, ..)| *at + window < decision.at).unwrap_or(0);
        let (_, number, state) = self.states.get(position)?;
        // Pods that came since are unknown to the predicates of then.
        let mut state = state.fork(bench.partition)?;
        state.partitions_mut().iter_mut().for_each(|part| part.nodes.renew_predicates(bench.now));
        state.share();
        let skip = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        let entries: Vec<&(Time, Entry)> = self.entries.iter().skip(skip).collect();
        let open =
            |(at, entry): &&(Time, Entry)| is_recent(*at, decision.at, window) && !entry.is_needed_by(*at, decision);
        let recent: Vec<usize> =
            entries.iter().enumerate().filter(|(_, entry)| open(entry)).map(|(number, _)| number).collect();
        for (left_out, reversed) in alternatives(&recent) {
            let mut other = state.fork(bench.partition)?;
            replay(&mut other, &entries, &left_out, reversed, bench.partition);
            let Some(judged) = judge(&mut other, decision, bench) else { continue };
            let verdict = judged.ruling.verdict;
            if verdict != found.verdict && verdict != Verdict::Unsettled {
                let how = if reversed { "in another order" } else { "skipped" };
                let which = if reversed { recent.len() } else { left_out.len() };
                let changes = if which == 1 { "change".to_owned() } else { format!("{which} changes") };
                return Some(format!(
                    "{} with all changes ({}), {} with the last {changes} {how}",
                    found.verdict.name(),
                    found.cause,
                    verdict.name(),
                ));
            }
        }
        None
    }
}

/// What is omitted, and whether the rest of the recent ones arrives the opposite order.
fn alternatives(recent: &[usize]) -> Vec<(BTreeSet<usize>, bool)> {
    let set = |numbers: &[usize]| numbers.iter().copied().collect::<BTreeSet<usize>>();
    let last = &recent[recent.len().saturating_sub(MOST_ALONE)..];
    let mut all = Vec::new();
    if !recent.is_empty() {
        all.push((set(recent), false));
    }
    all.extend((1..last.len()).map(|from| (set(&last[from..]), false)));
    all.extend(last.iter().map(|one| (BTreeSet::from([*one]), false)));
    if recent.len() > 1 {
        all.push((set(recent), true));
    }
    all
}

/// Adds entries to a state; with `reversed` those that are omitted come last, the latest first.
fn replay(
    state: &mut Scheduler,
    entries: &[&(Time, Entry)],
    left_out: &BTreeSet<usize>,
    reversed: bool,
    partition: &str,
) {
    let mut add = |(at, entry): &(Time, Entry)| match entry {
        Entry::Input(input) => drop(put_in(state, *at, input, partition)),
        // It may not be possible in that order.
        Entry::Decided(ask, node, _, placeholder) => {
            drop(take_over(state, *at, partition, ask, node, placeholder.as_ref()));
        }
    };
    let retained = entries.iter().enumerate().filter(|(number, _)| !left_out.contains(number));
    retained.for_each(|(_, entry)| add(entry));
    if reversed && let Some(now) = entries.last().map(|(at, _)| *at) {
        let late = left_out.iter().rev().filter_map(|number| entries.get(*number));
        late.for_each(|(_, entry)| add(&(now, entry.clone())));
    }
}
