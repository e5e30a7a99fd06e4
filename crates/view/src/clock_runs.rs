//! Maps scheduler time to the wall clock, across restarts and pauses.

use std::time::Duration;

use model::Time;

/// A shorter stop is not a gap; in nanoseconds.
const SHORTEST_GAP: i64 = 1_000_000_000;

/// From here until the next run, the scheduler clock followed the wall clock at one speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The scheduler time at the start.
    pub at: Time,
    /// The wall clock at the start, in nanoseconds since 1970.
    pub wall: i64,
    /// The speed of the scheduler clock relative to the wall clock.
    pub speed: f64,
}

/// The known runs, the oldest first; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockRuns {
    first: Run,
    later: Vec<Run>,
}

/// A stop of the scheduler clock (a pause, or not running). If the wall clock was set back meanwhile, the gap ends
/// before its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockGap {
    /// The scheduler time of the stop.
    pub at: Time,
    /// The wall clock at the stop, in nanoseconds since 1970.
    pub stopped: i64,
    /// The wall clock at the restart.
    pub resumed: i64,
}

impl ClockRuns {
    /// A clock that runs without stops since the wall clock `began`, in nanoseconds since 1970.
    pub const fn always(started_at: i64, speed: f64) -> Self {
        Self { first: Run { at: Time::ZERO, wall: started_at, speed }, later: Vec::new() }
    }

    /// Returns the clock of these runs, the oldest first; `None` without runs.
    pub fn of(runs: impl IntoIterator<Item = Run>) -> Option<Self> {
        let mut runs = runs.into_iter();
        Some(Self { first: runs.next()?, later: runs.collect() })
    }

    fn runs(&self) -> impl DoubleEndedIterator<Item = &Run> {
        std::iter::once(&self.first).chain(&self.later)
    }

    /// The wall clock at a scheduler time, in nanoseconds since 1970.
    pub fn wall(&self, time: Time) -> i64 {
        let run = self.runs().rev().find(|run| run.at <= time).unwrap_or(&self.first);
        run.wall.saturating_add(span(run.speed, time.since(run.at))).saturating_sub(span(run.speed, run.at.since(time)))
    }

    /// The last scheduler time at this wall clock; in a gap, the time of the stop.
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

    /// The stops of a second or longer, and the setbacks of the wall clock by as much; the oldest first.
    pub fn gaps(&self) -> Vec<ClockGap> {
        let pairs = self.runs().zip(&self.later);
        let stopped = |run: &Run, at: Time| run.wall.saturating_add(span(run.speed, at.since(run.at)));
        let gaps =
            pairs.map(|(run, next)| ClockGap { at: next.at, stopped: stopped(run, next.at), resumed: next.wall });
        gaps.filter(|gap| gap.resumed.abs_diff(gap.stopped) >= SHORTEST_GAP.unsigned_abs()).collect()
    }
}

impl ClockGap {
    /// Whether the wall clock was set back in the gap.
    pub const fn moved_back(&self) -> bool {
        self.resumed < self.stopped
    }
}

fn span(speed: f64, span: Duration) -> i64 {
    // Exact at speed 1, which is a setting and not a computed value.
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
        let run = |(at, started_at): &(u64, i64)| Run { at: time(*at), wall: started_at * HOUR, speed: 1.0 };
        ClockRuns::of(all.iter().map(run)).unwrap()
    }

    #[test]
    fn hours_before_a_gap_are_those_of_their_day() {
        let runs = runs(&[(0, 10), (2, 20)]);
        assert_eq!([1, 2, 3].map(|hours| runs.wall(time(hours)) / HOUR), [11, 20, 21]);
        assert_eq!([9, 11, 15, 20, 21].map(|hours| runs.time(hours * HOUR)), [0, 1, 2, 2, 3].map(time));
        assert_eq!(runs.gaps(), [ClockGap { at: time(2), stopped: 12 * HOUR, resumed: 20 * HOUR }]);
        assert!(!runs.gaps()[0].moved_back());
    }

    #[test]
    fn a_clock_that_is_set_back_is_a_gap_that_ends_before_it_starts() {
        let runs = runs(&[(0, 10), (5, 12)]);
        let gap = runs.gaps()[0];
        assert_eq!((gap.stopped / HOUR, gap.resumed / HOUR, gap.moved_back()), (15, 12, true));
        assert_eq!(runs.time(13 * HOUR), time(6), "the later of two");
    }

    #[test]
    fn a_restart_within_a_second_is_no_gap() {
        let again = Run { at: time(1), wall: HOUR + 999_999_999, speed: 1.0 };
        let runs = ClockRuns::of([Run { at: Time::ZERO, wall: 0, speed: 1.0 }, again]).unwrap();
        assert_eq!(runs.gaps(), []);
    }
}
