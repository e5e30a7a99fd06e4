//! Simulations that a person requests: the page, what runs them, and what they are run next to.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::state::column::SimulationColumn;
use crate::state::listing::Listing;
use model::{NodeId, Resource, Time};
use source::JournalHistory;
use view::simulation::{SimulatedRun, Simulation};

/// Runs of a workload, or of a file of finished runs.
#[derive(Clone, Debug, Default)]
pub struct SimulatePage {
    /// What was requested, as it was written.
    pub asked: Arc<str>,
    /// An answer with another number is of something that was left.
    pub number: u64,
    /// How far it is.
    pub progress: String,
    /// What came of it; or why nothing did. `None` while it runs.
    pub answer: Option<Result<Arc<Simulation>, String>>,
    /// Set when no one needs it any more.
    pub stop: StopFlag,
    /// The runs by their numbers in the answer.
    pub list: Listing<Arc<SimulatedRun>, String, SimulationColumn>,
}

/// Says to a thread that no one needs its result any more.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// No one needs it any more.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether someone still needs it.
    pub fn is_wanted(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, which is true once it is to stop.
    pub fn flag(&self) -> &AtomicBool {
        &self.0
    }
}

/// A simulation to be made next to the draw loop.
#[derive(Clone, Debug)]
pub struct SimulateJob {
    /// The number of the page that waits for it.
    pub number: u64,
    /// What is to be run, as arguments of `kornsole simulate`.
    pub words: Arc<str>,
    /// The configuration on the screen: it applies to workloads that bring none of their own.
    pub config: Option<Arc<str>>,
    /// The nodes on the screen, for workloads that bring none.
    pub nodes: Vec<(NodeId, Resource)>,
    /// What was is simulated once more.
    pub past: Option<PastSpan>,
    /// No one needs it any more.
    pub stop: StopFlag,
    /// What makes it.
    pub simulator: Simulator,
}

/// The past of the cluster on the screen, up to a moment.
#[derive(Clone, Debug)]
pub struct PastSpan {
    /// The moment on the screen.
    pub until: Time,
    /// Where it is read; `None` until the source has been requested it.
    pub journal: Option<JournalHistory>,
}

/// Makes simulations. What it takes is not the console's to know.
#[derive(Clone)]
pub struct Simulator(Arc<Simulate>);

type Simulate = dyn Fn(&SimulateJob, &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> + Send + Sync;

impl Simulator {
    /// What makes them; it says now and then how far it is, and gives the reason where nothing comes of it.
    pub fn new(
        simulate: impl Fn(&SimulateJob, &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(simulate))
    }
}

impl SimulateJob {
    /// Makes the simulation. Takes as long as its runs do: not to be called where frames are drawn.
    ///
    /// # Errors
    /// What is invalid, or is refused; or that it was stopped.
    pub fn run(&self, said: &(dyn Fn(&str) + Sync)) -> Result<Simulation, String> {
        (self.simulator.0)(self, said)
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulator")
    }
}
