//! Operations and questions without an answer.
//!
//! An answer has the number of its operation: the screen shows the operation from the start, and an outdated answer
//! changes nothing. A question opens on an answer only if the user has done nothing since.

use std::collections::VecDeque;
use std::time::Duration;

use model::{AppId, QueuePath};
use source::{SuspendOrder, TrialChange};
use view::act::{Act, Done, Order, PartitionAct, Refusal};
use view::kubernetes::Chain;

/// The operations of this console.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    given: u64,
    /// Unanswered operations, the oldest first.
    pub open: Vec<Ticket>,
    /// The expected result while the user types the target.
    pub watched: Option<Watched>,
    /// Recent attempts that were denied, without duplicates.
    pub tried: Vec<RefusedAttempt>,
    /// Their result is shown while events are searched.
    pub awaited: Option<AwaitedEvents>,
    /// Id, origin, and target of the last move.
    pub moved: Vec<(AppId, QueuePath, QueuePath)>,
    moved_by: u64,
    /// The owners of the last queried application.
    pub owners: Option<FoundOwners>,
    /// The last application whose owners were requested.
    pub owners_asked: Option<AppId>,
    /// The application whose owners are requested to suspend them.
    pub suspending: Option<(AppId, QuestionOrigin)>,
    /// The last suspended owners.
    pub suspended: Option<SuspendOrder>,
    /// The changes of a what-if that are being applied.
    pub real: RealChanges,
}

/// The owners of an application's pods.
#[derive(Clone, Debug)]
pub struct FoundOwners {
    /// The application whose pods they are; another one's owners are looked up again.
    pub app: AppId,
    /// The pods by nearest owner.
    pub chains: Result<Vec<Chain>, String>,
}

/// Applied to the cluster one by one.
#[derive(Clone, Debug, Default)]
pub struct RealChanges {
    /// The remaining changes in order.
    pub left: VecDeque<TrialChange>,
    /// The total number.
    pub of: usize,
    /// The change in dry run, before the confirmation.
    pub examined: Option<TrialChange>,
}

/// An operation without an answer.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// Counts up; the answer contains it.
    pub number: u64,
    /// What is to be done.
    pub act: Act,
    /// The purpose of the answer.
    pub purpose: Purpose,
    /// The next event when it was sent.
    pub since: u64,
}

/// The answers so far to moving several applications.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The target leaf.
    pub to: QueuePath,
    /// The number of marked applications.
    pub of: usize,
    /// The number that would fit, each alone.
    pub fit: usize,
    /// The applications that would be rejected, with reasons.
    pub refused: Vec<(String, String)>,
}

/// The dry run of moving several applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSummary {
    /// What the dry run found, as one sentence.
    pub words: String,
    /// None can be moved.
    pub all: bool,
}

impl Watched {
    /// Adds the answer for one application.
    pub fn take(&mut self, app: &str, refused: Option<String>) {
        match refused {
            None => self.fit += 1,
            Some(why) => self.refused.push((app.to_owned(), why)),
        }
    }

    /// `None` before the first answer.
    pub fn summary(&self) -> Option<MoveSummary> {
        let asked = self.fit + self.refused.len();
        let Some((app, why)) = self.refused.first() else {
            let of = if asked < self.of { format!("the first {asked} of {}", self.of) } else { format!("all {asked}") };
            return (asked > 0).then(|| MoveSummary { words: format!("would fit, each by itself: {of}"), all: false });
        };
        let all = self.fit == 0 && asked == self.of;
        let refused = self.refused.len();
        let words =
            if all { format!("{app}: {why}") } else { format!("{refused} of {asked} would be rejected, {app}: {why}") };
        Some(MoveSummary { words, all })
    }
}

/// An attempt that was denied.
#[derive(Clone, Debug)]
pub struct RefusedAttempt {
    /// What, and the refusal that the source has taken note of.
    pub order: Order,
    /// The denial that the source has recorded.
    pub refusal: Refusal,
    /// The time, on the console's clock.
    pub since: Duration,
    /// The number of repetitions.
    pub again: u32,
}

impl RefusedAttempt {
    /// Repetitions within this time count as the same attempt.
    pub const WINDOW: Duration = Duration::from_secs(60);
}

/// Completed operations whose events are searched.
#[derive(Clone, Debug)]
pub struct AwaitedEvents {
    /// The operations with their events.
    pub acts: Vec<(Act, Option<OrderEvent>)>,
    /// The number of the next event to search.
    pub since: u64,
    /// The result text.
    pub result: String,
    /// The displayed text: the result and the events found.
    pub shown: String,
}

/// An event of an operation.
#[derive(Clone, Debug)]
pub struct OrderEvent {
    /// The number of the event.
    pub number: u64,
    /// What it says.
    pub words: String,
    /// About the operation, not a consequence.
    pub itself: bool,
}

/// When the user caused the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionOrigin {
    /// The user action ([`crate::state::State::turn`]).
    pub turn: u64,
    /// The time, on the console's clock.
    pub at: Duration,
}

/// The purpose of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Report the result.
    Report,
    /// Ask the user for confirmation.
    Ask(QuestionOrigin),
    /// With the other answers of a question, by its number.
    Batch(u64),
    /// Next to the text that the user types.
    Watch,
}

impl Orders {
    /// The number of the next operation.
    pub fn next_number(&self) -> u64 {
        self.given + 1
    }

    /// Adds an operation, and returns its number.
    pub fn open_ticket(&mut self, act: Act, purpose: Purpose) -> u64 {
        self.given += 1;
        self.open.push(Ticket { number: self.given, act, purpose, since: 0 });
        self.given
    }

    /// Takes the operation of an answer.
    pub fn answered(&mut self, number: u64) -> Option<Ticket> {
        let at = self.open.iter().position(|ticket| ticket.number == number)?;
        Some(self.open.remove(at))
    }

    /// Stores the number of the next event.
    pub fn sent(&mut self, number: u64, since: u64) {
        if let Some(ticket) = self.open.iter_mut().find(|ticket| ticket.number == number) {
            ticket.since = since;
        }
    }

    /// A later question replaces an earlier one.
    pub fn keep_moved(&mut self, done: &Done, question: u64) {
        let Done::Moved(moved) = done else { return };
        if question < self.moved_by {
            return;
        }
        if question > self.moved_by {
            (self.moved_by, self.moved) = (question, Vec::new());
        }
        self.moved.push((moved.app.clone(), moved.from.clone(), moved.to.clone()));
    }

    /// The running operation of an application: `killing…`.
    pub fn under_way(&self, app: &AppId) -> Option<&'static str> {
        let doing = self.open.iter().filter(|ticket| matches!(ticket.purpose, Purpose::Report | Purpose::Batch(_)));
        doing.filter(|ticket| ticket.act.object() == app.as_str()).find_map(|ticket| match &ticket.act {
            Act::In { act: PartitionAct::Kill { .. }, .. } => Some("killing…"),
            Act::In { act: PartitionAct::Move { .. }, .. } => Some("moving…"),
            _ => None,
        })
    }
}

/// One question about several objects.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The question: the number of its first operation.
    pub number: u64,
    /// The number of missing answers.
    pub left: usize,
    /// The number that succeeded.
    pub done: usize,
    /// The number that were rejected.
    pub refused: usize,
    /// The successful operations.
    pub acts: Vec<Act>,
    /// The next event at the first operation.
    pub since: u64,
}
