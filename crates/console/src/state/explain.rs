//! The page that says why something waits, or why something happened.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::{FairnessColumn, LimitColumn};
use crate::state::listing::Listing;
use model::{NodeId, QueuePath, Time};
use view::act::Refusal;
use view::fairness::FairnessRow;
use view::limits_used::LimitUsed;
use view::waiting::{Asked, Sheet, SheetLine};
use view::{Health, Record, Side, View};

/// The labels of the lines about a pending request, and about the allocations.
const REQUEST: &str = "request";
const ALLOCATED: &str = "allocated";

/// How many changes of the cause are kept.
const SEEN: usize = 8;

/// Why something waits, or why something happened.
#[derive(Clone, Debug)]
pub struct ExplainPage {
    /// What is explained.
    pub of: Explained,
    /// The answer; `None` until there is one.
    pub sheet: Option<Result<Arc<Sheet>, Refusal>>,
    /// The view that the answer was made from; `None` where the scheduler itself answered, as of the time in the answer.
    pub view: Option<Arc<View>>,
    /// When it was asked last, on the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// How long the last answer took to come.
    pub pace: Duration,
    /// What it waited for, since when, as seen here; the oldest first.
    pub seen: Vec<(Time, String)>,
    /// What events said of its waiting, the oldest first.
    pub said: Vec<(Time, Arc<str>)>,
    /// The line under the cursor.
    pub index: usize,
    /// The first line on the screen.
    pub top: usize,
}

/// What is explained.
#[derive(Clone, Debug)]
pub enum Explained {
    /// Why something waits: the scheduler is asked.
    Waiting(Asked),
    /// A node: what it has, and for whom.
    Node(NodeId),
    /// Something that happened.
    Event(Arc<Record>),
    /// What needs attention, how the cluster stands, what changed; next to it when the person looked last.
    Overview(Option<Time>),
}

impl ExplainPage {
    /// The page of something, before there is an answer.
    pub fn new(of: Explained) -> Self {
        Self {
            of,
            sheet: None,
            view: None,
            asked: None,
            awaited: false,
            pace: Duration::ZERO,
            seen: Vec::new(),
            said: Vec::new(),
            index: 0,
            top: 0,
        }
    }

    /// Which question about an application the answer is about, in words: one that does not wait has another than one that does.
    pub fn question(&self) -> &'static str {
        let Some(Ok(sheet)) = &self.sheet else { return "explanation" };
        let has = |label| sheet.lines.iter().any(|line| line.label == label);
        match () {
            () if sheet.waits => "why it waits",
            () if has(REQUEST) => "when it starts",
            () if has(ALLOCATED) => "what it uses",
            () => "why it does not wait",
        }
    }

    /// The lines of the answer.
    pub fn lines(&self) -> &[SheetLine] {
        match &self.sheet {
            Some(Ok(sheet)) => &sheet.lines,
            _ => &[],
        }
    }
}

impl ExplainPage {
    /// Takes an answer; the cursor stays on what its line says, or at its height.
    pub fn take(&mut self, sheet: Result<Sheet, Refusal>) {
        let before = self.lines().get(self.index).cloned();
        if let Ok(sheet) = &sheet
            && self.seen.last().map_or("", |(_, cause)| cause) != sheet.cause
        {
            self.seen.push((sheet.at, sheet.cause.clone()));
            let over = self.seen.len().saturating_sub(SEEN);
            self.seen.drain(..over);
        }
        self.sheet = Some(sheet.map(Arc::new));
        let lines = self.lines();
        let same =
            |line: &SheetLine| before.as_ref().is_some_and(|before| before.to == line.to && before.label == line.label);
        let there = lines.get(self.index).is_some_and(same);
        let found = lines.iter().position(same).filter(|_| !there);
        self.index = found.unwrap_or(self.index).min(lines.len().saturating_sub(1));
    }
}

/// How queues stand to their guarantees.
#[derive(Clone, Debug, Default)]
pub struct FairnessPage {
    /// The rows: a queue and a resource.
    pub list: Listing<Arc<FairnessRow>, (QueuePath, Arc<str>), FairnessColumn>,
    /// The view that the rows were made from.
    pub view: Option<Arc<View>>,
}

/// Whose limit, on which queue, of which resource; `None`: of the number of applications.
pub type LimitKey = (Side, Arc<str>, QueuePath, Option<Arc<str>>);

/// How users and groups stand to their limits.
#[derive(Clone, Debug, Default)]
pub struct LimitsPage {
    /// The rows: a user or group, a queue and a resource.
    pub list: Listing<Arc<LimitUsed>, LimitKey, LimitColumn>,
    /// The view that the rows were made from.
    pub view: Option<Arc<View>>,
}

/// The checks that were made here.
#[derive(Clone, Debug)]
pub struct Checkup {
    /// Of when the picture was on which they were made.
    pub at: Time,
    /// What they found.
    pub health: Health,
}
