//! The recent mean duration of scheduling cycles, from monotonic counters.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const OVER: Duration = Duration::from_secs(10);

/// The recent mean duration of cycles.
#[derive(Debug, Default)]
pub struct Cycles(Mutex<Reading>);

#[derive(Clone, Copy, Debug, Default)]
struct Reading {
    at: Option<Duration>,
    count: u64,
    total: Duration,
    mean: Option<Duration>,
}

impl Cycles {
    /// Adds a reading of the number and total duration of cycles; `now` is from any monotonic clock. Returns the mean
    /// since the previous reading, or the last one with cycles; `None` before the first cycle.
    pub fn take(&self, now: Duration, count: u64, total: Duration) -> Option<Duration> {
        let reading = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if reading.count > count {
            // A restarted scheduler counts from zero.
            *reading = Reading::default();
        }
        if reading.mean.is_some() && reading.at.is_some_and(|at| now < at + OVER) {
            return reading.mean;
        }
        let (cycles, took) = (count - reading.count, total.saturating_sub(reading.total));
        if cycles > 0 {
            let mean = Duration::from_nanos(u64::try_from(took.as_nanos() / u128::from(cycles)).unwrap_or(u64::MAX));
            *reading = Reading { at: Some(now), count, total, mean: Some(mean) };
        }
        reading.mean
    }

    /// The last returned mean.
    pub fn mean(&self) -> Option<Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).mean
    }
}

/// Parses the number and total duration of cycles from Prometheus metrics. Releases up to 1.6 count only the main
/// routine.
pub fn of_metrics(text: &str) -> Option<(u64, Duration)> {
    ["scheduling_cycle", "scheduling_latency"].into_iter().find_map(|step| {
        let name = format!("yunikorn_scheduler_{step}_milliseconds");
        let value = |of: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name.as_str())?.strip_prefix(of));
            line?.trim().parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0)
        };
        // In seconds, despite the name.
        let total = Duration::try_from_secs_f64(value("_sum ")?).ok()?;
        let count = value("_count ")? as u64;
        (count > 0).then_some((count, total))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);
    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_mean_is_of_the_cycles_since_the_last_one() {
        let cycles = Cycles::default();
        assert_eq!(cycles.take(S, 0, Duration::ZERO), None, "there was no cycle yet");
        assert_eq!(cycles.take(2 * S, 10, 20 * MS), Some(2 * MS));
        assert_eq!(cycles.take(5 * S, 20, 120 * MS), Some(2 * MS), "not for every look");
        assert_eq!(cycles.take(13 * S, 20, 120 * MS), Some(10 * MS));
        assert_eq!(cycles.take(60 * S, 20, 120 * MS), Some(10 * MS), "nothing has run since");
        assert_eq!(cycles.take(61 * S, 2, 2 * MS), Some(MS), "another run of the scheduler");
        assert_eq!(cycles.mean(), Some(MS));
    }

    #[test]
    fn metrics_are_in_seconds_and_those_of_a_cycle_are_first() {
        let of = |step: &str| {
            let name = format!("yunikorn_scheduler_{step}_milliseconds");
            format!("# TYPE {name} histogram\n{name}_bucket{{le=\"0.1\"}} 4\n{name}_sum 0.5\n{name}_count 5\n")
        };
        assert_eq!(of_metrics(&of("scheduling_latency")), Some((5, 500 * MS)));
        let both = of("scheduling_latency") + &of("scheduling_cycle").replace("0.5", "0.25");
        assert_eq!(of_metrics(&both), Some((5, 250 * MS)));
        assert_eq!(of_metrics(&of("trynode_latency")), None);
        assert_eq!(of_metrics(&of("scheduling_cycle").replace("_count 5", "_count 0")), None, "none has run");
        assert_eq!(of_metrics(&of("scheduling_cycle").replace("0.5", "NaN")), None);
    }
}
