//! How a tape is played, and what it gives.

use std::sync::Arc;
use std::time::Duration;

use super::linear::Saying;
use super::screen::Screen;
use super::snapshot::{Picture, Shot};
use super::watch::Watch;
use crate::Simulator;
use crate::theme::Depth;
use config::Place;
use source::{Board, Jobs};

/// What a tape may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Virtual time from the start to the end.
    pub time: Duration,
    /// Keys pressed, characters typed.
    pub presses: usize,
    /// Cycles and commands of the scheduler.
    pub work: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: Duration::from_secs(3600), presses: 100_000, work: 5_000_000 }
    }
}

/// Why a tape did not reach its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The step that failed.
    pub at: Place,
    /// Which rule of a tape it broke, as `TAPE-020`.
    pub code: &'static str,
    /// What was wanted and not so.
    pub what: String,
    /// The screen at that time.
    pub screen: Screen,
    /// The virtual time at that time.
    pub time: Duration,
}

/// The outcome of playing a tape.
#[derive(Clone, Debug)]
pub struct PlayResult {
    /// The step that failed; after it nothing was played.
    pub failure: Option<Failure>,
    /// The watcher ended it.
    pub stopped: bool,
    /// The screens that were kept.
    pub shots: Vec<Shot>,
    /// The pictures that were made.
    pub pictures: Vec<Picture>,
    /// What linear mode says at each snapshot and at the end, where the tape is played in it.
    pub sayings: Vec<Saying>,
    /// The last screen.
    pub screen: Screen,
    /// The virtual time that went by.
    pub time: Duration,
}

/// How a tape is played, in addition what it says itself.
#[derive(Default)]
pub struct Stage<'w> {
    /// The jobs that the applications are.
    pub jobs: Option<Arc<dyn Jobs>>,
    /// The alerts, which are evaluated as time moves; of a scheduler in this process only.
    pub alerts: Option<Arc<Board>>,
    /// What it may use up.
    pub limits: Limits,
    /// Who sees every frame, as a recording does.
    pub watch: Option<&'w mut dyn Watch>,
    /// How many colors the watcher can see; otherwise as the tape says.
    pub depth: Option<Depth>,
    /// It is played in linear mode: what is reported in lines is checked too.
    pub linear: bool,
    /// The name of the pictures.
    pub title: String,
    /// What makes the simulations that it requests.
    pub simulator: Option<Simulator>,
}
