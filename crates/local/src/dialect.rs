//! Variables for scripts of other schedulers: Slurm and PBS.

use serde::{Deserialize, Serialize};

use super::job::Job;

/// The scheduler that a script was written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// `#SBATCH` lines; `SLURM_` variables.
    Slurm,
    /// `#PBS` lines; `PBS_` variables.
    Pbs,
}

/// Returns the host name without its domain.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().split('.').next().filter(|name| !name.is_empty()).unwrap_or("localhost").to_owned()
}

/// The variables that only the daemon knows; the others are in the submitted environment.
pub(super) fn variables(dialect: Dialect, job: &Job) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut set = |name: &str, value: String| found.push((name.to_owned(), value));
    let number = job.number.to_string();
    let gpus: Vec<String> = job.attempts.last().into_iter().flat_map(|last| &last.gpus).map(u32::to_string).collect();
    match dialect {
        Dialect::Slurm => {
            set("SLURM_JOB_ID", number.clone());
            set("SLURM_JOBID", number);
            set("SLURM_JOB_USER", job.owner.identity.user.clone());
            if !job.queue().is_empty() {
                set("SLURM_JOB_PARTITION", job.queue().to_owned());
            }
            set("SLURM_RESTART_COUNT", job.next.saturating_sub(1).to_string());
            if !gpus.is_empty() {
                set("SLURM_JOB_GPUS", gpus.join(","));
            }
            if let Some(task) = job.array {
                set("SLURM_ARRAY_JOB_ID", task.first.to_string());
                set("SLURM_ARRAY_TASK_ID", task.index.to_string());
                set("SLURM_ARRAY_TASK_COUNT", task.count.to_string());
                for (name, value) in [("MIN", task.lowest), ("MAX", task.highest), ("STEP", task.step)] {
                    set(&format!("SLURM_ARRAY_TASK_{name}"), value.to_string());
                }
            }
        }
        Dialect::Pbs => {
            if !job.queue().is_empty() {
                set("PBS_QUEUE", job.queue().to_owned());
            }
            match job.array {
                None => set("PBS_JOBID", number),
                Some(task) => {
                    set("PBS_JOBID", format!("{}[{}]", task.first, task.index));
                    set("PBS_ARRAY_ID", format!("{}[]", task.first));
                    set("PBS_ARRAY_INDEX", task.index.to_string());
                    set("PBS_ARRAYID", task.index.to_string());
                }
            }
        }
    }
    found
}

pub(super) fn plain_name(job: &Job) -> String {
    let name = job.name();
    let index = job.array.map(|task| format!("[{}]", task.index)).unwrap_or_default();
    name.strip_suffix(&index).map(str::to_owned).unwrap_or(name)
}

/// Expands a file name pattern: `%j` job ID, `%A` array ID, `%a` index, `%x` job name, `%u` user, `%N` host; `%n` and
/// `%t` (node and task) are 0. A number after `%` is the minimum count of digits.
pub(super) fn file_name(pattern: &str, job: &Job) -> String {
    let (mut path, mut rest) = (String::new(), pattern);
    while let Some((before, after)) = rest.split_once('%') {
        path.push_str(before);
        let digits = after.len() - after.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let width = after[..digits].parse::<usize>().unwrap_or_default().min(10);
        let numeric = |value: u64| format!("{value:0width$}");
        // A job name must not become a path.
        let word = |text: &str| text.replace('/', "_");
        let mut letters = after[digits..].chars();
        let part = match letters.next() {
            Some('j' | 'J') => numeric(job.number),
            Some('A') => numeric(job.array.map_or(job.number, |task| task.first)),
            Some('a') => numeric(job.array.map_or(0, |task| u64::from(task.index))),
            Some('n' | 't') => numeric(0),
            Some('x') => word(&plain_name(job)),
            Some('u') => word(&job.owner.identity.user),
            Some('N') => word(&host()),
            Some('%') if digits == 0 => "%".to_owned(),
            other => format!("%{}{}", &after[..digits], other.map(String::from).unwrap_or_default()),
        };
        path.push_str(&part);
        rest = letters.as_str();
    }
    path + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{ArrayTask, JobSpec, Owner};
    use model::Identity;

    fn job() -> Job {
        let owner = Owner { uid: 1, gid: 1, groups: Vec::new(), identity: Identity::new("sue", ["staff"]) };
        let task = ArrayTask { first: 7, count: 3, index: 4, most: 0, lowest: 2, highest: 6, step: 2 };
        Job { array: Some(task), ..Job::new(8, JobSpec { name: "a/b".to_owned(), ..JobSpec::default() }, owner, 0) }
    }

    #[test]
    fn the_letters_of_file_names_have_their_values() {
        let name = |pattern: &str| file_name(pattern, &job());
        assert_eq!(name("out-%A_%a.txt"), "out-7_4.txt");
        assert_eq!(name("%j %u %x %n %t 100%% %q %"), "8 sue a_b 0 0 100% %q %");
        assert_eq!(name("%3a-%05j-%2x"), "004-00008-a_b");
        assert_eq!(name("%N"), host());
        let alone = Job { array: None, ..job() };
        assert_eq!(file_name("%A_%a", &alone), "8_0");
    }

    #[test]
    fn an_index_has_the_variables_of_its_array() {
        let found = variables(Dialect::Slurm, &job());
        let of = |name: &str| found.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let names = ["JOB_ID", "JOBID", "ARRAY_JOB_ID", "ARRAY_TASK_ID", "ARRAY_TASK_COUNT", "ARRAY_TASK_MIN"];
        let values = names.map(|name| of(&format!("SLURM_{name}")));
        assert_eq!(values, ["8", "8", "7", "4", "3", "2"].map(Some));
        assert_eq!((of("SLURM_ARRAY_TASK_MAX"), of("SLURM_ARRAY_TASK_STEP")), (Some("6"), Some("2")));
        let pbs = variables(Dialect::Pbs, &job());
        assert!(pbs.contains(&("PBS_JOBID".to_owned(), "7[4]".to_owned())), "{pbs:?}");
        assert!(pbs.contains(&("PBS_ARRAY_INDEX".to_owned(), "4".to_owned())));
    }
}
