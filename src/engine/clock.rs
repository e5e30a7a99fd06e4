//! What time it is for a scheduler.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::keep::Stretch;
use crate::model::Time;

/// A clock that runs with the wall clock, or faster, or slower, or stands. All copies are the same clock.
#[derive(Clone, Debug)]
pub struct Clock {
    hands: Arc<Mutex<Hands>>,
    speed: f64,
    /// When it ran before, the oldest stretch first.
    past: Arc<Mutex<Vec<Stretch>>>,
}

/// Where a clock stood, and when that was.
#[derive(Clone, Copy, Debug)]
struct Hands {
    time: Time,
    at: Instant,
    wall: SystemTime,
    runs: bool,
}

impl Hands {
    fn set(time: Time, runs: bool) -> Self {
        Self { time, at: Instant::now(), wall: SystemTime::now(), runs }
    }
}

impl Clock {
    /// A clock that stands at zero now and runs `speed` times as fast as the wall clock.
    pub fn new(speed: f64) -> Self {
        Self::going_on(speed, Time::ZERO, Vec::new())
    }

    /// A clock that stands at `now` and runs on from there; it ran before as `past` says.
    pub fn going_on(speed: f64, now: Time, past: Vec<Stretch>) -> Self {
        let hands = Arc::new(Mutex::new(Hands::set(now, true)));
        Self { hands, speed, past: Arc::new(Mutex::new(past)) }
    }

    /// How much faster than the wall clock it runs.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The time on it.
    pub fn now(&self) -> Time {
        let hands = *self.hands();
        if hands.runs { hands.time + hands.at.elapsed().mul_f64(self.speed) } else { hands.time }
    }

    /// Whether it runs.
    pub fn runs(&self) -> bool {
        self.hands().runs
    }

    /// It stands at `time` from now on.
    pub fn stop(&self, time: Time) {
        let mut hands = self.hands();
        if hands.runs {
            let stretch = Stretch { at: hands.time, wall: hands.wall.into(), speed: self.speed };
            self.past.lock().unwrap_or_else(PoisonError::into_inner).push(stretch);
        }
        *hands = Hands::set(time, false);
    }

    /// It runs on from where it stands.
    pub fn start(&self) {
        let mut hands = self.hands();
        if !hands.runs {
            *hands = Hands::set(hands.time, true);
        }
    }

    /// What the wall clock showed, or will show, at `time`, as far as the clock will not stand in between.
    pub fn wall(&self, time: Time) -> SystemTime {
        let hands = *self.hands();
        if time < hands.time {
            let past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            let behind = past.partition_point(|stretch| stretch.at <= time);
            if let Some(stretch) = behind.checked_sub(1).and_then(|at| past.get(at)) {
                return SystemTime::from(stretch.wall) + time.since(stretch.at).div_f64(stretch.speed);
            }
        }
        let (later, earlier) = (time.since(hands.time), hands.time.since(time));
        let wall = hands.wall + later.div_f64(self.speed);
        wall.checked_sub(earlier.div_f64(self.speed)).unwrap_or(wall)
    }

    /// How long one has to wait for `time`; zero if it has come, `None` while the clock stands.
    pub fn until(&self, time: Time) -> Option<Duration> {
        let hands = *self.hands();
        let wait = time.since(hands.time).div_f64(self.speed);
        hands.runs.then(|| wait.saturating_sub(hands.at.elapsed()))
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_stands_stands_and_goes_on_from_there() {
        let clock = Clock::new(1000.0);
        let shared = clock.clone();
        let noon = Time::from_millis(12_000_000);
        clock.stop(noon);
        assert_eq!((shared.now(), shared.until(noon + Duration::from_secs(1))), (noon, None));
        shared.start();
        assert!(clock.runs() && clock.now() >= noon);
        assert!(clock.until(noon).is_some_and(|wait| wait.is_zero()));
        let hour = Duration::from_secs(3600);
        let apart = clock.wall(noon + hour).duration_since(clock.wall(noon)).unwrap();
        assert!((apart.as_secs_f64() - 3.6).abs() < 0.001, "{apart:?}");
    }
}
