//! Usage over time, in bins of equal length.

use std::time::Duration;

use super::metrics::Series;
use ledger::Integral;
use model::{Resource, Time};

const STRETCHES: usize = 256;

/// Bins of equal length, which doubles when there are too many.
#[derive(Debug)]
pub(super) struct Bins {
    every: u64,
    bins: Vec<Bin>,
}

#[derive(Clone, Debug, Default)]
struct Bin {
    time: u128,
    waiting: u128,
    used: Integral,
    capacity: Integral,
}

impl Default for Bins {
    fn default() -> Self {
        Self { every: 1_000_000, bins: Vec::new() }
    }
}

impl Bins {
    pub fn add(&mut self, (from, to): (Time, Time), used: &Resource, capacity: &Resource, waiting: u64) {
        while to.0.div_ceil(self.every) > STRETCHES as u64 {
            self.every = self.every.saturating_mul(2);
            self.bins = self.bins.chunks(2).map(|pair| pair.iter().fold(Bin::default(), Bin::with)).collect();
        }
        let mut at = from.0;
        while at < to.0 {
            let number = at / self.every;
            let end = to.0.min((number + 1).saturating_mul(self.every));
            let number = usize::try_from(number).unwrap_or(STRETCHES);
            if self.bins.len() <= number {
                self.bins.resize(number + 1, Bin::default());
            }
            let (bin, time) = (&mut self.bins[number], end - at);
            bin.time += u128::from(time);
            bin.waiting += u128::from(time) * u128::from(waiting);
            bin.used.add(used, Duration::from_micros(time));
            bin.capacity.add(capacity, Duration::from_micros(time));
            at = end;
        }
    }

    /// Returns all bins as shares of the capacity.
    pub fn series(&self) -> Series {
        let names: std::collections::BTreeSet<&str> = self.bins.iter().flat_map(|bin| bin.capacity.names()).collect();
        let used = names.into_iter().map(|name| {
            let share = |bin: &Bin| {
                let of =
                    |integral: &Integral| integral.micros().find(|(one, _)| *one == name).map_or(0, |(_, all)| all);
                let (used, capacity) = (of(&bin.used), of(&bin.capacity).max(1));
                u32::try_from(used.saturating_mul(1000) / capacity).unwrap_or(u32::MAX)
            };
            (name.to_owned(), self.bins.iter().map(share).collect())
        });
        let waiting = |bin: &Bin| u64::try_from(bin.waiting / bin.time.max(1)).unwrap_or(u64::MAX);
        Series { every: self.every / 1000, used: used.collect(), waiting: self.bins.iter().map(waiting).collect() }
    }
}

impl Bin {
    fn with(mut self, other: &Self) -> Self {
        self.time += other.time;
        self.waiting += other.waiting;
        self.used.add_assign(&other.used);
        self.capacity.add_assign(&other.capacity);
        self
    }
}
