//! How many cycles were skipped, and since when: the counts; `cycle::skipped_cycles` brings them to the asks.

use crate::index::QueueKey;
use model::Time;

/// How many cycles were skipped.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SkippedCycles {
    /// How many, ever.
    pub(crate) times: u64,
    /// When the last of them was.
    pub(crate) last: Time,
}

impl SkippedCycles {
    /// Counts one more, and remembers when.
    pub fn note(&mut self, now: Time) {
        self.times += 1;
        self.last = now;
    }

    /// How many there were since then, and when the last of them was.
    pub(crate) fn since(self, then: Self) -> Self {
        Self { times: self.times.saturating_sub(then.times), last: self.last }
    }

    /// Both, one next to the other.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self.times, other.times) {
            (_, 0) => self,
            (0, _) => other,
            _ => Self { times: self.times + other.times, last: self.last.max(other.last) },
        }
    }
}

/// Since when an application has been skipped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SkippedSince {
    /// When it was tried last.
    pub(crate) at: Time,
    pub(crate) leaf: QueueKey,
    pub(crate) of_leaf: SkippedCycles,
    pub(crate) of_partition: SkippedCycles,
    /// Of its group, if it is in one.
    pub(crate) of_group: SkippedCycles,
    /// Cycles in which it alone was skipped, while its leaf was tried.
    pub(crate) own: SkippedCycles,
}
