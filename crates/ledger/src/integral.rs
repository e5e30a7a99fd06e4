//! Exact products of quantities and time.

use std::time::Duration;

use model::Resource;

const SECOND: u128 = 1_000_000;

/// Quantities times time, sorted by name: base units (millicores, bytes) times microseconds. Zero entries are omitted.
///
/// A list instead of a map: there are tens of thousands of these with two or three names each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integral(Vec<(Box<str>, u128)>);

impl Integral {
    /// Adds a quantity over a duration. Negative quantities are ignored.
    pub fn add(&mut self, resource: &Resource, time: Duration) {
        let micros = time.as_micros();
        for (name, amount) in resource.iter() {
            let amount = u128::try_from(amount).unwrap_or(0).saturating_mul(micros);
            if amount > 0 {
                self.add_micros(name, amount);
            }
        }
    }

    pub(super) fn add_micros(&mut self, name: &str, amount: u128) {
        match self.place(name) {
            Ok(at) => self.0[at].1 = self.0[at].1.saturating_add(amount),
            Err(at) => self.0.insert(at, (Box::from(name), amount)),
        }
    }

    /// The index of a name (`Ok`), or where to insert it (`Err`).
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(other, _)| (**other).cmp(name))
    }

    /// Base units times microseconds; 0 if absent.
    pub(super) fn amount(&self, name: &str) -> u128 {
        self.place(name).map_or(0, |at| self.0[at].1)
    }

    /// Adds another integral.
    pub fn add_assign(&mut self, other: &Self) {
        other.micros().for_each(|(name, amount)| self.add_micros(name, amount));
    }

    /// Subtracts another integral; never below zero.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Self::default();
        for (name, amount) in self.micros() {
            let amount = amount.saturating_sub(other.amount(name));
            if amount > 0 {
                left.add_micros(name, amount);
            }
        }
        left
    }

    /// Base units times microseconds, by name.
    pub fn micros(&self) -> impl Iterator<Item = (&str, u128)> {
        self.0.iter().map(|(name, amount)| (&**name, *amount))
    }

    /// Base units times seconds, rounded to the nearest; 0 if absent.
    pub fn seconds(&self, name: &str) -> u64 {
        let micros = self.amount(name);
        u64::try_from(micros.saturating_add(SECOND / 2) / SECOND).unwrap_or(u64::MAX)
    }

    /// The names with an entry.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
