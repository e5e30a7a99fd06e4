//! What simulations gave, as a person reads it: a run in each row, and of each run its waits by queue and user, and its use over time.
//! Times are in milliseconds, shares in thousandths.

use std::sync::Arc;

/// Runs that were made together, and what has to be known to read them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulation {
    /// How the workload was understood, and what a forecast from it is worth, each in a sentence.
    pub notes: Vec<String>,
    /// What each run is better and worse at than the first one, or how a search ended.
    pub sentences: Vec<String>,
    /// The runs, in the order in which they were requested.
    pub runs: Vec<Arc<SimulatedRun>>,
}

/// The wait of a request that never runs, in milliseconds: longer than any other.
pub const NEVER: u64 = u64::MAX;

/// Which waits and which use one variant of a workload led to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedRun {
    /// What distinguishes it from the others: its configuration, its nodes, its load.
    pub name: String,
    /// The waits of all asks.
    pub waits: SimulatedWaits,
    /// Applications that were refused.
    pub rejected: u64,
    /// Allocations that others took.
    pub preempted: u64,
    /// When the last thing happened.
    pub makespan: u64,
    /// How even the users' use was; `None` with fewer than two.
    pub fairness: Option<u32>,
    /// What was in use of each resource.
    pub resources: Vec<SimulatedUse>,
    /// How long one stretch of the series is.
    pub every: u64,
    /// How many asks waited in each stretch.
    pub waiting: Vec<u64>,
    /// The queues, by path.
    pub queues: Vec<SimulatedGroup>,
    /// The users, by name.
    pub users: Vec<SimulatedGroup>,
    /// What has to be known to read the figures, and how the runs compare: the same for all that were made together.
    pub notes: Arc<[String]>,
}

impl SimulatedRun {
    /// What was in use of a resource, where there was any of it.
    pub fn of(&self, resource: &str) -> Option<&SimulatedUse> {
        self.resources.iter().find(|used| used.name == resource)
    }
}

/// How long asks waited. Those that wait at the end count with the time up to then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedWaits {
    /// How many asks.
    pub count: u64,
    /// How many of them wait at the end.
    pub waiting: u64,
    /// Half of them waited at most so long.
    pub p50: u64,
    /// 95 of 100 waited at most so long.
    pub p95: u64,
    /// 99 of 100 waited at most so long.
    pub p99: u64,
    /// The longest of all.
    pub max: u64,
}

/// What was in use of one resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedUse {
    /// The name of the resource.
    pub name: String,
    /// The mean over the whole run, of what the nodes have.
    pub mean: u32,
    /// The same at the end.
    pub last: u32,
    /// The same in each stretch.
    pub series: Vec<u32>,
}

/// A queue or a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulatedGroup {
    /// The path, or the name.
    pub name: String,
    /// How long its asks waited.
    pub waits: SimulatedWaits,
    /// Its allocations that others took.
    pub preempted: u64,
}
