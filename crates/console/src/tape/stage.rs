//! The parameters and the result of playing a tape.

use std::sync::Arc;
use std::time::Duration;

use super::linear::Reporting;
use super::screen::Screen;
use super::snapshot::{Image, Shot};
use super::watch::Watch;
use crate::Simulator;
use crate::theme::Depth;
use config::Place;
use source::{Board, Jobs};

/// The limits of a tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Total virtual time.
    pub time: Duration,
    /// Keys and typed characters.
    pub presses: usize,
    /// Cycles and commands of the scheduler.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(3600), presses: 100_000, work: 5_000_000 }
    }
}

/// Why a tape failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The failed step.
    pub at: Place,
    /// The violated rule, for example `TAPE-020`.
    pub code: &'static str,
    /// The expectation that was not met.
    pub what: String,
    /// The screen at that time.
    pub screen: Screen,
    /// The virtual time.
    pub time: Duration,
}

/// The result of playing a tape.
#[derive(Clone, Debug)]
pub struct PlayResult {
    /// The failed step; later steps were not played.
    pub failure: Option<Failure>,
    /// The watcher stopped it.
    pub stopped: bool,
    /// The stored screens.
    pub shots: Vec<Shot>,
    /// The pictures that were made.
    pub images: Vec<Image>,
    /// At snapshots and at the end, if enabled.
    pub sayings: Vec<Reporting>,
    /// The last screen.
    pub screen: Screen,
    /// The elapsed virtual time.
    pub time: Duration,
}

/// Parameters that are not in the tape.
#[derive(Default)]
pub struct Stage<'w> {
    /// The jobs of the applications.
    pub jobs: Option<Arc<dyn Jobs>>,
    /// Alerts, only for a scheduler in this process.
    pub alerts: Option<Arc<Board>>,
    /// What it may use up.
    pub limits: Limits,
    /// The viewer of every frame, for example a recording.
    pub watch: Option<&'w mut dyn Watch>,
    /// The number of colors, otherwise from the tape.
    pub depth: Option<Depth>,
    /// Also check linear mode.
    pub linear: bool,
    /// The title of the pictures.
    pub title: String,
    /// What makes the simulations that it requests.
    pub simulator: Option<Simulator>,
}
