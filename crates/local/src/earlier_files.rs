//! The files of earlier releases, which had the parts of a submission in separate files, and a whole job for each state.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::job::{Job, JobSpec, JobState};
use super::job_files::is_empty;
use super::record::{Environment, RECORD, Submitted};
use super::states::{JOB, States};
use super::task;
use super::words::Words;
use model::Shared;

const ENV: &str = "env.json";
const COMMAND: &str = "command.json";
const SPEC: &str = "spec.json";

/// Writes the record of a job that an earlier release stored. The old files stay: a running supervisor may read them.
/// `None` if the directory has no job: its submission was cut off by a loss of power, or rejected.
///
/// # Errors
/// A file cannot be read, or is damaged.
pub(super) fn converted(dir: &Path) -> io::Result<Option<Job>> {
    let file = dir.join(JOB);
    if is_empty(&file) {
        return Ok(None);
    }
    let bytes = fs::read(&file)?;
    let newest = bytes.rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice::<Job>(line).ok());
    let Some(mut job) = newest else {
        // States without their record, which a loss of power removed: the log of submissions has it.
        return if States::read(&file)?.of.is_empty() { Err(damaged(&file)) } else { Ok(None) };
    };
    let is_changed = !job.spec.dir.is_empty();
    if !is_changed && is_empty(&dir.join(SPEC)) {
        return Ok(None);
    }
    // Without a command, the job reports that at its start.
    let command = read::<Words>(&dir.join(COMMAND))?.unwrap_or_else(|| job.spec.command.clone());
    let with_command = |spec: JobSpec| Shared::from(JobSpec { command: command.clone(), ..spec });
    let submitted = read::<JobSpec>(&dir.join(SPEC))?.map(with_command);
    if is_changed {
        job.spec = with_command(JobSpec::clone(&job.spec));
    }
    job.as_submitted = submitted.unwrap_or_else(|| job.spec.clone());
    if !is_changed {
        job.spec = job.as_submitted.clone();
    }
    let env: Environment = read(&dir.join(ENV))?.unwrap_or_default();
    let submitted = Submitted::of(std::slice::from_ref(&job), &env);
    task::write(&dir.join(RECORD), &submitted)?;
    Ok(Some(job))
}

/// Returns the jobs of interrupted array submissions: the last job is missing, and none has started. Jobs were written
/// in order, and started after all were written.
pub(super) fn cut_off(jobs: &BTreeMap<u64, Job>, earlier: &[u64]) -> Vec<u64> {
    let is_part = |job: &&Job| job.array.is_some_and(|task| !jobs.contains_key(&task.last()));
    let parts: Vec<&Job> = earlier.iter().filter_map(|number| jobs.get(number)).filter(is_part).collect();
    let has_started = |job: &&&Job| !job.attempts.is_empty() || matches!(job.state, JobState::Queued | JobState::Ended);
    let started: HashSet<u64> = parts.iter().filter(has_started).filter_map(|job| Some(job.array?.first)).collect();
    let cut = parts.iter().filter(|job| job.array.is_some_and(|task| !started.contains(&task.first)));
    cut.map(|job| job.number).collect()
}

/// `None` if missing or empty.
fn read<T: DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    if is_empty(file) {
        return Ok(None);
    }
    serde_json::from_slice(&fs::read(file)?).map(Some).map_err(|_| damaged(file))
}

