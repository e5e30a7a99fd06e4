//! The check of an edited configuration, from a worker thread.

use std::sync::Arc;
use std::time::Duration;

use config::diff::Line;
use config::{Config, Fault, Removal, Severity};
use model::{Profile, QueuePath, Time};
use view::act::Actor;
use view::{QuotaForecast, View};

/// A remote view does not contain the victims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaPreview {
    /// The text that was asked about.
    pub text: Arc<str>,
    /// Previews by partition; empty if the scheduler does not know.
    pub forecasts: Vec<(Arc<str>, QuotaForecast)>,
    /// The time of the answer, on the console's clock.
    pub taken: Duration,
}

impl QuotaPreview {
    /// How long it holds: what runs changes.
    const VALID_FOR: Duration = Duration::from_secs(10);

    /// Whether it is valid for this text now.
    pub fn is_of(&self, text: &str, now: Duration) -> bool {
        *self.text == *text && now < self.taken + Self::VALID_FOR
    }
}

/// A request to check a text.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// The cluster's time.
    pub at: Time,
    /// The version of the text.
    pub version: u64,
    /// The edited text.
    pub text: String,
    /// The text of the active configuration.
    pub base: Arc<str>,
    /// The view, for the effects on running allocations.
    pub view: Arc<View>,
    /// The profile that reads it.
    pub profile: Profile,
    /// Who would apply it, or why no user can.
    pub actor: Result<Actor, Arc<str>>,
    /// Possibly for another text.
    pub preview: Option<Arc<QuotaPreview>>,
}

/// The check of a text.
#[derive(Clone, Debug, Default)]
pub struct CheckResult {
    /// The version of the text.
    pub version: u64,
    /// The text differs from the active configuration.
    pub differs: bool,
    /// The errors, by location.
    pub faults: Vec<Fault>,
    /// The configuration, if valid.
    pub config: Option<Arc<Config>>,
    /// The differences from the active configuration.
    pub changes: Vec<Line>,
    /// The differences in one line; may be empty.
    pub summary: String,
    /// The effect on running applications: a queue, and sentences.
    pub consequences: Vec<(String, Vec<String>)>,
    /// Preemption as sentences.
    pub preempted: Vec<String>,
    /// Only the scheduler knows the victims.
    pub asks_scheduler: bool,
    /// The topmost removed queues.
    pub removed: Vec<Removed>,
    /// How much of the active configuration it takes away (CFG-120).
    pub removal: Removal,
    /// The missing access for a valid text.
    pub refused: Option<String>,
}

/// A removed queue with its subtree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// The path of a queue that the text does not have any more.
    pub queue: QueuePath,
    /// Whether it has children.
    pub subtree: bool,
    /// The number of applications.
    pub apps: usize,
}

impl CheckResult {
    /// The number of errors that reject the text.
    pub fn errors(&self) -> usize {
        self.faults.iter().filter(|fault| fault.severity == Severity::Error).count()
    }
}

/// The completions of a word.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completion {
    /// The number of characters before the cursor to replace.
    pub typed: usize,
    /// The completions, best first.
    pub words: Vec<String>,
    /// Words of other releases: not selectable.
    pub elsewhere: Vec<(String, String)>,
}
