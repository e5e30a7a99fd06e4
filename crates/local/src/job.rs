//! A job: its submission, owner, attempts, and end.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use super::after::Dependency;
pub use super::array::{ArraySpec, ArrayTask};
use super::dialect::{Dialect, file_name};
pub use super::outcome::Outcome;
use super::words::Words;
use model::Shared;
use model::{AppId, AskId, Identity, MEMORY, Resource, VCORE};

/// Resource name of GPUs.
pub const GPU: &str = "gpu";

/// The submission of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// In a separate file ([`super::store`]).
    #[serde(default)]
    pub command: Words,
    /// Empty for the program name.
    pub name: String,
    /// Requested queue; may be empty.
    pub queue: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes; 0 for an equal share per requested core.
    pub memory: i64,
    /// Number of GPUs.
    pub gpu: i64,
    /// Time limit of an attempt, in seconds.
    pub time_limit: Option<u64>,
    /// Higher priorities are scheduled first.
    pub priority: i32,
    /// Jobs that must end first.
    pub after: Vec<Dependency>,
    /// After all earlier jobs with its user and name.
    #[serde(default)]
    pub singleton: bool,
    /// Number of retries after failed attempts.
    pub retry: u32,
    /// What happens after preemption and after a reboot.
    pub when_stopped: WhenStopped,
    /// Waits for a manual release.
    pub hold: bool,
    /// The whole environment, on disk only ([`super::store`]).
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub dir: String,
    /// File mode mask.
    pub umask: u32,
    /// The tasks of an array.
    #[serde(default)]
    pub array: Option<ArraySpec>,
    /// Additional output file, with the patterns of [`super::dialect`]; empty for none.
    #[serde(default)]
    pub output: String,
    /// Separate file for standard error; empty for none.
    #[serde(default)]
    pub error: String,
    /// Earliest start, in milliseconds since 1970.
    #[serde(default)]
    pub begin: Option<u64>,
    /// Scheduler of its script, which determines its variables.
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// Slots of its PBS script; 0 for none.
    #[serde(default)]
    pub slots: u32,
    /// Is not preempted.
    #[serde(default)]
    pub no_preempt: bool,
    /// Has a terminal, to which its owner attaches.
    #[serde(default)]
    pub interactive: bool,
    /// Asks it to end; default: SIGTERM.
    #[serde(default)]
    pub signal: Option<i32>,
    /// Shell command before that signal; empty for none.
    #[serde(default)]
    pub checkpoint: String,
    /// Shell command after each attempt; empty for none.
    #[serde(default)]
    pub at_end: String,
    /// Of the submitting process (`limits`).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limits: String,
    /// Of the submitting process.
    #[serde(default)]
    pub nice: i32,
}

/// After a stop for an external reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenStopped {
    /// The job is queued again and restarts.
    #[default]
    Requeue,
    /// The job fails.
    Fail,
}

/// The submitter, as the kernel identified it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The number of the user.
    pub uid: u32,
    /// ID of the primary group.
    pub gid: u32,
    /// IDs of all groups.
    pub groups: Vec<u32>,
    /// The same by name.
    pub identity: Identity,
}

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Waits for a manual release.
    Held,
    /// Waits for another job.
    Waiting,
    /// Waits for the scheduler.
    Queued,
    /// Its process runs or starts.
    Running,
    /// Has ended; can be requeued.
    Ended,
}

/// Written by the supervisor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// Milliseconds since 1970.
    pub at: u64,
    /// Exit status, signal, or lost.
    pub outcome: Outcome,
    /// Requested by the daemon.
    pub asked: bool,
    /// Peak bytes, by cgroup or `meter`.
    pub max_memory: Option<u64>,
    /// Otherwise: upper bound per process, in bytes.
    #[serde(default)]
    pub memory_at_most: Option<u64>,
    /// CPU time in milliseconds.
    pub cpu_ms: u64,
    /// Bytes of output that could not be written.
    pub lost_output: u64,
    /// Non-fatal errors: output file, hooks. Empty for none.
    #[serde(default)]
    pub note: String,
}

impl AttemptEnd {
    /// Returns an end with unknown details.
    pub fn new(outcome: Outcome) -> Self {
        let at = super::wall_ms();
        let (max_memory, memory_at_most) = (None, None);
        Self { at, outcome, asked: false, max_memory, memory_at_most, cpu_ms: 0, lost_output: 0, note: String::new() }
    }
}

/// One run of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// From 1; part of the request ID.
    pub number: u32,
    /// Start in milliseconds since 1970.
    pub started: u64,
    /// Which GPUs are its own.
    pub gpus: Vec<u32>,
    /// `None` while the attempt runs.
    pub end: Option<AttemptEnd>,
}

/// Why a running job is stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// Canceled by this user.
    Cancelled(String),
    /// Requeued by this user.
    Requeued(String),
    /// The scheduler preempted its allocation.
    Preempted,
}

