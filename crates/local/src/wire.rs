//! The messages over the socket: one line of JSON for a request, one for its answer; behind an answer with output, its bytes.

use serde::{Deserialize, Serialize};

use super::filter::{Counts, Filter};
use super::job::{ArrayTask, Attempt, Job, JobSpec, JobState, Outcome};
use super::words::Words;

/// How many bytes of a command a list of jobs shows: all indices of an array share one that may have a thousand times as many.
const LISTED: usize = 1000;

/// What someone asks of the daemon. Who asks is what the kernel says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// Run a command.
    Submit(Box<JobSpec>),
    /// The jobs of who asks, or of everyone as far as he administers them; those that ended too, if so.
    Jobs {
        /// Those that ended too.
        ended: bool,
    },
    /// The jobs of who asks, or of everyone as far as he administers them, that a filter takes.
    List(Box<Filter>),
    /// One job with its attempts, by number.
    Job(u64),
    /// A part of the output of a job.
    Logs {
        /// The number of the job.
        job: u64,
        /// Which attempt; `None` for the last one.
        attempt: Option<u32>,
        /// From which byte on.
        from: u64,
        /// At most the last this many bytes of that part; `None` for all of it.
        #[serde(default)]
        last: Option<u64>,
    },
    /// Wait until a job has ended, for a while at most; the answer is the job.
    Wait(u64),
    /// End a job, or take it out of the queue.
    Cancel(u64),
    /// The same, with a reason that is kept with the job.
    CancelBecause {
        /// Which job, by its number.
        job: u64,
        /// Bounded by `LONGEST_REASON` bytes; shown with the job.
        reason: String,
    },
    /// Start nothing new on this machine; running jobs continue.
    Drain {
        /// Why; not empty.
        reason: String,
    },
    /// Start jobs on this machine again.
    Undrain,
    /// Keep a job from starting.
    Hold(u64),
    /// Let a held job start.
    Release(u64),
    /// Have a job restart from its start: one that runs, or that has ended.
    Requeue(u64),
    /// Put a job that has not started into another queue.
    Move {
        /// The number of the job.
        job: u64,
        /// The path of the queue.
        queue: String,
    },
    /// Give a job that has not started another priority.
    Priority {
        /// The number of the job.
        job: u64,
        /// A higher one is tried first.
        priority: i32,
    },
    /// Change what a job requests that has not started.
    Edit {
        /// Which job, by its number.
        job: u64,
        /// What is changed.
        edit: Box<Edit>,
    },
    /// The queues that one may submit to.
    Queues,
    /// What the jobs that run use right now.
    Use,
    /// What one job uses right now; none where it does not run.
    UseOf(u64),
    /// What these jobs are called.
    Names(Vec<u64>),
    /// Where a job would go, and whether it would start. Nothing is submitted.
    Where(Box<JobSpec>),
    /// Attach to the terminal of a job; the connection to it comes with the answer.
    Attach(u64),
    /// Let a console in.
    Door,
    /// What machine this is, and what is enforced.
    Info,
}

/// The changes of a job that has not started; a field that is `None` stays unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Thousandths of a core.
    pub vcore: Option<i64>,
    /// Bytes of memory.
    pub memory: Option<i64>,
    /// How many GPUs.
    pub gpu: Option<i64>,
    /// After how many seconds of running it is ended; 0 for never.
    pub time: Option<u64>,
    /// What it is called.
    pub name: Option<String>,
}

/// What the daemon answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reply {
    /// It is done; the job as it is now.
    Job(Box<JobReport>),
    /// Jobs, by number.
    Jobs(Vec<JobReport>),
    /// So many bytes of output follow.
    Output {
        /// How many bytes follow.
        bytes: u64,
        /// The number of the first of them; later than the requested one when earlier bytes are not kept any more.
        first: u64,
        /// Which attempt it is of.
        attempt: u32,
        /// The attempt has ended, and nothing follows after these bytes.
        ended: bool,
    },
    /// What machine this is.
    Info(Box<Info>),
    /// The connection to a terminal comes with this line.
    Attached,
    /// The address of the scheduler for a console, and a token for the user who asked.
    Door {
        /// The name of the machine.
        machine: String,
        /// The address of the REST API.
        url: String,
        /// The token that the API takes; for this console only.
        token: String,
    },
    /// The paths of queues.
    Queues(Vec<String>),
    /// What jobs are called by their numbers; those that one may not see are omitted.
    Names(Vec<(u64, String)>),
    /// What each job that runs uses.
    Use(Vec<JobUse>),
    /// Where a job would go.
    Where(Whereabouts),
    /// It was not done.
    Refused {
        /// Wrong use: exit code 2; else 1.
        usage: bool,
        /// Why, and what would be right.
        message: String,
    },
}

