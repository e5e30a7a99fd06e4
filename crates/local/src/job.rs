//! A job as it is kept: its submission, its owner, each attempt, its end.

use std::fmt;

use serde::{Deserialize, Serialize};

pub use super::after::Dependency;
pub use super::array::{ArraySpec, ArrayTask};
use super::dialect::{Dialect, file_name};
use super::shared::Shared;
use super::words::Words;
use model::{AppId, AskId, Identity, MEMORY, Resource, VCORE};

/// The name of the resource that counts GPUs.
pub const GPU: &str = "gpu";

/// What someone needs run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// The program and its arguments; on the disk in a file of their own ([`super::store`]).
    #[serde(default)]
    pub command: Words,
    /// What it is called; empty for the name of the program.
    pub name: String,
    /// The queue requested; may be empty.
    pub queue: String,
    /// Thousandths of a core.
    pub vcore: i64,
    /// Bytes; 0 for an equal share of the machine for each core requested.
    pub memory: i64,
    /// How many GPUs.
    pub gpu: i64,
    /// After how many seconds of running it is stopped.
    pub time_limit: Option<u64>,
    /// A higher one is tried first.
    pub priority: i32,
    /// Which jobs must have ended before.
    pub after: Vec<Dependency>,
    /// It starts when no earlier job of its user and name is left.
    #[serde(default)]
    pub singleton: bool,
    /// How often it is tried again after an attempt that failed.
    pub retry: u32,
    /// What happens to it when it has to make room, and when the machine was restarted.
    pub when_stopped: WhenStopped,
    /// Waits until it is released by hand.
    pub hold: bool,
    /// Its whole environment. The daemon keeps it on the disk only ([`super::store`]).
    pub env: Vec<(String, String)>,
    /// Where it runs.
    pub dir: String,
    /// The mask of its files.
    pub umask: u32,
    /// The tasks, when it is an array.
    #[serde(default)]
    pub array: Option<ArraySpec>,
    /// A file of the submitter that gets its output as well, with the letters of [`super::dialect`] in its name; empty for none.
    #[serde(default)]
    pub output: String,
    /// A file of the submitter that gets its standard error, which is then not in the output; empty for none.
    #[serde(default)]
    pub error: String,
    /// It does not start before this time, in milliseconds since 1970.
    #[serde(default)]
    pub begin: Option<u64>,
    /// For which scheduler its script is written, and so which variables it has.
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// How many task slots its script for PBS has; 0 for none.
    #[serde(default)]
    pub slots: u32,
    /// It does not give way to others.
    #[serde(default)]
    pub no_preempt: bool,
    /// It has a terminal, to which its owner attaches.
    #[serde(default)]
    pub interactive: bool,
    /// The signal that asks it to end; SIGTERM without it.
    #[serde(default)]
    pub signal: Option<i32>,
    /// What a shell runs before the signal, so that the job can save its work; empty for nothing.
    #[serde(default)]
    pub checkpoint: String,
    /// What a shell runs after each attempt; empty for nothing.
    #[serde(default)]
    pub at_end: String,
    /// The limits of the process that submitted it, as [`super::limits`] writes them; the daemon sets it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub limits: String,
    /// How nice that process was; the daemon sets it.
    #[serde(default)]
    pub nice: i32,
}

/// What happens to a job that was stopped for an outside reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenStopped {
    /// It is queued again, and starts from its start.
    #[default]
    Requeue,
    /// It has failed.
    Fail,
}

/// Whose a job is, as the kernel named him when it was submitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The number of the user.
    pub uid: u32,
    /// The number of the primary group.
    pub gid: u32,
    /// The numbers of all groups.
    pub groups: Vec<u32>,
    /// The same by name.
    pub identity: Identity,
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JobState {
    /// Waits to be released by hand.
    Held,
    /// Waits for another job.
    Waiting,
    /// Waits for the scheduler.
    Queued,
    /// Its process runs, or is about to.
    Running,
    /// It has ended, and stays so unless it is requeued.
    Ended,
}

/// How an attempt, or a job, ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With this status.
    Exited(i32),
    /// By this signal, which the job did not get from the daemon.
    Signalled(i32),
    /// It ran longer than it might.
    TimeLimit,
    /// It used more memory than it requested.
    MemoryLimit,
    /// This user ended it.
    Cancelled(String),
    /// It made room for another one.
    Preempted,
    /// How it ended is unknown, for this reason.
    Lost(String),
    /// It was not started, for this reason.
    NotStarted(String),
}

impl Outcome {
    /// The exit status for those who wait: the job's own, 128 and the signal, 124 for its time as timeout(1) says it, 125 for the others.
    pub fn status(&self) -> u8 {
        match self {
            Self::Exited(status) => u8::try_from(status & 0xff).unwrap_or(u8::MAX),
            Self::Signalled(signal) => u8::try_from((128 + signal) & 0xff).unwrap_or(u8::MAX),
            Self::TimeLimit => 124,
            Self::MemoryLimit => 137,
            Self::Cancelled(_) | Self::Preempted | Self::Lost(_) | Self::NotStarted(_) => 125,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(0) => f.write_str("ok"),
            Self::Exited(status) => write!(f, "exit {status}"),
            Self::Signalled(signal) => write!(f, "signal {signal}"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::MemoryLimit => f.write_str("memory limit"),
            Self::Cancelled(by) => write!(f, "canceled by {by}"),
            Self::Preempted => f.write_str("preempted"),
            Self::Lost(why) => write!(f, "lost: {why}"),
            Self::NotStarted(why) => write!(f, "not started: {why}"),
        }
    }
}

/// The end of an attempt, as its supervisor writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptEnd {
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// With a status, by a signal, or lost.
    pub outcome: Outcome,
    /// The daemon requested it before the command ended by itself.
    pub asked: bool,
    /// The most memory that it had, in bytes: by its cgroup, else as [`super::meter`] measures it.
    pub max_memory: Option<u64>,
    /// Where that was not measured: no process of it had more bytes.
    #[serde(default)]
    pub memory_at_most: Option<u64>,
    /// What it used of processors, in milliseconds.
    pub cpu_ms: u64,
    /// How many bytes of output could not be written.
    pub lost_output: u64,
    /// What could not be done, but did not end it: its output file, its hooks. Empty for nothing.
    #[serde(default)]
    pub note: String,
}

