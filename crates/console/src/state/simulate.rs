//! Simulations: the page, the simulator, and its job.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::state::column::SimulationColumn;
use crate::state::listing::Listing;
use model::{NodeId, Resource, Time};
use source::JournalHistory;
use view::simulation::{SimulatedRun, Simulation};

/// Runs of a workload, or from a file.
#[derive(Clone, Debug, Default)]
pub struct SimulatePage {
    /// The request as typed.
    pub asked: Arc<str>,
    /// Answers with another number belong to a closed page.
    pub number: u64,
    /// How far it is.
    pub progress: String,
    /// `None` while it runs.
    pub answer: Option<Result<Arc<Simulation>, String>>,
    /// Set when the result is no longer needed.
    pub stop: StopFlag,
    /// The runs by their numbers in the answer.
    pub list: Listing<Arc<SimulatedRun>, String, SimulationColumn>,
}

/// The result is no longer needed.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Sets the flag.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the result is still needed.
    pub fn is_wanted(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// The flag; true means stop.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// A simulation for a worker thread.
#[derive(Clone, Debug)]
pub struct SimulateJob {
    /// The number of the waiting page.
    pub number: u64,
    /// The arguments of `kornsole simulate`.
    pub words: Arc<str>,
    /// The configuration on the screen, for workloads without one.
    pub config: Option<Arc<str>>,
    /// The nodes on the screen, for workloads without nodes.
    pub nodes: Vec<(NodeId, Resource)>,
    /// Simulate the past instead.
    pub past: Option<PastSpan>,
    /// The stop flag.
    pub stop: StopFlag,
    /// What makes it.
    pub simulator: Simulator,
}

/// The past up to a time.
#[derive(Clone, Debug)]
pub struct PastSpan {
    /// The moment on the screen.
    pub until: Time,
    /// `None` until requested.
    pub journal: Option<JournalHistory>,
}

/// The console does not know how.
#[derive(Clone)]
pub struct Simulator(Arc<Simulate>);

type Simulate = dyn Fn(&SimulateJob, &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> + Send + Sync;

impl Simulator {
    /// The function reports progress.
    pub fn new(
        simulate: impl Fn(&SimulateJob, &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(simulate))
    }
}

impl SimulateJob {
    /// Blocks: not for the draw loop.
    ///
    /// # Errors
    /// Invalid, rejected, or stopped.
    pub fn run(&self, reported: &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> {
        (self.simulator.0)(self, reported)
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulator")
    }
}
