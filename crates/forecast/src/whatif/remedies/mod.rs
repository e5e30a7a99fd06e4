//! Remedies for a pending request: changes that are tested in forks, with their other effects.
//!
//! Invariants:
//! - a proposed change lets the request run in its copy;
//! - the number of copies is bounded ([`MOST_HOLDERS`], [`MOST_TIMES`], [`MOST_LEAVES`]);
//! - the fork itself is not changed.

mod proposals;
mod stage;

use std::cell::OnceCell;

use super::fork::Fork;
use super::runtimes::{HistoryKey, RuntimeRule, Runtimes};
use model::{AppId, Resource, Time};
use proposals::{Proposed, holders, leaves_near, priorities};
use scheduler::inspect::explain::types::{AskExplanation, AskStatus, BlockLevel, Explanation, Remedy, RemedyKind};
use stage::{Settled, Stage};

const MOST_ASKS: usize = 3;
/// Ended one by one and then together.
const MOST_HOLDERS: usize = 5;
/// Increases by what preceding requests used.
const MOST_TIMES: usize = 8;
const MOST_LEAVES: usize = 4;

/// Applications with too many kinds of requests get none.
pub fn try_remedies(fork: &Fork, found: &mut Explanation) {
    let waits = |ask: &&mut AskExplanation| ask.status == AskStatus::Waits && !ask.blockers.is_empty();
    let mut settled = None;
    for (number, ask) in found.asks.iter_mut().filter(waits).enumerate() {
        let worked_out = std::mem::take(&mut ask.remedies);
        if number >= MOST_ASKS {
            continue;
        }
        let settled = settled.get_or_insert_with(|| Settled::of(fork));
        ask.remedies = match settled.turn_of(&found.app, &ask.id) {
            Some(before) => {
                vec![Remedy { steps: vec![RemedyKind::Turn(before)], enough: true, effects: Some(Vec::new()) }]
            }
            None => Attempts::new(fork, settled, (&found.app, ask), worked_out).all(),
        };
    }
}

struct Attempts<'a> {
    stage: Stage<'a>,
    app: &'a AppId,
    ask: &'a AskExplanation,
    fork: &'a Fork,
    worked_out: Vec<Remedy>,
    runtimes: OnceCell<Runtimes>,
}

impl<'a> Attempts<'a> {
    fn new(
        fork: &'a Fork,
        settled: &'a Settled,
        (app, ask): (&'a AppId, &'a AskExplanation),
        worked_out: Vec<Remedy>,
    ) -> Self {
        Self { stage: Stage::new(settled, app, &ask.id), app, ask, fork, worked_out, runtimes: OnceCell::new() }
    }

    fn all(&self) -> Vec<Remedy> {
        let holders = self.stage.part().map(|part| holders(part, self.app, self.ask)).unwrap_or_default();
        let ends = self.ends(&holders);
        let ended = ends.as_ref().and_then(|end| match end.steps.as_slice() {
            [RemedyKind::End { app, .. }] => Some(app.clone()),
            _ => None,
        });
        let mut all = Vec::new();
        all.extend(self.raised());
        all.extend(self.priority(&holders));
        all.extend(self.wait(&holders, ended.as_ref()));
        all.extend(self.moved_away());
        all.extend(ended.as_ref().and_then(|app| self.moved(app)));
        all.extend(ends);
        all.extend(self.changed_ask());
        all
    }

    /// By the missing quantity, plus what preceding requests use of it.
    fn raised(&self) -> Option<Remedy> {
        let steps = self.worked_out.iter().flat_map(|remedy| &remedy.steps);
        let raises = |step: &&RemedyKind| matches!(step, RemedyKind::Raise { .. } | RemedyKind::AddNode { .. });
        let mut steps: Vec<RemedyKind> = steps.filter(raises).cloned().collect();
        if steps.is_empty() {
            return None;
        }
        let least = steps.clone();
        for turn in 0..MOST_TIMES {
            let outcome = self.stage.outcome_of(&steps)?;
            let (taken, started) = self.stage.taken(&outcome);
            if outcome.is_served() {
                // Use the missing quantity plus that of the preceding requests if it is smaller and sufficient.
                let mut enough = least;
                for step in &mut enough {
                    enlarge(step, &taken, started);
                }
                let smaller = (turn > 0 && enough != steps).then(|| self.stage.served_by(enough)).flatten();
                return Some(smaller.unwrap_or_else(|| self.stage.remedy(steps, &outcome)));
            }
            let enlarged: Vec<bool> = steps.iter_mut().map(|step| enlarge(step, &taken, started)).collect();
            if !enlarged.contains(&true) {
                return None;
            }
        }
        None
    }

    /// Ends one application, or otherwise several.
    fn ends(&self, holders: &[Proposed]) -> Option<Remedy> {
        let end = |holder: &Proposed| RemedyKind::End { app: holder.app.clone(), amount: holder.amount };
        let one = holders.iter().take(MOST_HOLDERS).find_map(|holder| self.stage.served_by(vec![end(holder)]));
        one.or_else(|| {
            let mut largest: Vec<&Proposed> = holders.iter().collect();
            largest.sort_by_key(|holder| std::cmp::Reverse(holder.amount));
            largest.truncate(MOST_HOLDERS);
            let some = |count: usize| largest.iter().take(count).map(|holder| end(holder)).collect::<Vec<_>>();
            // If all of them are not sufficient, fewer are not.
            let all = (largest.len() > 1).then(|| self.stage.served_by(some(largest.len()))).flatten()?;
            let fewer = (2..largest.len()).find_map(|count| self.stage.served_by(some(count)));
            Some(fewer.unwrap_or(all))
        })
    }

