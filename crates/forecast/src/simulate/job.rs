//! A workload as data: nodes, and applications that arrive at their times and whose tasks run for known times.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use model::{AppId, AskId, Identity, NodeId, Priority, Resource, Time};
use scheduler::{AskSpec, GangStyle, NodeSpec, Submission};

/// Nodes and jobs, and what could not be taken over from where they were read.
#[derive(Clone, Debug, Default)]
pub struct Workload {
    /// The nodes, all there from the start.
    pub nodes: Vec<NodeSpec>,
    /// The applications, in the order in which they arrive.
    pub jobs: Vec<Job>,
    /// What was read and is not in the nodes and jobs, by kind.
    pub left_out: Vec<LeftOut>,
    /// How the source was understood, each in a sentence.
    pub notes: Vec<String>,
}

/// One kind of thing that has no place in a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What, and why it has no place.
    pub what: String,
    /// How often it occurs.
    pub count: u64,
    /// Where it occurs first: `file:line`, or a name.
    pub first: String,
}

/// One application with its asks.
#[derive(Clone, Debug, Default)]
pub struct Job {
    /// Its id; no two jobs have the same.
    pub app: AppId,
    /// When it arrives.
    pub at: Time,
    /// The queue that it requests; empty leaves it to the placement rules.
    pub queue: String,
    /// Who submits it.
    pub who: Identity,
    /// Its tags; placement rules read some of them.
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
    /// How long it may take; `None` is the scheduler's own time.
    pub timeout: Option<Duration>,
    /// Total of all task groups.
    pub total: Resource,
    /// The placeholders, as they are requested.
    pub placeholders: Vec<AskSpec>,
}

/// Asks of a job that are alike.
#[derive(Clone, Debug)]
pub struct Task {
    /// How long after the application arrives.
    pub after: Duration,
    /// How many asks.
    pub count: u32,
    /// What each needs: memory in bytes, vcore in millicores.
    pub resource: Resource,
    /// A higher one is tried first.
    pub priority: Priority,
    /// How long each runs; `None` is for ever.
    pub runs: Option<Duration>,
    /// The only node that will do.
    pub required_node: Option<NodeId>,
    /// May be preempted.
    pub allow_preempt_self: bool,
    /// May preempt others.
    pub allow_preempt_other: bool,
    /// So long after it was requested it is taken back, whether it runs by then or not; `None`: it is waited for.
    pub taken_back: Option<Duration>,
    /// The task group of a gang, whose placeholders give way to it.
    pub task_group: Option<Arc<str>>,
    /// What is requested in its place after a preemption is a task of its own, so that nothing else requests it again.
    pub replaced: bool,
}

impl Default for Task {
    /// Nothing, which may be preempted and preempt, and is waited for.
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
    /// Whether nothing is known by which it ends.
    pub const fn never_ends(&self) -> bool {
        self.runs.is_none() && self.taken_back.is_none()
    }

    /// Whether its asks are the same except for their number.
    pub fn is_like(&self, other: &Self) -> bool {
        (self.runs, self.taken_back, self.replaced, &self.task_group)
            == (other.runs, other.taken_back, other.replaced, &other.task_group)
    }
}

impl Job {
    /// Its submission.
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
    /// Puts the jobs in the order of their times; jobs of one time stay as they were read.
    pub fn sort(&mut self) {
        self.jobs.sort_by_key(|job| job.at);
    }

    /// What all nodes have together.
    pub fn capacity(&self) -> Resource {
        let mut sum = Resource::new();
        self.nodes.iter().for_each(|node| sum.add_assign(&node.capacity));
        sum
    }

    /// How many asks the jobs make.
    pub fn asks(&self) -> u64 {
        self.jobs.iter().flat_map(|job| &job.tasks).map(|task| u64::from(task.count)).sum()
    }

    /// Counts one thing that has no place, and keeps where it occurred first.
    pub fn leave_out(&mut self, what: &str, first: impl FnOnce() -> String) {
        match self.left_out.iter_mut().find(|left| left.what == what) {
            Some(left) => left.count += 1,
            None => self.left_out.push(LeftOut { what: what.to_owned(), count: 1, first: first() }),
        }
    }

    /// About how many bytes it takes, and a run of it next to that.
    pub fn bytes(&self) -> usize {
        /// What an application takes in a run next to its asks, and an ask, in bytes.
        const APP: usize = 2048;
        const ASK: usize = 1024;
        self.jobs.len() * APP + usize::try_from(self.asks()).unwrap_or(usize::MAX / ASK) * ASK
    }
}
