//! The rate of frames: high after input, low while the console is untouched, so that it costs little.

use std::time::Duration;

const AFTER_INPUT: Duration = Duration::from_millis(16);
/// The pause between two frames of an untouched console: changes are shown within a second.
const UNTOUCHED: Duration = Duration::from_millis(500);
/// How long the rate is high after input.
const TOUCHED_FOR: Duration = Duration::from_secs(2);

/// When the state was last refreshed and drawn. Times are since the start of the console.
#[derive(Debug, Default)]
pub struct FrameRate {
    input: Duration,
    refreshed: Duration,
    drawn: Duration,
}

impl FrameRate {
    /// The start counts as input.
    pub fn input(&mut self, now: Duration) {
        self.input = now;
    }

    /// Records a refresh of the state.
    pub fn refreshed(&mut self, now: Duration) {
        self.refreshed = now;
    }

    /// Records a frame.
    pub fn drawn(&mut self, now: Duration) {
        self.drawn = now;
    }

    /// The earliest time of the next refresh for news.
    pub fn next_refresh(&self, now: Duration) -> Duration {
        self.refreshed + self.pause(now)
    }

    /// The earliest time of the next frame.
    pub fn next_frame(&self, now: Duration) -> Duration {
        self.drawn + self.pause(now)
    }

    fn pause(&self, now: Duration) -> Duration {
        if now < self.input + TOUCHED_FOR { AFTER_INPUT } else { UNTOUCHED }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_frequent_after_input_and_at_the_start() {
        let at = Duration::from_millis;
        let mut rate = FrameRate::default();
        rate.drawn(at(100));
        assert_eq!(rate.next_frame(at(100)), at(116));
        rate.drawn(at(5000));
        rate.refreshed(at(4900));
        assert_eq!((rate.next_frame(at(5000)), rate.next_refresh(at(5000))), (at(5500), at(5400)));
        rate.input(at(5010));
        assert_eq!((rate.next_frame(at(5010)), rate.next_refresh(at(5010))), (at(5016), at(4916)));
    }
}
