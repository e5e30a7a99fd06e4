//! A workload as data: nodes, and applications with arrival times and run times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{AppId, AskId, Identity, NodeId, Priority, Resource, Time};
use scheduler::{AskSpec, GangStyle, NodeSpec, Submission};

/// Nodes, jobs, and what could not be converted.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// Nodes; all exist from the start.
    pub nodes: Vec<NodeSpec>,
    /// Applications in the order of arrival.
    pub jobs: Vec<Job>,
    /// Skipped items by kind.
    pub left_out: Vec<LeftOut>,
    /// On the interpretation of the source, one sentence each.
    pub notes: Vec<String>,
}

/// A kind of skipped item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The kind, and why it is skipped.
    pub what: String,
    /// Number of occurrences.
    pub count: u64,
    /// `file:line`, or a name.
    pub first: String,
}

/// An application with its requests.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Its id; no two jobs have the same.
    pub app: AppId,
    /// When it arrives.
    pub at: Time,
    /// Requested queue; if empty, the placement rules decide.
    pub queue: String,
    /// Who submits it.
    pub who: Identity,
    /// Tags; placement rules read some of them.
    pub tags: BTreeMap<String, String>,
    /// What it requests.
    pub tasks: Vec<Task>,
    /// The placeholders that it requests first; its tasks are requested once all of them are allocated.
    pub gang: Option<Gang>,
}

/// The gang of a job.
#[derive(Clone, Debug, Default)]
pub struct Gang {
    /// What happens when it does not come together in time.
    pub style: GangStyle,
    /// `None` is the scheduler's own time.
    pub timeout: Option<Duration>,
    /// Total of all task groups.
    pub total: Resource,
    /// The placeholders, as they are requested.
    pub placeholders: Vec<AskSpec>,
}

/// Identical requests of a job.
#[derive(Clone, Debug)]
pub struct Task {
    /// Time after the arrival of the application.
    pub after: Duration,
    /// Number of requests.
    pub count: u32,
    /// Per request: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// Higher priorities are scheduled first.
    pub priority: Priority,
    /// `None` for forever.
    pub runs: Option<Duration>,
    /// The required node.
    pub required_node: Option<NodeId>,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// Time until it is withdrawn, pending or running; `None` for never.
    pub taken_back: Option<Duration>,
    /// The task group of a gang, whose placeholders give way to it.
    pub task_group: Option<Arc<str>>,
    /// The replacement of a preempted task is a task of its own, so it is not requested twice.
    pub replaced: bool,
}

impl Default for Task {
    /// May be preempted, may preempt, and is never withdrawn.
    fn default() -> Self {
        Self {
            after: Duration::ZERO,
            count: 0,
            resource: Resource::default(),
            priority: Priority::default(),
            runs: None,
            required_node: None,
            allow_preempt_self: true,
            allow_preempt_other: true,
            taken_back: None,
            task_group: None,
            replaced: false,
        }
    }
}

impl Task {
    /// Returns true if no end is known.
    pub const fn never_ends(&self) -> bool {
        self.runs.is_none() && self.taken_back.is_none()
    }

    /// Compares all but the number of requests.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.runs, self.taken_back, self.replaced, &self.task_group)
            == (other.runs, other.taken_back, other.replaced, &other.task_group)
    }
}

impl Job {
    /// The submission of the task as an application, with its gang.
    pub fn submission(&self) -> Submission {
        let (app, queue, who, tags) = (self.app.clone(), self.queue.clone(), self.who.clone(), self.tags.clone());
        let submission = Submission { app, queue, who, tags, ..Submission::default() };
        let Some(Gang { style, timeout, total, .. }) = &self.gang else { return submission };
        let (gang_style, placeholder_timeout, placeholder_ask) = (*style, *timeout, total.clone());
        Submission { gang_style, placeholder_timeout, placeholder_ask, ..submission }
    }

    /// A request of one of its tasks, by the number of the task.
    pub fn request(&self, task: usize, id: AskId) -> AskSpec {
        let task = &self.tasks[task];
        AskSpec {
            app: self.app.clone(),
            id,
            count: 1,
            resource: task.resource.clone(),
            priority: task.priority,
            required_node: task.required_node.clone(),
            allow_preempt_self: task.allow_preempt_self,
            allow_preempt_other: task.allow_preempt_other,
            task_group: task.task_group.clone(),
            ..AskSpec::default()
        }
    }
}

impl Workload {
    /// Sorts by time, stable.
    pub fn sort(&mut self) {
        self.jobs.sort_by_key(|job| job.at);
    }

    /// Returns the total capacity of the nodes.
    pub fn capacity(&self) -> Resource {
        let mut sum = Resource::new();
        self.nodes.iter().for_each(|node| sum.add_assign(&node.capacity));
        sum
    }

    /// Returns the total number of requests.
    pub fn asks(&self) -> u64 {
        self.jobs.iter().flat_map(|job| &job.tasks).map(|task| u64::from(task.count)).sum()
    }

    /// Counts a skipped item.
    pub fn leave_out(&mut self, what: &str, first: impl FnOnce() -> String) {
        match self.left_out.iter_mut().find(|left| left.what == what) {
            Some(left) => left.count += 1,
            None => self.left_out.push(LeftOut { what: what.to_owned(), count: 1, first: first() }),
        }
    }

    /// Estimates the bytes, including a run.
    pub fn bytes(&self) -> usize {
        const APP: usize = 2048;
        const ASK: usize = 1024;
        self.jobs.len() * APP + usize::try_from(self.asks()).unwrap_or(usize::MAX / ASK) * ASK
    }
}
