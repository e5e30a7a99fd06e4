//! A reproducible random number generator.

/// A splitmix64 generator.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Rng(u64);

impl Rng {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64-bit number.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`, inclusive.
    pub fn between(&mut self, (least, most): (u32, u32)) -> u32 {
        let span = u64::from(most.saturating_sub(least)) + 1;
        // The upper half of the product of two 32-bit numbers is below the span.
        let drawn = ((self.bits() >> 32) * span) >> 32;
        least + u32::try_from(drawn).unwrap_or(0)
    }

    /// One of the values.
    pub fn one_of<T: Copy>(&mut self, values: &[T], default: T) -> T {
        let last = u32::try_from(values.len()).unwrap_or(u32::MAX).saturating_sub(1);
        values.get(self.between((0, last)) as usize).copied().unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_sequence_within_its_bounds() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            (0..1000).map(|_| rng.between((3, 9))).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        for wanted in 3..=9 {
            assert!(draw(1).contains(&wanted));
        }
        assert!(draw(1).iter().all(|drawn| (3..=9).contains(drawn)));
        assert_eq!(Rng::new(7).between((5, 5)), 5);
    }
}
