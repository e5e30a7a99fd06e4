//! Policy tests: cases with expectations in a file next to a queue configuration.
//!
//! Invariants: no IO; each case starts with an empty scheduler; the same input gives the same results.

mod names;
mod read;
mod run;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use super::simulate::Job;
use config::Place;
use model::{AppId, Identity, Profile, Resource};
use scheduler::NodeSpec;

pub use names::unknown_queues;
pub use read::{Reading, read};
pub use run::{Failure, run};

/// The cases of a file.
#[derive(Clone, Debug, Default)]
pub struct PolicyFile {
    /// Relative to this file.
    pub config: Option<String>,
    /// The release to decide like.
    pub core: Option<Profile>,
    /// At least one.
    pub cases: Vec<Case>,
}

/// An independent case of a file.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// Location in the file.
    pub at: Place,
    /// Action and expectation.
    pub kind: CaseKind,
}

/// The action of a case.
#[derive(Clone, Debug)]
pub enum CaseKind {
    /// Place an application.
    Placement(Placement),
    /// Schedule applications on nodes.
    Scheduling(Scheduling),
}

/// The placement of an application.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The queue that it requests.
    pub queue: String,
    /// Who submits it.
    pub who: Identity,
    /// Tags for placement rules.
    pub tags: BTreeMap<String, String>,
    /// Expected queue; `None`: the application must be rejected.
    pub expected: Option<String>,
}

/// A simulation that starts with empty nodes.
#[derive(Clone, Debug, Default)]
pub struct Scheduling {
    /// Nodes; all exist from the start.
    pub nodes: Vec<NodeSpec>,
    /// Applications with their times.
    pub jobs: Vec<Job>,
    /// Time of the check.
    pub when: When,
    /// Must be met at the same time.
    pub expected: Vec<Expected>,
}

/// When the expectations must be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At any time until this long after the last submission.
    Within(Duration),
    /// This long after the last submission.
    After(Duration),
}

impl Default for When {
    fn default() -> Self {
        Self::After(Duration::from_secs(1))
    }
}

/// An expectation with its location in the file.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Where it is written.
    pub at: Place,
    /// What it is.
    pub what: Expectation,
}

/// A condition that must be met.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// Minimum number of running pods; `None` for all.
    Running(AppId, Option<u32>),
    /// Exact number of pending pods of an application.
    Pending(AppId, u32),
    /// The application is rejected.
    Rejected(AppId),
    /// The application is in this queue.
    InQueue(AppId, String),
    /// Bounds for the usage of a queue.
    Uses(QueueUse),
}

/// Bounds for the usage of a queue.
#[derive(Clone, Debug)]
pub struct QueueUse {
    /// The full path.
    pub queue: String,
    /// Where the queue is written.
    pub queue_at: Place,
    /// At least so much.
    pub at_least: Option<Amounts>,
    /// At most so much.
    pub at_most: Option<Amounts>,
}

/// Quantities, or a share of all nodes.
#[derive(Clone, Debug)]
pub enum Amounts {
    /// Quantities by resource.
    Resource(Resource),
    /// Share of all nodes, from 0 to 1.
    Share(String, f64),
}
