//! The jobs on the disk: a directory for each, with `job.json`, its environment in `env.json`, the words of its command in `command.json`, the
//! rest of its submission in `spec.json`, and a directory for each attempt. Only the daemon's user can read them. The indices of an array share
//! these three files.
//!
//! `job.json` has a line for each state that the job was in; the last one that can be read is its newest. A line more is cheaper than a file
//! that replaces another, and a write that is cut off leaves the lines before it. A line has a submission only where it was changed since.
//!
//! An environment is large and needed only when an attempt starts: it is not held in memory, and not written again with the job.
//!
//! What is written outlives the daemon at once. So that it outlives a loss of power too, a thread syncs it soon afterwards, much at one
//! time ([`Store::sync_unsynced`]): no one who submits waits for the disk. What a loss of power takes is the last second: jobs that were
//! submitted in it, and the ends of jobs in it, which then restart as after every restart of the machine.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use serde::Serialize;

use super::job::{Job, JobSpec, JobState};
use super::known::{Known, SPEC};
use super::safe_path;
use super::shared::Shared;
use super::task::{self, COMMAND, ENV};
use super::words::Words;

/// The states of a job.
const JOB: &str = "job.json";
/// How many times as long as its newest state a file of states may be before it is replaced by that one alone, and how many bytes more.
const LONGEST: (u64, u64) = (8, 16 << 10);
/// How often a directory is tried that another daemon has: one that was killed has it for a moment longer.
const TRIES: u32 = 20;
/// How long lies between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// How long a change waits for others that are synced with it.
const GATHER: Duration = Duration::from_millis(500);
/// Of up to this many jobs the files are synced one by one; of more the whole file system at once.
const ONE_BY_ONE: usize = 8;

/// Where jobs are kept.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The jobs with files that are not synced yet.
    unsynced: Mutex<HashSet<u64>>,
    /// There are some.
    changed: Condvar,
    /// Locked as long as this daemon lives.
    _lock: File,
}

/// Whether a disk may take later what it does not take now: it is full, or takes no writes at all.
pub(super) fn may_pass(why: &io::Error) -> bool {
    matches!(why.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::ReadOnlyFilesystem)
}

/// Makes a directory that only its owner can enter, with those above it.
///
/// # Errors
/// The file system refuses.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The same for a directory that may be there already, if no one else can replace what is kept in it. Gives its path without links.
///
/// # Errors
/// It is another user's, or others may write in it, or replace it where root runs this; or the file system refuses.
pub fn own_folder(folder: &Path) -> io::Result<PathBuf> {
    safe_path::checked_above(folder)?;
    private_folder(folder)?;
    let found = fs::metadata(folder)?;
    if found.uid() == rustix::process::geteuid().as_raw() && found.mode() & 0o022 == 0 {
        return safe_path::checked(folder);
    }
    let why = "the directory belongs to another user, or other users can write to it and replace its files";
    Err(io::Error::other(why))
}

