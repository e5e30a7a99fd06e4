//! Orders on their way: orders and questions of this console without an answer yet.
//!
//! Every order has a number, and its answer comes with that number; so the screen can say what is under way from the first moment,
//! and an answer to something that no one waits for any more changes nothing. An answer that is to open a question knows when it was
//! requested: it takes the keyboard only from someone who has done nothing since.

use std::collections::VecDeque;
use std::time::Duration;

use model::{AppId, QueuePath};
use source::{SuspendOrder, TrialChange};
use view::act::{Act, Done, Order, PartitionAct, Refusal};
use view::kubernetes::Chain;

/// The orders of this console.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    given: u64,
    /// Those without an answer, the oldest first.
    pub open: Vec<Ticket>,
    /// The expected result of a move of several applications, whose target is being written.
    pub watched: Option<Watched>,
    /// What was tried lately and refused for want of a right, each once.
    pub tried: Vec<RefusedAttempt>,
    /// Those whose result is on the screen while their events are looked for.
    pub awaited: Option<AwaitedEvents>,
    /// The applications that were moved last, with one question: each with where it was and where it went.
    pub moved: Vec<(AppId, QueuePath, QueuePath)>,
    /// The number of that question.
    moved_by: u64,
    /// The owners of the pods of an application that were looked up last.
    pub owners: Option<FoundOwners>,
    /// The application whose owners were requested last.
    pub owners_asked: Option<AppId>,
    /// The application whose owners are looked up to be suspended.
    pub suspending: Option<(AppId, QuestionOrigin)>,
    /// The owners that were suspended last.
    pub suspended: Option<SuspendOrder>,
    /// The changes of a what-if that are being made real.
    pub real: RealChanges,
}

/// Who owns the pods of an application.
#[derive(Clone, Debug)]
pub struct FoundOwners {
    /// The application whose pods they are; another one's owners are looked up again.
    pub app: AppId,
    /// Its pods by their nearest owner; or why that is unknown.
    pub chains: Result<Vec<Chain>, String>,
}

/// Changes of a what-if that are made in the cluster, one after the other.
#[derive(Clone, Debug, Default)]
pub struct RealChanges {
    /// Those that were not asked about, in their order.
    pub left: VecDeque<TrialChange>,
    /// How many there were.
    pub of: usize,
    /// The one that the scheduler examines before it is asked about.
    pub looked_at: Option<TrialChange>,
}

/// An order without an answer.
#[derive(Clone, Debug)]
pub struct Ticket {
    /// Counts up; the answer names it.
    pub number: u64,
    /// What is to be done.
    pub act: Act,
    /// What its answer is for.
    pub purpose: Purpose,
    /// The number that the next event had when it was sent to the source.
    pub since: u64,
}

/// The expected result of a move of several applications, from the answers so far.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The leaf that it is to go to.
    pub to: QueuePath,
    /// How many are marked.
    pub of: usize,
    /// How many would fit, each by itself.
    pub fit: usize,
    /// Those that would be refused, each with the reason.
    pub refused: Vec<(String, String)>,
}

/// What a dry run says about the move of several applications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSummary {
    /// What the dry run found, as one sentence.
    pub words: String,
    /// None of them could be moved.
    pub all: bool,
}

impl Watched {
    /// Takes the answer for one of them.
    pub fn take(&mut self, app: &str, refused: Option<String>) {
        match refused {
            None => self.fit += 1,
            Some(why) => self.refused.push((app.to_owned(), why)),
        }
    }

    /// The summary so far; `None` before the first answer.
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

/// What someone tried and may not do.
#[derive(Clone, Debug)]
pub struct RefusedAttempt {
    /// What, and the refusal that the source has taken note of.
    pub order: Order,
    /// Which check refused it, and why.
    pub refusal: Refusal,
    /// Since when it counts, on the console's clock.
    pub since: Duration,
    /// How many times more it was tried since.
    pub again: u32,
}

impl RefusedAttempt {
    /// How long the same attempt is one.
    pub const WINDOW: Duration = Duration::from_secs(60);
}

/// Orders that were carried out, and of which the events are looked for.
#[derive(Clone, Debug)]
pub struct AwaitedEvents {
    /// The orders, each with the event that was found.
    pub acts: Vec<(Act, Option<OrderEvent>)>,
    /// From which number on events were not examined.
    pub since: u64,
    /// The text of their result.
    pub result: String,
    /// The text on the screen: the result, and the findings behind it.
    pub shown: String,
}

/// An event of an order.
#[derive(Clone, Debug)]
pub struct OrderEvent {
    /// Counts up; the answer names it.
    pub number: u64,
    /// What it says.
    pub words: String,
    /// It is about the order itself, not about what followed.
    pub itself: bool,
}

/// When a question was requested that opens with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuestionOrigin {
    /// With which act of the person ([`crate::state::State::turn`]).
    pub turn: u64,
    /// When, on the console's clock.
    pub at: Duration,
}

/// What an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To report to the person what was done.
    Report,
    /// To ask the person, who then says yes or no.
    Ask(QuestionOrigin),
    /// To report it together with others of the same question, by its number.
    Batch(u64),
    /// To show the expected result next to the text that is being written.
    Watch,
}

impl Orders {
    /// The number that the next order gets.
    pub fn next_number(&self) -> u64 {
        self.given + 1
    }

    /// Adds an order that is sent to the source. Returns its number.
    pub fn open_ticket(&mut self, act: Act, purpose: Purpose) -> u64 {
        self.given += 1;
        self.open.push(Ticket { number: self.given, act, purpose, since: 0 });
        self.given
    }

    /// The order that an answer is to.
    pub fn answered(&mut self, number: u64) -> Option<Ticket> {
        let at = self.open.iter().position(|ticket| ticket.number == number)?;
        Some(self.open.remove(at))
    }

    /// Keeps which event is the next when an order is sent to the source.
    pub fn sent(&mut self, number: u64, since: u64) {
        if let Some(ticket) = self.open.iter_mut().find(|ticket| ticket.number == number) {
            ticket.since = since;
        }
    }

    /// Keeps where an application was that has been moved with a question; those of a later question take the place of an earlier one's.
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

    /// What is being done to an application: `killing…`.
    pub fn under_way(&self, app: &AppId) -> Option<&'static str> {
        let doing = self.open.iter().filter(|ticket| matches!(ticket.purpose, Purpose::Report | Purpose::Batch(_)));
        doing.filter(|ticket| ticket.act.object() == app.as_str()).find_map(|ticket| match &ticket.act {
            Act::In { act: PartitionAct::Kill { .. }, .. } => Some("killing…"),
            Act::In { act: PartitionAct::Move { .. }, .. } => Some("moving…"),
            _ => None,
        })
    }
}

/// What became of the orders of one question. Several may be under way at once.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Which question it was: the number of the first of its orders.
    pub number: u64,
    /// How many answers are waited for.
    pub left: usize,
    /// How many were carried out.
    pub done: usize,
    /// How many were refused.
    pub refused: usize,
    /// Those that were carried out.
    pub acts: Vec<Act>,
    /// The number that the next event had when the first of them was passed on.
    pub since: u64,
}
