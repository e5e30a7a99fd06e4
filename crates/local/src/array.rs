//! Arrays: a job for each index.

use serde::{Deserialize, Serialize};

/// Tasks that become jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArraySpec {
    /// Index of each task.
    pub indices: Vec<u32>,
    /// Maximum running tasks; 0 for all.
    pub most: u32,
}

/// The position of a job in its array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayTask {
    /// ID of the array's first job.
    pub first: u64,
    /// Number of jobs in the array.
    pub count: u32,
    /// Index of this job.
    pub index: u32,
    /// Maximum running tasks; 0 for all.
    pub most: u32,
    /// Lowest index of the array.
    #[serde(default)]
    pub lowest: u32,
    /// Highest index of the array.
    #[serde(default)]
    pub highest: u32,
    /// Distance between indices; 1 if it varies.
    #[serde(default)]
    pub step: u32,
}

impl ArrayTask {
    /// Returns the first task.
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

    /// Returns the maximum number of queued and running tasks. The scheduler gets only those that can start soon, at most `soon`.
    pub fn most_at_once(&self, soon: u32) -> u32 {
        if self.most == 0 { soon } else { self.most.min(soon) }
    }

    /// Returns the ID of the array's last job.
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
        // Copies would use 2 GB.
        assert!(growth < 200 << 20, "{growth} bytes");
        jobs[7].spec.priority = 3;
        assert_eq!((jobs[6].spec.priority, jobs[7].spec.priority, jobs[8].spec.priority), (0, 3, 0));
        assert_eq!(jobs[99_999].name(), format!("{}[99999]", one.spec.name));
    }
}
