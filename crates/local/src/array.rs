//! Arrays: one submission that becomes a job for each index.

use serde::{Deserialize, Serialize};

/// How many tasks of one array the scheduler has at one time.
pub const QUEUED_AT_ONCE: u32 = 1000;

/// The tasks of an array, each of which becomes a job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArraySpec {
    /// The index of each task.
    pub indices: Vec<u32>,
    /// How many of them may be queued or run at one time; 0 for all.
    pub most: u32,
}

/// Which task of an array a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayTask {
    /// The number of the array's first job; those of the others follow it.
    pub first: u64,
    /// How many jobs the array has.
    pub count: u32,
    /// The index of this one.
    pub index: u32,
    /// How many of them may be queued or run at one time; 0 for all.
    pub most: u32,
    /// The lowest index of the array.
    #[serde(default)]
    pub lowest: u32,
    /// The highest one.
    #[serde(default)]
    pub highest: u32,
    /// The distance of its indices; 1 where they have different ones.
    #[serde(default)]
    pub step: u32,
}

impl ArrayTask {
    /// The first task of an array, whose first job has this number.
    pub fn first_of(array: &ArraySpec, first: u64) -> Self {
        let indices = &array.indices;
        let mut steps = indices.windows(2).map(|pair| pair[1].saturating_sub(pair[0]));
        let step = steps.next().filter(|step| steps.all(|other| other == *step)).unwrap_or(1);
        let (lowest, highest) = (indices.iter().min().copied(), indices.iter().max().copied());
        Self {
            first,
            count: u32::try_from(indices.len()).unwrap_or(u32::MAX),
            index: lowest.unwrap_or_default(),
            most: array.most,
            lowest: lowest.unwrap_or_default(),
            highest: highest.unwrap_or_default(),
            step,
        }
    }

    /// How many of its jobs may be queued or run at one time: the scheduler is not given more of a large array than can have their turn soon.
    pub fn most_at_once(&self) -> u32 {
        if self.most == 0 { QUEUED_AT_ONCE } else { self.most.min(QUEUED_AT_ONCE) }
    }

    /// The number of the array's last job.
    pub fn last(&self) -> u64 {
        self.first + u64::from(self.count.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use model::Identity;

    use super::*;
    use crate::job::{Job, JobSpec, Owner};

    /// Memory of this process, in bytes.
    fn resident() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")).unwrap();
        line.parse::<u64>().unwrap() * 1024
    }

    #[test]
    fn a_hundred_thousand_indices_have_their_texts_in_memory_once() {
        let text = "x".repeat(4096);
        let spec = JobSpec {
            name: text.clone(),
            dir: text.clone(),
            output: text.clone(),
            at_end: text,
            command: vec!["y".repeat(1 << 20)].into(),
            ..JobSpec::default()
        };
        let groups: Vec<u32> = (0..1000).collect();
        let owner = Owner { uid: 1, gid: 1, groups, identity: Identity::new("sue", ["staff"]) };
        let array = ArraySpec { indices: (0..100_000).collect(), most: 0 };
        let (task, one) = (ArrayTask::first_of(&array, 1), Job::new(1, spec, owner, 0));
        let before = resident();
        let index = |index| Job { array: Some(ArrayTask { index, ..task }), ..one.clone() };
        let mut jobs: Vec<Job> = array.indices.iter().copied().map(index).collect();
        let growth = resident().saturating_sub(before);
        // Copies would have 2 GB.
        assert!(growth < 200 << 20, "{growth} bytes");
        jobs[7].spec.priority = 3;
        assert_eq!((jobs[6].spec.priority, jobs[7].spec.priority, jobs[8].spec.priority), (0, 3, 0));
        assert_eq!(jobs[99_999].name(), format!("{}[99999]", one.spec.name));
    }
}
