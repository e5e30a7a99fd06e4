//! Maps scheduler time to the wall clock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde::{Deserialize, Serialize};

use super::journal::record::WallTime;
use model::Time;
use view::ClockRuns;
use view::clock_runs::Run;

const MOST_RUNS: usize = 1000;

/// From here until the next run, the scheduler clock followed the wall clock at one speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClockRun {
    /// The scheduler time at the start.
    pub at: Time,
    /// The wall clock at the start.
    pub wall: WallTime,
    /// The speed relative to the wall clock.
    pub speed: f64,
}

impl ClockRun {
    fn wall(&self, time: Time) -> SystemTime {
        SystemTime::from(self.wall) + time.since(self.at).div_f64(self.speed)
    }
}

impl ClockRun {
    /// The run in nanoseconds.
    pub fn run(self) -> Run {
        let wall = i64::try_from(self.wall.0.saturating_mul(1000)).unwrap_or(i64::MAX);
        Run { at: self.at, wall, speed: self.speed }
    }
}

/// The recorded runs of the clock, the oldest first, at most [`MOST_RUNS`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ClockHistory(VecDeque<ClockRun>);

impl ClockHistory {
    /// `None` before the first run.
    pub fn wall(&self, time: Time) -> Option<SystemTime> {
        let at = self.0.partition_point(|run| run.at <= time);
        Some(self.0.get(at.checked_sub(1)?)?.wall(time))
    }

    pub fn push(&mut self, run: ClockRun) {
        self.0.push_back(run);
        if self.0.len() > MOST_RUNS {
            self.0.pop_front();
        }
    }

    /// Adds a run after a pause, at the recorded time and speed; without a speed, at that of the previous run.
    pub fn resume(&mut self, at: Time, wall: Option<WallTime>, speed: Option<f64>) {
        let speed = speed.or_else(|| self.last().map(|run| run.speed));
        if let (Some(wall), Some(speed)) = (wall, speed) {
            self.push(ClockRun { at, wall, speed });
        }
    }

    pub fn last(&self) -> Option<&ClockRun> {
        self.0.back()
    }

    pub fn runs(&self) -> Vec<ClockRun> {
        self.0.iter().copied().collect()
    }
}

/// A clock with a speed, which can be stopped. Clones share the clock.
#[derive(Clone, Debug)]
pub struct Clock {
    reading: Arc<Mutex<ClockReading>>,
    speed: f64,
    past: Arc<Mutex<Vec<ClockRun>>>,
}

#[derive(Clone, Copy, Debug)]
struct ClockReading {
    time: Time,
    at: Instant,
    wall: SystemTime,
    runs: bool,
}

impl ClockReading {
    fn set(time: Time, runs: bool) -> Self {
        Self { time, at: Instant::now(), wall: SystemTime::now(), runs }
    }

    /// Uses the recorded wall clock of the same scheduler time.
    fn as_written(self, run: Option<&ClockRun>) -> Self {
        let written = run.filter(|run| run.at == self.time);
        Self { wall: written.map_or(self.wall, |run| run.wall.into()), ..self }
    }
}

impl Clock {
    /// Returns a clock at zero with a speed relative to the wall clock.
    pub fn new(speed: f64) -> Self {
        Self::continuing(speed, Time::ZERO, Vec::new())
    }

    /// Returns a clock at `now`, with its earlier runs.
    pub fn continuing(speed: f64, now: Time, past: Vec<ClockRun>) -> Self {
        let reading = Arc::new(Mutex::new(ClockReading::set(now, true).as_written(past.last())));
        Self { reading, speed, past: Arc::new(Mutex::new(past)) }
    }

    /// The speed relative to the wall clock.
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The current time.
    pub fn now(&self) -> Time {
        let reading = *self.reading();
        if reading.runs { reading.time + reading.at.elapsed().mul_f64(self.speed) } else { reading.time }
    }

    /// Whether it runs.
    pub fn runs(&self) -> bool {
        self.reading().runs
    }

    /// Stops the clock at `time`.
    pub fn stop(&self, time: Time) {
        let mut reading = self.reading();
        if reading.runs {
            let run = ClockRun { at: reading.time, wall: reading.wall.into(), speed: self.speed };
            self.past.lock().unwrap_or_else(PoisonError::into_inner).push(run);
        }
        *reading = ClockReading::set(time, false);
    }

    /// Continues from the stopped time.
    pub fn start(&self) {
        self.start_as(None);
    }

    /// Continues with a recorded wall clock time, so that the mapping never changes.
    pub fn start_as(&self, written: Option<&ClockRun>) {
        let mut reading = self.reading();
        if !reading.runs {
            *reading = ClockReading::set(reading.time, true).as_written(written);
        }
    }

    /// The past or future wall clock at `time`, if the clock is not stopped in between.
    pub fn wall(&self, time: Time) -> SystemTime {
        let reading = *self.reading();
        if time < reading.time {
            let past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
            let behind = past.partition_point(|run| run.at <= time);
            if let Some(run) = behind.checked_sub(1).and_then(|at| past.get(at)) {
                return run.wall(time);
            }
        }
        let (later, earlier) = (time.since(reading.time), reading.time.since(time));
        let wall = reading.wall + later.div_f64(self.speed);
        wall.checked_sub(earlier.div_f64(self.speed)).unwrap_or(wall)
    }

    /// All runs, including the current one or the stop.
    pub fn runs_so_far(&self) -> ClockRuns {
        let ClockReading { time, wall, .. } = *self.reading();
        let past = self.past.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let now = ClockRun { at: time, wall: wall.into(), speed: self.speed };
        let last = past.last() == Some(&now);
        let runs = past.into_iter().chain((!last).then_some(now)).map(ClockRun::run);
        ClockRuns::of(runs).unwrap_or_else(|| ClockRuns::always(now.run().wall, self.speed))
    }

    /// `None` while the clock is stopped.
    pub fn until(&self, time: Time) -> Option<Duration> {
        let reading = *self.reading();
        let wait = time.since(reading.time).div_f64(self.speed);
        reading.runs.then(|| wait.saturating_sub(reading.at.elapsed()))
    }

    fn reading(&self) -> MutexGuard<'_, ClockReading> {
        self.reading.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_clock_continues_from_the_same_time() {
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
