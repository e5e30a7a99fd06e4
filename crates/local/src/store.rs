//! The jobs on disk. A submission's directory has its record and the states of its jobs, which are one file even for an
//! array; each attempt has a directory. Only the daemon's user can read them. Environments are large, so they are on
//! disk only.
//!
//! A submission is synced before the reply (`submitted_log`), other data soon after ([`Store::sync_unsynced`]). A loss
//! of power can lose the last second of ends; those jobs restart.

use std::collections::HashSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use super::arrays::Arrays;
use super::attempts::{self, Attempts};
use super::job::Job;
use super::job_files::private_dir;
use super::record::{RECORD, State, Submitted};
use super::safe_path;
use super::states::{JOB, Removed, STATES, append};
use super::stored::{Stored, remove_job_dir, write};
use super::submitted_log::Log;

/// Number of attempts to lock a directory: a killed daemon keeps the lock briefly.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

const GATHER: Duration = Duration::from_millis(500);
/// Up to this many jobs are synced file by file; more, by a sync of the whole file system.
const ONE_BY_ONE: usize = 8;
/// The states of a job are reduced to the newest if they exceed this multiple of it, plus these bytes.
const LONGEST: (u64, u64) = (8, 16 << 10);

/// The stored jobs.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    unsynced: Mutex<Unsynced>,
    changed: Condvar,
    arrays: Mutex<Arrays>,
    log: Log,
    /// Locked while this daemon lives.
    _lock: File,
}

#[derive(Debug, Default)]
struct Unsynced {
    dirs: HashSet<u64>,
    ended: Attempts,
}

/// The disk is full or read-only.
pub(super) fn may_pass(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem)
}

