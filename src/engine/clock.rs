//! What time it is for a scheduler.

use std::time::{Duration, Instant, SystemTime};

use crate::model::Time;

/// A clock that runs with the wall clock, or faster, or slower.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    wall: SystemTime,
    speed: f64,
}

impl Clock {
    /// A clock that stands at zero now and runs `speed` times as fast as the wall clock.
    pub fn new(speed: f64) -> Self {
        Self { start: Instant::now(), wall: SystemTime::now(), speed }
    }

    /// The time on it.
    pub fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed().mul_f64(self.speed)
    }

    /// What the wall clock showed, or will show, at `time`.
    pub fn wall(&self, time: Time) -> SystemTime {
        self.wall + Duration::from_micros(time.0).div_f64(self.speed)
    }

    /// How long one has to wait for `time`; zero if it has come.
    pub fn until(&self, time: Time) -> Duration {
        let wait = Duration::from_micros(time.0).div_f64(self.speed);
        wait.saturating_sub(self.start.elapsed())
    }
}
