//! Workloads from known formats. Each reader reports what it skips.
//!
//! - [`swf`]: the Standard Workload Format;
//! - [`sacct`]: the accounting of Slurm; `slurm` recognizes its other outputs;
//! - [`openb`]: Alibaba's OpenB trace;
//! - [`kubernetes`]: output of kubectl;
//! - [`events`]: events of YuniKorn;
//! - [`generator`]: streams of applications;
//! - [`recorded`]: a scenario or a journal.

pub mod events;
pub mod generator;
pub mod kubernetes;
pub mod openb;
pub mod recorded;
pub mod sacct;
mod slurm;
mod slurm_values;
pub mod swf;

use std::fmt;

use super::job::Workload;
use config::Place;

/// An error in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line and column, from 1.
    pub at: Place,
    /// What is wrong.
    pub message: String,
    /// The correct form.
    pub hint: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.at.line, self.at.column, self.message, self.hint)
    }
}

/// Lines with a fault are skipped.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The valid part.
    pub workload: Workload,
    /// Faults in the order of the text.
    pub faults: Vec<Fault>,
}

impl Reading {
    fn fault(&mut self, at: Place, message: impl Into<String>, hint: impl Into<String>) {
        self.faults.push(Fault { at, message: message.into(), hint: hint.into() });
    }
}

/// With a fraction, from 0 to about 290,000 years.
fn seconds(text: &str) -> Option<std::time::Duration> {
    let seconds: f64 = text.parse().ok()?;
    (0.0..9e12).contains(&seconds).then(|| std::time::Duration::from_secs_f64(seconds))
}
