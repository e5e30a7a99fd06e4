//! Points in time of a scheduler.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// Microseconds since the scheduler's start. Requests of one step are 1 µs apart (`scenario.md`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Time(pub u64);

impl Time {
    /// The scheduler's start.
    pub const ZERO: Self = Self(0);

    /// `ms` milliseconds after the start.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms.saturating_mul(1000))
    }

    /// Whole milliseconds since the start.
    pub const fn as_millis(self) -> u64 {
        self.0 / 1000
    }

    /// The time since `earlier`; zero if that is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Time {
    type Output = Self;

    fn add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl Sub<Duration> for Time {
    type Output = Self;

    fn sub(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(u64::try_from(by.as_micros()).unwrap_or(u64::MAX)))
    }
}

impl fmt::Display for Time {
    /// Seconds with milliseconds: `12.345s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = self.as_millis();
        write!(f, "{}.{:03}s", ms / 1000, ms % 1000)
    }
}
