//! The jobs in memory, with what is known of their supervisors.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::job::{Job, JobState};
use super::offer::Offered;
use super::running::{Running, Spares};

/// The jobs by number, with their claims and those that wait for them.
#[derive(Default)]
pub(super) struct Table {
    pub(super) jobs: BTreeMap<u64, Job>,
    pub(super) last: u64,
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
    /// What waits is to be looked at.
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

    /// The jobs that take room on this machine.
    pub(super) fn occupying(&self) -> impl Iterator<Item = &Job> {
        self.running.keys().chain(&self.starting).filter_map(|number| self.jobs.get(number))
    }

    /// Takes out those of the offered jobs for which the scheduler has answered.
    pub(super) fn take_answered(&mut self) -> Vec<(Job, Offered)> {
        self.offered.extract_if(.., |(_, offered)| offered.is_answered()).collect()
    }

    /// Records that the scheduler has accepted a job as offered. Gives the job's state: it may have started before the
    /// answer came. `None` when somebody has cancelled or changed it meanwhile: then the scheduler has an application without a job.
    pub(super) fn confirm(&mut self, offered: &Job) -> Option<JobState> {
        let kept = self.jobs.get_mut(&offered.number).filter(|kept| kept.generation == offered.generation)?;
        let stands = matches!(kept.state, JobState::Queued | JobState::Running);
        kept.confirmed |= stands;
        self.unsure = true;
        stands.then_some(kept.state)
    }

    /// Forgets a job.
    pub(super) fn remove(&mut self, number: u64) {
        self.jobs.remove(&number);
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