    /// The first known end that is sufficient.
    fn wait(&self, holders: &[Proposed], ended: Option<&AppId>) -> Option<Remedy> {
        let known = holders.iter().filter_map(|holder| Some((self.end_of(&holder.app)?, &holder.app)));
        let mut known: Vec<(Time, &AppId)> = known.collect();
        known.sort();
        let by_itself = |app: &AppId, at: Option<Time>| {
            let mut remedy = self.stage.served_by(vec![RemedyKind::End { app: app.clone(), amount: 0 }])?;
            remedy.steps = vec![RemedyKind::Wait { app: app.clone(), at }];
            // Its own allocations end anyway.
            remedy.effects = remedy.effects.map(|effects| stage::without_losses(effects, app));
            Some(remedy)
        };
        let first_known = known.iter().take(MOST_HOLDERS).find_map(|(at, app)| by_itself(app, Some(*at)));
        first_known.or_else(|| by_itself(ended?, None))
    }

    /// Estimated from the applications of its queue.
    fn end_of(&self, app: &AppId) -> Option<Time> {
        let (part, now) = (self.fork.partition()?, self.fork.now());
        let rules = [RuntimeRule::History(HistoryKey::Queue)];
        let runtimes = self.runtimes.get_or_init(|| Runtimes::new(&rules, part, None));
        let app = part.app(app)?;
        let runs = app.allocations.values().map(|key| &app.asks[*key]);
        let ends = runs.map(|ask| runtimes.end(app, ask.id.as_str(), ask.allocation?.since, now));
        ends.collect::<Option<Vec<Time>>>()?.into_iter().max()
    }

    /// For an immediate effect, or to get the resources of an allocation that ends.
    fn priority(&self, holders: &[Proposed]) -> Option<Remedy> {
        let part = self.stage.part()?;
        let from = self.ask.priority;
        for to in priorities(part, self.app, from) {
            let step = |when: Option<&AppId>| RemedyKind::Priority { from, to, when: when.cloned() };
            if let Some(remedy) = self.stage.served_by(vec![step(None)]) {
                return Some(remedy);
            }
            for Proposed { app, .. } in holders.iter().take(MOST_HOLDERS) {
                let end = RemedyKind::End { app: app.clone(), amount: 0 };
                let usual = self.stage.outcome_of(std::slice::from_ref(&end))?;
                if usual.is_served() {
                    break;
                }
                let outcome = self.stage.outcome_of(&[step(None), end])?;
                if outcome.is_served() {
                    // An allocation that ends by itself is not an effect of the priority.
                    let effects = stage::without_losses(stage::effects(&usual, &outcome, self.app), app);
                    let effects = Some(effects);
                    return Some(Remedy { steps: vec![step(Some(app))], enough: true, effects });
                }
            }
        }
        None
    }

    /// Moves the application itself to a leaf with headroom.
    fn moved_away(&self) -> Option<Remedy> {
        let by_queue = [
            BlockLevel::Draining,
            BlockLevel::State,
            BlockLevel::QueueApps,
            BlockLevel::UserApps,
            BlockLevel::GroupApps,
            BlockLevel::User,
            BlockLevel::Group,
            BlockLevel::Queue,
        ];
        self.ask.blockers.iter().any(|blocker| by_queue.contains(&blocker.level)).then(|| self.moved(self.app))?
    }

    /// To the nearest leaf that accepts it.
    fn moved(&self, app: &AppId) -> Option<Remedy> {
        let leaves = leaves_near(self.stage.part()?, app);
        let step = |to| vec![RemedyKind::Move { app: app.clone(), to }];
        // Rejected moves are free: only copies with cycles count.
        let tried = leaves.into_iter().filter_map(|leaf| {
            let steps = step(leaf);
            let outcome = self.stage.outcome_of(&steps)?;
            Some((steps, outcome))
        });
        let served = tried.take(MOST_LEAVES).find(|(_, outcome)| outcome.is_served())?;
        Some(self.stage.remedy(served.0, &served.1))
    }

    /// A preceding request that ends every cycle.
    fn changed_ask(&self) -> Option<Remedy> {
        let steps = self.worked_out.iter().flat_map(|remedy| &remedy.steps);
        let change = steps.into_iter().find(|step| matches!(step, RemedyKind::ChangeAsk(..)))?;
        self.stage.served_by(vec![change.clone()])
    }
}

/// By what others used of it. Returns true if it changed.
fn enlarge(step: &mut RemedyKind, taken: &Resource, started: i64) -> bool {
    match step {
        RemedyKind::Raise { resource, by, to, .. } => {
            let more = resource.as_ref().map_or(started, |name| taken.amount(name));
            *by = by.saturating_add(more);
            *to = to.saturating_add(more);
            more > 0
        }
        RemedyKind::AddNode { size, .. } => {
            let names: Vec<String> = size.iter().map(|(name, _)| name.to_owned()).collect();
            let mut larger = false;
            for name in names {
                let more = taken.amount(&name);
                size.set(&name, size.amount(&name).saturating_add(more));
                larger |= more > 0;
            }
            larger
        }
        _ => false,
    }
}
