//! The messages over the socket: lines of JSON; output follows its reply as bytes.

use serde::{Deserialize, Serialize};

use super::filter::{Counts, Filter};
use super::job::{ArrayTask, Attempt, Job, JobSpec, JobState, Outcome};
use super::words::Words;

/// Maximum size of a command in a list, in bytes: an array's command may be a thousand times as long.
const LISTED: usize = 1000;

/// The kernel reports the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// Run a command.
    Submit(Box<JobSpec>),
    /// Jobs of the user, or in queues that the user administers.
    Jobs {
        /// Include ended jobs.
        ended: bool,
    },
    /// Like `Jobs`, with a filter.
    List(Box<Filter>),
    /// A job with its attempts, by ID.
    Job(u64),
    /// Part of a job's output.
    Logs {
        /// The number of the job.
        job: u64,
        /// The attempt; `None` for the last one.
        attempt: Option<u32>,
        /// From which byte on.
        from: u64,
        /// Maximum number of bytes, from the end; `None` for all.
        #[serde(default)]
        last: Option<u64>,
    },
    /// Wait until a job has ended, with a time limit.
    Wait(u64),
    /// End or dequeue a job.
    Cancel(u64),
    /// With a stored reason.
    CancelBecause {
        /// Which job, by its number.
        job: u64,
        /// At most `LONGEST_REASON` bytes; shown with the job.
        reason: String,
    },
    /// Stop starting jobs; running jobs continue.
    Drain {
        /// Why; not empty.
        reason: String,
    },
    /// Start jobs on this machine again.
    Undrain,
    /// Hold a pending job.
    Hold(u64),
    /// Release a held job.
    Release(u64),
    /// Requeue a running or ended job.
    Requeue(u64),
    /// Move a pending job.
    Move {
        /// The number of the job.
        job: u64,
        /// Path of the queue.
        queue: String,
    },
    /// Set the priority of a pending job.
    Priority {
        /// The number of the job.
        job: u64,
        /// Higher priorities are scheduled first.
        priority: i32,
    },
    /// Change a pending job.
    Edit {
        /// Which job, by its number.
        job: u64,
        /// What is changed.
        edit: Box<Edit>,
    },
    /// The queues that the user may submit to.
    Queues,
    /// The current usage of running jobs.
    Use,
    /// Current usage of one job.
    UseOf(u64),
    /// The names of these jobs.
    Names(Vec<u64>),
    /// Forecast a job without submitting it.
    Where(Box<JobSpec>),
    /// The reply passes a connection to the terminal.
    Attach(u64),
    /// Get access for a console.
    #[serde(rename = "door")]
    Endpoint,
    /// The machine, and the enforced limits.
    Info,
}

/// Changes of a pending job; `None` keeps a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Thousandths of a core.
    pub vcore: Option<i64>,
    /// Bytes of memory.
    pub memory: Option<i64>,
    /// Number of GPUs.
    pub gpu: Option<i64>,
    /// Time limit in seconds; 0 for none.
    pub time: Option<u64>,
    /// What it is called.
    pub name: Option<String>,
}

/// A reply of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// Success; the current state of the job.
    Job(Box<JobReport>),
    /// Jobs by ID.
    Jobs(Vec<JobReport>),
    /// So many bytes of output follow.
    Output {
        /// Number of bytes that follow.
        bytes: u64,
        /// Offset of the first byte; later than requested if earlier bytes were removed.
        first: u64,
        /// Which attempt it is of.
        attempt: u32,
        /// The attempt has ended, and these are the last bytes.
        ended: bool,
    },
    /// What machine this is.
    Info(Box<Info>),
    /// This line passes the connection to a terminal.
    Attached,
    /// Access for a console.
    #[serde(rename = "door")]
    Endpoint {
        /// The name of the machine.
        machine: String,
        /// Address of the REST API.
        url: String,
        /// Token for the REST API and this user; for this console only.
        token: String,
    },
    /// The paths of queues.
    Queues(Vec<String>),
    /// Without jobs that the user may not see.
    Names(Vec<(u64, String)>),
    /// Usage of each running job.
    Use(Vec<JobUse>),
    /// Where a job would be placed.
    Where(Whereabouts),
    /// The request was rejected.
    Refused {
        /// Invalid usage: exit code 2; otherwise 1.
        usage: bool,
        /// The reason and the remedy.
        message: String,
    },
}

/// Usage of a running job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobUse {
    /// The job as it is shown elsewhere.
    pub job: JobReport,
    /// Time of the measurement, in milliseconds since 1970.
    pub at: u64,
    /// CPU time so far, in milliseconds.
    pub cpu_ms: u64,
    /// Current bytes, by cgroup, or otherwise of its processes, where shared pages count for each.
    pub memory: u64,
    /// Peak bytes, if its cgroup counts them.
    pub max_memory: Option<u64>,
    /// Lower bound of the peak bytes.
    #[serde(default)]
    pub seen_memory: u64,
    /// Its processes, the command first.
    pub processes: Vec<ProcessUse>,
    /// Current usage of its GPUs.
    #[serde(default)]
    pub gpus: Vec<GpuUse>,
}

/// As far as its driver reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuUse {
    /// Index of the GPU, from 0.
    pub index: u32,
    /// Percent of time that it computes.
    pub busy: Option<u8>,
    /// Used GPU memory in bytes.
    pub memory: Option<u64>,
}

