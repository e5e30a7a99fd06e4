//! How many cycles were skipped, and since when: the counts; `cycle::skipped_cycles` brings them to the asks.

use crate::model::Time;
use crate::scheduler::index::QueueKey;

/// How many cycles were skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::scheduler) struct SkippedCycles {
    /// How many, ever.
    pub(in crate::scheduler) times: u64,
    /// When the last of them was.
    pub(in crate::scheduler) last: Time,
}

impl SkippedCycles {
    /// Counts one more, and remembers when.
    pub fn note(&mut self, now: Time) {
        self.times += 1;
        self.last = now;
    }

    /// How many there were since then, and when the last of them was.
    pub(in crate::scheduler) fn since(self, then: Self) -> Self {
        Self { times: self.times.saturating_sub(then.times), last: self.last }
    }

    /// Both, one beside the other.
    pub(in crate::scheduler) fn and(self, other: Self) -> Self {
        match (self.times, other.times) {
            (_, 0) => self,
            (0, _) => other,
            _ => Self { times: self.times + other.times, last: self.last.max(other.last) },
        }
    }
}

/// Since when an application has been skipped.
#[derive(Clone, Copy, Debug)]
pub(in crate::scheduler) struct SkippedSince {
    /// When it was tried last.
    pub(in crate::scheduler) at: Time,
    pub(in crate::scheduler) leaf: QueueKey,
    pub(in crate::scheduler) of_leaf: SkippedCycles,
    pub(in crate::scheduler) of_partition: SkippedCycles,
    /// Of its group, if it is in one.
    pub(in crate::scheduler) of_group: SkippedCycles,
    /// Cycles in which it alone was skipped, while its leaf was tried.
    pub(in crate::scheduler) own: SkippedCycles,
}