/// The stored record of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number, which no other job has.
    pub number: u64,
    /// Shared by all indices of an array. In a separate file ([`super::store`]) until changed.
    #[serde(default, skip_serializing_if = "is_elsewhere")]
    pub spec: Shared<JobSpec>,
    /// The submission before changes.
    #[serde(skip)]
    pub as_submitted: Shared<JobSpec>,
    /// In addition to those of `spec`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_after: Vec<Dependency>,
    /// Whose it is.
    pub owner: Shared<Owner>,
    /// Submission time in milliseconds since 1970.
    pub submitted: u64,
    /// Its position in an array.
    #[serde(default)]
    pub array: Option<ArrayTask>,
    /// Where it stands.
    pub state: JobState,
    /// Number of submissions: one, plus one per release.
    pub generation: u32,
    /// Number of the running or next attempt.
    pub next: u32,
    /// Number of retries so far.
    pub retried: u32,
    /// All attempts so far.
    pub attempts: Vec<Attempt>,
    /// Why the job is being stopped.
    pub stopping: Option<Stop>,
    /// Reason of the cancellation; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cancel_reason: String,
    /// How the job ended.
    pub outcome: Option<Outcome>,
    /// End in milliseconds since 1970.
    pub ended: Option<u64>,
    /// The scheduler has answered, so it must have the job.
    #[serde(skip)]
    pub confirmed: bool,
    /// The queue of its attempts; before them, its queue while it waits for earlier jobs with the same request (`crowd`).
    #[serde(skip)]
    pub placed: Option<Arc<str>>,
}

impl Job {
    /// Creates a submitted job.
    pub fn new(number: u64, spec: JobSpec, owner: Owner, now: u64) -> Self {
        let state = if spec.hold { JobState::Held } else { JobState::Waiting };
        let spec = Shared::from(spec);
        Self {
            number,
            as_submitted: spec.clone(),
            spec,
            own_after: Vec::new(),
            owner: owner.into(),
            submitted: now,
            array: None,
            state,
            generation: 1,
            next: 1,
            retried: 0,
            attempts: Vec::new(),
            stopping: None,
            cancel_reason: String::new(),
            outcome: None,
            ended: None,
            confirmed: false,
            placed: None,
        }
    }

    /// ID of its application.
    pub fn app(&self) -> AppId {
        AppId::from(match self.generation {
            1 => format!("job-{}", self.number),
            more => format!("job-{}-{more}", self.number),
        })
    }

    /// Returns the current request ID.
    pub fn ask(&self) -> AskId {
        AskId::from(format!("run-{}", self.next))
    }

    /// Returns the requested resources.
    pub fn resource(&self) -> Resource {
        let mut resource = Resource::new();
        resource.set(VCORE, self.spec.vcore);
        resource.set(MEMORY, self.spec.memory);
        if self.spec.gpu > 0 {
            resource.set(GPU, self.spec.gpu);
        }
        resource
    }

    /// Returns the queue as far as it is known without the scheduler.
    pub fn queue(&self) -> &str {
        self.placed.as_deref().unwrap_or(&self.spec.queue)
    }

    /// Returns the name with the array index.
    pub fn name(&self) -> String {
        let program = self.spec.command.first().map_or("", String::as_str);
        let program = program.rsplit('/').next().unwrap_or(program);
        let name = if self.spec.name.is_empty() { program } else { &self.spec.name };
        self.array.map_or_else(|| name.to_owned(), |task| format!("{name}[{}]", task.index))
    }

    /// Returns the additional output file.
    pub fn output_file(&self) -> Option<String> {
        (!self.spec.output.is_empty()).then(|| file_name(&self.spec.output, self))
    }

    /// Returns the file for standard error.
    pub fn error_file(&self) -> Option<String> {
        (!self.spec.error.is_empty()).then(|| file_name(&self.spec.error, self))
    }

    /// Restarts as another application: application IDs are not reused.
    pub fn start_again(&mut self) {
        self.generation += 1;
        (self.state, self.confirmed, self.placed) = (JobState::Waiting, false, None);
    }

    /// Ends the job.
    pub fn end(&mut self, outcome: Outcome, now: u64) {
        (self.state, self.outcome, self.ended, self.stopping) = (JobState::Ended, Some(outcome), Some(now), None);
    }
}

/// Returns true if this is not a submission: every submission has a directory.
fn is_elsewhere(spec: &Shared<JobSpec>) -> bool {
    spec.dir.is_empty()
}

/// Returns the job ID and the generation.
pub fn number_of(app: &str) -> Option<(u64, u32)> {
    let rest = app.strip_prefix("job-")?;
    match rest.split_once('-') {
        None => Some((rest.parse().ok()?, 1)),
        Some((number, generation)) => Some((number.parse().ok()?, generation.parse().ok()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_application_names_its_job() {
        assert_eq!(number_of("job-17"), Some((17, 1)));
        assert_eq!(number_of("job-17-3"), Some((17, 3)));
        assert_eq!(["spark-17", "job-x"].map(number_of), [None, None]);
    }
}