impl Store {
    /// The store of a directory, for this process alone, with every job that is kept there.
    ///
    /// # Errors
    /// Another daemon has it, others may write in it, it cannot be read, or a job in it is damaged.
    pub fn open(folder: &Path) -> io::Result<(Self, Vec<Job>)> {
        let folder = own_folder(folder)?;
        private_folder(&folder.join("jobs"))?;
        let lock = lock(&folder.join("lock"))?;
        let folder = folder.join("jobs");
        let store = Self { folder, unsynced: Mutex::default(), changed: Condvar::new(), _lock: lock };
        let (mut jobs, mut known) = (Vec::new(), Known::default());
        for entry in fs::read_dir(&store.folder)? {
            let path = entry?.path();
            if path.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u64>().ok()).is_none() {
                continue;
            }
            match newest(&path.join(JOB)) {
                Some(mut job) => match known.complete(&path, &mut job)? {
                    true => jobs.push(job),
                    // A loss of power took its submission before it was synced.
                    false => fs::remove_dir_all(&path)?,
                },
                // It was cut off before anybody had its number, or after it was refused; or by a loss of power before it was synced.
                None if is_empty(&path.join(JOB)) => fs::remove_dir_all(&path)?,
                None => return Err(io::Error::other(format!("{} is damaged", path.join(JOB).display()))),
            }
        }
        jobs.sort_by_key(|job| job.number);
        for cut in cut_off(&jobs) {
            store.remove(cut);
            jobs.retain(|job| job.number != cut);
        }
        Ok((store, jobs))
    }

    /// How many bytes a job has in the files that it may share with others, of which each has an equal part.
    pub fn shared_bytes(&self, number: u64) -> u64 {
        let share = |file: &str| {
            fs::metadata(self.of(number).join(file)).map_or(0, |found| found.len().div_ceil(found.nlink().max(1)))
        };
        share(ENV) + share(COMMAND)
    }

    /// Stores a submitted job with its environment and its command. The jobs of an array share them, and what else was submitted: they are
    /// files of the first one (`like`), with links for the others.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn create(&self, job: &Job, env: &[(String, String)], like: u64) -> io::Result<()> {
        let folder = self.of(job.number);
        private_folder(&folder)?;
        let like = if like == job.number { None } else { Some(self.of(like)) };
        share(&folder, like.as_deref(), ENV, &env)?;
        share(&folder, like.as_deref(), COMMAND, &job.spec.command)?;
        share(&folder, like.as_deref(), SPEC, &without_command(&job.as_submitted))?;
        self.save(job)
    }

    /// Waits until something was written, and for a moment for more; then has all of it outlast a loss of power.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn sync_unsynced(&self) -> io::Result<()> {
        let none = |unsynced: &mut HashSet<u64>| unsynced.is_empty();
        let unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.changed.wait_while(unsynced, none).unwrap_or_else(PoisonError::into_inner));
        sleep(GATHER);
        let jobs = std::mem::take(&mut *self.unsynced.lock().unwrap_or_else(PoisonError::into_inner));
        if jobs.len() > ONE_BY_ONE {
            return Ok(rustix::fs::syncfs(File::open(&self.folder)?)?);
        }
        for number in jobs {
            let folder = self.of(number);
            for file in [folder.join(ENV), folder.join(COMMAND), folder.join(SPEC), folder.join(JOB), folder] {
                match File::open(file).and_then(|file| file.sync_all()) {
                    // It was forgotten meanwhile.
                    Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                    synced => synced?,
                }
            }
        }
        // A job is lost with the name of its directory.
        File::open(&self.folder)?.sync_all()
    }

    fn of(&self, number: u64) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// The directory of an attempt.
    pub fn attempt(&self, number: u64, attempt: u32) -> PathBuf {
        self.of(number).join(attempt.to_string())
    }

    /// Keeps a job as it is now.
    ///
    /// # Errors
    /// The disk does not take it.
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

    /// Forgets a job. What cannot be removed is removed at the next start.
    pub fn remove(&self, number: u64) {
        let _ = fs::remove_file(self.of(number).join(JOB));
        let _ = fs::remove_dir_all(self.of(number));
    }
}

/// Writes a file that a job may share with another one, whose directory is `like`.
fn share<T: Serialize>(folder: &Path, like: Option<&Path>, name: &str, value: &T) -> io::Result<()> {
    let file = folder.join(name);
    // Without its state it is no job: no one looks into a file that was cut off. What such a job has left is not written into: it may be
    // linked to others.
    let _ = fs::remove_file(&file);
    // A file system without links has a copy for each.
    match like {
        Some(like) if fs::hard_link(like.join(name), &file).is_ok() => Ok(()),
        _ => task::write_new(&file, value),
    }
}

/// A submission as it is in its file.
fn without_command(spec: &JobSpec) -> JobSpec {
    JobSpec { command: Words::default(), ..spec.clone() }
}

/// Adds a state to those of a job.
fn append(folder: &Path, job: &Job) -> io::Result<()> {
    let changed = !job.spec.is_same(&job.as_submitted);
    let spec = if changed { without_command(&job.spec).into() } else { Shared::default() };
    let job = &Job { spec, ..job.clone() };
    let file = folder.join(JOB);
    let open = || OpenOptions::new().append(true).create(true).mode(0o600).open(&file);
    let mut opened = match open() {
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            private_folder(folder)?;
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
        // Ends also a line that was cut off.
        line.insert(0, b'\n');
    }
    opened.write_all(&line)
}

/// The newest state in a file that can be read.
fn newest(file: &Path) -> Option<Job> {
    let bytes = fs::read(file).ok()?;
    bytes.rsplit(|byte| *byte == b'\n').find_map(|line| serde_json::from_slice(line).ok())
}

/// Whether a file is not there, or has nothing in it.
pub(super) fn is_empty(file: &Path) -> bool {
    fs::metadata(file).map_or(true, |found| found.len() == 0)
}

/// Takes a directory for this process, as long as the file is open.
fn lock(path: &Path) -> io::Result<File> {
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => sleep(PAUSE),
            Err(TryLockError::Error(why)) => return Err(why),
        }
    }
    Err(io::Error::other("another daemon uses this directory"))
}

