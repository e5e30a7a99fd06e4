//! Recorded jobs from a file, for tapes that run on no machine.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::{JobAnswer, JobDone, JobNamesAnswer, Jobs};
use super::sheet;
use local::job::number_of;
use local::wire::{JobReport, JobUse};
use model::AppId;
use view::job::{JobOrder, JobOutput, JobSheet, OutputWanted};

/// Recorded jobs by ID.
pub struct RecordedJobs {
    at: u64,
    jobs: BTreeMap<u64, RecordedJob>,
}

#[derive(Deserialize)]
struct File {
    /// The time of the recording, in milliseconds since 1970.
    at: u64,
    jobs: Vec<RecordedJob>,
}

#[derive(Deserialize)]
struct RecordedJob {
    /// The output of `kornsole job --json`.
    job: JobReport,
    /// Two outputs of `kornsole top --json`, an earlier and the last one.
    #[serde(default)]
    used: Vec<JobUse>,
    #[serde(default)]
    output: String,
}

impl RecordedJobs {
    /// Reads a JSON file.
    ///
    /// # Errors
    /// Returns the error with its location.
    pub fn read(text: &str) -> Result<Self, String> {
        let File { at, jobs } = serde_json::from_str(text).map_err(|why| why.to_string())?;
        Ok(Self { at, jobs: jobs.into_iter().map(|one| (one.job.number, one)).collect() })
    }

    fn sheet(&self, app: &AppId, wanted: OutputWanted) -> Result<JobSheet, String> {
        let found = number_of(app.as_str()).and_then(|(number, _)| self.jobs.get(&number));
        let one = found.ok_or_else(|| format!("{app} was not recorded"))?;
        let all = one.output.as_bytes();
        let from = match wanted {
            OutputWanted::None => None,
            OutputWanted::End => Some(0),
            OutputWanted::From(_, at) => Some(usize::try_from(at).unwrap_or(usize::MAX).min(all.len())),
        };
        let attempt = one.job.attempts;
        let output =
            from.map(|from| JobOutput { attempt, first: from as u64, bytes: all[from..].to_vec(), more: false });
        let (before, last) = (one.used.first(), one.used.last());
        let (_, before) = sheet::of(&one.job, before, None, None, self.at);
        Ok(sheet::of(&one.job, last, output, before, self.at).0)
    }
}

impl Jobs for RecordedJobs {
    fn look(&self, app: &AppId, output: OutputWanted, answer: JobAnswer) {
        answer(self.sheet(app, output));
    }

    fn names(&self, apps: Vec<AppId>, answer: JobNamesAnswer) {
        let job = |app: &AppId| number_of(app.as_str()).and_then(|(number, _)| self.jobs.get(&number));
        let name = |app: &AppId| job(app).map(|one| one.job.name.clone()).unwrap_or_default();
        let named = apps.iter().map(|app| (app.clone(), name(app))).collect();
        answer(Some(named));
    }

    fn act(&self, order: JobOrder, done: JobDone) {
        done(Err(format!("{} is a recording and cannot be changed", order.app)));
    }
}
