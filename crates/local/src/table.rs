//! The jobs in memory, and the state of their supervisors.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use super::awaited::Awaited;
use super::busy::Busy;
use super::crowd::Crowds;
use super::history::History;
use super::interned::Interned;
use super::job::{Dependency, Job, JobState, number_of};
use super::offer::Offered;
use super::running::{Running, Spares};
use super::stored_output::RetainedOutput;
use model::AppId;
use view::{AppRow, View};

const RARELY: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Seen {
    generation: u64,
    at: Option<Instant>,
    ended: Option<AppId>,
}

#[derive(Default)]
pub(super) struct Table {
    pub(super) jobs: BTreeMap<u64, Job>,
    pub(super) last: u64,
    /// Owner and request size in bytes, with its part of the environment; includes jobs that are being submitted.
    sizes: HashMap<u64, (u32, u64)>,
    bytes: HashMap<u32, u64>,
    pub(super) retained_output: RetainedOutput,
    pub(super) running: HashMap<u64, Running>,
    pub(super) spares: Spares,
    pub(super) starting: BTreeSet<u64>,
    pub(super) offered: Vec<(Job, Offered)>,
    /// Jobs that have not ended, to skip the ended ones.
    pub(super) live: HashSet<u64>,
    pub(super) history: History,
    /// The jobs that must end before live ones start.
    pub(super) awaited: Awaited,
    pub(super) interned: Interned,
    pub(super) crowds: Crowds,
    pub(super) busy: Busy,
    /// All jobs that wait for something other than the scheduler, and some that no longer do.
    pub(super) waiting: BTreeSet<u64>,
    /// The waiting jobs must be checked.
    pub(super) look: bool,
    /// Some of them at the next tick: their start time comes, or the disk rejected their state.
    pub(super) look_again: bool,
    pub(super) seen: Seen,
    pub(super) unsure: bool,
}

impl Table {
    pub(super) fn new(jobs: Vec<Job>) -> Self {
        let mut table = Self { look: true, unsure: true, ..Self::default() };
        jobs.into_iter().for_each(|job| table.insert(job));
        table
    }

    pub(super) fn insert(&mut self, mut job: Job) {
        let number = job.number;
        self.last = self.last.max(number);
        self.interned.share(&mut job);
        let has_ended = job.state == JobState::Ended;
        self.jobs.insert(number, job);
        if has_ended {
            self.set_ended(number);
        } else {
            self.set_live(number);
            self.waiting.insert(number);
        }
    }

    /// The job has not ended, or will run again.
    pub(super) fn set_live(&mut self, number: u64) {
        self.history.remove(number);
        self.live.insert(number);
        let after = self.jobs.get(&number).map(|job| job.after().map(Dependency::jobs).collect::<Vec<_>>());
        self.awaited.add(number, after.unwrap_or_default());
    }

    pub(super) fn set_ended(&mut self, number: u64) {
        self.live.remove(&number);
        self.awaited.remove(number);
        if let Some(job) = self.jobs.get_mut(&number) {
            job.attempts.shrink_to_fit();
            let key = (job.owner.uid, job.ended.unwrap_or_default());
            let bytes = self.size_of(number);
            self.history.add(number, key, bytes);
        }
    }

    pub(super) fn count(&mut self, number: u64, uid: u32, bytes: u64) {
        self.uncount(number);
        self.sizes.insert(number, (uid, bytes));
        *self.bytes.entry(uid).or_default() += bytes;
        self.history.resize(number, bytes);
    }

    pub(super) fn uncount(&mut self, number: u64) {
        if let Some((uid, bytes)) = self.sizes.remove(&number) {
            let sum = self.bytes.entry(uid).or_default();
            *sum = sum.saturating_sub(bytes);
            if *sum == 0 {
                self.bytes.remove(&uid);
            }
        }
    }

    pub(super) fn bytes_of(&self, uid: u32) -> u64 {
        self.bytes.get(&uid).copied().unwrap_or_default()
    }

    /// Removes the oldest ended jobs of a user until the requests, with `bytes` new ones, have at most `most` bytes.
    /// Returns the removed IDs.
    ///
    /// # Errors
    /// The size without all ended jobs; nothing is removed then.
    pub(super) fn make_space(&mut self, uid: u32, bytes: u64, most: u64) -> Result<Vec<u64>, u64> {
        let mut forgotten = Vec::new();
        if self.bytes_of(uid) + bytes <= most {
            return Ok(forgotten);
        }
        let ended = self.history.bytes_of(uid);
        let with_it = self.bytes_of(uid).saturating_sub(ended) + bytes;
        if with_it > most {
            return Err(with_it);
        }
        while self.bytes_of(uid) + bytes > most
            && let awaited = self.awaited.all()
            && let Some(oldest) = self.history.oldest_of(uid, |number| !awaited.contains(number))
        {
            self.remove(oldest);
            forgotten.push(oldest);
        }
        Ok(forgotten)
    }

    pub(super) fn size_of(&self, number: u64) -> u64 {
        self.sizes.get(&number).map_or(0, |(_, bytes)| *bytes)
    }

    pub(super) fn occupying(&self) -> impl Iterator<Item = &Job> {
        self.running.keys().chain(&self.starting).filter_map(|number| self.jobs.get(number))
    }

