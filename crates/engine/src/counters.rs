//! Counters for monitoring systems (`rest.md` section 5.16).
//!
//! Invariants:
//! - counting costs a few additions per event; readers copy and do not block;
//! - memory is bounded: the counts of a queue are removed with it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::QueuePath;
use scheduler::{Event, EventKind};

/// The upper bounds of the buckets of [`Latency`], in seconds.
pub const BOUNDS: [f64; 8] = [0.0001, 0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];

/// The counts since the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Applications that were submitted.
    pub submitted: u64,
    /// Those that were placed.
    pub accepted: u64,
    /// Those that were refused.
    pub rejected: u64,
    /// Asks that became allocations.
    pub allocated: u64,
    /// Allocations that ended.
    pub released: u64,
    /// The last two by leaf.
    pub by_queue: BTreeMap<QueuePath, QueueCounts>,
    /// The durations of cycles.
    pub cycles: Latency,
}

/// The counts of a leaf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounts {
    /// Asks that became allocations.
    pub allocated: u64,
    /// Allocations that ended.
    pub released: u64,
}

/// A histogram of durations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Latency {
    /// The count per bucket of [`BOUNDS`].
    pub buckets: [u64; BOUNDS.len()],
    /// The total count.
    pub count: u64,
    /// The total duration.
    pub total: Duration,
}

impl Latency {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        if let Some(bucket) = BOUNDS.iter().position(|bound| seconds <= *bound) {
            self.buckets[bucket] += 1;
        }
        self.count += 1;
        self.total += took;
    }
}

/// Shared counters: one writer, many readers.
#[derive(Debug, Default)]
pub struct Counters(Mutex<Counts>);

impl Counters {
    /// A copy of the current counts.
    pub fn counts(&self) -> Counts {
        self.lock().clone()
    }

    /// The number and durations of cycles.
    pub fn cycles(&self) -> Latency {
        self.lock().cycles
    }

    /// The total duration of cycles.
    pub fn cycling(&self) -> Duration {
        self.lock().cycles.total
    }

    pub(super) fn cycle(&self, took: Duration) {
        self.lock().cycles.add(took);
    }

    pub(super) fn count(&self, events: &[Event]) {
        if events.is_empty() {
            return;
        }
        let mut counts = self.lock();
        for event in events {
            match &event.kind {
                EventKind::AppNew { .. } => counts.submitted += 1,
                EventKind::AppAccepted { .. } => counts.accepted += 1,
                EventKind::AppRejected { .. } => counts.rejected += 1,
                EventKind::Allocated { holder, .. } => {
                    counts.allocated += 1;
                    counts.by_queue.entry(holder.queue.clone()).or_default().allocated += 1;
                }
                EventKind::Released { holder, .. } => {
                    counts.released += 1;
                    counts.by_queue.entry(holder.queue.clone()).or_default().released += 1;
                }
                EventKind::QueueRemoved { queue, .. } => {
                    counts.by_queue.remove(queue);
                }
                _ => {}
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_in_the_first_bucket_that_contains_it() {
        let mut latency = Latency::default();
        for micros in [50, 100, 101, 2_000_000] {
            latency.add(Duration::from_micros(micros));
        }
        assert_eq!(latency.buckets, [2, 1, 0, 0, 0, 1, 0, 0]);
        latency.add(Duration::from_secs(2000));
        assert_eq!((latency.count, latency.buckets.iter().sum::<u64>()), (5, 4), "the last bucket is without bound");
    }
}
