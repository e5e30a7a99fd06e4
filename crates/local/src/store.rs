//! The jobs on disk. Each has a directory with `job.json`, the environment in `env.json`, the command in
//! `command.json`, the rest of the submission in `spec.json`, and a directory for each attempt. Only the daemon's user
//! can read them. The indices of an array share the last three files.
//!
//! `job.json` has a line per state; the last readable line is the newest. Appending is cheaper than replacing, and an
//! interrupted write does not damage earlier lines. A line has a submission only if it was changed. An environment is
//! large, so it is not kept in memory.
//!
//! A thread syncs written data soon afterwards ([`Store::sync_unsynced`]). A submission is synced before the reply, in
//! a common file (`submitted_log`). A loss of power can lose the last second of ends of jobs, which then
//! restart like after every reboot.

use std::collections::HashSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use super::job::{Job, JobState};
use super::job_files::{JOB, append, is_empty, make, newest, private_dir};
use super::known::{Known, SPEC};
use super::safe_path;
use super::submitted_log::{Environment, Log, Submitted};
use super::task::{COMMAND, ENV};

/// Number of attempts to lock a directory: a killed daemon keeps the lock briefly.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// How long a change waits for others that are synced with it.
const GATHER: Duration = Duration::from_millis(500);
/// Up to this many jobs are synced file by file; more, by a sync of the whole file system.
const ONE_BY_ONE: usize = 8;

/// The stored jobs.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    unsynced: Mutex<HashSet<u64>>,
    /// `unsynced` is not empty.
    changed: Condvar,
    log: Log,
    /// Locked while this daemon lives.
    _lock: File,
}

/// The disk is full or read-only.
pub(super) fn may_pass(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem)
}

/// Prepares a directory that may exist. Returns its path without links.
///
/// # Errors
/// It belongs to another user, others can write in it or, for root, replace it, or the file system rejects it.
pub fn own_dir(dir: &Path) -> io::Result<PathBuf> {
    safe_path::checked_above(dir)?;
    private_dir(dir)?;
    let found = fs::metadata(dir)?;
    if found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0 {
        return safe_path::checked(dir);
    }
    let why = "the directory belongs to another user, or other users can write to it and replace its files";
    Err(io::Error::other(why))
}

impl Store {
    /// Opens it exclusively, with all stored jobs.
    ///
    /// # Errors
    /// Another daemon uses it, others can write in it, it cannot be read, or a job in it is corrupt.
    pub fn open(dir: &Path) -> io::Result<(Self, Vec<Job>)> {
        let dir = own_dir(dir)?;
        private_dir(&dir.join("jobs"))?;
        let lock = lock(&dir.join("lock"))?;
        let (left, jobs) = (Log::left(&dir)?, dir.join("jobs"));
        let mut loaded = load(&jobs)?;
        let restored = restore(&jobs, &mut loaded, left)?;
        if restored {
            // The log is cleared next.
            rustix::fs::syncfs(File::open(&jobs)?)?;
        }
        let log = Log::start(&dir)?;
        let store = Self { dir: jobs, unsynced: Mutex::default(), changed: Condvar::new(), log, _lock: lock };
        for cut in cut_off(&loaded) {
            store.remove(cut);
            loaded.retain(|job| job.number != cut);
        }
        Ok((store, loaded))
    }

    /// Returns the bytes of its part of the shared files.
    pub fn shared_bytes(&self, number: u64) -> u64 {
        let share = |file: &str| {
            fs::metadata(self.of(number).join(file)).map_or(0, |found| found.len().div_ceil(found.nlink().max(1)))
        };
        share(ENV) + share(COMMAND)
    }

    /// Stores and syncs a submission.
    ///
    /// # Errors
    /// The disk rejects it; some files may remain.
    pub fn create(&self, jobs: &[Job], env: &[(String, String)]) -> io::Result<()> {
        let Some(submitted) = Submitted::of(jobs, env) else { return Ok(()) };
        for job in jobs {
            make(&self.dir, job, env, jobs[0].number)?;
            self.save(job)?;
        }
        self.log.commit(submitted)
    }

