//! Reads the files that jobs share when a store is opened.

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

pub(super) const SPEC: &str = "spec.json";

/// Shared files by inode: each is read, and kept in memory, once.
#[derive(Default)]
pub(super) struct Known {
    commands: HashMap<u64, Words>,
    submissions: HashMap<u64, Shared<JobSpec>>,
}

impl Known {
    /// Adds the shared parts to a job. Returns false if its submission is missing: a loss of power can remove the file
    /// before it was synced.
    ///
    /// # Errors
    /// A file cannot be read, or is corrupt.
    pub(super) fn complete(&mut self, dir: &Path, job: &mut Job) -> io::Result<bool> {
        let is_changed = !job.spec.dir.is_empty();
        if !is_changed && is_empty(&dir.join(SPEC)) {
            return Ok(false);
        }
        if !job.spec.command.is_empty() {
            // An earlier release wrote the command with each state.
            task::write(&dir.join(COMMAND), &job.spec.command)?;
        }
        // Without a command, the job reports that at its start.
        let words = read_shared(&mut self.commands, &dir.join(COMMAND), |words| words)?.unwrap_or_default();
        let of_file = |spec| Shared::from(JobSpec { command: words.clone(), ..spec });
        let submitted = read_shared(&mut self.submissions, &dir.join(SPEC), of_file)?;
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

/// `None` if missing or empty.
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