/// Returns its path without links. Fails if other users can write in or, for root, replace it.
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
    /// Opens it exclusively, with all jobs. Fails if it is used, writable for others, or corrupt.
    pub fn open(dir: &Path) -> io::Result<(Self, Vec<Job>)> {
        let dir = own_dir(dir)?;
        let jobs = dir.join("jobs");
        private_dir(&jobs)?;
        let lock = lock(&dir.join("lock"))?;
        let (left, removed) = Log::left(&dir)?;
        let mut stored = Stored::load(&jobs)?;
        if !left.is_empty() {
            stored.restore(&jobs, left, &removed)?;
            // The log is cleared next.
            rustix::fs::syncfs(File::open(&jobs)?)?;
        }
        stored.remove_loose(&jobs)?;
        let log = Log::start(&dir)?;
        let (unsynced, changed, arrays) = (Mutex::default(), Condvar::new(), Mutex::new(stored.arrays));
        let store = Self { dir: jobs, unsynced, changed, arrays, log, _lock: lock };
        let loaded: Vec<Job> = stored.jobs.into_values().collect();
        store.leave_attempts(&loaded);
        Ok((store, loaded))
    }

    /// Attempts that ended before an earlier daemon did.
    fn leave_attempts(&self, jobs: &[Job]) {
        let mut unsynced = self.unsynced();
        for job in jobs {
            for attempt in job.attempts.iter().filter(|attempt| attempt.end.is_some()) {
                if attempts::has_files(&self.attempt(job.number, attempt.number)) {
                    unsynced.dirs.insert(self.home(job.number));
                    unsynced.ended.push(job.number, attempt.number);
                }
            }
        }
    }

    /// Returns the bytes of its part of the record.
    pub fn record_bytes(&self, number: u64) -> u64 {
        let (home, jobs) = self.arrays().home(number);
        fs::metadata(self.of(home).join(RECORD)).map_or(0, |found| found.len().div_ceil(jobs))
    }

    /// Stores and syncs a submission; after an error call [`Store::remove_all`].
    pub fn create(&self, jobs: &[Job], env: &[(String, String)]) -> io::Result<()> {
        let Some(submitted) = Submitted::of(jobs, env) else { return Ok(()) };
        self.arrays().add(jobs);
        write(&self.dir, &submitted)?;
        self.mark(submitted.first());
        self.log.commit(submitted)
    }

    /// Removes a submission that was not acknowledged.
    pub fn remove_all(&self, jobs: &[Job]) {
        let Some(first) = jobs.first().map(|job| job.number) else { return };
        jobs.iter().for_each(|job| self.log.remove(job.number));
        self.arrays().forget(first);
        remove_job_dir(&self.dir, first);
    }

    /// Waits for changes, then syncs them together. Afterwards, removes the files of attempts that ended some time ago.
    ///
    /// # Errors
    /// The disk rejects it.
    pub fn sync_unsynced(&self) -> io::Result<()> {
        let unsynced = self.unsynced();
        let is_due =
            |unsynced: &Unsynced| !unsynced.dirs.is_empty() || unsynced.ended.due_in().is_some_and(|due| due.is_zero());
        let most = unsynced.ended.due_in().unwrap_or(Duration::MAX);
        let waited = self.changed.wait_timeout_while(unsynced, most, |unsynced| !is_due(unsynced));
        drop(waited);
        sleep(GATHER);
        // Before the jobs are taken: those include every submission in the file.
        self.log.turn()?;
        let (dirs, ended) = {
            let mut unsynced = self.unsynced();
            (std::mem::take(&mut unsynced.dirs), unsynced.ended.take_due())
        };
        if let Err(why) = self.sync(&dirs) {
            let mut unsynced = self.unsynced();
            unsynced.dirs.extend(dirs);
            ended.into_iter().for_each(|(number, attempt)| unsynced.ended.push(number, attempt));
            return Err(why);
        }
        for (number, attempt) in ended {
            attempts::reduce(&self.of(number), attempt);
        }
        self.log.clear()
    }

    fn sync(&self, dirs: &HashSet<u64>) -> io::Result<()> {
        if dirs.is_empty() {
            return Ok(());
        }
        if dirs.len() > ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(File::open(&self.dir)?)?);
        }
        for number in dirs {
            let dir = self.of(*number);
            for file in [dir.join(RECORD), dir.join(JOB), dir.join(STATES), dir] {
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

    pub(super) fn home(&self, number: u64) -> u64 {
        self.arrays().home(number).0
    }

    /// Returns the directory of an attempt.
    pub fn attempt(&self, number: u64, attempt: u32) -> PathBuf {
        self.of(number).join(attempt.to_string())
    }

    /// The attempt has ended, and its end is saved: its files are removed some time after the next sync.
    pub fn has_ended(&self, number: u64, attempt: u32) {
        self.unsynced().ended.push(number, attempt);
        self.changed.notify_one();
    }

    /// Stores the state.
    ///
    /// # Errors
    /// The disk rejects it.
    pub fn save(&self, job: &Job) -> io::Result<()> {
        let state = State::of(job);
        let mut arrays = self.arrays();
        let home = match arrays.of_mut(job.number) {
            Some(array) => {
                let longest = array.longest;
                let reduced = append(&self.of(array.first).join(STATES), &state, |_| longest)?;
                reduced.into_iter().for_each(|length| array.reduced_to(length));
                array.first
            }
            None => {
                append(&self.of(job.number).join(JOB), &state, |line| LONGEST.0 * line + LONGEST.1)?;
                job.number
            }
        };
        drop(arrays);
        self.mark(home);
        Ok(())
    }

    fn mark(&self, home: u64) {
        let mut unsynced = self.unsynced();
        unsynced.dirs.insert(home);
        let first = unsynced.dirs.len() == 1;
        drop(unsynced);
        if first {
            self.changed.notify_one();
        }
    }

    /// The next start repeats a failed removal.
    pub fn remove(&self, number: u64) {
        self.log.remove(number);
        let mut arrays = self.arrays();
        let Some(array) = arrays.of_mut(number) else {
            drop(arrays);
            return remove_job_dir(&self.dir, number);
        };
        let first = array.first;
        array.left -= 1;
        if array.left == 0 {
            arrays.forget(first);
            drop(arrays);
            remove_job_dir(&self.dir, first);
        } else {
            let longest = array.longest;
            // A state that comes later would create the job again.
            if let Ok(Some(length)) = append(&self.of(first).join(STATES), &Removed { removed: number }, |_| longest) {
                array.reduced_to(length);
            }
            drop(arrays);
            self.mark(first);
        }
        if number == first {
            attempts::remove_all(&self.of(number));
        } else {
            let _ = fs::remove_dir_all(self.of(number));
        }
    }

    fn unsynced(&self) -> MutexGuard<'_, Unsynced> {
        self.unsynced.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrays(&self) -> MutexGuard<'_, Arrays> {
        self.arrays.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
