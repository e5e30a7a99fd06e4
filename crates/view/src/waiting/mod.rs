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

pub use answer::answer;
pub use event::event_sheet;
pub use grounds_words::{Sentences, rule_sentence};
pub use remedy_words::RemedyWords;
pub use scheduler::inspect::explain::overview_types::{Example, Overview, WaitingGroup};
pub use scheduler::inspect::explain::types::{
    Ahead, AskExplanation, AskStatus, BlockLevel, Blocker, CloseNode, Decision, DecisionKind, Explanation, Held,
    Holder, Mending, NodeFailures, NodeReason, NodeTally, Place, PreemptionOutcome, PreemptionVerdict, QueueTurn,
    Remedy, RemedyEffect, RemedyKind,
};
pub use sheet::{Sheet, SheetAnswer, SheetLine, Target};
pub use words::{AskWords, BlockerWords, PlaceWords, Sentence, amounts, count, name as resource_word};

use super::act::Refusal;
use model::{AppId, AskId, QueuePath};

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
    /// All pending requests in a queue and below it; `None`: in the partition.
    Waiting(Option<QueuePath>),
}

/// The answer, as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Of an application.
    App(Box<Explanation>),
    /// Of all pending requests.
    Waiting(Box<Overview>),
}

/// Where an explanation goes, or why there is none. Called once, from any thread.
pub type ExplainAnswer = Box<dyn FnOnce(Result<Finding, Refusal>) + Send>;

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(app, None) => write!(f, "{app}"),
            Self::App(app, Some(ask)) => write!(f, "{app} {ask}"),
            Self::Waiting(None) => f.write_str("pending requests"),
            Self::Waiting(Some(queue)) => write!(f, "pending requests in {queue}"),
        }
    }
}
