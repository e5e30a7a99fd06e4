//! The files of a job in its directory.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::Serialize;

use super::job::{Job, JobSpec};
use super::known::SPEC;
use super::shared::Shared;
use super::task::{self, COMMAND, ENV};
use super::words::Words;

pub(super) const JOB: &str = "job.json";
/// Compact a file of states that exceeds this multiple of its newest state, plus these bytes.
const LONGEST: (u64, u64) = (8, 16 << 10);
/// Creates a directory that only its owner can enter, with its parents.
///
/// # Errors
/// The file system rejects it.
pub(super) fn private_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// The jobs of an array share the environment, the command, and the rest of the submission: the job `like` has the
/// files, and the others have hard links.
pub(super) fn make(jobs: &Path, job: &Job, env: &[(String, String)], like: u64) -> io::Result<()> {
    let of = |number: u64| jobs.join(number.to_string());
    let dir = of(job.number);
    private_dir(&dir)?;
    let like = if like == job.number { None } else { Some(of(like)) };
    share(&dir, like.as_deref(), ENV, &env)?;
    share(&dir, like.as_deref(), COMMAND, &job.spec.command)?;
    share(&dir, like.as_deref(), SPEC, &without_command(&job.as_submitted))
}

fn share<T: Serialize>(dir: &Path, like: Option<&Path>, name: &str, value: &T) -> io::Result<()> {
    let file = dir.join(name);
    // A file system without links has a copy for each job.
    if like.is_some_and(|like| fs::hard_link(like.join(name), &file).is_ok()) {
        return Ok(());
    }
    // The rest of an interrupted write, not a job. Remove its file: other jobs may have links to the old one.
    let _ = fs::remove_file(&file);
    match like {
        Some(like) if fs::hard_link(like.join(name), &file).is_ok() => Ok(()),
        _ => task::write_new(&file, value),
    }
}

fn without_command(spec: &JobSpec) -> JobSpec {
    JobSpec { command: Words::default(), ..spec.clone() }
}

pub(super) fn append(dir: &Path, job: &Job) -> io::Result<()> {
    let changed = !job.spec.is_same(&job.as_submitted);
    let spec = if changed { without_command(&job.spec).into() } else { Shared::default() };
    let job = &Job { spec, ..job.clone() };
    let file = dir.join(JOB);
    let open = || OpenOptions::new().append(true).create(true).mode(0o600).open(&file);
    let mut opened = match open() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            private_dir(dir)?;
            open()?
        }
        opened => opened?,
    };
    let mut line = serde_json::to_vec(job)?;
    let before = opened.metadata()?.len();
    if before > LONGEST.0 * line.len() as u64 + LONGEST.1 {
        return task::write(&file, job);
    }
    if before > 0 {
        // Also ends a line that was cut off.
        line.insert(0, b'\n');
    }
    opened.write_all(&line)
}

pub(super) fn newest(file: &Path) -> Option<Job> {
    let bytes = fs::read(file).ok()?;
    bytes.rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice(line).ok())
}

pub(super) fn is_empty(file: &Path) -> bool {
    fs::metadata(file).map_or(true, |found| found.len() == 0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::job::{JobState, Owner};
    use model::Identity;

    pub(crate) fn sues(number: u64, spec: JobSpec) -> Job {
        let owner = Owner { uid: 1, gid: 1, groups: Vec::new(), identity: Identity::new("sue", ["staff"]) };
        Job::new(number, spec, owner, 0)
    }

    #[test]
    fn a_truncated_state_leaves_the_previous_one_and_few_are_stored() {
        let dir = std::env::temp_dir().join(format!("kornsole-store-{}", std::process::id()));
        let mut job = sues(7, JobSpec::default());
        let file = dir.join(JOB);
        append(&dir, &job).unwrap();
        let one = fs::metadata(&file).unwrap().len();
        job.state = JobState::Queued;
        append(&dir, &job).unwrap();
        let whole = fs::read(&file).unwrap();
        for length in usize::try_from(one).unwrap()..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(newest(&file).unwrap().state, JobState::Waiting, "{length} of {} bytes", whole.len());
            append(&dir, &job).unwrap();
            assert_eq!(newest(&file).unwrap().state, JobState::Queued);
        }
        for next in 0..200 {
            job.next = next;
            append(&dir, &job).unwrap();
            assert_eq!(newest(&file).unwrap().next, next);
            assert!(fs::metadata(&file).unwrap().len() < (LONGEST.0 + 2) * one + LONGEST.1);
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}
