//! What the files say that jobs share, when a store is opened.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::job::{Job, JobSpec};
use super::job_files::is_empty;
use super::shared::Shared;
use super::task::{self, COMMAND};
use super::words::Words;

/// The submission without its environment and its command.
pub(super) const SPEC: &str = "spec.json";

/// What was read of the files that jobs share, by the numbers of the files: each is read and in memory once.
#[derive(Default)]
pub(super) struct Known {
    commands: HashMap<u64, Words>,
    submissions: HashMap<u64, Shared<JobSpec>>,
}

impl Known {
    /// Gives a job what its state is without. Gives whether it has a submission then: a loss of power can take the file before it was
    /// synced.
    ///
    /// # Errors
    /// A file cannot be read, or is damaged.
    pub(super) fn complete(&mut self, folder: &Path, job: &mut Job) -> io::Result<bool> {
        let is_changed = !job.spec.dir.is_empty();
        if !is_changed && is_empty(&folder.join(SPEC)) {
            return Ok(false);
        }
        if !job.spec.command.is_empty() {
            // It is of an earlier release, which wrote it with each state.
            task::write(&folder.join(COMMAND), &job.spec.command)?;
        }
        // Without words, the job says at its start that it has no command.
        let words = read_shared(&mut self.commands, &folder.join(COMMAND), |words| words)?.unwrap_or_default();
        let of_file = |spec| Shared::from(JobSpec { command: words.clone(), ..spec });
        let submitted = read_shared(&mut self.submissions, &folder.join(SPEC), of_file)?;
        if is_changed {
            job.spec.command = words;
        }
        match submitted {
            Some(submitted) if !is_changed => (job.spec, job.as_submitted) = (submitted.clone(), submitted),
            Some(submitted) => job.as_submitted = submitted,
            None => {}
        }
        Ok(true)
    }
}

/// Reads a file that jobs may share, once. `None` where it is not there, or is empty.
fn read_shared<F: DeserializeOwned, T: Clone>(
    known: &mut HashMap<u64, T>,
    file: &Path,
    value: impl FnOnce(F) -> T,
) -> io::Result<Option<T>> {
    let number = match fs::metadata(file) {
        Ok(found) if found.len() == 0 => return Ok(None),
        Ok(found) => found.ino(),
        Err(why) if why.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(why) => return Err(why),
    };
    if let Some(known) = known.get(&number) {
        return Ok(Some(known.clone()));
    }
    let Ok(read) = serde_json::from_slice(&fs::read(file)?) else {
        return Err(io::Error::other(format!("{} is damaged", file.display())));
    };
    let value = value(read);
    known.insert(number, value.clone());
    Ok(Some(value))
}
