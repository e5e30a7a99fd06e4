//! The page that explains a pending request or an event.

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

const REQUEST: &str = "request";
const ALLOCATED: &str = "allocated";

const SEEN: usize = 8;

/// Why something waits, or why something happened.
#[derive(Clone, Debug)]
pub struct ExplainPage {
    /// What is explained.
    pub of: Explained,
    /// The answer, when available.
    pub sheet: Option<Result<Arc<Sheet>, Refusal>>,
    /// `None` if the scheduler answered.
    pub view: Option<Arc<View>>,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The latency of the last answer.
    pub pace: Duration,
    /// Causes with their start, the oldest first.
    pub seen: Vec<(Time, String)>,
    /// The causes from events, the oldest first.
    pub reported: Vec<(Time, Arc<str>)>,
    /// The line under the cursor.
    pub index: usize,
    /// The first visible line.
    pub top: usize,
}

/// The subject of an explanation.
#[derive(Clone, Debug)]
pub enum Explained {
    /// A pending request; the scheduler answers.
    Waiting(Asked),
    /// A node: its resources and their users.
    Node(NodeId),
    /// Something that happened.
    Event(Arc<Record>),
    /// Since the user's last look.
    Overview(Option<Time>),
}

impl ExplainPage {
    /// The page before the first answer.
    pub fn new(of: Explained) -> Self {
        Self {
            of,
            sheet: None,
            view: None,
            asked: None,
            awaited: false,
            pace: Duration::ZERO,
            seen: Vec::new(),
            reported: Vec::new(),
            index: 0,
            top: 0,
        }
    }

    /// Depends on whether the application is pending.
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
    /// The cursor stays on its text, or index.
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

/// Usage of queues compared with guaranteed resources.
#[derive(Clone, Debug, Default)]
pub struct FairnessPage {
    /// One row per queue and resource.
    pub list: Listing<Arc<FairnessRow>, (QueuePath, Arc<str>), FairnessColumn>,
    /// The view of the rows.
    pub view: Option<Arc<View>>,
}

/// The resource is `None` for the number of applications.
pub type LimitKey = (Side, Arc<str>, QueuePath, Option<Arc<str>>);

/// Usage of users and groups compared with limits.
#[derive(Clone, Debug, Default)]
pub struct LimitsPage {
    /// One row per user or group, queue, and resource.
    pub list: Listing<Arc<LimitUsed>, LimitKey, LimitColumn>,
    /// The view of the rows.
    pub view: Option<Arc<View>>,
}

/// Health checks that the console ran.
#[derive(Clone, Debug)]
pub struct Checkup {
    /// The time of the checked view.
    pub at: Time,
    /// `None` while they run.
    pub health: Option<Health>,
}
