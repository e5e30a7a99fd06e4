//! When the scheduler's time ran, by the wall clock: for what is reported of times before a restart or a pause.

use std::time::Duration;

use model::Time;

/// Standing for less than this is no gap, in nanoseconds.
const SHORTEST_GAP: i64 = 1_000_000_000;

/// A run: the scheduler's time ran by the wall clock from here on, until the next run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The scheduler's time at its start.
    pub at: Time,
    /// The wall clock's, in nanoseconds since 1970.
    pub wall: i64,
    /// How many times as fast as the wall clock the scheduler's time ran.
    pub speed: f64,
}

/// All runs of the clock that are known, the oldest first; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockRuns {
    first: Run,
    later: Vec<Run>,
}

/// A time in which the scheduler's time stood: it was paused or did not run. Where the wall clock was set back in it, it ends before it
/// starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGap {
    /// The scheduler's time at which it stood.
    pub at: Time,
    /// What the wall clock showed when it stopped, in nanoseconds since 1970.
    pub stopped: i64,
    /// What the wall clock showed when it ran again.
    pub resumed: i64,
}

impl ClockRuns {
    /// Of a clock that ran all the time since the wall clock showed `began`, in nanoseconds since 1970.
    pub const fn always(began: i64, speed: f64) -> Self {
        Self { first: Run { at: Time::ZERO, wall: began, speed }, later: Vec::new() }
    }

    /// Of runs as they are known, the oldest first; `None` without any.
    pub fn of(runs: impl IntoIterator<Item = Run>) -> Option<Self> {
        let mut runs = runs.into_iter();
        Some(Self { first: runs.next()?, later: runs.collect() })
    }

    fn runs(&self) -> impl DoubleEndedIterator<Item = &Run> {
        std::iter::once(&self.first).chain(&self.later)
    }

    /// What the wall clock showed at a time of the scheduler, in nanoseconds since 1970.
    pub fn wall(&self, time: Time) -> i64 {
        let run = self.runs().rev().find(|run| run.at <= time).unwrap_or(&self.first);
        run.wall.saturating_add(span(run.speed, time.since(run.at))).saturating_sub(span(run.speed, run.at.since(time)))
    }

    /// The scheduler's time when the wall clock showed this last; in a gap the time at which it stood.
    pub fn time(&self, wall: i64) -> Time {
        let mut end = Time(u64::MAX);
        for run in self.runs().rev() {
            if let Ok(since) = u64::try_from(wall.saturating_sub(run.wall)) {
                let since = Duration::from_nanos(since);
                let since = if run.speed == 1.0 { since } else { since.mul_f64(run.speed) };
                let micros = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
                return Time(run.at.0.saturating_add(micros)).min(end);
            }
            end = run.at;
        }
        Time::ZERO
    }

    /// The times in which it represented a second or longer, and those where the wall clock was set back by as much; the oldest first.
    pub fn gaps(&self) -> Vec<ClockGap> {
        let pairs = self.runs().zip(&self.later);
        let stopped = |run: &Run, at: Time| run.wall.saturating_add(span(run.speed, at.since(run.at)));
        let gaps =
            pairs.map(|(run, next)| ClockGap { at: next.at, stopped: stopped(run, next.at), resumed: next.wall });
        gaps.filter(|gap| gap.resumed.abs_diff(gap.stopped) >= SHORTEST_GAP.unsigned_abs()).collect()
    }
}

impl ClockGap {
    /// Whether the wall clock was set back in it.
    pub const fn went_back(&self) -> bool {
        self.resumed < self.stopped
    }
}

/// How long a span of the scheduler's time took, in nanoseconds.
fn span(speed: f64, span: Duration) -> i64 {
    // Exact as long as time runs as the wall clock does; 1 is what was requested, not what was computed.
    let span = if speed == 1.0 { span } else { span.div_f64(speed) };
    i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000_000_000;

    fn time(hours: u64) -> Time {
        Time::from_millis(hours * 3_600_000)
    }

    fn runs(all: &[(u64, i64)]) -> ClockRuns {
        let run = |(at, began): &(u64, i64)| Run { at: time(*at), wall: began * HOUR, speed: 1.0 };
        ClockRuns::of(all.iter().map(run)).unwrap()
    }

    #[test]
    fn hours_before_a_gap_are_those_of_their_day() {
        let runs = runs(&[(0, 10), (2, 20)]);
        assert_eq!([1, 2, 3].map(|hours| runs.wall(time(hours)) / HOUR), [11, 20, 21]);
        assert_eq!([9, 11, 15, 20, 21].map(|hours| runs.time(hours * HOUR)), [0, 1, 2, 2, 3].map(time));
        assert_eq!(runs.gaps(), [ClockGap { at: time(2), stopped: 12 * HOUR, resumed: 20 * HOUR }]);
        assert!(!runs.gaps()[0].went_back());
    }

    #[test]
    fn a_clock_that_is_set_back_is_a_gap_that_ends_before_it_begins() {
        let runs = runs(&[(0, 10), (5, 12)]);
        let gap = runs.gaps()[0];
        assert_eq!((gap.stopped / HOUR, gap.resumed / HOUR, gap.went_back()), (15, 12, true));
        assert_eq!(runs.time(13 * HOUR), time(6), "the later of two");
    }

    #[test]
    fn a_restart_within_a_second_is_no_gap() {
        let again = Run { at: time(1), wall: HOUR + 999_999_999, speed: 1.0 };
        let runs = ClockRuns::of([Run { at: Time::ZERO, wall: 0, speed: 1.0 }, again]).unwrap();
        assert_eq!(runs.gaps(), []);
    }
}
