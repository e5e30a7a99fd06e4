//! Which tasks of each waiting array are queued or running: their number at a time has a limit.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::array::ArrayTask;
use super::job::{Job, JobState};

/// Tasks that were queued or running when they were last counted, by the first job of the array.
#[derive(Default)]
pub(super) struct Busy(HashMap<u64, HashSet<u64>>);

impl Busy {
    /// Returns true if another task has its turn, of `soon` that can start soon. The array is searched once, later only
    /// the tasks that were found.
    pub(super) fn has_space(&mut self, jobs: &BTreeMap<u64, Job>, task: &ArrayTask, soon: u32) -> bool {
        let is_busy = |job: &Job| matches!(job.state, JobState::Queued | JobState::Running);
        let all = || jobs.range(task.first..=task.last()).map(|(_, job)| job);
        let found = self
            .0
            .entry(task.first)
            .or_insert_with(|| all().filter(|job| is_busy(job)).map(|job| job.number).collect());
        found.retain(|number| jobs.get(number).is_some_and(is_busy));
        found.len() < task.most_at_once(soon) as usize
    }

    pub(super) fn add(&mut self, job: &Job) {
        if let Some(busy) = job.array.and_then(|task| self.0.get_mut(&task.first)) {
            busy.insert(job.number);
        }
    }

    pub(super) fn retain(&mut self, waits: impl Fn(u64) -> bool) {
        self.0.retain(|first, _| waits(*first));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ArraySpec, JobSpec};
    use crate::job_files::tests::sues;

    #[test]
    fn at_most_so_many_tasks_are_busy_and_a_busy_one_may_end_or_be_held() {
        let task = ArrayTask::first_of(&ArraySpec { indices: (0..10).collect(), most: 2 }, 1);
        let one = |number: u64| Job { array: Some(task), ..sues(number, JobSpec::default()) };
        let mut jobs: BTreeMap<u64, Job> = (1..=10).map(|number| (number, one(number))).collect();
        let mut busy = Busy::default();
        let set = |jobs: &mut BTreeMap<u64, Job>, number: u64, state| jobs.get_mut(&number).unwrap().state = state;
        set(&mut jobs, 1, JobState::Running);
        assert!(busy.has_space(&jobs, &task, 100));
        set(&mut jobs, 2, JobState::Queued);
        busy.add(&jobs[&2]);
        assert!(!busy.has_space(&jobs, &task, 100));
        set(&mut jobs, 1, JobState::Ended);
        assert!(busy.has_space(&jobs, &task, 100));
        set(&mut jobs, 3, JobState::Queued);
        busy.add(&jobs[&3]);
        assert!(!busy.has_space(&jobs, &task, 100));
        set(&mut jobs, 2, JobState::Held);
        assert!(busy.has_space(&jobs, &task, 100));
        busy.retain(|_| false);
        set(&mut jobs, 4, JobState::Queued);
        assert!(!busy.has_space(&jobs, &task, 100), "counted again");
    }
}
