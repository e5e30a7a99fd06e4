//! Scenario files, workloads and traces.
//!
//! Where to read: [`file`] turns text into a [`Scenario`]; `decode` and `value` are its parts. [`workload`] is what drives a
//! scheduler as time goes on.
//! [`run`] drives a scheduler through a scenario, [`trace`] prints what came of it.
//!
//! Invariants:
//! - no clock, no thread, and no IO but the writer that a trace goes to: time is virtual and comes in as an argument;
//! - the same scenario, seed and profile give the same commands and the same trace, byte for byte;
//! - a text with a fault yields no scenario, so nothing is ever half run.

pub mod file;
pub mod run;
pub mod trace;
pub mod workload;

mod decode;
mod json;
mod value;

pub use file::{ConfigSource, Cycles, EmbeddedText, Reading, Scenario, Step, StepKind, read, read_bytes};
pub use run::{Outcome, Runner, run};
pub use trace::{Silent, Sink, Trace};
pub use workload::Workload;
