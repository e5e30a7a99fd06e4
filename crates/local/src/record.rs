//! The record of a submission on disk, once per array. States are apart: a change writes only what changes.

use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::job::{ArrayTask, Attempt, Dependency, Job, JobSpec, JobState, Outcome, Stop};
use super::words::Words;
use model::Shared;

pub(super) const RECORD: &str = "submitted.json";

pub(super) type Environment = Vec<(String, String)>;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Submitted {
    job: Job,
    env: Environment,
    /// Index of each job; empty if they follow from the array's lowest index and step.
    indices: Vec<u32>,
    own_after: Vec<Vec<Dependency>>,
}

impl Submitted {
    /// `None` without a job.
    pub(super) fn of(jobs: &[Job], env: &[(String, String)]) -> Option<Self> {
        let first = jobs.first()?;
        let job = Job { spec: first.as_submitted.clone(), ..first.clone() };
        let indices: Vec<u32> = jobs.iter().filter_map(|job| job.array).map(|task| task.index).collect();
        let is_regular = jobs.len() > 1 && job.array.is_some_and(|task| regular(&task).eq(indices.iter().copied()));
        let any = jobs.iter().any(|job| !job.own_after.is_empty());
        let own_after = if any { jobs.iter().map(|job| job.own_after.clone()).collect() } else { Vec::new() };
        Some(Self { job, env: env.to_vec(), indices: if is_regular { Vec::new() } else { indices }, own_after })
    }

    /// Reads the record of a job; `None` if it is missing. An empty one is not a record: a loss of power cut it off.
    ///
    /// # Errors
    /// It cannot be read, or is damaged.
    pub(super) fn read(dir: &Path) -> io::Result<Option<Self>> {
        let file = dir.join(RECORD);
        match fs::read(&file) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(read) => Ok(Some(read)),
                Err(_) => Err(io::Error::other(format!("{} is damaged", file.display()))),
            },
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(why),
        }
    }

    pub(super) fn alone(&self, job: &Job) -> Option<Self> {
        Self::of(std::slice::from_ref(job), &self.env)
    }

    pub(super) fn first(&self) -> u64 {
        self.job.number
    }

    pub(super) fn jobs(mut self) -> Vec<Job> {
        self.job.as_submitted = self.job.spec.clone();
        let Some(task) = self.job.array else { return vec![self.job] };
        let indices = if self.indices.is_empty() { regular(&task).collect() } else { self.indices };
        let mut own_after = self.own_after.into_iter();
        let job = |(number, index): (u64, u32)| Job {
            number,
            array: Some(ArrayTask { index, ..task }),
            own_after: own_after.next().unwrap_or_default(),
            ..self.job.clone()
        };
        (self.job.number..).zip(indices).map(job).collect()
    }
}

fn regular(task: &ArrayTask) -> impl Iterator<Item = u32> + use<> {
    let (lowest, step) = (task.lowest, task.step);
    (0..task.count).map(move |at| lowest.saturating_add(at.saturating_mul(step)))
}

#[derive(Deserialize)]
pub(super) struct Given {
    pub(super) env: Environment,
    job: GivenJob,
}

#[derive(Deserialize)]
struct GivenJob {
    spec: GivenSpec,
}

#[derive(Deserialize)]
struct GivenSpec {
    command: Vec<String>,
}

impl Given {
    pub(super) fn read(dir: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(dir.join(RECORD))?)?)
    }

    pub(super) fn into_command(self) -> Vec<String> {
        self.job.spec.command
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    pub(super) number: u64,
    /// Without a directory until changed.
    #[serde(default, skip_serializing_if = "is_unchanged")]
    spec: Shared<JobSpec>,
    state: JobState,
    generation: u32,
    next: u32,
    retried: u32,
    attempts: Vec<Attempt>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    queue: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stopping: Option<Stop>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    cancel_reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended: Option<u64>,
}

impl State {
    pub(super) fn of(job: &Job) -> Self {
        let changed = !job.spec.is_same(&job.as_submitted);
        let spec = || JobSpec { command: Words::default(), ..JobSpec::clone(&job.spec) };
        Self {
            number: job.number,
            spec: if changed { spec().into() } else { Shared::default() },
            state: job.state,
            generation: job.generation,
            next: job.next,
            retried: job.retried,
            attempts: job.attempts.clone(),
            queue: job.placed.as_deref().map(str::to_owned),
            stopping: job.stopping.clone(),
            cancel_reason: job.cancel_reason.clone(),
            outcome: job.outcome.clone(),
            ended: job.ended,
        }
    }

    pub(super) fn put_on(self, job: &mut Job) {
        if !is_unchanged(&self.spec) {
            let command = job.as_submitted.command.clone();
            job.spec = JobSpec { command, ..JobSpec::clone(&self.spec) }.into();
        }
        (job.state, job.generation, job.next, job.retried) = (self.state, self.generation, self.next, self.retried);
        (job.attempts, job.stopping, job.cancel_reason) = (self.attempts, self.stopping, self.cancel_reason);
        job.attempts.shrink_to_fit();
        job.placed = self.queue.map(Into::into);
        (job.outcome, job.ended) = (self.outcome, self.ended);
    }
}

/// Every submission has a directory.
fn is_unchanged(spec: &Shared<JobSpec>) -> bool {
    spec.dir.is_empty()
}
