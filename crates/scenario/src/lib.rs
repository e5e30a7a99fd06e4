//! Scenario files, workloads, and traces.
//!
//! A [`Scenario`] or the [`demo`] is a [`workload`], which drives a scheduler as time passes; [`record`] converts it to
//! a scenario file. [`trace`] prints a run.
//!
//! Invariants:
//! - no clock, no thread, and no IO except for the writer of a trace: time is an argument;
//! - the same scenario, seed, and profile give the same trace, byte for byte;
//! - a text with an error gives no scenario, so nothing is run partially.

pub mod compare;
pub mod demo;
pub mod file;
pub mod record;
pub mod run;
pub mod steps;
pub mod trace;
pub mod workload;
pub mod write;

mod decode;
mod json;
mod pace;
mod plot;
mod reading;
mod summary;
pub mod value;

pub use compare::{Parting, first_parting};
pub use demo::rng::Rng;
pub use demo::{Demo, demo_config};
pub use file::{ConfigSource, Cycles, EmbeddedText, Scenario, ScenarioStep, StepKind};
pub use reading::{LARGEST, Reading, own_codes, read, read_bytes, read_bytes_with};
pub use record::{Recorder, Recording};
pub use run::{RunOutcome, Runner, run, run_last};
pub use steps::ScenarioWorkload;
pub use summary::Summary;
pub use trace::{Silent, Sink, Trace};
pub use workload::Workload;
pub use write::scenario_text;
