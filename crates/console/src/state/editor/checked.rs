//! The check of an edited configuration, worked out next to the draw loop.

use std::sync::Arc;
use std::time::Duration;

use config::diff::Line;
use config::{Config, Fault, Removal, Severity};
use model::{Profile, QueuePath, Time};
use view::act::Actor;
use view::{QuotaForecast, View};

/// What a text would have preempted, as the scheduler says it: a view of one elsewhere does not show which allocations go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaPreview {
    /// The text that was asked about.
    pub text: Arc<str>,
    /// By partition; nothing where the scheduler does not know it either.
    pub forecasts: Vec<(Arc<str>, QuotaForecast)>,
    /// When it was answered, on the console's clock.
    pub taken: Duration,
}

impl QuotaPreview {
    /// How long it holds: what runs changes.
    const HOLDS: Duration = Duration::from_secs(10);

    /// Whether it still says what a text leads to.
    pub fn is_of(&self, text: &str, now: Duration) -> bool {
        *self.text == *text && now < self.taken + Self::HOLDS
    }
}

/// A text to be examined.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// The cluster's time.
    pub at: Time,
    /// Which version of the text it is.
    pub version: u64,
    /// The text as written just now.
    pub text: String,
    /// The text of the active configuration.
    pub base: Arc<str>,
    /// Running allocations, for the effects of the change.
    pub view: Arc<View>,
    /// By which rules it is read.
    pub profile: Profile,
    /// Who would applies it; or why no one can.
    pub actor: Result<Actor, Arc<str>>,
    /// The scheduler's last answer: which allocations a text would have preempted. It may be about another text.
    pub preview: Option<Arc<QuotaPreview>>,
}

/// What a text would mean.
#[derive(Clone, Debug, Default)]
pub struct CheckResult {
    /// Which version of the text that was.
    pub version: u64,
    /// The text is another one than that of the active configuration.
    pub differs: bool,
    /// What is wrong, by place.
    pub faults: Vec<Fault>,
    /// The configuration, if it is one.
    pub config: Option<Arc<Config>>,
    /// What is different from the active one.
    pub changes: Vec<Line>,
    /// That in one line; empty when nothing is.
    pub summary: String,
    /// Its effect on running applications: a queue, and the effect there in sentences.
    pub consequences: Vec<(String, Vec<String>)>,
    /// What will be preempted, as a queue would be above its maximum: in sentences that name it.
    pub preempted: Vec<String>,
    /// Which allocations that are is unknown: only the scheduler can say.
    pub asks_scheduler: bool,
    /// The queues that it removes, none of which is below another.
    pub removed: Vec<Removed>,
    /// How much of the active configuration it takes away (CFG-120).
    pub removal: Removal,
    /// Why it would be refused, though it is valid: which access it takes.
    pub refused: Option<String>,
}

/// A queue that an edit removes with all that is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The path of a queue that the text does not have any more.
    pub queue: QueuePath,
    /// Whether there are queues below it.
    pub subtree: bool,
    /// How many applications are in it.
    pub apps: usize,
}

impl CheckResult {
    /// How many faults refuse the text.
    pub fn errors(&self) -> usize {
        self.faults.iter().filter(|fault| fault.severity == Severity::Error).count()
    }
}

/// What a word could become.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// How many characters before the cursor it takes the place of.
    pub typed: usize,
    /// What could be there, best first.
    pub words: Vec<String>,
    /// What only other releases know, each with who: shown, and not taken.
    pub elsewhere: Vec<(String, String)>,
}
