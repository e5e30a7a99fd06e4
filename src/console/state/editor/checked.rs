//! What an edited configuration would mean, as it was worked out beside the draw loop.

use std::sync::Arc;

use crate::config::diff::Line;
use crate::config::{Config, Fault, Removal, Severity};
use crate::model::{Profile, QueuePath, Time};
use crate::view::View;
use crate::view::act::Actor;

/// A text to be looked at.
#[derive(Clone, Debug)]
pub struct CheckJob {
    /// The cluster's time.
    pub at: Time,
    /// Which version of the text it is.
    pub version: u64,
    /// The text.
    pub text: String,
    /// The text of the configuration in force.
    pub base: Arc<str>,
    /// What runs.
    pub view: Arc<View>,
    /// By which rules it is read.
    pub profile: Profile,
    /// Who would bring it into force; or why nobody can.
    pub actor: Result<Actor, Arc<str>>,
}

/// What a text would mean.
#[derive(Clone, Debug, Default)]
pub struct CheckResult {
    /// Which version of the text that was.
    pub version: u64,
    /// The text is another one than that of the configuration in force.
    pub differs: bool,
    /// What is wrong, by place.
    pub faults: Vec<Fault>,
    /// The configuration, if it is one.
    pub config: Option<Arc<Config>>,
    /// What is different from the one in force.
    pub changes: Vec<Line>,
    /// That in one line; empty when nothing is.
    pub summary: String,
    /// What it does to what runs: a queue, and in sentences what happens there.
    pub consequences: Vec<(String, Vec<String>)>,
    /// What will be preempted, as a queue would be above its maximum: in sentences that name it.
    pub preempted: Vec<String>,
    /// The queues that it removes, none of which is below another.
    pub removed: Vec<Removed>,
    /// How much of the configuration in force it takes away (CFG-120).
    pub removal: Removal,
    /// Why it would be refused, though it is valid: which access it takes.
    pub refused: Option<String>,
}

/// A queue that an edit removes with all that is below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Which.
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
    /// What could stand there, best first.
    pub words: Vec<String>,
    /// What only other releases know, each with who: shown, and not taken.
    pub elsewhere: Vec<(String, String)>,
}
