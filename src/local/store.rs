//! The jobs on the disk: a folder for each, with `job.json` and a folder for each attempt. Only the daemon's user can read them.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use super::job::Job;
use super::task;

/// Where jobs are kept.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// Makes a folder that only its owner can enter, with those above it.
///
/// # Errors
/// The file system refuses.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

impl Store {
    /// The store of a folder, with every job that is kept there.
    ///
    /// # Errors
    /// It cannot be read, or a job in it is damaged.
    pub fn open(folder: &Path) -> io::Result<(Self, Vec<Job>)> {
        let store = Self { folder: folder.join("jobs") };
        private_folder(&store.folder)?;
        let mut jobs = Vec::new();
        for entry in fs::read_dir(&store.folder)? {
            let path = entry?.path();
            if path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok()).is_none() {
                continue;
            }
            match task::read::<Job>(&path.join("job.json")) {
                Some(job) => jobs.push(job),
                // It was cut off before anybody had its number, or after it was refused.
                None if !path.join("job.json").exists() => fs::remove_dir_all(&path)?,
                None => return Err(io::Error::other(format!("{}: it is damaged", path.join("job.json").display()))),
            }
        }
        jobs.sort_by_key(|job| job.number);
        Ok((store, jobs))
    }

    fn of(&self, number: u64) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// The folder of an attempt.
    pub fn attempt(&self, number: u64, attempt: u32) -> PathBuf {
        self.of(number).join(attempt.to_string())
    }

    /// Keeps a job as it is now. `durable`: it survives a loss of power.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn save(&self, job: &Job, durable: bool) -> io::Result<()> {
        private_folder(&self.of(job.number))?;
        task::write(&self.of(job.number).join("job.json"), job, durable)
    }

    /// Forgets a job. What cannot be removed is removed at the next start.
    pub fn remove(&self, number: u64) {
        let _ = fs::remove_file(self.of(number).join("job.json"));
        let _ = fs::remove_dir_all(self.of(number));
    }
}