impl AttemptEnd {
    /// An end of which nothing else is known.
    pub fn new(outcome: Outcome) -> Self {
        let at = super::wall_ms();
        let (max_memory, memory_at_most) = (None, None);
        Self { at, outcome, asked: false, max_memory, memory_at_most, cpu_ms: 0, lost_output: 0, note: String::new() }
    }
}

/// One time that a job runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// From 1 on; its ask has it in its id.
    pub number: u32,
    /// When it was started, in milliseconds since 1970.
    pub started: u64,
    /// Which GPUs are its own.
    pub gpus: Vec<u32>,
    /// How it ended; `None` while it runs.
    pub end: Option<AttemptEnd>,
}

/// Why a job that runs is being stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// This user canceled it.
    Cancelled(String),
    /// This user has it restart.
    Requeued(String),
    /// The scheduler took its allocation for another one.
    Preempted,
}

/// All that is kept of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// Its number, which no other job has.
    pub number: u64,
    /// What was asked; all indices of an array share it. On the disk in a file of its own ([`super::store`]) until it is changed.
    #[serde(default, skip_serializing_if = "is_elsewhere")]
    pub spec: Shared<JobSpec>,
    /// The same as it was submitted.
    #[serde(skip)]
    pub as_submitted: Shared<JobSpec>,
    /// Which jobs this index alone waits for, with those of `spec`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_after: Vec<Dependency>,
    /// Whose it is.
    pub owner: Shared<Owner>,
    /// When it was submitted, in milliseconds since 1970.
    pub submitted: u64,
    /// Which task of an array it is.
    #[serde(default)]
    pub array: Option<ArrayTask>,
    /// Where it stands.
    pub state: JobState,
    /// How often it was submitted to the scheduler: once, and again whenever it was released.
    pub generation: u32,
    /// The number of the attempt that runs, or that it waits for.
    pub next: u32,
    /// How many attempts failed and were tried again.
    pub retried: u32,
    /// What has run so far.
    pub attempts: Vec<Attempt>,
    /// Why it is being stopped.
    pub stopping: Option<Stop>,
    /// What was reported when it was canceled; empty for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cancel_reason: String,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// When it ended, in milliseconds since 1970.
    pub ended: Option<u64>,
    /// The scheduler has answered for it; until then it is not missed there.
    #[serde(skip)]
    pub confirmed: bool,
}

impl Job {
    /// A job as it is submitted.
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
        }
    }

    /// The application that it is for the scheduler.
    pub fn app(&self) -> AppId {
        AppId::from(match self.generation {
            1 => format!("job-{}", self.number),
            more => format!("job-{}-{more}", self.number),
        })
    }

    /// The ask of its present attempt.
    pub fn ask(&self) -> AskId {
        AskId::from(format!("run-{}", self.next))
    }

    /// What it requests.
    pub fn resource(&self) -> Resource {
        let mut resource = Resource::new();
        resource.set(VCORE, self.spec.vcore);
        resource.set(MEMORY, self.spec.memory);
        if self.spec.gpu > 0 {
            resource.set(GPU, self.spec.gpu);
        }
        resource
    }

    /// What it is called; a task of an array with its index.
    pub fn name(&self) -> String {
        let program = self.spec.command.first().map_or("", String::as_str);
        let program = program.rsplit('/').next().unwrap_or(program);
        let name = if self.spec.name.is_empty() { program } else { &self.spec.name };
        self.array.map_or_else(|| name.to_owned(), |task| format!("{name}[{}]", task.index))
    }

    /// The file that gets its output as well.
    pub fn output_file(&self) -> Option<String> {
        (!self.spec.output.is_empty()).then(|| file_name(&self.spec.output, self))
    }

    /// The file that gets its standard error, apart from the output.
    pub fn error_file(&self) -> Option<String> {
        (!self.spec.error.is_empty()).then(|| file_name(&self.spec.error, self))
    }

    /// It waits again, as another application: the id of one that no longer exists from the scheduler is not used twice.
    pub fn begin_again(&mut self) {
        self.generation += 1;
        (self.state, self.confirmed) = (JobState::Waiting, false);
    }

    /// It has ended.
    pub fn end(&mut self, outcome: Outcome, now: u64) {
        (self.state, self.outcome, self.ended, self.stopping) = (JobState::Ended, Some(outcome), Some(now), None);
    }
}

/// Whether this is no submission: each one has a directory.
fn is_elsewhere(spec: &Shared<JobSpec>) -> bool {
    spec.dir.is_empty()
}

/// The number of the job of an application, and how often it had been submitted then.
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

    #[test]
    fn the_status_is_the_jobs_own() {
        let status = |outcome: Outcome| outcome.status();
        assert_eq!([status(Outcome::Exited(0)), status(Outcome::Exited(7))], [0, 7]);
        assert_eq!([status(Outcome::Signalled(9)), status(Outcome::TimeLimit)], [137, 124]);
        assert_eq!(status(Outcome::Cancelled("sue".to_owned())), 125);
    }
}
