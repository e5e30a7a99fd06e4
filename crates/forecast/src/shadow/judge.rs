//! The verdict on a decision, from the kornsole state before it (K8S-303).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::foresee::{AskOf, Foreseen, Next, cancel, foresee, part};
use super::seen::Decision;
use super::verdict::{LocalDecision, Ruling, Verdict};
use model::{NodeId, Time};
use scheduler::{Partition, Predicates, Scheduler};
use view::waiting::AskStatus;
use view::waiting::Sentence;

const MOST_LEVEL: usize = 32;

pub(super) struct Bench<'a> {
    pub partition: &'a str,
    /// Times within the same multiple count as equal.
    pub same_moment: Duration,
    /// The other scheduler is known to skip these.
    pub passed_over: &'a BTreeSet<AskOf>,
    /// Allocations that have ended already.
    pub gone: &'a dyn Fn(&AskOf) -> bool,
    pub now: Option<&'a Arc<dyn Predicates>>,
}

pub(super) struct Judged {
    pub ruling: Ruling,
    pub local: Option<LocalDecision>,
    /// The prediction before the decision.
    pub foreseen: Foreseen,
    /// The decision is exactly kornsole's next one.
    pub is_next: bool,
}

/// `None` without a partition.
pub(super) fn judge(state: &mut Scheduler, decision: &Decision, bench: &Bench<'_>) -> Option<Judged> {
    let foreseen = foresee(state, bench.partition, decision.at, &bench.gone)?;
    let wanted = (decision.app.clone(), decision.ask.clone());
    let first = foreseen.next.as_ref().and_then(|next| next.allocates.as_ref());
    let is_next = first.is_some_and(|(ask, node)| *ask == wanted && *node == decision.node);
    let local = |found: &(AskOf, NodeId)| {
        let ((app, ask), node) = found.clone();
        LocalDecision { app, ask, node }
    };
    if is_next {
        let (ruling, local) = (Ruling::new(Verdict::Same, ""), first.map(local));
        return Some(Judged { ruling, local, foreseen, is_next });
    }
    let mut trial = Trial { bench, decision, wanted, state: fork_of(&foreseen, bench.partition)? };
    let (ruling, own) = trial.run();
    let local = own.as_ref().or(first).map(local);
    Some(Judged { ruling, local, foreseen, is_next })
}

fn fork_of(foreseen: &Foreseen, partition: &str) -> Option<Scheduler> {
    foreseen.quiet.fork(partition)
}

/// Requests before the decision are removed one by one, as long as they are equal to it.
struct Trial<'a> {
    bench: &'a Bench<'a>,
    decision: &'a Decision,
    wanted: AskOf,
    state: Scheduler,
}

