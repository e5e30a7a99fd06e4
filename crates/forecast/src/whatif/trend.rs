//! An amount over a run of unknown length, in a bounded number of equal steps.

use std::time::Duration;

use model::Time;

/// The most steps. If the run is longer, two steps become one.
const MOST: usize = 16;
const FIRST: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(super) struct Trend {
    started_at: Time,
    step: Duration,
    areas: Vec<f64>,
}

impl Trend {
    pub fn initial(started_at: Time) -> Self {
        Self { started_at, step: FIRST, areas: Vec::new() }
    }

    pub fn add(&mut self, amount: i64, from: Time, until: Time) {
        let (from, until) = (from.since(self.started_at).as_secs_f64(), until.since(self.started_at).as_secs_f64());
        while until > self.step.as_secs_f64() * MOST as f64 {
            self.step *= 2;
            self.areas = self.areas.chunks(2).map(|pair| pair.iter().sum()).collect();
        }
        let step = self.step.as_secs_f64();
        let mut at = (from / step) as usize;
        while at as f64 * step < until {
            let part = until.min((at + 1) as f64 * step) - from.max(at as f64 * step);
            self.areas.resize(self.areas.len().max(at + 1), 0.0);
            self.areas[at] += amount as f64 * part;
            at += 1;
        }
    }

    /// The mean of each step until `now`; the last step can be shorter.
    pub fn means(&self, now: Time) -> Vec<i64> {
        let (step, end) = (self.step.as_secs_f64(), now.since(self.started_at).as_secs_f64());
        let length = |at: usize| (end - at as f64 * step).clamp(f64::EPSILON, step);
        self.areas.iter().enumerate().map(|(at, area)| (area / length(at)).round() as i64).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_any_length_has_a_bounded_number_of_steps_with_the_mean_of_each() {
        let at = |seconds: u64| Time::from_millis(seconds * 1000);
        let mut trend = Trend::initial(at(100));
        trend.add(4, at(100), at(102));
        trend.add(0, at(102), at(103));
        assert_eq!(trend.means(at(103)), [4, 4, 0]);
        trend.add(8, at(103), at(120));
        // Steps of 2 seconds: 4 and 4, 0 and 8, then 8.
        assert_eq!(trend.means(at(120)), [4, 4, 8, 8, 8, 8, 8, 8, 8, 8]);
        trend.add(16, at(120), at(1100));
        let means = trend.means(at(1100));
        assert!(means.len() <= MOST && means[0] < 16 && means[1..].iter().all(|mean| *mean == 16), "{means:?}");
    }
}
