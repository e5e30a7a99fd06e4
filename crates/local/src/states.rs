//! Files of states: a line for each change; the last readable one of a job is the newest. Appending is cheaper than
//! replacing, and an interrupted write does not damage earlier lines.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::job_files::private_dir;
use super::record::State;
use super::task;

pub(super) const JOB: &str = "job.json";
pub(super) const STATES: &str = "states.json";

#[derive(Serialize, Deserialize)]
pub(super) struct Removed {
    pub(super) removed: u64,
}

#[derive(Default)]
pub(super) struct States {
    /// The newest state of each job; `None` if removed.
    pub(super) of: BTreeMap<u64, Option<State>>,
}

impl States {
    /// Reads a file; a missing one has no states. A line that was cut off is skipped.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(file: &Path) -> io::Result<Self> {
        let mut of = BTreeMap::new();
        let opened = match fs::File::open(file) {
            Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(Self { of }),
            opened => opened?,
        };
        for line in BufReader::new(opened).split(b'\n') {
            let line = line?;
            if let Ok(state) = serde_json::from_slice::<State>(&line) {
                of.insert(state.number, Some(state));
            } else if let Ok(Removed { removed }) = serde_json::from_slice(&line) {
                of.insert(removed, None);
            }
        }
        Ok(Self { of })
    }

    fn write(&self, file: &Path) -> io::Result<u64> {
        let mut bytes = Vec::new();
        for (number, state) in &self.of {
            match state {
                Some(state) => serde_json::to_writer(&mut bytes, state)?,
                None => serde_json::to_writer(&mut bytes, &Removed { removed: *number })?,
            }
            bytes.push(b'\n');
        }
        task::replace(file, &bytes)?;
        Ok(bytes.len() as u64)
    }
}

/// Appends a line. Returns the length of the file; with states that exceed `most` bytes, keeps only the newest first.
///
/// # Errors
/// The disk rejects it.
pub(super) fn append<T: Serialize>(file: &Path, line: &T, most: impl Fn(u64) -> u64) -> io::Result<Option<u64>> {
    let mut bytes = serde_json::to_vec(line)?;
    let open = || OpenOptions::new().append(true).create(true).mode(0o600).open(file);
    let mut opened = match open() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            private_dir(file.parent().unwrap_or(file))?;
            open()?
        }
        opened => opened?,
    };
    let before = opened.metadata()?.len();
    if before > 0 {
        // Also ends a line that was cut off.
        bytes.insert(0, b'\n');
    }
    opened.write_all(&bytes)?;
    if before <= most(bytes.len() as u64) {
        return Ok(None);
    }
    States::read(file)?.write(file).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{Job, JobSpec, JobState};
    use crate::job_files::tests::sues;

    const MOST: u64 = 10_000;

    fn newest(file: &Path, job: &Job) -> Job {
        let mut found = Job { state: JobState::Held, ..job.clone() };
        States::read(file).unwrap().of.remove(&job.number).unwrap().unwrap().put_on(&mut found);
        found
    }

    #[test]
    fn a_truncated_state_leaves_the_previous_one_and_few_are_stored() {
        let dir = std::env::temp_dir().join(format!("kornsole-store-{}", std::process::id()));
        let mut job = sues(7, JobSpec::default());
        let file = dir.join(JOB);
        let append = |job: &Job| append(&file, &State::of(job), |_| MOST).unwrap();
        append(&job);
        let one = fs::metadata(&file).unwrap().len();
        job.state = JobState::Queued;
        append(&job);
        let whole = fs::read(&file).unwrap();
        for length in usize::try_from(one).unwrap()..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(newest(&file, &job).state, JobState::Waiting, "{length} of {} bytes", whole.len());
            append(&job);
            assert_eq!(newest(&file, &job).state, JobState::Queued);
        }
        for next in 0..200 {
            job.next = next;
            append(&job);
            assert_eq!(newest(&file, &job), job);
            assert!(fs::metadata(&file).unwrap().len() < MOST + 2 * one + 100);
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}