    /// Waits for changes, then syncs them together.
    ///
    /// # Errors
    /// The disk rejects it.
    pub fn sync_unsynced(&self) -> io::Result<()> {
        let none = |unsynced: &mut HashSet<u64>| unsynced.is_empty();
        let unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(unsynced, none).unwrap_or_else(PoisonError::into_inner));
        sleep(GATHER);
        // Before the jobs are taken: they include the jobs of each submission in the file.
        self.log.turn()?;
        let jobs = std::mem::take(&mut *self.unsynced.lock().unwrap_or_else(PoisonError::into_inner));
        if let Err(why) = self.sync(&jobs) {
            self.unsynced.lock().unwrap_or_else(PoisonError::into_inner).extend(jobs);
            return Err(why);
        }
        self.log.clear()
    }

    fn sync(&self, jobs: &HashSet<u64>) -> io::Result<()> {
        if jobs.len() > ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(File::open(&self.dir)?)?);
        }
        for number in jobs {
            let dir = self.of(*number);
            for file in [dir.join(ENV), dir.join(COMMAND), dir.join(SPEC), dir.join(JOB), dir] {
                match File::open(file).and_then(|file| file.sync_all()) {
                    // The job was removed meanwhile.
                    Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                    synced => synced?,
                }
            }
        }
        // Without its directory entry, the job would be lost.
        File::open(&self.dir)?.sync_all()
    }

    fn of(&self, number: u64) -> PathBuf {
        self.dir.join(number.to_string())
    }

    /// Returns the directory of an attempt.
    pub fn attempt(&self, number: u64, attempt: u32) -> PathBuf {
        self.of(number).join(attempt.to_string())
    }

    /// Stores the state.
    ///
    /// # Errors
    /// The disk rejects it.
    pub fn save(&self, job: &Job) -> io::Result<()> {
        append(&self.of(job.number), job)?;
        let first = {
            let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
            unsynced.insert(job.number);
            unsynced.len() == 1
        };
        if first {
            self.changed.notify_one();
        }
        Ok(())
    }

    /// Removes a job. The next start repeats a failed removal.
    pub fn remove(&self, number: u64) {
        self.log.remove(number);
        let _ = fs::remove_file(self.of(number).join(JOB));
        let _ = fs::remove_dir_all(self.of(number));
    }
}

fn load(dir: &Path) -> io::Result<Vec<Job>> {
    let (mut jobs, mut known) = (Vec::new(), Known::default());
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok()).is_none() {
            continue;
        }
        match newest(&path.join(JOB)) {
            Some(mut job) => match known.complete(&path, &mut job)? {
                true => jobs.push(job),
                // A loss of power removed its submission before it was synced.
                false => fs::remove_dir_all(&path)?,
            },
            // The write was interrupted before the ID was reported, after a rejection, or by a loss of power.
            None if is_empty(&path.join(JOB)) => fs::remove_dir_all(&path)?,
            None => return Err(io::Error::other(format!("{} is damaged", path.join(JOB).display()))),
        }
    }
    jobs.sort_by_key(|job| job.number);
    Ok(jobs)
}

/// Creates acknowledged jobs that a loss of power removed. Returns true if a submission was left.
fn restore(dir: &Path, jobs: &mut Vec<Job>, left: Vec<(Vec<Job>, Environment)>) -> io::Result<bool> {
    let there: HashSet<u64> = jobs.iter().map(|job| job.number).collect();
    let any = !left.is_empty();
    for (submitted, env) in left {
        let first = submitted.first().map_or(0, |job| job.number);
        for job in submitted.into_iter().filter(|job| !there.contains(&job.number)) {
            make(dir, &job, &env, first)?;
            append(&dir.join(job.number.to_string()), &job)?;
            jobs.push(job);
        }
    }
    jobs.sort_by_key(|job| job.number);
    Ok(any)
}

fn lock(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create(true).truncate(false).mode(0o600).open(path)?;
    // Earlier versions created it with the permissions of the umask.
    file.set_permissions(Permissions::from_mode(0o600))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(why)) => return Err(why),
        }
    }
    Err(io::Error::other("another daemon uses this directory"))
}

