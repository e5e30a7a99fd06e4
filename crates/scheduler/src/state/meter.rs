//! The rate of allocations.

use std::collections::VecDeque;

use model::Time;

const WINDOW: u64 = 5;

/// Counts the allocations of the last seconds.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Meter {
    /// (second, allocations), the oldest first.
    seconds: VecDeque<(u64, u64)>,
}

impl Meter {
    pub(crate) fn count(&mut self, now: Time) {
        let second = now.as_millis() / 1000;
        match self.seconds.back_mut() {
            Some((last, count)) if *last == second => *count += 1,
            _ => self.seconds.push_back((second, 1)),
        }
        while self.seconds.front().is_some_and(|(oldest, _)| oldest + WINDOW <= second) {
            self.seconds.pop_front();
        }
    }

    /// Allocations per second in the last seconds.
    pub fn rate(&self, now: Time) -> f64 {
        let second = now.as_millis() / 1000;
        let recent = self.seconds.iter().filter(|(then, _)| then + WINDOW > second);
        let count: u64 = recent.map(|(_, count)| count).sum();
        count as f64 / WINDOW.min(second + 1) as f64
    }

    /// When the rate decreases if nothing is allocated until then.
    pub fn next_change(&self, now: Time) -> Option<Time> {
        let second = now.as_millis() / 1000;
        let oldest = self.seconds.iter().find(|(then, _)| then + WINDOW > second)?;
        Some(Time::from_millis((oldest.0 + WINDOW) * 1000))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_last_five_seconds() {
        let mut meter = Meter::default();
        let at = Time::from_millis;
        for ms in [0, 500, 1000] {
            meter.count(at(ms));
        }
        assert_eq!(meter.rate(at(1000)).to_string(), "1.5");
        assert_eq!(meter.rate(at(4999)).to_string(), "0.6");
        assert_eq!(meter.next_change(at(4999)), Some(at(5000)));
        assert_eq!(meter.rate(at(5000)).to_string(), "0.2");
        assert_eq!(meter.rate(at(6000)).to_string(), "0");
        assert_eq!(meter.next_change(at(6000)), None);
    }
}
