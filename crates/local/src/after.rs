//! Dependencies: jobs that wait until other jobs have ended.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

use super::dialect::plain_name;
use super::job::{ArraySpec, Job, JobSpec, JobState, Outcome};
use super::table::Table;

/// Maximum number of awaited jobs, with ranges and arrays expanded: each is looked up whenever a job ends.
const MOST_AWAITED: u64 = 100_000;

/// Jobs that must end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dependency {
    /// Job ID, or the first of an array or range.
    pub job: u64,
    /// How the jobs must end.
    #[serde(alias = "ok", with = "written")]
    pub how: How,
    /// Which other jobs are included.
    #[serde(default)]
    pub of: Which,
}

/// Required end, by Slurm's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// `afterok`: exit status 0.
    Ok,
    /// `afterany`: any exit status or signal.
    Any,
    /// `afternotok`: any other end; of several jobs, one suffices.
    NotOk,
    /// `aftercorr`: the same index with status 0; resolved at submission.
    Corresponding,
}

/// The jobs that a dependency names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// Only the job with this ID.
    #[default]
    One,
    /// Its whole array. Resolved at submission.
    Array,
    /// This index of its array. Resolved at submission.
    Index(u32),
    /// All jobs up to this ID.
    To(u64),
}

/// The form on disk: `true` and `false` for the first two, as older releases wrote them.
mod written {
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use super::How;

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Form {
        Ok(bool),
        Name(String),
    }

    pub(super) fn serialize<S: Serializer>(how: &How, serializer: S) -> Result<S::Ok, S::Error> {
        match how {
            How::Ok => serializer.serialize_bool(true),
            How::Any => serializer.serialize_bool(false),
            How::NotOk => serializer.serialize_str("notok"),
            How::Corresponding => serializer.serialize_str("corr"),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<How, D::Error> {
        Ok(match Form::deserialize(deserializer)? {
            Form::Ok(true) => How::Ok,
            Form::Ok(false) => How::Any,
            Form::Name(name) if name == "notok" => How::NotOk,
            Form::Name(name) if name == "corr" => How::Corresponding,
            Form::Name(name) => return Err(D::Error::custom(format!("unknown dependency {name:?}"))),
        })
    }
}

impl Dependency {
    /// Returns a dependency on one job.
    pub fn on(job: u64, how: How) -> Self {
        Self { job, how, of: Which::One }
    }

    pub(super) fn jobs(&self) -> RangeInclusive<u64> {
        match self.of {
            Which::To(last) => self.job..=last,
            Which::One | Which::Array | Which::Index(_) => self.job..=self.job,
        }
    }

    pub(super) fn count(&self) -> u64 {
        let jobs = self.jobs();
        jobs.end().saturating_sub(*jobs.start()).saturating_add(1)
    }
}

impl Job {
    pub(super) fn after(&self) -> impl Iterator<Item = &Dependency> {
        self.spec.after.iter().chain(&self.own_after)
    }
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            Which::To(last) => write!(f, "{}-{last}", self.job)?,
            Which::Index(index) => write!(f, "{}_{index}", self.job)?,
            Which::One | Which::Array => write!(f, "{}", self.job)?,
        }
        f.write_str(match self.how {
            How::NotOk => " fails",
            How::Ok | How::Any | How::Corresponding => "",
        })
    }
}

/// Replaces arrays and indices by jobs that the submitter `knows`, except for [`corresponding`]. The error names the
/// first invalid dependency.
pub(super) fn resolved(
    table: &Table,
    spec: &JobSpec,
    array: Option<&ArraySpec>,
    knows: impl Fn(u64) -> bool,
) -> Result<Vec<Dependency>, String> {
    let one = |after: &Dependency| {
        let missing = || format!("cannot wait for job {after}: job not found, or it is not yours");
        within_limit(after.count())?;
        if !after.jobs().all(&knows) {
            return Err(missing());
        }
        let task = table.jobs.get(&after.job).ok_or_else(missing)?.array;
        let of = |which| Dependency { of: which, ..*after };
        match (after.how, after.of, task) {
            (How::Corresponding, ..) if array.is_none() => {
                Err(format!("cannot apply aftercorr:{}: this job is not an array; use afterok", after.job))
            }
            (How::Corresponding, _, None) => Err(format!("cannot apply aftercorr:{}: it is not an array", after.job)),
            (_, Which::Array, Some(task)) => Ok(Dependency { job: task.first, ..of(Which::To(task.last())) }),
            (_, Which::Array, None) => Ok(of(Which::One)),
            (_, Which::Index(index), _) => {
                let number = numbers(table, after.job).get(&index).copied().ok_or_else(missing)?;
                Ok(Dependency { job: number, ..of(Which::One) })
            }
            (_, Which::One | Which::To(_), _) => Ok(*after),
        }
    };
    let (mut found, mut awaited) = (Vec::new(), 0_u64);
    for after in &spec.after {
        let after = one(after)?;
        awaited = awaited.saturating_add(after.count());
        within_limit(awaited)?;
        found.push(after);
    }
    let indices = array.map(|array| array.indices.as_slice()).unwrap_or_default();
    for after in found.iter().filter(|after| after.how == How::Corresponding) {
        let numbers = numbers(table, after.job);
        if let Some(index) = indices.iter().find(|index| !numbers.contains_key(index)) {
            return Err(format!("cannot apply aftercorr:{}: that array has no index {index}", after.job));
        }
    }
    Ok(found)
}

