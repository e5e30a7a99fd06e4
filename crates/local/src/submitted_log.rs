//! Submissions in one file, synced before the reply, so that concurrent submitters share one sync. They are removed
//! after the files of their jobs are synced. After a loss of power, the next start creates missing jobs.
//!
//! Two files alternate: one is cleared while the other accepts submissions.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::record::Submitted;

const FILES: [&str; 2] = ["submitted-0.log", "submitted-1.log"];

#[derive(Serialize, Deserialize)]
enum Line {
    Submitted(Box<Submitted>),
    /// A job that must not be created.
    Removed(u64),
}

#[derive(Debug)]
pub(super) struct Log {
    dir: PathBuf,
    state: Mutex<State>,
    synced: Condvar,
}

#[derive(Debug)]
struct State {
    file: File,
    active: usize,
    /// Lowest job ID in each file; `None` for an empty file.
    lowest: [Option<u64>; 2],
    written: u64,
    is_synced: u64,
    /// A thread syncs for all.
    syncing: bool,
}

impl Log {
    pub(super) fn start(dir: &Path) -> io::Result<Self> {
        for name in FILES {
            emptied(&dir.join(name))?;
        }
        let file = appended(&dir.join(FILES[0]))?;
        // Directory entries must outlast a loss of power.
        File::open(dir)?.sync_all()?;
        let state = State { file, active: 0, lowest: [None; 2], written: 0, is_synced: 0, syncing: false };
        Ok(Self { dir: dir.to_owned(), state: Mutex::new(state), synced: Condvar::new() })
    }

    /// Returns the submissions of an earlier daemon, and the removed jobs.
    ///
    /// # Errors
    /// A file cannot be read. A line that was cut off was not acknowledged, and is skipped.
    pub(super) fn left(dir: &Path) -> io::Result<(Vec<Submitted>, HashSet<u64>)> {
        let (mut found, mut removed) = (Vec::new(), HashSet::new());
        for name in FILES {
            let file = match File::open(dir.join(name)) {
                Err(why) if why.kind() == io::ErrorKind::NotFound => continue,
                file => file?,
            };
            for line in BufReader::new(file).split(b'\n') {
                match serde_json::from_slice(&line?) {
                    Ok(Line::Submitted(submitted)) => found.push(*submitted),
                    Ok(Line::Removed(number)) => drop(removed.insert(number)),
                    Err(_) => {}
                }
            }
        }
        found.sort_by_key(Submitted::first);
        Ok((found, removed))
    }

