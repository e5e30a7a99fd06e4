//! What an attempt uses, without a cgroup that counts it: by rusage for processes that have ended, and by `/proc` for those that live.
//!
//! Processor time is exact. Memory is the largest of: what the processes of the job had together at one look, and the peak of one process.
//! A supervisor that had jobs before knows the largest process of all of them only: a short job below that has a bound and no value.

use std::time::{Duration, Instant};

use super::process::{self, OfChildren};

/// How soon the first look follows the start, and how long lies between two later ones at least.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);
/// A look may take this part of the time, so that large jobs are not slowed down.
const PART: u32 = 100;
/// A supervisor whose jobs had a larger process than this, in bytes, takes no other one: what it knows of the next one would be too vague.
const LARGE: u64 = 64 << 20;

/// Measures one attempt, as its supervisor.
pub(super) struct Meter {
    /// What the children of this process had used before.
    before: OfChildren,
    /// A process with less memory than this cannot be distinguished from earlier ones.
    floor: u64,
    seen: Seen,
    pause: Duration,
    /// When it looks again.
    pub due: Instant,
}

/// What was seen of the living processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    memory: Option<u64>,
    cpu_ms: u64,
}

/// What an attempt used of memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peak {
    /// The most that was measured.
    Measured(u64),
    /// It was not measured, and none of its processes had more.
    AtMost(u64),
}

impl Meter {
    /// Starts, before the first process of the attempt.
    pub fn new() -> Self {
        let before = process::of_children();
        // What becomes the command is of the same program as this process, and has no more of it.
        let floor = before.largest.max(process::peak("self").unwrap_or_default());
        Self { before, floor, seen: Seen::default(), pause: FIRST, due: Instant::now() + FIRST }
    }

    /// Looks at the living processes below this one.
    pub fn look(&mut self) {
        let began = Instant::now();
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut pids = process::tree(own);
        // What has not become the command yet is no part of the job.
        pids.retain(|pid| !process::is_of_this_program(*pid));
        let memory = |pid: &i32| process::memory(*pid, pids.len() > 1);
        let together: u64 = pids.iter().filter_map(memory).sum();
        let largest = pids.iter().filter_map(|pid| process::peak(&pid.to_string())).max().unwrap_or_default();
        let cpu_ms: u64 = pids.iter().map(|pid| process::cpu_ms(*pid)).sum();
        if !pids.is_empty() {
            self.seen.memory = self.seen.memory.max(Some(together.max(largest)));
        }
        self.seen.cpu_ms = self.seen.cpu_ms.max(cpu_ms + self.ended_ms());
        let now = Instant::now();
        self.pause = (self.pause * 2).min(LONGEST).max((now - began) * PART);
        self.due = now + self.pause;
    }

    /// What its ended processes took of processors, in milliseconds.
    fn ended_ms(&self) -> u64 {
        process::of_children().cpu_us.saturating_sub(self.before.cpu_us).div_ceil(1000)
    }

    /// What it took of processors, in milliseconds; all of it when its processes have ended.
    pub fn cpu_ms(&self) -> u64 {
        self.ended_ms().max(self.seen.cpu_ms)
    }

    /// The most memory that it had, when its processes have ended.
    pub fn peak(&self) -> Peak {
        peak(process::of_children().largest, self.floor, self.seen.memory)
    }
}

/// Whether a supervisor knows its next job's memory well enough.
pub(super) fn is_exact_enough() -> bool {
    process::of_children().largest <= LARGE
}

fn peak(largest: u64, floor: u64, seen: Option<u64>) -> Peak {
    match (Some(largest).filter(|largest| *largest > floor).max(seen), largest.max(floor)) {
        (Some(measured), _) => Peak::Measured(measured),
        (None, bound) => Peak::AtMost(bound),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_is_not_larger_than_earlier_ones_has_a_bound_and_no_value() {
        assert_eq!(peak(900, 500, None), Peak::Measured(900), "the largest so far is of this attempt");
        assert_eq!(peak(900, 900, None), Peak::AtMost(900), "it may be of an earlier one");
        assert_eq!(peak(900, 900, Some(70)), Peak::Measured(70), "what was seen is measured");
        assert_eq!(peak(300, 500, None), Peak::AtMost(500));
        assert_eq!(peak(900, 500, Some(1200)), Peak::Measured(1200), "several processes together");
    }

    #[test]
    fn living_processes_are_seen_with_their_children() {
        let mut meter = Meter::new();
        let script = "sleep 60 & wait";
        let mut shell = Command::new("sh").args(["-c", script]).spawn().unwrap();
        let shell_pid = i32::try_from(shell.id()).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while process::tree(shell_pid).is_empty() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        let below = process::tree(shell_pid);
        assert_eq!(below.len(), 1, "the shell's own child");
        assert!(
            process::tree(i32::try_from(std::process::id()).unwrap()).contains(&below[0]),
            "and below this process"
        );
        meter.look();
        assert!(meter.seen.memory > Some(100_000), "{:?}", meter.seen);
        process::kill(below[0]);
        shell.kill().unwrap();
        shell.wait().unwrap();
    }
}