fn damaged(file: &Path) -> io::Error {
    io::Error::other(format!("{} is damaged", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::after::How;
    use crate::job::{ArraySpec, ArrayTask, Dependency};
    use crate::job_files::tests::sues;
    use crate::store::Store;
    use crate::task::{self, Task};

    fn line(job: &Job, spec: Option<&JobSpec>) -> String {
        let spec = spec.map(|spec| JobSpec { command: Words::default(), ..spec.clone() }.into());
        serde_json::to_string(&Job { spec: spec.unwrap_or_default(), ..job.clone() }).unwrap()
    }

    fn stored(dir: &Path, job: &Job, states: &[String]) {
        let of = dir.join("jobs").join(job.number.to_string());
        fs::create_dir_all(&of).unwrap();
        let spec = JobSpec { command: Words::default(), ..JobSpec::clone(&job.spec) };
        fs::write(of.join(ENV), r#"[["A","b"]]"#).unwrap();
        fs::write(of.join(COMMAND), serde_json::to_string(&job.spec.command).unwrap()).unwrap();
        fs::write(of.join(SPEC), serde_json::to_string(&spec).unwrap()).unwrap();
        fs::write(of.join(JOB), states.join("\n")).unwrap();
    }

    fn index(first: u64, index: u32, spec: &JobSpec) -> Job {
        let task = ArrayTask::first_of(&ArraySpec { indices: (0..3).collect(), most: 0 }, first);
        let own_after = vec![Dependency::on(first - 3 + u64::from(index), How::Ok)];
        Job { array: Some(ArrayTask { index, ..task }), own_after, ..sues(first + u64::from(index), spec.clone()) }
    }

    #[test]
    fn jobs_of_an_earlier_release_are_read_and_continue() {
        let dir = std::env::temp_dir().join(format!("kornsole-earlier-{}", std::process::id()));
        let spec = JobSpec {
            command: vec!["echo".to_owned(), "x".to_owned()].into(),
            dir: "/".to_owned(),
            ..JobSpec::default()
        };
        let one = sues(1, spec.clone());
        let queued = Job { state: JobState::Queued, ..one.clone() };
        let changed = JobSpec { priority: 7, ..spec.clone() };
        stored(&dir, &one, &[line(&one, None), line(&queued, Some(&changed)), "{\"cut".to_owned()]);
        let whole: Vec<Job> = (0..3).map(|number| index(10, number, &spec)).collect();
        whole.iter().for_each(|job| stored(&dir, job, &[line(job, None)]));
        // A submission that was interrupted, and a job whose submission a loss of power removed.
        (0..2).for_each(|number| stored(&dir, &index(20, number, &spec), &[line(&index(20, number, &spec), None)]));
        stored(&dir, &sues(30, spec.clone()), &[line(&sues(30, spec.clone()), None)]);
        fs::write(dir.join("jobs/30").join(SPEC), "").unwrap();
        // Before that, the command was in the state.
        let inline = dir.join("jobs/31");
        fs::create_dir(&inline).unwrap();
        fs::write(inline.join(JOB), serde_json::to_vec(&sues(31, spec.clone())).unwrap()).unwrap();
        for round in 0..3 {
            let (store, mut found) = Store::open(&dir).unwrap();
            assert_eq!(found.iter().map(|job| job.number).collect::<Vec<_>>(), [1, 10, 11, 12, 31], "start {round}");
            assert!(found.iter().all(|job| *job.spec.command == ["echo", "x"]));
            assert_eq!((found[0].state, found[0].spec.priority), (JobState::Queued, 7));
            assert_eq!((found[0].as_submitted.priority, found[0].next), (0, round + 1));
            assert_eq!(
                found[1..4].iter().map(|job| job.own_after.clone()).collect::<Vec<_>>(),
                [7, 8, 9].map(|job| { vec![Dependency::on(job, How::Ok)] })
            );
            found[0].next += 1;
            store.save(&found[0]).unwrap();
            let attempt = store.attempt(12, 1);
            assert_eq!(task::submitted(&attempt, &earlier_task()).unwrap().0, [("A".to_owned(), "b".to_owned())]);
        }
        fs::write(dir.join("jobs/31").join(JOB), "damaged").unwrap();
        fs::remove_file(dir.join("jobs/31").join(RECORD)).unwrap();
        assert!(Store::open(&dir).unwrap_err().to_string().contains("31/job.json is damaged"));
        fs::remove_dir_all(&dir).unwrap();
    }

    fn earlier_task() -> Task {
        let text = r#"{"env":[],"dir":"/","umask":18,"user":null,"cgroup":null,"fallback":null,"time_limit":null,
            "grace_ms":1000,"output_bytes":1000}"#;
        serde_json::from_str(text).unwrap()
    }
}
