//! The jobs for which live jobs wait: their records stay, so that a condition is not met by a missing record.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

const TIDY_EVERY: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(super) struct Awaited {
    by: HashMap<u64, Vec<RangeInclusive<u64>>>,
    all: Ranges,
    /// Jobs wait that `all` has not.
    has_more: bool,
    /// Since the first job that `all` has needlessly.
    has_fewer: Option<Instant>,
}

/// Ranges in their order, without overlaps.
#[derive(Default)]
pub(super) struct Ranges(Vec<RangeInclusive<u64>>);

impl Ranges {
    fn of(mut ranges: Vec<RangeInclusive<u64>>) -> Self {
        ranges.sort_unstable_by_key(|range| *range.start());
        let mut joined: Vec<RangeInclusive<u64>> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => joined.push(range),
            }
        }
        Self(joined)
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        let after = self.0.partition_point(|range| *range.start() <= number);
        after.checked_sub(1).is_some_and(|at| self.0[at].contains(&number))
    }
}

impl Awaited {
    pub(super) fn add(&mut self, number: u64, ranges: Vec<RangeInclusive<u64>>) {
        if !ranges.is_empty() {
            self.by.insert(number, ranges);
            self.has_more = true;
        }
    }

    pub(super) fn remove(&mut self, number: u64) {
        if self.by.remove(&number).is_some() {
            self.has_fewer.get_or_insert_with(Instant::now);
        }
    }

    /// Returns all awaited jobs, and some that were awaited a moment ago.
    pub(super) fn all(&mut self) -> &Ranges {
        if self.has_more || self.has_fewer.is_some_and(|since| since.elapsed() >= TIDY_EVERY) {
            self.all = Ranges::of(self.by.values().flatten().cloned().collect());
            (self.has_more, self.has_fewer) = (false, None);
        }
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_any_job_waits_for_is_awaited_until_it_has_ended() {
        let mut awaited = Awaited::default();
        assert!(!awaited.all().contains(1));
        awaited.add(20, vec![5..=9, 1..=1]);
        awaited.add(21, vec![2..=2, 8..=12]);
        let found =
            |awaited: &mut Awaited| (0..15).filter(|number| awaited.all().contains(*number)).collect::<Vec<_>>();
        assert_eq!(found(&mut awaited), [1, 2, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(awaited.all().0, [1..=2, 5..=12]);
        awaited.remove(21);
        awaited.remove(22);
        awaited.add(23, vec![14..=14]);
        assert_eq!(found(&mut awaited), [1, 5, 6, 7, 8, 9, 14]);
        awaited.remove(20);
        awaited.has_fewer = Instant::now().checked_sub(TIDY_EVERY);
        assert_eq!(found(&mut awaited), [14]);
    }
}