impl Trial<'_> {
    fn run(&mut self) -> (Ruling, Option<(AskOf, NodeId)>) {
        if let Some(ruling) = self.objected() {
            return (ruling, None);
        }
        let mut first: Option<(AskOf, NodeId)> = None;
        for _ in 0..MOST_LEVEL + self.bench.passed_over.len() {
            let next = foresee(&mut self.state, self.bench.partition, self.decision.at, &self.bench.gone);
            let Some(next) = next.and_then(|foreseen| foreseen.next) else {
                let ruling = Ruling::new(Verdict::Order, self.nothing(first.is_some()));
                return (ruling, first);
            };
            let Some(found) = next.allocates.clone() else {
                let ruling = Ruling::new(Verdict::Order, preempts(&next));
                return (ruling, first);
            };
            if found.0 == self.wanted {
                let level = first.as_ref().map(|(other, _)| format!("it has the same rank as {} {}", other.0, other.1));
                let ruling = self.on_node(&found.1, level);
                return (ruling, first.or(Some(found)));
            }
            if !self.bench.passed_over.contains(&found.0) {
                if let Some(why) = self.why_before(&found.0) {
                    let cause =
                        format!("kornsole allocates {} {} on {} before it: {why}", found.0.0, found.0.1, found.1);
                    return (Ruling::new(Verdict::Order, cause), first.or(Some(found)));
                }
                first.get_or_insert_with(|| found.clone());
            }
            cancel(&mut self.state, self.decision.at, &found.0);
        }
        (Ruling::new(Verdict::Order, format!("more than {MOST_LEVEL} requests of kornsole have the same rank")), first)
    }

    fn part(&self) -> Option<&Partition> {
        part(&self.state, self.bench.partition)
    }

    fn objected(&self) -> Option<Ruling> {
        let Decision { at, app, ask, node, .. } = self.decision;
        let part = self.part()?;
        match part.objections(*at, (app, ask), node) {
            None => Some(Ruling::new(Verdict::Unsettled, unknown_node(part, self.decision))),
            Some(objections) if objections.first().is_some() => Some(Ruling::illegal(&objections)),
            Some(_) => None,
        }
    }

    /// kornsole allocates the request, possibly on another node.
    fn on_node(&self, own: &NodeId, level: Option<String>) -> Ruling {
        let Decision { app, ask, node, at, .. } = self.decision;
        if own == node {
            return Ruling::new(Verdict::Equal, level.unwrap_or_default());
        }
        let reserved = self.part().and_then(|part| part.objections(*at, (app, ask), node)?.reserved_for);
        if let Some((app, ask)) = reserved {
            let cause = format!("kornsole reserves node {node} for {app} {ask}, and selects {own}");
            return Ruling::new(Verdict::Node, cause);
        }
        let are_level = self.part().is_some_and(|part| {
            let keys = part.nodes.find(own).zip(part.nodes.find(node));
            keys.is_some_and(|(own, other)| part.nodes[own].is_level_with(&part.nodes[other]))
        });
        if are_level {
            let nodes = format!("nodes {own} and {node} have the same score");
            let cause = level.map_or_else(|| nodes.clone(), |level| format!("{level}; {nodes}"));
            return Ruling::new(Verdict::Equal, cause);
        }
        Ruling::new(Verdict::Node, format!("it fits {node}, but {own} has a better score"))
    }

    /// Why kornsole prefers another request; `None` if both are equal.
    fn why_before(&self, other: &AskOf) -> Option<String> {
        let part = self.part()?;
        let found = part.precedence((&other.0, &other.1), (&self.wanted.0, &self.wanted.1), self.bench.same_moment)?;
        Some(found.to_string())
    }

    /// kornsole would allocate nothing, though the decision is legal.
    fn nothing(&self, canceled: bool) -> String {
        let Decision { app, ask, node, at, .. } = self.decision;
        let Some(part) = self.part() else { return String::new() };
        if let Some((app, ask)) = part.objections(*at, (app, ask), node).and_then(|found| found.reserved_for) {
            return format!("kornsole reserves node {node} for {app} {ask}");
        }
        let asked = part.explain(*at, app, Some(ask)).and_then(|found| found.asks.into_iter().next());
        let why = asked.map(|ask| ask.sentence()).unwrap_or_default();
        let but = if canceled { "apart from requests of the same rank, " } else { "" };
        format!("{but}kornsole would make no allocation now: {why}")
    }
}

fn preempts(next: &Next) -> String {
    let first = next.frees.first().map(|(app, ask)| format!("{app} {ask}")).unwrap_or_default();
    match next.frees.len() {
        0 | 1 => format!("kornsole preempts {first} first"),
        more => format!("kornsole preempts {first} and {} more first", more - 1),
    }
}

fn unknown_node(part: &Partition, decision: &Decision) -> String {
    let Decision { app, ask, node, at, .. } = decision;
    if part.nodes.find(node).is_none() {
        return format!("node {node} has not been seen");
    }
    let asked = part.explain(*at, app, Some(ask)).and_then(|found| found.asks.into_iter().next());
    match asked.map(|asked| asked.status) {
        Some(AskStatus::Runs { node, .. }) => format!("it already runs on {node}"),
        Some(AskStatus::TakesOver { node, .. }) => format!("it already replaces a placeholder on {node}"),
        Some(AskStatus::Waits) => "it cannot be compared".to_owned(),
        None => "its pod was not seen before the decision".to_owned(),
    }
}

pub(super) fn is_recent(entry: Time, decision: Time, window: Duration) -> bool {
    entry + window >= decision
}