/// The jobs of arrays whose submission was cut off: the last one is not there, and none has started. They are written in their order, and
/// nothing starts before all are.
fn cut_off(jobs: &[Job]) -> Vec<u64> {
    let there: HashSet<u64> = jobs.iter().map(|job| job.number).collect();
    let of_array = |job: &&Job| job.array.is_some_and(|task| !there.contains(&task.last()));
    let parts: Vec<&Job> = jobs.iter().filter(of_array).collect();
    let begun: HashSet<u64> = parts
        .iter()
        .filter(|job| !job.attempts.is_empty() || matches!(job.state, JobState::Queued | JobState::Ended))
        .filter_map(|job| Some(job.array?.first))
        .collect();
    let cut = parts.iter().filter(|job| job.array.is_some_and(|task| !begun.contains(&task.first)));
    cut.map(|job| job.number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ArrayTask, Owner};
    use model::Identity;

    fn sues(number: u64, spec: JobSpec) -> Job {
        let owner = Owner { uid: 1, gid: 1, groups: Vec::new(), identity: Identity::new("sue", ["staff"]) };
        Job::new(number, spec, owner, 0)
    }

    #[test]
    fn indices_share_command_and_environment_on_the_disk_and_in_memory() {
        let folder = std::env::temp_dir().join(format!("kornsole-shared-{}", std::process::id()));
        let (store, _) = Store::open(&folder).unwrap();
        let words: Vec<String> = vec!["echo".to_owned(), "x".repeat(100_000)];
        let env = [("A".to_owned(), "y".repeat(5000))];
        let text = "z".repeat(4000);
        let spec = JobSpec { command: words.clone().into(), dir: "/".to_owned(), name: text, ..JobSpec::default() };
        let array = sues(1, spec.clone());
        for index in 0..10 {
            let task = ArrayTask { first: 1, count: 10, index, most: 0, lowest: 0, highest: 9, step: 1 };
            let job = Job { number: u64::from(index) + 1, array: Some(task), ..array.clone() };
            store.create(&job, &env, 1).unwrap();
        }
        let length = |file: &str| fs::metadata(store.of(1).join(file)).unwrap().len();
        assert!(length(JOB) < 2000, "a state has no copy of the submission: {} bytes", length(JOB));
        let shared: u64 = (1..=10).map(|number| store.shared_bytes(number)).sum();
        let due = length(ENV) + length(COMMAND);
        assert!((due..due + 20).contains(&shared), "{shared} of {due}: together they count what is there once");
        drop(store);
        let (store, mut jobs) = Store::open(&folder).unwrap();
        assert!(jobs.len() == 10 && jobs.iter().all(|job| *job.spec.command == words[..]));
        assert!(jobs.iter().all(|job| job.spec.is_same(&jobs[0].spec)), "in memory once");
        // One that is changed has a submission of its own, also after a start.
        jobs[4].spec.priority = 7;
        store.save(&jobs[4]).unwrap();
        drop(store);
        let (store, jobs) = Store::open(&folder).unwrap();
        assert_eq!(jobs.iter().map(|job| job.spec.priority).collect::<Vec<_>>(), [0, 0, 0, 0, 7, 0, 0, 0, 0, 0]);
        assert!(jobs[4].spec.name == spec.name && *jobs[4].spec.command == words[..]);
        // A loss of power left no submission.
        fs::remove_file(store.of(10).join(SPEC)).unwrap();
        fs::write(store.of(10).join(SPEC), "").unwrap();
        // A job of an earlier release has its command in its state.
        let old = serde_json::to_vec(&sues(11, spec)).unwrap();
        fs::create_dir(store.of(11)).unwrap();
        fs::write(store.of(11).join(JOB), old).unwrap();
        drop(store);
        let (store, mut jobs) = Store::open(&folder).unwrap();
        assert_eq!(jobs.iter().map(|job| job.number).collect::<Vec<_>>(), [11], "an array that was cut off is none");
        store.save(&jobs.pop().unwrap()).unwrap();
        drop(store);
        assert_eq!(*Store::open(&folder).unwrap().1.pop().unwrap().spec.command, words[..]);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_state_that_was_cut_off_leaves_the_one_before_it_and_many_are_not_kept() {
        let folder = std::env::temp_dir().join(format!("kornsole-store-{}", std::process::id()));
        let mut job = sues(7, JobSpec::default());
        let file = folder.join(JOB);
        append(&folder, &job).unwrap();
        let one = fs::metadata(&file).unwrap().len();
        job.state = JobState::Queued;
        append(&folder, &job).unwrap();
        let whole = fs::read(&file).unwrap();
        for length in usize::try_from(one).unwrap()..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            assert_eq!(newest(&file).unwrap().state, JobState::Waiting, "{length} of {} bytes", whole.len());
            append(&folder, &job).unwrap();
            assert_eq!(newest(&file).unwrap().state, JobState::Queued);
        }
        for next in 0..200 {
            job.next = next;
            append(&folder, &job).unwrap();
            assert_eq!(newest(&file).unwrap().next, next);
            assert!(fs::metadata(&file).unwrap().len() < (LONGEST.0 + 2) * one + LONGEST.1);
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
