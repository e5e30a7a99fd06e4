//! The files of ended attempts. Only the output is read later.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::task::{CLAIM, ENDED, MAIN, TASK};

/// How long the files stay. A supervisor that starts late must find that another one has claimed the attempt.
const RETAINED_FOR: Duration = Duration::from_secs(10);
/// Without its task, no supervisor starts the attempt: the claim can go last.
const FILES: [&str; 4] = [TASK, MAIN, ENDED, CLAIM];

/// Ended attempts with files, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Attempts(VecDeque<(Instant, u64, u32)>);

impl Attempts {
    pub(super) fn push(&mut self, number: u64, attempt: u32) {
        self.0.push_back((Instant::now(), number, attempt));
    }

    pub(super) fn due_in(&self) -> Option<Duration> {
        self.0.front().map(|(since, ..)| RETAINED_FOR.saturating_sub(since.elapsed()))
    }

    pub(super) fn take_due(&mut self) -> Vec<(u64, u32)> {
        let mut due = Vec::new();
        while let Some((_, number, attempt)) = self.0.pop_front_if(|(since, ..)| since.elapsed() >= RETAINED_FOR) {
            due.push((number, attempt));
        }
        due
    }
}

pub(super) fn has_files(attempt: &Path) -> bool {
    attempt.join(CLAIM).exists() || attempt.join(TASK).exists()
}

/// Removes all files of an attempt but its output. Without output, also its directory, and that of a job without a
/// record of its own.
pub(super) fn reduce(job: &Path, attempt: u32) {
    let dir = job.join(attempt.to_string());
    for name in FILES {
        let _ = fs::remove_file(dir.join(name));
    }
    let output = dir.join(super::output::NAME);
    if fs::metadata(&output).is_ok_and(|found| found.len() == 0) && super::output::end(&dir) == 0 {
        let _ = fs::remove_file(output);
    }
    if fs::remove_dir(dir).is_ok() {
        let _ = fs::remove_dir(job);
    }
}

/// Removes the attempts in a directory that also has the record of other jobs.
pub(super) fn remove_all(job: &Path) {
    for entry in fs::read_dir(job).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_stays_and_the_rest_goes() {
        let job = std::env::temp_dir().join(format!("kornsole-attempts-{}", std::process::id()));
        for (attempt, output) in [("1", "words"), ("2", "")] {
            fs::create_dir_all(job.join(attempt)).unwrap();
            FILES.iter().for_each(|file| fs::write(job.join(attempt).join(file), "x").unwrap());
            fs::write(job.join(attempt).join("output"), output).unwrap();
        }
        assert!(has_files(&job.join("1")));
        reduce(&job, 1);
        assert!(!has_files(&job.join("1")));
        assert_eq!(fs::read_dir(job.join("1")).unwrap().count(), 1);
        assert_eq!(fs::read_to_string(job.join("1/output")).unwrap(), "words");
        reduce(&job, 2);
        assert!(!job.join("2").exists() && job.exists());
        remove_all(&job);
        reduce(&job, 3);
        assert!(job.exists(), "a directory without attempts has a record");
        fs::remove_dir_all(&job).unwrap();
    }
}
