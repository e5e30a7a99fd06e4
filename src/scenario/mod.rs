//! Scenarios: a queue configuration and steps that drive a scheduler from the outside.
//!
//! Where to read: [`file`] turns text into a [`Scenario`], `decode` and `value` are its parts.
//!
//! Invariants:
//! - no clock and no IO but the writer that a trace goes to: the same scenario gives the same trace, always;
//! - a text with a fault yields no scenario, so nothing is ever half run;
//! - uses the scheduler, the configuration and the vocabulary, nothing above them.

pub mod file;

mod decode;
mod value;

pub use file::{ConfigSource, Cycles, EmbeddedText, Reading, Scenario, Step, StepKind, read, read_bytes};
