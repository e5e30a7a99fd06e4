//! Why an application waits: the question, the answer of the core as data, and the same in words.
//!
//! The answer needs what a view does not have, so it is asked of the scheduler, by `explain` of a source; what
//! follows from it is worked out here.

mod answer;
mod event;
mod grounds_words;
mod node;
mod remedy_words;
mod sheet;
mod words;

use std::fmt;
use std::sync::Arc;

pub use crate::scheduler::inspect::explain::overview_types::{Example, Overview, WaitingGroup};
pub use crate::scheduler::inspect::explain::types::{
    Ahead, AskExplanation, AskStatus, BlockLevel, Blocker, CloseNode, Decision, DecisionKind, Explanation, Held,
    Holder, NodeFailures, NodeReason, NodeTally, Place, PreemptionOutcome, PreemptionVerdict, QueueTurn, Remedy,
    RemedyEffect, RemedyKind,
};
pub use answer::answer;
pub use event::event_sheet;
pub use sheet::{Sheet, SheetAnswer, SheetLine, Target};
pub use words::{amounts, count, name as resource_word};

use super::act::Refusal;
use crate::model::{AppId, AskId, QueuePath, Time};
use crate::scheduler::state::ask_log::TryResult;

/// Why what waits?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name of the partition that is asked about.
    pub partition: Arc<str>,
    /// What is asked: an application, or what most wait for.
    pub of: Asked,
}

/// What is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An application; with an ask only that one.
    App(AppId, Option<AskId>),
    /// All that waits in a queue and below it; `None`: in the partition.
    Waiting(Option<QueuePath>),
}

/// The answer, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Of an application.
    App(Box<Explanation>),
    /// Of all that waits.
    Waiting(Box<Overview>),
}

/// Where an explanation goes, or why there is none. Called once, from any thread.
pub type ExplainAnswer = Box<dyn FnOnce(Result<Finding, Refusal>) + Send>;

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(app, None) => write!(f, "{app}"),
            Self::App(app, Some(ask)) => write!(f, "{app} {ask}"),
            Self::Waiting(None) => f.write_str("what waits"),
            Self::Waiting(Some(queue)) => write!(f, "what waits in {queue}"),
        }
    }
}

/// What kept an application from running is not asked of one of its asks, but of itself.
const OF_APPLICATION: [BlockLevel; 4] =
    [BlockLevel::State, BlockLevel::QueueApps, BlockLevel::UserApps, BlockLevel::GroupApps];

impl AskExplanation {
    /// Since when its first blocker stands in its way, as far as cycles noted that; else since when it waits.
    pub fn first_since(&self) -> Time {
        let noted = self.found.last().filter(|last| {
            let first = self.blockers.first().map(|blocker| blocker.level);
            match last.found {
                TryResult::Never => false,
                TryResult::UserQuota => matches!(first, Some(BlockLevel::User | BlockLevel::Group)),
                TryResult::QueueQuota => first == Some(BlockLevel::Queue),
                TryResult::NoNode => first == Some(BlockLevel::Node),
                TryResult::Placeholder => first == Some(BlockLevel::Gang),
            }
        });
        noted.map_or(self.created, |last| last.since)
    }
}

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