/// Interrupted array submissions: the last job is missing, and none has started. Jobs are written in order, and start
/// after all are written.
fn cut_off(jobs: &[Job]) -> Vec<u64> {
    let there: HashSet<u64> = jobs.iter().map(|job| job.number).collect();
    let of_array = |job: &&Job| job.array.is_some_and(|task| !there.contains(&task.last()));
    let parts: Vec<&Job> = jobs.iter().filter(of_array).collect();
    let started: HashSet<u64> = parts
        .iter()
        .filter(|job| !job.attempts.is_empty() || matches!(job.state, JobState::Queued | JobState::Ended))
        .filter_map(|job| Some(job.array?.first))
        .collect();
    let cut = parts.iter().filter(|job| job.array.is_some_and(|task| !started.contains(&task.first)));
    cut.map(|job| job.number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ArrayTask, JobSpec};
    use crate::job_files::tests::sues;

    #[test]
    fn indices_share_command_and_environment_on_the_disk_and_in_memory() {
        let dir = std::env::temp_dir().join(format!("kornsole-shared-{}", std::process::id()));
        let (store, _) = Store::open(&dir).unwrap();
        let words: Vec<String> = vec!["echo".to_owned(), "x".repeat(100_000)];
        let env = [("A".to_owned(), "y".repeat(5000))];
        let text = "z".repeat(4000);
        let spec = JobSpec { command: words.clone().into(), dir: "/".to_owned(), name: text, ..JobSpec::default() };
        let array = sues(1, spec.clone());
        let index = |index| {
            let task = ArrayTask { first: 1, count: 10, index, most: 0, lowest: 0, highest: 9, step: 1 };
            Job { number: u64::from(index) + 1, array: Some(task), ..array.clone() }
        };
        store.create(&(0..10).map(index).collect::<Vec<_>>(), &env).unwrap();
        store.sync_unsynced().unwrap();
        let length = |file: &str| fs::metadata(store.of(1).join(file)).unwrap().len();
        assert!(length(JOB) < 2000, "a state has no copy of the submission: {} bytes", length(JOB));
        let shared: u64 = (1..=10).map(|number| store.shared_bytes(number)).sum();
        let due = length(ENV) + length(COMMAND);
        assert!((due..due + 20).contains(&shared), "{shared} of {due}: together they count what is there once");
        drop(store);
        let (store, mut jobs) = Store::open(&dir).unwrap();
        assert!(jobs.len() == 10 && jobs.iter().all(|job| *job.spec.command == words[..]));
        assert!(jobs.iter().all(|job| job.spec.is_same(&jobs[0].spec)), "in memory once");
        // A changed job has its own submission, also after a restart.
        jobs[4].spec.priority = 7;
        store.save(&jobs[4]).unwrap();
        drop(store);
        let (store, jobs) = Store::open(&dir).unwrap();
        assert_eq!(jobs.iter().map(|job| job.spec.priority).collect::<Vec<_>>(), [0, 0, 0, 0, 7, 0, 0, 0, 0, 0]);
        assert!(jobs[4].spec.name == spec.name && *jobs[4].spec.command == words[..]);
        // A loss of power removed the submission.
        fs::remove_file(store.of(10).join(SPEC)).unwrap();
        fs::write(store.of(10).join(SPEC), "").unwrap();
        // An earlier release stored the command in the state.
        let old = serde_json::to_vec(&sues(11, spec)).unwrap();
        fs::create_dir(store.of(11)).unwrap();
        fs::write(store.of(11).join(JOB), old).unwrap();
        drop(store);
        let (store, mut jobs) = Store::open(&dir).unwrap();
        assert_eq!(jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [11], "an array that was cut off is none");
        store.save(&jobs.pop().unwrap()).unwrap();
        drop(store);
        assert_eq!(*Store::open(&dir).unwrap().1.pop().unwrap().spec.command, words[..]);
        fs::remove_dir_all(&dir).unwrap();
    }
}