/// A process of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// The process id.
    pub pid: i32,
    /// PID of its parent.
    pub parent: i32,
    /// What it is called.
    pub name: String,
    /// Resident memory (RSS) in bytes.
    pub memory: u64,
    /// CPU time so far, in milliseconds.
    pub cpu_ms: u64,
}

/// Forecast of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    /// Full path of the leaf.
    pub queue: String,
    /// Milliseconds, if no other job is submitted and running jobs use all of their time; 0 for now, `None` if unknown.
    #[serde(rename = "begins_in")]
    pub starts_in: Option<u64>,
    /// Why it is unknown, or the assumption.
    pub because: String,
}

/// The machine, and the enforced limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The host name.
    pub machine: String,
    /// Millicores available to jobs.
    pub vcore: i64,
    /// Bytes available to jobs.
    pub memory: i64,
    /// Number of GPUs.
    pub gpu: i64,
    /// Who may use it: everyone, or one user.
    pub serves: String,
    /// Enforced limits, and others.
    pub limits: String,
    /// All limits of a job are enforced.
    #[serde(default)]
    pub enforced: bool,
    /// For all users, for example that the machine is drained.
    #[serde(default)]
    pub notices: Vec<String>,
}

/// A job, without its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobReport {
    /// The number that commands take.
    pub number: u64,
    /// A new one for each submission to the scheduler.
    #[serde(default)]
    pub app: String,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Queue path; empty if it is not queued.
    pub queue: String,
    /// Where it stands.
    pub state: JobState,
    /// Why it is pending, or how it ended.
    pub reason: String,
    /// In a list, only the start of a long command.
    pub command: Words,
    /// Where it runs.
    pub dir: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Requested memory in bytes.
    pub memory: i64,
    /// Number of GPUs.
    pub gpu: i64,
    /// Higher priorities are scheduled first.
    pub priority: i32,
    /// Submission time in milliseconds since 1970.
    pub submitted: u64,
    /// Last start in milliseconds since 1970.
    pub started: Option<u64>,
    /// End in milliseconds since 1970.
    pub ended: Option<u64>,
    /// Number of starts.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Exit status for waiting clients, after the end.
    pub status: Option<u8>,
    /// Milliseconds of its ended attempts.
    #[serde(default)]
    pub ran_ms: u64,
    /// CPU time of its attempts, in milliseconds.
    pub cpu_ms: u64,
    /// Peak bytes of an attempt, if measured.
    pub max_memory: Option<u64>,
    /// Otherwise: upper bound per process, in bytes.
    #[serde(default)]
    pub memory_at_most: Option<u64>,
    /// Its supervisor was killed.
    #[serde(default)]
    pub use_unknown: bool,
    /// Bytes of output that could not be written.
    pub lost_output: u64,
    /// Its position in an array.
    pub array: Option<ArrayTask>,
    /// For an array: indices by state. The other fields are those of one index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// Additional output file; empty for none.
    pub output: String,
    /// Separate file for standard error; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub error: String,
    /// Non-fatal errors; empty for none.
    pub note: String,
    /// Time limit in seconds.
    pub time_limit: Option<u64>,
    /// GPUs of its last attempt.
    pub gpus: Vec<u32>,
}

impl JobReport {
    /// Describes a job; `reason` is empty if it is not pending.
    pub fn new(job: &Job, queue: String, reason: String) -> Self {
        let ends = || job.attempts.iter().filter_map(|attempt| attempt.end.as_ref());
        let ran = |attempt: &Attempt| Some(attempt.end.as_ref()?.at.saturating_sub(attempt.started));
        let reason = match &job.outcome {
            Some(outcome @ Outcome::Cancelled(_)) if !job.cancel_reason.is_empty() => {
                format!("{outcome}: {}", job.cancel_reason)
            }
            outcome => outcome.as_ref().map_or(reason, ToString::to_string),
        };
        Self {
            number: job.number,
            app: job.app().to_string(),
            name: job.name(),
            user: job.owner.identity.user.clone(),
            queue,
            state: job.state,
            reason,
            command: job.spec.command.clone(),
            dir: job.spec.dir.clone(),
            vcore: job.spec.vcore,
            memory: job.spec.memory,
            gpu: job.spec.gpu,
            priority: job.spec.priority,
            submitted: job.submitted,
            started: job.attempts.last().map(|attempt| attempt.started),
            ended: job.ended,
            attempts: u32::try_from(job.attempts.len()).unwrap_or(u32::MAX),
            outcome: job.outcome.clone(),
            status: job.outcome.as_ref().map(Outcome::status),
            ran_ms: job.attempts.iter().filter_map(ran).sum(),
            cpu_ms: ends().map(|end| end.cpu_ms).sum(),
            max_memory: ends().filter_map(|end| end.max_memory).max(),
            memory_at_most: ends().filter_map(|end| end.memory_at_most).max(),
            use_unknown: ends()
                .any(|end| matches!(end.outcome, Outcome::Lost(_)) && end.max_memory.or(end.memory_at_most).is_none()),
            lost_output: ends().map(|end| end.lost_output).sum(),
            array: job.array,
            counts: None,
            output: job.output_file().unwrap_or_default(),
            error: job.error_file().unwrap_or_default(),
            note: ends().next_back().map(|end| end.note.clone()).unwrap_or_default(),
            time_limit: job.spec.time_limit,
            gpus: job.attempts.last().map(|attempt| attempt.gpus.clone()).unwrap_or_default(),
        }
    }

    pub(super) fn listed(mut self) -> Self {
        self.command = self.command.shortened(LISTED);
        self
    }
}
