//! Results of an explanation: the first blocker and its start.

use crate::inspect::explain::types::{
    AskExplanation, AskStatus, BlockLevel, Blocker, Explanation, PreemptionOutcome, PreemptionVerdict, Resolution,
};
use crate::state::ask_log::TryResult;
use model::Time;

const OF_APPLICATION: [BlockLevel; 4] =
    [BlockLevel::State, BlockLevel::QueueApps, BlockLevel::UserApps, BlockLevel::GroupApps];

impl AskExplanation {
    /// The namespace and name of its pod, or its id.
    pub fn name(&self) -> &str {
        self.pod.as_deref().unwrap_or(self.id.as_str())
    }

    /// The start of its first blocker, if recorded; otherwise of the request.
    pub fn first_since(&self) -> Time {
        if let Some(since) = self.blockers.first().and_then(|first| first.since) {
            return since;
        }
        let noted = self.found.last().filter(|last| {
            let first = self.blockers.first().map(|blocker| blocker.level);
            match last.found {
                TryResult::Never => false,
                TryResult::UserQuota => matches!(first, Some(BlockLevel::User | BlockLevel::Group)),
                TryResult::QueueQuota => first == Some(BlockLevel::Queue),
                TryResult::NoNode => first == Some(BlockLevel::Node),
                TryResult::Placeholder => first == Some(BlockLevel::Gang),
                TryResult::Turn => first == Some(BlockLevel::Priority),
            }
        });
        noted.map_or(self.created, |last| last.since)
    }
}

impl Explanation {
    /// The pending request that time helps least.
    pub fn first_waiting(&self) -> Option<&AskExplanation> {
        let waiting = self.asks.iter().filter(|ask| ask.status == AskStatus::Waits);
        waiting.min_by_key(|ask| ask.blockers.first().map_or(Resolution::Turn, Blocker::resolution))
    }

    /// The first blocker.
    pub fn first_blocker(&self) -> Option<&Blocker> {
        self.blockers.first().or_else(|| self.first_waiting()?.blockers.first())
    }

    /// Whether a request is pending that the next cycle does not allocate.
    pub fn waits(&self) -> bool {
        self.finished.is_none() && self.asks.iter().any(|ask| !ask.blockers.is_empty())
    }

    /// Whether numbers of applications and the order of starting allow it to run.
    pub fn is_runnable(&self) -> bool {
        let reserved = |blocker: &Blocker| OF_APPLICATION.contains(&blocker.level);
        self.finished.is_none() && !self.asks.iter().flat_map(|ask| &ask.blockers).any(reserved)
    }
}

impl PreemptionVerdict {
    /// Whether preemption would release allocations for the request.
    pub fn is_possible(&self) -> bool {
        matches!(self.outcome, PreemptionOutcome::Victims(..))
    }
}
