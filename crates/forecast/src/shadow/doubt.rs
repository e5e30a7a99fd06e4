//! Checks whether the verdict would change if the other scheduler had missed the most recent inputs, or had seen them
//! in another order (K8S-303, unsettled).

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use super::follow::{put_in, take_over};
use super::foresee::AskOf;
use super::judge::{Bench, is_recent, judge};
use super::seen::{Decision, Input};
use super::verdict::{Ruling, Verdict};
use model::{AskId, NodeId, Time};
use scheduler::{PartitionCommand, Scheduler};

/// The last N inputs are omitted one by one, and the last 1 to N together.
const MOST_ALONE: usize = 16;
/// If the window has more entries, all of it is unsettled.
const MOST_ENTRIES: usize = 4_000;

#[derive(Clone, Debug)]
pub(super) enum Entry {
    Input(Input),
    /// Request, node, precision of the time, and the replaced placeholder.
    Decided(AskOf, NodeId, Duration, Option<AskId>),
}

impl Entry {
    /// Returns true if the decision was impossible without this entry.
    fn is_needed_by(&self, at: Time, decision: &Decision) -> bool {
        match self {
            Self::Input(Input::Command(command)) => match command {
                PartitionCommand::AddNode(node) => node.id == decision.node,
                PartitionCommand::Submit(submission) => submission.app == decision.app,
                PartitionCommand::Ask(ask) => ask.app == decision.app && ask.ids().any(|id| id == decision.ask),
                _ => false,
            },
            Self::Input(_) => false,
            // Decisions with exact times happened in that order. Two inexact times may differ in opposite directions.
            Self::Decided(_, _, resolution, _) => resolution.is_zero() || decision.at.since(at) > *resolution * 2,
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Past {
    /// The state before the entry with this number, at a time.
    states: VecDeque<(Time, u64, Scheduler)>,
    entries: VecDeque<(Time, Entry)>,
    first: u64,
    /// When entries were dropped because there were too many.
    overflowed: Option<Time>,
}

impl Past {
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
        // The last state before the window is still needed.
        while self.states.get(1).is_some_and(|(second, ..)| *second + window < at) {
            self.states.pop_front();
        }
        let oldest = self.states.front().map_or(u64::MAX, |(_, number, _)| *number);
        while self.first < oldest && self.entries.pop_front().is_some() {
            self.first += 1;
        }
    }

    /// Records an entry, unless no state is recorded.
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

    /// `None` if certain.
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
        // The old predicates do not know newer pods.
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

/// Returns the entries to omit, and whether the other recent ones are replayed in reverse order.
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

/// If `reversed`, the omitted entries follow at the end, latest first.
fn replay(
    state: &mut Scheduler,
    entries: &[&(Time, Entry)],
    left_out: &BTreeSet<usize>,
    reversed: bool,
    partition: &str,
) {
    let mut add = |(at, entry): &(Time, Entry)| match entry {
        Entry::Input(input) => drop(put_in(state, *at, input, partition)),
        // That order may be impossible.
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
