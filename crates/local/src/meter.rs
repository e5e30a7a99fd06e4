//! The usage of an attempt without a cgroup: rusage for ended processes, `/proc` for living ones.
//!
//! CPU time is exact. Memory is the maximum of the sum at one measurement and the peak of one process. A reused
//! supervisor knows only the largest process of all its jobs: a smaller short job has an upper bound and no value.

use std::time::{Duration, Instant};

use super::process::{self, OfChildren};

/// Time until the first measurement, and minimum time between later ones.
const FIRST: Duration = Duration::from_millis(20);
const LONGEST: Duration = Duration::from_secs(1);
/// Measurements may take 1/N of the time.
const PART: u32 = 100;
/// A supervisor with a larger process than this (bytes) is not reused: the bound for its next job would be too vague.
const LARGE: u64 = 64 << 20;

pub(super) struct Meter {
    before: OfChildren,
    /// A process with less memory than this cannot be distinguished from earlier ones.
    floor: u64,
    seen: Seen,
    pause: Duration,
    pub due: Instant,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    memory: Option<u64>,
    cpu_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peak {
    Measured(u64),
    AtMost(u64),
}

impl Meter {
    /// Starts measuring, before the first process of the attempt.
    pub fn new() -> Self {
        let before = process::of_children();
        // The command starts as this program, with no more memory than it.
        let floor = before.largest.max(process::peak("self").unwrap_or_default());
        Self { before, floor, seen: Seen::default(), pause: FIRST, due: Instant::now() + FIRST }
    }

    /// Measures the living descendants of this process.
    pub fn look(&mut self) {
        let started_at = Instant::now();
        let own = i32::try_from(std::process::id()).unwrap_or_default();
        let mut pids = process::tree(own);
        // A process that has not executed the command yet does not count.
        pids.retain(|pid| !process::is_of_this_program(*pid));
        let cpu_ms: u64 = pids.iter().map(|pid| process::cpu_ms(*pid)).sum();
        self.seen.memory = self.seen.memory.max(memory_of(&pids));
        self.seen.cpu_ms = self.seen.cpu_ms.max(cpu_ms + self.ended_ms());
        let now = Instant::now();
        self.pause = (self.pause * 2).min(LONGEST).max((now - started_at) * PART);
        self.due = now + self.pause;
    }

    fn ended_ms(&self) -> u64 {
        process::of_children().cpu_us.saturating_sub(self.before.cpu_us).div_ceil(1000)
    }

    /// Returns the CPU time in milliseconds; complete after its processes have ended.
    pub fn cpu_ms(&self) -> u64 {
        self.ended_ms().max(self.seen.cpu_ms)
    }

    /// Returns the peak memory after its processes have ended.
    pub fn peak(&self) -> Peak {
        peak(process::of_children().largest, self.floor, self.seen.memory)
    }
}

/// `None` without a living process: one that is ending has no memory any more.
fn memory_of(pids: &[i32]) -> Option<u64> {
    let together: u64 = pids.iter().filter_map(|pid| process::memory(*pid, pids.len() > 1)).sum();
    let largest = pids.iter().filter_map(|pid| process::peak(&pid.to_string())).max().unwrap_or_default();
    Some(together.max(largest)).filter(|bytes| *bytes > 0)
}

/// Returns true if a supervisor can measure its next job's memory precisely enough.
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
    fn a_process_that_has_ended_has_no_memory_to_measure() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        // A command that has just been executed has no pages yet.
        while memory_of(&[pid]).is_none_or(|bytes| bytes <= 1 << 16) {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        let ended = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap().contains(") Z ");
        while !ended() {
            std::thread::yield_now();
        }
        assert_eq!(memory_of(&[pid]), None, "not 0: it is unknown");
        child.wait().unwrap();
    }

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
