//! Times are in milliseconds, shares in thousandths.

use std::sync::Arc;

/// Runs of one simulation, with notes for reading them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulation {
    /// How the workload was interpreted, and how reliable a forecast is, in sentences.
    pub notes: Vec<String>,
    /// The comparison of each run with the first one, or the end of a search.
    pub sentences: Vec<String>,
    /// The runs, in the requested order.
    pub runs: Vec<Arc<SimulatedRun>>,
}

/// The wait of a request that never runs, in milliseconds.
pub const NEVER: u64 = u64::MAX;

/// The result of one variant of a workload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedRun {
    /// The difference from other variants: configuration, nodes, load.
    pub name: String,
    /// The waits of all requests.
    pub waits: SimulatedWaits,
    /// Applications that were refused.
    pub rejected: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// The time of the last event.
    pub makespan: u64,
    /// The fairness between users; `None` with fewer than two.
    pub fairness: Option<u32>,
    /// The usage of each resource.
    pub resources: Vec<SimulatedUse>,
    /// The duration of a step of the series.
    pub every: u64,
    /// The waiting requests per step.
    pub waiting: Vec<u64>,
    /// The queues, by path.
    pub queues: Vec<SimulatedGroup>,
    /// The users, by name.
    pub users: Vec<SimulatedGroup>,
    /// Notes for reading the values, and the comparison of the runs; shared by all runs.
    pub notes: Arc<[String]>,
}

impl SimulatedRun {
    /// The usage of a resource, if the cluster has it.
    pub fn of(&self, resource: &str) -> Option<&SimulatedUse> {
        self.resources.iter().find(|used| used.name == resource)
    }
}

/// The waits of requests. Requests that still wait count with their wait until the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedWaits {
    /// The number of requests.
    pub count: u64,
    /// The requests that wait at the end.
    pub waiting: u64,
    /// Half of them waited at most so long.
    pub p50: u64,
    /// The 95th percentile.
    pub p95: u64,
    /// The 99th percentile.
    pub p99: u64,
    /// The longest of all.
    pub max: u64,
}

/// The usage of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedUse {
    /// The name of the resource.
    pub name: String,
    /// The mean share of the capacity.
    pub mean: u32,
    /// The share at the end.
    pub last: u32,
    /// The share per step.
    pub series: Vec<u32>,
}

/// A queue or a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedGroup {
    /// The path or the name.
    pub name: String,
    /// The waits of its requests.
    pub waits: SimulatedWaits,
    /// Its preempted allocations.
    pub preempted: u64,
}
