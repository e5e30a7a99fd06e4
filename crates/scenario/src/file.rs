//! The scenario format: parses a text to a [`Scenario`] with a queue configuration or its location, and the steps.
//!
//! Invariants:
//! - one pass returns all errors of a text with their locations; with an error there is no scenario;
//! - embedded configurations are only stored with their location: their validity depends on the profile, and a rejected
//!   reload is a line of the trace, not an error of the file.
//!
//! Codes:
//!
//! | code | what |
//! |---|---|
//! | SCN-001 to SCN-009 | what CFG-001 to CFG-009 are for a configuration: invalid YAML, not a map, unknown key, duplicate key, wrong type, not a bool, not a number, alias, second document |
//! | SCN-010 | a version other than 1 |
//! | SCN-011 | no configuration, or two |
//! | SCN-012 | the file that `configFile` names cannot be read |
//! | SCN-020 | a step without a key, or with several |
//! | SCN-021 | a missing key of a step, or an empty id |
//! | SCN-022 | an invalid number, or one out of range |
//! | SCN-023 | an unknown word |
//! | SCN-024 | an invalid duration |
//! | SCN-025 | an invalid quantity (CFG-020 to CFG-022) |

use std::time::Duration;

use config::Place;
use config::yaml::{Origin, Scalar};
use scheduler::PartitionCommand;

/// A scenario: a configuration and steps.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// The name, for people.
    pub name: String,
    /// The description, for people.
    pub description: String,
    /// The initial configuration; `None` if the file has none and the caller must provide it.
    pub config: Option<ConfigSource>,
    /// The steps, in order.
    pub steps: Vec<ScenarioStep>,
}

impl Scenario {
    /// The embedded configuration; `None` if it is in a file or absent.
    pub fn config_text(&self) -> Option<&str> {
        match &self.config {
            Some(ConfigSource::Text(text)) => Some(text.text()),
            _ => None,
        }
    }
}

/// The location of a scenario's configuration.
#[derive(Clone, Debug)]
pub enum ConfigSource {
    /// Embedded in the scenario.
    Text(EmbeddedText),
    /// A file, relative to the scenario's directory.
    File {
        /// The path as written.
        path: String,
        /// The location of the path.
        at: Place,
    },
}

/// An embedded configuration.
#[derive(Clone, Debug)]
pub struct EmbeddedText {
    text: Box<str>,
    /// Its location; `None` if it was not read from a file.
    origin: Option<Origin>,
}

impl EmbeddedText {
    /// The text as a configuration of its own.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Converts a location to one in the scenario file, if known.
    pub fn outer(&self, inner: Place) -> Place {
        self.origin.map_or(inner, |origin| origin.outer(inner))
    }

    pub(super) fn new(scalar: Scalar<'_>) -> Self {
        Self { text: scalar.text.into(), origin: Some(scalar.origin()) }
    }

    pub(super) fn unplaced(text: &str) -> Self {
        Self { text: text.into(), origin: None }
    }
}

/// A step with its location.
#[derive(Clone, Debug)]
pub struct ScenarioStep {
    /// Where it stands.
    pub at: Place,
    /// What is to be done.
    pub kind: StepKind,
}

/// The action of a step.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A command for the first partition.
    Command(PartitionCommand),
    /// A number of cycles, or until nothing changes.
    Schedule(Cycles),
    /// Load another configuration.
    Config(EmbeddedText),
    /// Run one pass of the queue cleaner.
    Clean,
    /// Advance the clock.
    Advance(Duration),
    /// Print the state with this label.
    Snapshot(String),
}

/// The cycles of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// A number, at most [`Cycles::MOST`].
    Count(u32),
    /// Until one makes no progress, at most [`Cycles::MOST`].
    Idle,
}

impl Cycles {
    /// The maximum number of cycles per step.
    pub const MOST: u32 = 10_000_000;
}

#[cfg(test)]
mod tests;
