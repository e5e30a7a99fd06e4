//! Spaces the commands of a workload like the steps of a scenario: a millisecond apart, with cycles in between.

use std::collections::VecDeque;
use std::time::Duration;

use super::run::STEP;
use super::workload::Workload;
use config::Config;
use model::Time;
use scheduler::{Command, Event};

/// The retry interval of cycles without progress, so that requests that wait for time are tried again.
const RETRY: Duration = Duration::from_millis(100);

/// Gives the commands of another workload the times of scenario steps: each its own millisecond, followed by cycles
/// until one makes no progress. So every action can be recorded as a step ([`super::record`]).
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Pace<W> {
    inner: W,
    waiting: VecDeque<Command>,
    free: Time,
    cycles: Cycling,
    retry: Time,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
enum Cycling {
    No,
    /// Due after the waiting commands.
    Due,
    /// Running, with whether the last cycle made progress.
    Runs(bool),
}

impl<W: Workload> Pace<W> {
    pub fn new(inner: W) -> Self {
        let free = Time::ZERO + STEP;
        Self { inner, waiting: VecDeque::new(), free, cycles: Cycling::No, retry: free + RETRY }
    }

    fn cycle(&mut self, now: Time) -> Vec<Command> {
        self.cycles = Cycling::Runs(false);
        self.free = now + STEP;
        self.retry = now + RETRY;
        vec![Command::Cycle]
    }
}

impl<W: Workload> Workload for Pace<W> {
    fn next(&self) -> Option<Time> {
        match self.cycles {
            // The next cycle of the same step.
            Cycling::Runs(true) => Some(self.free - STEP),
            Cycling::Due => Some(self.free),
            _ if !self.waiting.is_empty() => Some(self.free),
            // Whole ticks stay free for the engine's own work.
            _ => self.inner.next().map(|next| (next + STEP).min(self.retry).max(self.free)),
        }
    }

    fn act(&mut self, now: Time) -> Vec<Command> {
        if self.cycles == Cycling::Runs(true) {
            return self.cycle(now);
        }
        if self.waiting.is_empty() && self.inner.next().is_some_and(|next| next < now) {
            self.waiting.extend(self.inner.act(now));
            if self.waiting.is_empty() && self.cycles != Cycling::Due && now < self.retry {
                return Vec::new();
            }
        }
        match self.waiting.pop_front() {
            Some(command) => {
                self.free = now + STEP;
                self.cycles = if self.waiting.is_empty() { Cycling::Due } else { Cycling::No };
                vec![command]
            }
            None => self.cycle(now),
        }
    }

    fn observe(&mut self, now: Time, events: &[Event]) {
        if let Cycling::Runs(progress) = &mut self.cycles {
            *progress |= events.iter().any(Event::is_activity);
        }
        self.inner.observe(now, events);
    }

    fn runs_cycles(&self) -> bool {
        true
    }

    fn text_of(&self, config: &Config) -> Option<&str> {
        self.inner.text_of(config)
    }
}
