//! What goes over the socket: one line of JSON for a request, one for its answer; behind an answer with output, its bytes.

use serde::{Deserialize, Serialize};

use super::job::{Job, JobSpec, JobState, Outcome};

/// What somebody asks of the daemon. Who asks is what the kernel says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Request {
    /// Run a command.
    Submit(Box<JobSpec>),
    /// The jobs of who asks, or of everybody as far as he administers them; those that ended too, if so.
    Jobs {
        /// Those that ended too.
        ended: bool,
    },
    /// One job.
    Job(u64),
    /// A part of the output of a job.
    Logs {
        /// Which job.
        job: u64,
        /// Which attempt; `None` for the last one.
        attempt: Option<u32>,
        /// From which byte on.
        from: u64,
    },
    /// Wait until a job has ended, for a while at most; the answer is the job.
    Wait(u64),
    /// End a job, or take it out of the queue.
    Cancel(u64),
    /// Keep a job from beginning.
    Hold(u64),
    /// Let a held job begin.
    Release(u64),
    /// What machine this is, and what is enforced.
    Info,
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
        /// The number of the first of them; later than what was asked for when what was before is not kept any more.
        first: u64,
        /// Which attempt it is of.
        attempt: u32,
        /// The attempt has ended, and nothing follows after these bytes.
        ended: bool,
    },
    /// What machine this is.
    Info(Info),
    /// It was not done.
    Refused {
        /// Wrong use: exit code 2; else 1.
        usage: bool,
        /// Why, and what would be right.
        message: String,
    },
}

/// What machine this is, and what is enforced on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Its name.
    pub machine: String,
    /// Thousandths of a core that jobs may have.
    pub vcore: i64,
    /// Bytes that jobs may have.
    pub memory: i64,
    /// How many GPUs.
    pub gpu: i64,
    /// Whom it serves: everybody, or one user.
    pub serves: String,
    /// What is enforced, and what is not.
    pub limits: String,
}

/// A job as it is shown: without its environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobReport {
    /// Its number.
    pub number: u64,
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
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Where it runs.
    pub dir: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes.
    pub memory: i64,
    /// How many GPUs.
    pub gpu: i64,
    /// The priority.
    pub priority: i32,
    /// When it was submitted, in milliseconds since 1970.
    pub submitted: u64,
    /// When its last attempt began, in milliseconds since 1970.
    pub started: Option<u64>,
    /// When it ended, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// How often it was started.
    pub attempts: u32,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// The exit status for who waits, once it has ended.
    pub status: Option<u8>,
    /// What its attempts used of processors, in milliseconds.
    pub cpu_ms: u64,
    /// The most memory that an attempt had, in bytes, where that was counted.
    pub max_memory: Option<u64>,
    /// Bytes of output that could not be written.
    pub lost_output: u64,
}

impl JobReport {
    /// A job in `queue`, which waits for `reason` if it does.
    pub fn new(job: &Job, queue: String, reason: String) -> Self {
        let ends = || job.attempts.iter().filter_map(|attempt| attempt.end.as_ref());
        let reason = job.outcome.as_ref().map_or(reason, ToString::to_string);
        Self {
            number: job.number,
            name: job.name().to_owned(),
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
            cpu_ms: ends().map(|end| end.cpu_ms).sum(),
            max_memory: ends().filter_map(|end| end.max_memory).max(),
            lost_output: ends().map(|end| end.lost_output).sum(),
        }
    }
}
