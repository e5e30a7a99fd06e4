//! Policy tests: cases in a file next to a queue configuration, and what the scheduler makes of each.
//!
//! Where to read: `read` makes cases of a text; `run` carries one out: a placement, or a simulation with expectations.
//!
//! Invariants: no IO; each case starts with an empty scheduler; the same file and configuration give the same results.

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

pub use read::{Reading, read};
pub use run::{Failure, run};

/// The cases of a file.
#[derive(Clone, Debug, Default)]
pub struct PolicyFile {
    /// The file with the queue configuration, relative to this one.
    pub config: Option<String>,
    /// The release to decide like.
    pub core: Option<Profile>,
    /// At least one.
    pub cases: Vec<Case>,
}

/// One case of a file, which is independent of the others.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// Where it is in the file.
    pub at: Place,
    /// What is done, and what must follow.
    pub kind: CaseKind,
}

/// What a case does.
#[derive(Clone, Debug)]
pub enum CaseKind {
    /// An application is placed.
    Placement(Placement),
    /// Applications are scheduled on nodes.
    Scheduling(Scheduling),
}

/// The placement of an application.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The queue that it requests.
    pub queue: String,
    /// Who submits it.
    pub who: Identity,
    /// The tags that placement rules read.
    pub tags: BTreeMap<String, String>,
    /// The queue that it must get; `None`: it must be rejected.
    pub expected: Option<String>,
}

/// A simulation that starts with empty nodes.
#[derive(Clone, Debug, Default)]
pub struct Scheduling {
    /// The nodes, all there from the start.
    pub nodes: Vec<NodeSpec>,
    /// The applications, each with its time.
    pub jobs: Vec<Job>,
    /// When the expectations must be met.
    pub when: When,
    /// What must be so, all at the same time.
    pub expected: Vec<Expected>,
}

/// When the expectations of a case must be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// At some time, at the latest so long after the last application is submitted.
    Within(Duration),
    /// So long after the last application is submitted.
    After(Duration),
}

impl Default for When {
    /// When everything that can start has started.
    fn default() -> Self {
        Self::After(Duration::from_secs(1))
    }
}

/// Something that must be so, with its place in the file.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Where it is written.
    pub at: Place,
    /// What it is.
    pub what: Expectation,
}

/// Something that must be so.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// The number of pods of an application that run at least; `None` for all.
    Running(AppId, Option<u32>),
    /// The exact number of pending pods of an application.
    Pending(AppId, u32),
    /// An application is rejected.
    Rejected(AppId),
    /// An application is in a queue.
    InQueue(AppId, String),
    /// A queue uses at least, or at most, so much.
    Uses(QueueUse),
}

/// Bounds of what a queue uses.
#[derive(Clone, Debug)]
pub struct QueueUse {
    /// The full path.
    pub queue: String,
    /// At least so much.
    pub at_least: Option<Amounts>,
    /// At most so much.
    pub at_most: Option<Amounts>,
}

/// Quantities, or a share of all nodes.
#[derive(Clone, Debug)]
pub enum Amounts {
    /// Each of these quantities.
    Resource(Resource),
    /// A share of a resource of all nodes, from 0 to 1.
    Share(String, f64),
}
