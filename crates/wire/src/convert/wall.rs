//! Conversion of scheduler time to the wall clock.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use model::Time;

/// Converts the scheduler's time, which starts at 0, to ns since 1970.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Wall-clock time of the scheduler's start, in ns.
    start: i64,
    speed: f64,
}

impl Wall {
    /// `speed` is relative to the wall clock.
    pub fn new(start: SystemTime, speed: f64) -> Self {
        let since = start.duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { start: i64::try_from(since.as_nanos()).unwrap_or(i64::MAX), speed }
    }

    /// The start of the scheduler, in ns since 1970.
    pub const fn start(&self) -> i64 {
        self.start
    }

    /// Converts a time to ns since 1970.
    pub fn nanos(&self, time: Time) -> i64 {
        self.start.saturating_add(self.span(Duration::from_micros(time.0)))
    }

    /// Converts a time to ms since 1970.
    pub fn millis(&self, time: Time) -> i64 {
        self.nanos(time) / 1_000_000
    }

    /// The duration between two times, in ns.
    pub fn between(&self, from: Time, to: Time) -> i64 {
        self.nanos(to) - self.nanos(from.min(to))
    }

    /// Converts ns since 1970; earlier times become the scheduler's start.
    pub fn time(&self, nanos: i64) -> Time {
        let since = Duration::from_nanos(u64::try_from(nanos.saturating_sub(self.start)).unwrap_or(0));
        let since = if self.speed == 1.0 { since } else { since.mul_f64(self.speed) };
        Time(u64::try_from(since.as_micros()).unwrap_or(u64::MAX))
    }

    fn span(&self, span: Duration) -> i64 {
        // Exact at normal speed.
        let span = if self.speed == 1.0 { span } else { span.div_f64(self.speed) };
        i64::try_from(span.as_nanos()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_time_is_that_of_the_process() {
        let wall = Wall::new(UNIX_EPOCH + Duration::from_secs(1000), 1.0);
        assert_eq!(wall.nanos(Time::ZERO), 1_000_000_000_000);
        assert_eq!(wall.nanos(Time(7)), 1_000_000_007_000);
        assert_eq!(wall.millis(Time::from_millis(5)), 1_000_005);
        assert_eq!(wall.between(Time(3), Time(5)), 2000);
        assert_eq!(wall.between(Time(5), Time(3)), 0);
    }

    #[test]
    fn time_that_runs_faster_is_shown_by_the_wall_clock() {
        let wall = Wall::new(UNIX_EPOCH, 10.0);
        assert_eq!(wall.nanos(Time::from_millis(40_000)), 4_000_000_000);
    }
}
