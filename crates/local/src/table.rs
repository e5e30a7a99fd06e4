//! The jobs in memory, with what is known of their supervisors.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::job::{Job, JobState};
use super::kept_output::RetainedOutput;
use super::offer::Offered;
use super::running::{Running, Spares};

/// The jobs by number, with their claims and those that wait for them.
#[derive(Default)]
pub(super) struct Table {
    pub(super) jobs: BTreeMap<u64, Job>,
    pub(super) last: u64,
    /// Whose each job is, and how many bytes it has in its request, with its share of the environment; also while it is being submitted.
    sizes: HashMap<u64, (u32, u64)>,
    /// The sum of them by user.
    bytes: HashMap<u32, u64>,
    /// The output of attempts that ended.
    pub(super) retained_output: RetainedOutput,
    /// Those whose supervisor lives.
    pub(super) running: HashMap<u64, Running>,
    /// Supervisors without a job.
    pub(super) spares: Spares,
    /// Those that have a task and a state on the disk, and whose supervisor is being made.
    pub(super) starting: BTreeSet<u64>,
    /// Those that were accepted, and for which the scheduler has not answered yet.
    pub(super) offered: Vec<(Job, Offered)>,
    /// The jobs that have not ended, so that a walk over them does not pass the ended ones.
    pub(super) live: HashSet<u64>,
    /// Jobs that may wait for something else than the scheduler: all in that state, and some that have left it.
    pub(super) waiting: BTreeSet<u64>,
    /// What waits is to be examined.
    pub(super) look: bool,
    /// The generation of the view in which jobs were missed last, and whether there are others since.
    pub(super) seen: u64,
    pub(super) unsure: bool,
}

impl Table {
    pub(super) fn new(jobs: Vec<Job>) -> Self {
        let mut table = Self { look: true, unsure: true, ..Self::default() };
        jobs.into_iter().for_each(|job| table.insert(job));
        table
    }

    /// Takes a job in.
    pub(super) fn insert(&mut self, job: Job) {
        self.last = self.last.max(job.number);
        if job.state != JobState::Ended {
            self.live.insert(job.number);
            self.waiting.insert(job.number);
        }
        self.jobs.insert(job.number, job);
    }

    /// Counts the bytes of a job's request for its user, until it is removed.
    pub(super) fn count(&mut self, number: u64, uid: u32, bytes: u64) {
        self.uncount(number);
        self.sizes.insert(number, (uid, bytes));
        *self.bytes.entry(uid).or_default() += bytes;
    }

    /// Counts a job no more.
    pub(super) fn uncount(&mut self, number: u64) {
        if let Some((uid, bytes)) = self.sizes.remove(&number) {
            let sum = self.bytes.entry(uid).or_default();
            *sum = sum.saturating_sub(bytes);
            if *sum == 0 {
                self.bytes.remove(&uid);
            }
        }
    }

    /// How many bytes the requests of a user have, ended jobs included.
    pub(super) fn bytes_of(&self, uid: u32) -> u64 {
        self.bytes.get(&uid).copied().unwrap_or_default()
    }

    /// Forgets ended jobs of a user, the oldest first, as far as that is needed so that his requests have at most `most` bytes with this many
    /// new ones. Gives their numbers.
    ///
    /// # Errors
    /// The bytes that he would have without his ended jobs; none is forgotten then.
    pub(super) fn make_room(&mut self, uid: u32, bytes: u64, most: u64) -> Result<Vec<u64>, u64> {
        let mut forgotten = Vec::new();
        if self.bytes_of(uid) + bytes <= most {
            return Ok(forgotten);
        }
        let own = self.jobs.values().filter(|job| job.state == JobState::Ended && job.owner.uid == uid);
        let ended: u64 = own.map(|job| self.size_of(job.number)).sum();
        let with_it = self.bytes_of(uid).saturating_sub(ended) + bytes;
        if with_it > most {
            return Err(with_it);
        }
        while self.bytes_of(uid) + bytes > most
            && let Some(oldest) = self.oldest_ended(Some(uid))
        {
            self.remove(oldest);
            forgotten.push(oldest);
        }
        Ok(forgotten)
    }

