//! Running the list of rules and checking the result (`placement.md` sections 1, 6 and 9).

use model::QueuePath;

use super::access::submit;
use super::refusal::{Refusal, Refused};
use super::rules::Rules;
use super::submission::Submission;
use super::trace::{AccessCheck, RuleEnd, RuleRef, RuleTrace, SkipReason, Trace};
use super::tree::QueueTree;
use super::walk::{RuleQueue, RuleStop, Walk};
use super::well_known::{FALLBACK_QUEUE, RECOVERY_QUEUE};

/// The result of a submission with its trace.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Placement {
    /// The queue or the rejection.
    pub outcome: PlacementOutcome,
    /// All that was tried.
    pub trace: Trace,
}

/// The result for an application.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum PlacementOutcome {
    /// A queue was selected.
    Placed(Placed),
    /// No rule matched, or a check rejected the queue.
    Refused(Refused),
}

/// A queue for an application.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Placed {
    /// The full path of the leaf.
    pub path: QueuePath,
    /// The queues to create first, top down, ending with the leaf (PLC-070).
    pub create: Vec<QueuePath>,
    /// The deciding rule.
    pub rule: RuleRef,
    /// The recovery queue is created differently (PLC-093).
    pub recovery: bool,
}

impl Placement {
    /// The queue, if placed.
    pub fn placed(&self) -> Option<&Placed> {
        match &self.outcome {
            PlacementOutcome::Placed(placed) => Some(placed),
            PlacementOutcome::Refused(_) => None,
        }
    }

    /// The rejection, if any.
    pub fn refused(&self) -> Option<&Refused> {
        match &self.outcome {
            PlacementOutcome::Placed(_) => None,
            PlacementOutcome::Refused(refused) => Some(refused),
        }
    }
}

impl Rules {
    /// Places an application by the first rule whose result passes the checks (PLC-001).
    pub fn place<T: QueueTree + ?Sized>(&self, submission: &Submission<'_>, tree: &T) -> Placement {
        let walk = Walk { switches: self.switches, submission, tree };
        let mut trace = Trace { forced: submission.is_forced(), rules: Vec::with_capacity(self.list.len() + 2) };
        let outcome = match self.first_match(&walk, &mut trace) {
            Ok(placed) => PlacementOutcome::Placed(placed),
            Err(refused) => PlacementOutcome::Refused(refused),
        };
        Placement { outcome, trace }
    }

    fn first_match<T: QueueTree + ?Sized>(&self, walk: &Walk<'_, T>, trace: &mut Trace) -> Result<Placed, Refused> {
        for (number, rule) in self.list.iter().enumerate() {
            let attempt = |entry: &mut RuleTrace| walk.run(rule, entry).and_then(|found| walk.check(found, entry));
            if let Some(placed) = enter(trace, RuleRef::Rule(number), attempt)? {
                return Ok(placed);
            }
        }
        if self.recovery {
            let forced = trace.forced;
            if let Some(placed) = enter(trace, RuleRef::Recovery, |entry| walk.recover(forced, entry))? {
                return Ok(placed);
            }
            if self.switches.placement_default
                && let Some(placed) = enter(trace, RuleRef::Fallback, |entry| walk.fall_back(entry))?
            {
                return Ok(placed);
            }
        }
        Err(Refusal::NoRuleMatched { queue: walk.submission.queue.to_owned() }.into())
    }
}

fn enter(
    trace: &mut Trace,
    rule: RuleRef,
    attempt: impl FnOnce(&mut RuleTrace) -> Result<Placed, RuleStop>,
) -> Result<Option<Placed>, Refused> {
    let mut entry = RuleTrace::new(rule);
    let result = match attempt(&mut entry) {
        Ok(placed) => {
            entry.end = RuleEnd::Placed;
            Ok(Some(placed))
        }
        Err(RuleStop::Next(next)) => {
            entry.end = RuleEnd::Next(next);
            Ok(None)
        }
        Err(RuleStop::Refused(refused)) => Err(refused),
    };
    trace.rules.push(entry);
    result
}

impl<T: QueueTree + ?Sized> Walk<'_, T> {
    /// Sections 6 and 7.
    fn check(&self, found: RuleQueue, entry: &mut RuleTrace) -> Result<Placed, RuleStop> {
        let RuleQueue { written, path, queue } = found;
        entry.path = Some(path.clone());
        entry.queue = queue;
        let recovery = path.as_str() == RECOVERY_QUEUE;
        if recovery && !self.switches.recovery_queue_open {
            return Err(RuleStop::Next(SkipReason::RecoveryClosed));
        }
        if queue.is_some_and(|queue| !queue.leaf) {
            return Err(RuleStop::Next(SkipReason::IsParent));
        }
        let Some(asked) = self.nearest(path.as_str()) else { return Err(RuleStop::Next(SkipReason::NotBelowRoot)) };
        let grant = submit(self.tree, asked.path.as_str(), self.submission.identity);
        let granted = grant.is_some();
        entry.asked = Some(AccessCheck { queue: asked.path.clone(), grant });
        if !granted {
            return Err(RuleStop::Next(SkipReason::NoAccess));
        }
        if queue.is_none() {
            entry.create = self.plan(&path, &written, asked).map_err(RuleStop::Refused)?;
        } else if let Some(draining) = self.draining(path.as_str()) {
            return Err(RuleStop::Next(SkipReason::Draining(draining)));
        }
        Ok(Placed { path, create: entry.create.clone(), rule: entry.rule, recovery })
    }

    /// The recovery rule (PLC-092, PLC-095).
    fn recover(&self, forced: bool, entry: &mut RuleTrace) -> Result<Placed, RuleStop> {
        if !forced {
            return Err(RuleStop::Next(SkipReason::NotForced));
        }
        let path = QueuePath::new(RECOVERY_QUEUE);
        entry.path = Some(path.clone());
        entry.queue = self.tree.queue(RECOVERY_QUEUE).map(|queue| queue.state);
        if entry.queue.is_none() {
            entry.create.push(path.clone());
        }
        Ok(Placed { path, create: entry.create.clone(), rule: entry.rule, recovery: true })
    }

    /// What 1.8 tries last (PLC-004).
    fn fall_back(&self, entry: &mut RuleTrace) -> Result<Placed, RuleStop> {
        let path = QueuePath::new(FALLBACK_QUEUE);
        let Some(queue) = self.queue(FALLBACK_QUEUE).map(|queue| queue.state) else {
            return Err(RuleStop::Next(SkipReason::NoFallback));
        };
        self.check(RuleQueue { written: FALLBACK_QUEUE.to_owned(), path, queue: Some(queue) }, entry)
    }
}
