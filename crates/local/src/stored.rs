//! Reads the stored jobs at a start.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use super::arrays::Arrays;
use super::earlier_files::{converted, cut_off};
use super::job::Job;
use super::job_files::{is_empty, private_dir};
use super::record::{RECORD, Submitted};
use super::states::{JOB, Removed, STATES, States, append};
use super::task;

const REMOVED: &str = "removed-";

#[derive(Default)]
pub(super) struct Stored {
    pub(super) jobs: BTreeMap<u64, Job>,
    pub(super) arrays: Arrays,
    /// Directories without a record: of an index of an array, or of an interrupted write.
    loose: Vec<u64>,
    earlier: Vec<u64>,
}

pub(super) fn write(jobs: &Path, submitted: &Submitted) -> io::Result<()> {
    let dir = jobs.join(submitted.first().to_string());
    private_dir(&dir)?;
    task::write(&dir.join(RECORD), submitted)
}

/// Removes the directory of a job. It is renamed first: half of it would look like a job without an end.
pub(super) fn remove_job_dir(jobs: &Path, number: u64) {
    let gone = jobs.join(format!("{REMOVED}{number}"));
    let _ = fs::remove_dir_all(&gone);
    let _ = fs::rename(jobs.join(number.to_string()), &gone).and_then(|()| fs::remove_dir_all(&gone));
}

