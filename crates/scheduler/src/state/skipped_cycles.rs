//! The counters of skipped cycles; `cycle::skipped_cycles` adds them to the requests.

use crate::index::QueueKey;
use model::Time;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SkippedCycles {
    pub(crate) times: u64,
    pub(crate) last: Time,
}

impl SkippedCycles {
    /// Counts one at `now`.
    pub fn note(&mut self, now: Time) {
        self.times += 1;
        self.last = now;
    }

    pub(crate) fn since(self, then: Self) -> Self {
        Self { times: self.times.saturating_sub(then.times), last: self.last }
    }

    pub(crate) fn and(self, other: Self) -> Self {
        match (self.times, other.times) {
            (_, 0) => self,
            (0, _) => other,
            _ => Self { times: self.times + other.times, last: self.last.max(other.last) },
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SkippedSince {
    pub(crate) at: Time,
    pub(crate) leaf: QueueKey,
    pub(crate) of_leaf: SkippedCycles,
    pub(crate) of_partition: SkippedCycles,
    pub(crate) of_group: SkippedCycles,
    pub(crate) own: SkippedCycles,
}