    /// Writes a submission and waits until it is synced. The files of its jobs are already written.
    ///
    /// # Errors
    /// The disk rejects it.
    pub(super) fn commit(&self, submitted: Submitted) -> io::Result<()> {
        let number = submitted.first();
        let mut state = self.state();
        state.write(&Line::Submitted(Box::new(submitted)), number)?;
        let own = state.written;
        while state.is_synced < own {
            if state.syncing {
                state = self.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            state.syncing = true;
            let (file, all) = (state.file.try_clone(), state.written);
            drop(state);
            let outcome = file.and_then(|file| file.sync_data());
            state = self.state();
            state.syncing = false;
            self.synced.notify_all();
            outcome?;
            state.is_synced = state.is_synced.max(all);
        }
        Ok(())
    }

    /// Records that a job must not be created, if its submission is still here.
    pub(super) fn remove(&self, number: u64) {
        let mut state = self.state();
        if state.lowest.iter().flatten().any(|lowest| *lowest <= number) {
            // Without the record, a loss of power would recreate the job, and it would end the same way.
            let _ = state.write(&Line::Removed(number), number);
        }
    }

    /// Switches files, unless the other file has unsynced submissions. Then the file that was written until now can be
    /// synced.
    ///
    /// # Errors
    /// The disk rejects it.
    pub(super) fn turn(&self) -> io::Result<()> {
        let mut state = self.state();
        while state.syncing {
            state = self.synced.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let other = 1 - state.active;
        if state.lowest[other].is_some() || state.lowest[state.active].is_none() {
            return Ok(());
        }
        let file = appended(&self.dir.join(FILES[other]))?;
        if state.is_synced < state.written {
            state.file.sync_data()?;
            state.is_synced = state.written;
            self.synced.notify_all();
        }
        (state.file, state.active) = (file, other);
        Ok(())
    }

    /// Clears the inactive file: its jobs are synced.
    ///
    /// # Errors
    /// The file system rejects it.
    pub(super) fn clear(&self) -> io::Result<()> {
        let mut state = self.state();
        let other = 1 - state.active;
        if state.lowest[other].is_some() {
            emptied(&self.dir.join(FILES[other]))?;
            state.lowest[other] = None;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn write(&mut self, line: &Line, number: u64) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let before = self.file.metadata()?.len();
        if let Err(why) = self.file.write_all(&bytes) {
            // A partial line would damage the next one.
            self.file.set_len(before)?;
            return Err(why);
        }
        self.written += 1;
        let lowest = &mut self.lowest[self.active];
        *lowest = Some(lowest.map_or(number, |lowest| lowest.min(number)));
        Ok(())
    }
}

fn appended(file: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(file)
}

fn emptied(file: &Path) -> io::Result<()> {
    match fs::metadata(file) {
        Ok(found) if found.len() == 0 => Ok(()),
        _ => appended(file)?.set_len(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::after::How;
    use crate::job::{ArrayTask, Dependency, Job, JobSpec};
    use crate::job_files::tests::sues;

    fn job(number: u64) -> Job {
        sues(number, JobSpec { dir: "/".to_owned(), ..JobSpec::default() })
    }

    fn left_jobs(dir: &Path) -> Vec<Job> {
        let (left, removed) = Log::left(dir).unwrap();
        left.into_iter().flat_map(Submitted::jobs).filter(|job| !removed.contains(&job.number)).collect()
    }

    fn left(dir: &Path) -> Vec<u64> {
        left_jobs(dir).into_iter().map(|job| job.number).collect()
    }

    #[test]
    fn what_is_not_synced_is_left_and_what_was_removed_is_not() {
        let dir = std::env::temp_dir().join(format!("kornsole-submitted-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let log = Log::start(&dir).unwrap();
        let commit = |jobs: &[Job]| log.commit(Submitted::of(jobs, &[]).unwrap()).unwrap();
        commit(&[job(1)]);
        commit(&[job(2)]);
        log.remove(2);
        assert_eq!(left(&dir), [1]);
        log.turn().unwrap();
        let task = ArrayTask { first: 3, count: 2, index: 0, most: 0, lowest: 0, highest: 5, step: 5 };
        let index = |number, index| Job {
            own_after: vec![Dependency::on(u64::from(index), How::Ok)],
            array: Some(ArrayTask { index, ..task }),
            ..job(number)
        };
        let array = [index(3, 0), index(4, 5)];
        commit(&array);
        log.remove(1);
        assert_eq!(left(&dir), [3, 4], "a removal in the other file counts");
        // The other file is not cleared before it is synced.
        log.turn().unwrap();
        commit(&[job(5)]);
        assert_eq!(left(&dir), [3, 4, 5]);
        assert_eq!(left_jobs(&dir)[..2], array);
        log.clear().unwrap();
        assert_eq!(left(&dir), [3, 4, 5]);
        log.turn().unwrap();
        log.clear().unwrap();
        assert_eq!(left(&dir), [0_u64; 0]);
        commit(&[job(6)]);
        let file = dir.join(FILES[0]);
        let length = fs::metadata(&file).unwrap().len();
        commit(&[job(7)]);
        File::options().write(true).open(&file).unwrap().set_len(length + 20).unwrap();
        assert_eq!(left(&dir), [6], "a line that was cut off was not answered");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn many_who_submit_at_one_time_are_all_synced() {
        let dir = std::env::temp_dir().join(format!("kornsole-submitted-many-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let log = Log::start(&dir).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let log = &log;
                scope.spawn(move || {
                    for n in 1..=20 {
                        log.commit(Submitted::of(&[job(thread * 100 + n)], &[]).unwrap()).unwrap();
                        if thread == 0 {
                            log.turn().unwrap();
                        }
                    }
                });
            }
        });
        let state = log.state();
        assert_eq!((state.written, state.is_synced), (160, 160));
        assert_eq!(left(&dir).len(), 160);
        fs::remove_dir_all(&dir).unwrap();
    }
}