impl Stored {
    pub(super) fn load(dir: &Path) -> io::Result<Self> {
        let mut stored = Self::default();
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with(REMOVED) {
                fs::remove_dir_all(&path)?;
            }
            let Ok(number) = name.parse::<u64>() else { continue };
            let record = path.join(RECORD);
            if record.exists() && is_empty(&record) {
                // The write was cut off by a loss of power, before its reply or its sync.
                fs::remove_dir_all(&path)?;
            } else if let Some(submitted) = Submitted::read(&path)? {
                stored.take(&path, submitted)?;
            } else if let Some(job) = converted(&path)? {
                stored.jobs.insert(number, job);
                stored.earlier.push(number);
            } else {
                stored.loose.push(number);
            }
        }
        Ok(stored)
    }

    fn take(&mut self, path: &Path, submitted: Submitted) -> io::Result<()> {
        let jobs = submitted.jobs();
        self.arrays.add(&jobs);
        let mut states = States::read(&path.join(if jobs.len() > 1 { STATES } else { JOB }))?;
        for mut job in jobs {
            match states.of.remove(&job.number) {
                None => {}
                Some(Some(state)) => state.put_on(&mut job),
                Some(None) => {
                    self.arrays.of_mut(job.number).into_iter().for_each(|array| array.left -= 1);
                    continue;
                }
            }
            self.jobs.insert(job.number, job);
        }
        Ok(())
    }

    /// Creates acknowledged jobs that a loss of power removed.
    pub(super) fn restore(&mut self, dir: &Path, left: Vec<Submitted>, removed: &HashSet<u64>) -> io::Result<()> {
        for submitted in left {
            let (first, all) = (submitted.first(), submitted.clone().jobs());
            let exists = |job: &&Job| self.jobs.contains_key(&job.number);
            let missing = || all.iter().filter(|job| !exists(job) && !removed.contains(&job.number));
            if self.arrays.home(first).1 > 1 || missing().next().is_none() {
                continue;
            }
            if all.iter().any(|job| exists(&job)) {
                // An earlier release had a record for each index.
                let missing: Vec<Job> = missing().cloned().collect();
                for job in missing {
                    submitted.alone(&job).iter().try_for_each(|alone| write(dir, alone))?;
                    self.jobs.insert(job.number, job);
                }
                continue;
            }
            let path = dir.join(first.to_string());
            write(dir, &submitted)?;
            for job in all.iter().filter(|job| removed.contains(&job.number)) {
                append(&path.join(STATES), &Removed { removed: job.number }, |_| u64::MAX)?;
            }
            self.take(&path, submitted)?;
        }
        Ok(())
    }

    /// Removes the rest of interrupted writes and removals.
    ///
    /// # Errors
    /// The file system rejects it.
    pub(super) fn remove_loose(&mut self, dir: &Path) -> io::Result<()> {
        for number in cut_off(&self.jobs, &self.earlier) {
            self.jobs.remove(&number);
            fs::remove_dir_all(dir.join(number.to_string()))?;
        }
        for number in self.loose.drain(..).filter(|number| self.arrays.home(*number).0 == *number) {
            let path = dir.join(number.to_string());
            // Otherwise, it was restored.
            if !path.join(RECORD).exists() {
                fs::remove_dir_all(path)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ArraySpec, ArrayTask, JobSpec, JobState};
    use crate::job_files::tests::sues;
    use crate::store::Store;

    const INDICES: u32 = 1000;

    fn array(first: u64, spec: JobSpec) -> Vec<Job> {
        let one = sues(first, spec);
        let task = ArrayTask::first_of(&ArraySpec { indices: (0..INDICES).collect(), most: 0 }, first);
        let index =
            |index| Job { number: first + u64::from(index), array: Some(ArrayTask { index, ..task }), ..one.clone() };
        (0..INDICES).map(index).collect()
    }

    fn bytes(dir: &Path) -> u64 {
        let entries = fs::read_dir(dir).into_iter().flatten().flatten();
        let of = |entry: fs::DirEntry| match entry.metadata() {
            Ok(found) if found.is_dir() => 4096 + bytes(&entry.path()),
            found => found.map_or(0, |found| found.len().next_multiple_of(4096)),
        };
        entries.map(of).sum()
    }

    #[test]
    fn an_array_is_one_record_with_a_line_for_each_change() {
        let dir = std::env::temp_dir().join(format!("kornsole-array-{}", std::process::id()));
        let (store, _) = Store::open(&dir).unwrap();
        let words: Vec<String> = vec!["echo".to_owned(), "x".repeat(100_000)];
        let spec = JobSpec { command: words.into(), dir: "/".to_owned(), name: "z".repeat(4000), ..JobSpec::default() };
        let mut jobs = array(1, spec);
        let one = |jobs: &[Job]| store.create(jobs, &[("A".to_owned(), "y".repeat(5000))]).unwrap();
        one(&jobs);
        let before = bytes(&dir.join("jobs"));
        assert!(before < 150_000, "{before} bytes for {INDICES} indices");
        let shared: u64 = (1..=1000).map(|number| store.record_bytes(number)).sum();
        assert!((110_000..120_000).contains(&shared), "{shared}: together they count what is there once");
        for round in 1..=10 {
            for job in &mut jobs {
                job.next = round;
                store.save(job).unwrap();
            }
        }
        let growth = bytes(&dir.join("jobs")) - before;
        assert!(growth < u64::from(INDICES) * 500, "{growth} bytes for 10 changes of {INDICES} indices");
        jobs[4].spec.priority = 7;
        jobs[4].state = JobState::Held;
        store.save(&jobs[4]).unwrap();
        (1..=3).for_each(|number| store.remove(number));
        store.sync_unsynced().unwrap();
        drop(store);
        let (store, found) = Store::open(&dir).unwrap();
        assert!(found == jobs[3..], "the states of all but the removed ones");
        assert!(found[2..].iter().all(|job| job.spec.is_same(&found[0].spec)), "in memory once");
        (4..=1000).for_each(|number| store.remove(number));
        assert_eq!(bytes(&dir.join("jobs")), 0, "the record goes with the last job");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn what_a_loss_of_power_removed_is_created_again_and_what_it_cut_off_is_gone() {
        let dir = std::env::temp_dir().join(format!("kornsole-restored-{}", std::process::id()));
        let spec = JobSpec { dir: "/".to_owned(), ..JobSpec::default() };
        let (store, _) = Store::open(&dir).unwrap();
        let jobs = array(1, spec.clone());
        store.create(&jobs, &[]).unwrap();
        store.create(&[sues(2000, spec)], &[]).unwrap();
        store.remove(2);
        let of = |number: u64| dir.join("jobs").join(number.to_string());
        fs::remove_dir_all(of(1)).unwrap();
        fs::write(of(2000).join(RECORD), "").unwrap();
        // An index that was started before the loss, and the rest of a removal.
        fs::create_dir_all(of(7).join("1")).unwrap();
        fs::create_dir_all(of(3000).join("1")).unwrap();
        drop(store);
        let (_, found) = Store::open(&dir).unwrap();
        let numbers: Vec<u64> = found.iter().map(|job| job.number).collect();
        assert_eq!(numbers, [1].into_iter().chain(3..=1000).chain([2000]).collect::<Vec<_>>());
        assert!(of(7).exists() && !of(3000).exists());
        fs::write(of(1).join(RECORD), "").unwrap();
        fs::write(of(2000).join(RECORD), "{").unwrap();
        let why = Store::open(&dir).unwrap_err().to_string();
        assert!(why.contains("2000/submitted.json is damaged"), "{why}");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn an_interrupted_removal_or_write_neither_prevents_a_start_nor_takes_a_job() {
        let dir = std::env::temp_dir().join(format!("kornsole-interrupted-{}", std::process::id()));
        let spec = JobSpec { dir: "/".to_owned(), ..JobSpec::default() };
        let (store, _) = Store::open(&dir).unwrap();
        let of = |name: &str| dir.join("jobs").join(name);
        for number in 2..=4 {
            store.create(&[sues(number, spec.clone())], &[]).unwrap();
            store.save(&sues(number, spec.clone())).unwrap();
        }
        // A loss of power removed the record; the log has it. The states of another job remain.
        fs::remove_file(of("3").join(RECORD)).unwrap();
        fs::create_dir_all(of("5")).unwrap();
        fs::copy(of("4").join(JOB), of("5").join(JOB)).unwrap();
        fs::create_dir_all(of("removed-1/1")).unwrap();
        store.remove(2);
        assert!(!of("2").exists());
        drop(store);
        for _ in 0..2 {
            let (_, found) = Store::open(&dir).unwrap();
            assert_eq!(found.iter().map(|job| job.number).collect::<Vec<_>>(), [3, 4]);
            assert_eq!(fs::read_dir(dir.join("jobs")).unwrap().count(), 2);
        }
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn the_log_of_an_earlier_release_adds_only_what_is_missing() {
        let dir = std::env::temp_dir().join(format!("kornsole-parts-{}", std::process::id()));
        let spec = JobSpec { dir: "/".to_owned(), ..JobSpec::default() };
        let jobs = &array(1, spec)[..5];
        let (store, _) = Store::open(&dir).unwrap();
        store.create(jobs, &[]).unwrap();
        drop(store);
        fs::remove_dir_all(dir.join("jobs/1")).unwrap();
        // A record for each index, of which one has ended and one is lost.
        for job in jobs.iter().filter(|job| job.number != 4) {
            write(&dir.join("jobs"), &Submitted::of(std::slice::from_ref(job), &[]).unwrap()).unwrap();
        }
        let ended = Job { state: JobState::Ended, ..jobs[1].clone() };
        append(&dir.join("jobs/2").join(JOB), &super::super::record::State::of(&ended), |_| u64::MAX).unwrap();
        for _ in 0..2 {
            let (store, found) = Store::open(&dir).unwrap();
            assert_eq!(found.iter().map(|job| job.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
            assert_eq!((found[1].state, found[3].state), (JobState::Ended, JobState::Waiting));
            assert_eq!(store.home(4), 4);
        }
        fs::remove_dir_all(&dir).unwrap();
    }
}