/// What a job that runs uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobUse {
    /// The job as it is shown elsewhere.
    pub job: JobReport,
    /// When this was measured, in milliseconds since 1970.
    pub at: u64,
    /// What it used of processors so far, in milliseconds.
    pub cpu_ms: u64,
    /// Bytes of memory right now: of its cgroup, else of its processes together, where shared pages count for each.
    pub memory: u64,
    /// The most bytes so far, where its cgroup counts that.
    pub max_memory: Option<u64>,
    /// Bytes that it has had at least: the most of one of its processes so far, or what its cgroup has.
    #[serde(default)]
    pub seen_memory: u64,
    /// Its processes, the command's first.
    pub processes: Vec<ProcessUse>,
    /// What its GPUs do right now.
    #[serde(default)]
    pub gpus: Vec<GpuUse>,
}

/// What a GPU does right now, as far as its driver says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuUse {
    /// Which GPU of the machine, from 0 on.
    pub index: u32,
    /// Percent of the time that it computes.
    pub busy: Option<u8>,
    /// Bytes of its own memory that are in use.
    pub memory: Option<u64>,
}

/// A process of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessUse {
    /// The process id.
    pub pid: i32,
    /// The number of its parent.
    pub parent: i32,
    /// What it is called.
    pub name: String,
    /// Bytes of memory that it has in the machine (RSS).
    pub memory: u64,
    /// What it used of processors so far, in milliseconds.
    pub cpu_ms: u64,
}

/// Where a job would go, and when it would start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    /// The full path of the leaf.
    pub queue: String,
    /// In how many milliseconds it would start, when nothing else is submitted and running jobs use all of their time; 0 for at once,
    /// `None` when that is unknown.
    pub begins_in: Option<u64>,
    /// Why it is unknown, or on what it rests.
    pub because: String,
}

/// What machine this is, and what is enforced on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The host name.
    pub machine: String,
    /// Thousandths of a core that jobs may have.
    pub vcore: i64,
    /// Bytes that jobs may have.
    pub memory: i64,
    /// How many GPUs.
    pub gpu: i64,
    /// Whom it serves: everyone, or one user.
    pub serves: String,
    /// The limits that are enforced, and those that are not.
    pub limits: String,
    /// Whether all limits of a job are enforced.
    #[serde(default)]
    pub enforced: bool,
    /// What everyone who examines jobs must know: that the machine is drained. Empty for nothing.
    #[serde(default)]
    pub notices: Vec<String>,
}

/// A job as it is shown: without its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobReport {
    /// The number that commands take.
    pub number: u64,
    /// The application that it is for the scheduler: another one each time that it is queued again.
    #[serde(default)]
    pub app: String,
    /// What it is called.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// Where it is queued; empty when it is in no queue.
    pub queue: String,
    /// Where it stands.
    pub state: JobState,
    /// Why it waits, or how it ended.
    pub reason: String,
    /// The program and its arguments; of a long command in a list the beginning.
    pub command: Words,
    /// Where it runs.
    pub dir: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes of memory that it requests.
    pub memory: i64,
    /// How many GPUs.
    pub gpu: i64,
    /// A higher one is tried first.
    pub priority: i32,
    /// When it was submitted, in milliseconds since 1970.
    pub submitted: u64,
    /// When its last attempt started, in milliseconds since 1970.
    pub started: Option<u64>,
    /// When it ended, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// How often it was started.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// The exit status for who waits, once it has ended.
    pub status: Option<u8>,
    /// How long its attempts that are over ran together, in milliseconds.
    #[serde(default)]
    pub ran_ms: u64,
    /// What its attempts used of processors, in milliseconds.
    pub cpu_ms: u64,
    /// The most memory that an attempt had, in bytes, where that was counted.
    pub max_memory: Option<u64>,
    /// Where it was not counted: no process of an attempt had more bytes.
    #[serde(default)]
    pub memory_at_most: Option<u64>,
    /// It ran, and what it used is unknown: its supervisor was ended.
    #[serde(default)]
    pub use_unknown: bool,
    /// Bytes of output that could not be written.
    pub lost_output: u64,
    /// Which task of an array it is.
    pub array: Option<ArrayTask>,
    /// In a row for an array: how many of its indices are in which state. The other fields are those of one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The file that gets its output as well; empty for none.
    pub output: String,
    /// What could not be done for it, but did not end it; empty for nothing.
    pub note: String,
    /// After how many seconds of running it is stopped.
    pub time_limit: Option<u64>,
    /// Which GPUs its last attempt has.
    pub gpus: Vec<u32>,
}

impl JobReport {
    /// A job in `queue`, which waits for `reason` if it does.
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
            note: ends().next_back().map(|end| end.note.clone()).unwrap_or_default(),
            time_limit: job.spec.time_limit,
            gpus: job.attempts.last().map(|attempt| attempt.gpus.clone()).unwrap_or_default(),
        }
    }

    /// The same for a list of many jobs, with the beginning of its command.
    pub(super) fn listed(mut self) -> Self {
        self.command = self.command.beginning(LISTED);
        self
    }
}