    /// How many bytes a job counts.
    pub(super) fn size_of(&self, number: u64) -> u64 {
        self.sizes.get(&number).map_or(0, |(_, bytes)| *bytes)
    }

    /// The oldest ended job, of one user where one is named.
    pub(super) fn oldest_ended(&self, uid: Option<u32>) -> Option<u64> {
        let mut ended = self.jobs.values().filter(|job| job.state == JobState::Ended);
        ended.find(|job| uid.is_none_or(|uid| job.owner.uid == uid)).map(|job| job.number)
    }

    /// The jobs that take room on this machine.
    pub(super) fn occupying(&self) -> impl Iterator<Item = &Job> {
        self.running.keys().chain(&self.starting).filter_map(|number| self.jobs.get(number))
    }

    /// Takes out those of the offered jobs for which the scheduler has answered.
    pub(super) fn take_answered(&mut self) -> Vec<(Job, Offered)> {
        self.offered.extract_if(.., |(_, offered)| offered.is_answered()).collect()
    }

    /// Records that the scheduler has accepted a job as offered. Returns the job's state: it may have started before the
    /// answer came. `None` when someone has canceled or changed it meanwhile: then the scheduler has an application without a job.
    pub(super) fn confirm(&mut self, offered: &Job) -> Option<JobState> {
        let retained =
            self.jobs.get_mut(&offered.number).filter(|retained| retained.generation == offered.generation)?;
        let is_active = matches!(retained.state, JobState::Queued | JobState::Running);
        retained.confirmed |= is_active;
        self.unsure = true;
        is_active.then_some(retained.state)
    }

    /// Forgets a job.
    pub(super) fn remove(&mut self, number: u64) {
        self.uncount(number);
        if let Some(job) = self.jobs.remove(&number) {
            self.retained_output.remove(&job);
        }
        self.live.remove(&number);
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
    fn ended_jobs_make_room_and_others_do_not() {
        let job = |number, state| Job { number, state, ..queued() };
        let mut table = Table::new(vec![job(7, JobState::Queued), job(8, JobState::Ended), job(9, JobState::Ended)]);
        (7..10).for_each(|number| table.count(number, 1, 30));
        assert_eq!(table.make_room(1, 10, 100), Ok(Vec::new()));
        assert_eq!(table.make_room(1, 71, 100), Err(101), "the bytes without the ended jobs");
        assert_eq!(table.bytes_of(1), 90, "a request that is too large has nothing forgotten");
        assert_eq!(table.make_room(1, 11, 100), Ok(vec![8]), "the oldest first, and no more than needed");
        assert_eq!(table.bytes_of(1), 60);
        assert_eq!(table.make_room(1, 70, 100), Ok(vec![9]));
        assert_eq!((table.bytes_of(1), table.make_room(2, 100, 100)), (30, Ok(Vec::new())));
    }

    #[test]
    fn a_job_that_was_started_before_the_schedulers_answer_stays() {
        let offered = queued();
        let answered = |now: Job| Table::new(vec![now]).confirm(&offered);
        assert_eq!(answered(offered.clone()), Some(JobState::Queued));
        assert_eq!(answered(Job { state: JobState::Running, ..offered.clone() }), Some(JobState::Running));
        assert_eq!(answered(Job { state: JobState::Queued, next: 2, ..offered.clone() }), Some(JobState::Queued));
        assert_eq!(answered(Job { state: JobState::Held, ..offered.clone() }), None, "it was held meanwhile");
        assert_eq!(answered(Job { state: JobState::Ended, ..offered.clone() }), None, "it was cancelled meanwhile");
        assert_eq!(answered(Job { generation: 2, ..offered.clone() }), None, "it was changed meanwhile");
        assert_eq!(Table::default().confirm(&offered), None, "it is gone");
    }
}
