//! Explains why an application waits: the scheduler has data that is not in a view.

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
    Ahead, Allocated, AskExplanation, AskStatus, BlockLevel, Blocker, CloseNode, Decision, DecisionKind, Explanation,
    Holder, NodeFailures, NodeReason, NodeTally, Place, PreemptionOutcome, PreemptionVerdict, QueueTurn, Remedy,
    RemedyEffect, RemedyKind, Resolution,
};
pub use sheet::{Sheet, SheetAnswer, SheetLine, Target};
pub use words::{AskWords, BlockerWords, PlaceWords, Sentence, amounts, count, name as resource_word};

use super::act::Refusal;
use model::{AppId, AskId, QueuePath};

/// A question about waiting requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The name of the partition.
    pub partition: Arc<str>,
    /// The object of the question.
    pub of: Asked,
}

/// The object of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// An application, or one of its requests.
    App(AppId, Option<AskId>),
    /// `None` for the partition.
    Waiting(Option<QueuePath>),
}

/// An answer as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// The answer for an application.
    App(Box<Explanation>),
    /// The answer for all pending requests.
    Waiting(Box<Overview>),
}

/// Receives an explanation or a rejection, once, from any thread.
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
