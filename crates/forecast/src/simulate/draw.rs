//! Pseudorandom numbers from a seed.

use std::time::Duration;

use scenario::Rng;

/// The demo's generator, for workloads.
#[derive(Clone, Debug)]
pub struct Draw(Rng);

impl Draw {
    /// Starts the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Rng::new(seed))
    }

    /// Returns 0 if the limit is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        let product = u128::from(self.0.bits()) * u128::from(limit);
        // The upper half of the product is below the limit.
        u64::try_from(product >> 64).unwrap_or(0)
    }

    /// Returns a number from 0 to below 1.
    pub fn share(&mut self) -> f64 {
        (self.0.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a time between two, inclusive.
    pub fn time(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u64::try_from(most.saturating_sub(least).as_micros()).unwrap_or(u64::MAX - 1);
        least + Duration::from_micros(self.below(span.saturating_add(1)))
    }

    /// Draws the time until the next arrival of a Poisson process.
    pub fn interval(&mut self, mean: Duration) -> Duration {
        let factor = -(1.0 - self.share()).ln();
        Duration::try_from_secs_f64(mean.as_secs_f64() * factor).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_within_its_limits() {
        let numbers = |seed| (0..1000).scan(Draw::new(seed), |draw, _| Some(draw.below(7))).collect::<Vec<u64>>();
        assert_eq!(numbers(1), numbers(1));
        assert_ne!(numbers(1), numbers(2));
        assert!((0..7).all(|wanted| numbers(1).contains(&wanted)) && numbers(1).iter().all(|drawn| *drawn < 7));
        assert_eq!(Draw::new(1).below(0), 0);
        let (least, most) = (Duration::from_secs(2), Duration::from_secs(3));
        let mut draw = Draw::new(5);
        assert!((0..1000).map(|_| draw.time(least, most)).all(|time| (least..=most).contains(&time)));
    }

    #[test]
    fn intervals_have_their_mean() {
        let (mut draw, mean) = (Draw::new(3), Duration::from_secs(10));
        let sum: f64 = (0..20_000).map(|_| draw.interval(mean).as_secs_f64()).sum();
        assert!((sum / 20_000.0 - 10.0).abs() < 0.3, "{}", sum / 20_000.0);
    }
}