fn within_limit(awaited: u64) -> Result<(), String> {
    if awaited <= MOST_AWAITED {
        return Ok(());
    }
    Err(format!("--after jobs in ranges and arrays: the request has at least {awaited}, the limit is {MOST_AWAITED}"))
}

pub(super) struct Others(Vec<HashMap<u32, u64>>);

impl Others {
    pub(super) fn of(table: &Table, after: &[Dependency]) -> Self {
        Self(after.iter().map(|after| numbers(table, after.job)).collect())
    }

    pub(super) fn corresponding(&self, index: u32) -> Vec<Dependency> {
        let found = self.0.iter().filter_map(|numbers| numbers.get(&index));
        found.map(|number| Dependency::on(*number, How::Ok)).collect()
    }

    pub(super) fn all(&self) -> Option<RangeInclusive<u64>> {
        let numbers = || self.0.iter().flat_map(HashMap::values).copied();
        Some(numbers().min()?..=numbers().max()?)
    }
}

fn numbers(table: &Table, job: u64) -> HashMap<u32, u64> {
    let Some(task) = table.jobs.get(&job).and_then(|job| job.array) else { return HashMap::new() };
    let jobs = table.jobs.range(task.first..=task.last());
    jobs.filter_map(|(number, job)| Some((job.array?.index, *number))).collect()
}

/// Returns true if all awaited jobs have ended.
///
/// # Errors
/// Why the condition can never be met.
pub(super) fn met<'d>(table: &Table, after: impl IntoIterator<Item = &'d Dependency>) -> Result<bool, String> {
    let mut all = true;
    for dependency in after {
        let (mut failed, mut open) = (false, false);
        for number in dependency.jobs() {
            match table.jobs.get(&number).map(|job| (job.state, &job.outcome)) {
                Some((JobState::Ended, Some(Outcome::Exited(0)))) => {}
                Some((JobState::Ended, Some(outcome))) if dependency.how == How::Ok => {
                    return Err(format!("job {number} did not end with status 0: {outcome}"));
                }
                Some((JobState::Ended, _)) => failed = true,
                // The records of awaited jobs stay. An earlier release removed this one.
                None => {}
                Some(_) => open = true,
            }
        }
        if dependency.how == How::NotOk && !failed && !open {
            return Err(format!("job {} did not fail", Dependency { how: How::Any, ..*dependency }));
        }
        all &= !open;
    }
    Ok(all)
}

/// The first active job of each user and name: a singleton waits for the earlier ones.
#[derive(Default)]
pub(super) struct Alone(BTreeMap<(u32, String), u64>);

impl Alone {
    /// Collects active jobs, running ones first.
    pub fn of(table: &Table) -> Self {
        let mut found = Self::default();
        let runs = |number: u64| {
            table.jobs.get(&number).is_some_and(|job| matches!(job.state, JobState::Queued | JobState::Running))
        };
        for job in table.live.iter().filter_map(|number| table.jobs.get(number)) {
            let first = found.0.entry(key(job)).or_insert(job.number);
            if (!runs(job.number), job.number) < (!runs(*first), *first) {
                *first = job.number;
            }
        }
        found
    }

    /// Returns true if no other job comes first.
    pub fn lets(&self, job: &Job) -> bool {
        self.0.get(&key(job)).is_none_or(|first| *first == job.number)
    }

    /// Records the job as queued.
    pub fn take(&mut self, job: &Job) {
        self.0.insert(key(job), job.number);
    }
}

fn key(job: &Job) -> (u32, String) {
    (job.owner.uid, plain_name(job))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_of_earlier_releases_are_read() {
        let read = |text: &str| serde_json::from_str::<Dependency>(text).unwrap();
        assert_eq!(read(r#"{"job":7,"ok":true}"#), Dependency::on(7, How::Ok));
        assert_eq!(read(r#"{"job":7,"ok":false}"#), Dependency::on(7, How::Any));
        for how in [How::Ok, How::Any, How::NotOk, How::Corresponding] {
            let one = Dependency { job: 3, how, of: Which::To(9) };
            assert_eq!(read(&serde_json::to_string(&one).unwrap()), one);
        }
        assert!(serde_json::from_str::<Dependency>(r#"{"job":7,"how":"never"}"#).is_err());
    }
}
