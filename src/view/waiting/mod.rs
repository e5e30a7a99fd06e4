//! Why an application waits: the question, the answer of the core as data, and the same in words.
//!
//! The answer needs what a view does not have, so it is asked of the scheduler, by `explain` of a source; what
//! follows from it is worked out here.

mod words;

use std::sync::Arc;

pub use crate::scheduler::inspect::explain::types::{
    Ahead, AskExplanation, AskStatus, BlockLevel, Blocker, CloseNode, Decision, DecisionKind, Explanation, Holder,
    NodeFailures, NodeReason, NodeTally, Place, PreemptionOutcome, PreemptionVerdict, QueueTurn, Remedy, RemedyKind,
};

use super::act::Refusal;
use crate::model::{AppId, AskId};

/// Why what waits?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The partition.
    pub partition: Arc<str>,
    /// The application.
    pub app: AppId,
    /// One of its asks; `None`: all of them.
    pub ask: Option<AskId>,
}

/// Where an explanation goes, or why there is none. Called once, from any thread.
pub type ExplainAnswer = Box<dyn FnOnce(Result<Explanation, Refusal>) + Send>;

/// What kept an application from running is not asked of one of its asks, but of itself.
const OF_APPLICATION: [BlockLevel; 4] =
    [BlockLevel::State, BlockLevel::QueueApps, BlockLevel::UserApps, BlockLevel::GroupApps];

impl Explanation {
    /// The first of its asks that waits.
    pub fn first_waiting(&self) -> Option<&AskExplanation> {
        self.asks.iter().find(|ask| ask.status == AskStatus::Waits)
    }

    /// What stands in its way first.
    pub fn first_blocker(&self) -> Option<&Blocker> {
        self.blockers.first().or_else(|| self.first_waiting()?.blockers.first())
    }

    /// Whether something of it waits that the next cycle does not serve.
    pub fn waits(&self) -> bool {
        self.finished.is_none() && self.asks.iter().any(|ask| !ask.blockers.is_empty())
    }

    /// Whether numbers of applications, and the order in which they start, let it run.
    pub fn is_runnable(&self) -> bool {
        let held = |blocker: &Blocker| OF_APPLICATION.contains(&blocker.level);
        self.finished.is_none() && !self.asks.iter().flat_map(|ask| &ask.blockers).any(held)
    }
}
