//! Text → [`Scenario`]: a queue configuration or where it stands, and the steps, each with its place.
//!
//! Invariants:
//! - all faults of a text return in one pass, each with its place; with an error among them there is no scenario;
//! - the embedded configurations are not read here, only kept with their place: whether they are right depends on the
//!   profile, and a refused reload is a line of the trace and no fault of the file.
//!
//! Codes:
//!
//! | code | what |
//! |---|---|
//! | SCN-001 to SCN-009 | what CFG-001 to CFG-009 are for a configuration: no YAML, no map, unknown key, key twice, wrong type, no bool, no number, alias, second document |
//! | SCN-010 | a version that is not 1 |
//! | SCN-011 | no configuration, or two |
//! | SCN-012 | the file that `configFile` names cannot be read |
//! | SCN-020 | a step with no key, or with several |
//! | SCN-021 | a key that a step needs is missing, or an id is empty |
//! | SCN-022 | a number out of its range, or none |
//! | SCN-023 | a word that is none of those allowed |
//! | SCN-024 | no duration |
//! | SCN-025 | no quantity (CFG-020 to CFG-022) |

use std::time::Duration;

use config::Place;
use config::yaml::{Origin, Scalar};
use scheduler::PartitionCommand;

/// A scenario: a configuration, and what happens then.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// The name, for people.
    pub name: String,
    /// The description, for people.
    pub description: String,
    /// The configuration to start with; `None` when the file has none and one has to be given from outside.
    pub config: Option<ConfigSource>,
    /// The steps in their order.
    pub steps: Vec<ScenarioStep>,
}

impl Scenario {
    /// The text of its own configuration; `None` when it is in a file, or there is none.
    pub fn config_text(&self) -> Option<&str> {
        match &self.config {
            Some(ConfigSource::Text(text)) => Some(text.text()),
            _ => None,
        }
    }
}

/// Where a scenario's configuration is.
#[derive(Clone, Debug)]
pub enum ConfigSource {
    /// In the scenario itself.
    Text(EmbeddedText),
    /// In a file, named relative to the scenario's.
    File {
        /// The path as written.
        path: String,
        /// Where it is written.
        at: Place,
    },
}

/// A configuration that is in a scenario.
#[derive(Clone, Debug)]
pub struct EmbeddedText {
    text: Box<str>,
    /// Where it stands; `None` if it was not read from a file.
    origin: Option<Origin>,
}

impl EmbeddedText {
    /// The text as a configuration of its own.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The place in the scenario file of a place in the text; the same for a text that was not read from a file.
    pub fn outer(&self, inner: Place) -> Place {
        self.origin.map_or(inner, |origin| origin.outer(inner))
    }

    pub(super) fn new(scalar: Scalar<'_>) -> Self {
        Self { text: scalar.text.into(), origin: Some(scalar.origin()) }
    }

    /// A text that is to be written to a scenario.
    pub(super) fn unplaced(text: &str) -> Self {
        Self { text: text.into(), origin: None }
    }
}

/// One step with its line in the file.
#[derive(Clone, Debug)]
pub struct ScenarioStep {
    /// Where it stands.
    pub at: Place,
    /// What is to be done.
    pub kind: StepKind,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A command of a resource manager or administrator, for the first partition.
    Command(PartitionCommand),
    /// So many cycles, or until nothing changes any more.
    Schedule(Cycles),
    /// Another configuration is loaded.
    Config(EmbeddedText),
    /// One pass of the queue cleaner.
    Clean,
    /// The clock moves.
    Advance(Duration),
    /// The state is printed under this label.
    Snapshot(String),
}

/// How many cycles a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// So many, at most [`Cycles::MOST`].
    Count(u32),
    /// Until one makes no progress, at most [`Cycles::MOST`].
    Idle,
}

impl Cycles {
    /// The most cycles of one step.
    pub const MOST: u32 = 10_000_000;
}

#[cfg(test)]
mod tests;