    pub(super) fn take_answered(&mut self) -> Vec<(Job, Offered)> {
        self.offered.extract_if(.., |(_, offered)| offered.is_answered()).collect()
    }

    /// Returns true if the scheduler may no longer have a queued job: the job must be looked for.
    pub(super) fn may_miss(&mut self, view: &View) -> bool {
        let ended = view.partitions.first().map(|part| &part.ended);
        let news = ended.into_iter().flatten().rev().take_while(|app| self.seen.ended.as_ref() != Some(&app.id));
        let is_queued = |app: &AppRow| {
            let job = number_of(app.id.as_str())
                .and_then(|(number, generation)| self.jobs.get(&number).filter(|job| job.generation == generation));
            job.is_some_and(|job| job.state == JobState::Queued)
        };
        let stopped = news.into_iter().any(|app| is_queued(app));
        let changed = self.seen.generation != view.generation;
        let due = self.unsure || stopped || (changed && self.seen.at.is_none_or(|at| at.elapsed() >= RARELY));
        self.seen.ended = ended.and_then(|ended| ended.back()).map(|app| app.id.clone());
        if due {
            (self.unsure, self.seen.generation, self.seen.at) = (false, view.generation, Some(Instant::now()));
        }
        due
    }

    /// Returns the job's state: it may have started already. `None` if the job was canceled or changed meanwhile: then
    /// the scheduler has an application without a job.
    pub(super) fn confirm(&mut self, offered: &Job) -> Option<JobState> {
        let retained =
            self.jobs.get_mut(&offered.number).filter(|retained| retained.generation == offered.generation)?;
        let is_active = matches!(retained.state, JobState::Queued | JobState::Running);
        retained.confirmed |= is_active;
        self.unsure = true;
        is_active.then_some(retained.state)
    }

    pub(super) fn remove(&mut self, number: u64) {
        self.uncount(number);
        self.unpark(number);
        if let Some(job) = self.jobs.remove(&number) {
            self.retained_output.remove(&job);
        }
        self.live.remove(&number);
        self.awaited.remove(number);
        self.history.remove(number);
        self.waiting.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobSpec, Owner};
    use model::Identity;

    fn queued() -> Job {
        let owner =
            Owner { uid: 1, gid: 1, groups: Vec::new(), identity: Identity { user: "sue".into(), groups: Vec::new() } };
        Job { state: JobState::Queued, ..Job::new(7, JobSpec::default(), owner, 0) }
    }

    #[test]
    fn bytes_are_those_of_the_jobs_that_a_user_has() {
        let mut table = Table::new(vec![queued()]);
        table.count(7, 1, 10);
        table.count(8, 1, 5);
        table.count(9, 2, 3);
        assert_eq!((table.bytes_of(1), table.bytes_of(2), table.bytes_of(3)), (15, 3, 0));
        table.uncount(8);
        table.uncount(8);
        table.remove(7);
        assert_eq!((table.bytes_of(1), table.bytes_of(2)), (0, 3));
    }

    #[test]
    fn only_ended_jobs_are_removed_for_space() {
        let job = |number, state| Job { number, state, ..queued() };
        let mut table = Table::new(vec![job(7, JobState::Queued), job(8, JobState::Ended), job(9, JobState::Ended)]);
        (7..10).for_each(|number| table.count(number, 1, 30));
        assert_eq!(table.make_space(1, 10, 100), Ok(Vec::new()));
        assert_eq!(table.make_space(1, 71, 100), Err(101), "the bytes without the ended jobs");
        assert_eq!(table.bytes_of(1), 90, "a request that is too large has nothing forgotten");
        assert_eq!(table.make_space(1, 11, 100), Ok(vec![8]), "the oldest first, and no more than needed");
        assert_eq!(table.bytes_of(1), 60);
        assert_eq!(table.make_space(1, 70, 100), Ok(vec![9]));
        assert_eq!((table.bytes_of(1), table.make_space(2, 100, 100)), (30, Ok(Vec::new())));
        let mut table = Table::new(vec![job(7, JobState::Queued), job(8, JobState::Ended), job(9, JobState::Ended)]);
        (7..10).for_each(|number| table.count(number, 1, 30));
        table.awaited.add(10, vec![8..=8]);
        assert_eq!(table.make_space(1, 40, 100), Ok(vec![9]), "the record of an awaited job stays");
    }

    #[test]
    fn a_job_that_was_started_before_the_schedulers_answer_stays() {
        let offered = queued();
        let answered = |now: Job| Table::new(vec![now]).confirm(&offered);
        assert_eq!(answered(offered.clone()), Some(JobState::Queued));
        assert_eq!(answered(Job { state: JobState::Running, ..offered.clone() }), Some(JobState::Running));
        assert_eq!(answered(Job { state: JobState::Queued, next: 2, ..offered.clone() }), Some(JobState::Queued));
        assert_eq!(answered(Job { state: JobState::Held, ..offered.clone() }), None, "it was held meanwhile");
        assert_eq!(answered(Job { state: JobState::Ended, ..offered.clone() }), None, "it was canceled meanwhile");
        assert_eq!(answered(Job { generation: 2, ..offered.clone() }), None, "it was changed meanwhile");
        assert_eq!(Table::default().confirm(&offered), None, "it is gone");
    }
}
