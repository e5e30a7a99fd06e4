//! Amounts times time, exactly.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::Resource;

/// How many microseconds a second has.
const SECOND: u128 = 1_000_000;

/// Resources times time, by name: base units (thousandths of a core, bytes) times microseconds. Names without any are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Integral(BTreeMap<Box<str>, u128>);

impl Integral {
    /// Adds an amount that was there for a time. What is below zero adds nothing.
    pub fn add(&mut self, resource: &Resource, time: Duration) {
        let micros = time.as_micros();
        for (name, amount) in resource.iter() {
            let amount = u128::try_from(amount).unwrap_or(0).saturating_mul(micros);
            if amount > 0 {
                self.add_micros(name, amount);
            }
        }
    }

    /// Adds base units times microseconds of a name.
    pub(super) fn add_micros(&mut self, name: &str, amount: u128) {
        match self.0.get_mut(name) {
            Some(sum) => *sum = sum.saturating_add(amount),
            None => drop(self.0.insert(Box::from(name), amount)),
        }
    }

    /// Adds another integral.
    pub fn add_assign(&mut self, other: &Self) {
        other.0.iter().for_each(|(name, amount)| self.add_micros(name, *amount));
    }

    /// What is left of it without another one; never below zero.
    #[must_use]
    pub fn without(&self, other: &Self) -> Self {
        let mut left = Self::default();
        for (name, amount) in self.micros() {
            let amount = amount.saturating_sub(other.0.get(name).copied().unwrap_or(0));
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

    /// Base units times seconds of a name, rounded to the nearest; 0 without any.
    pub fn seconds(&self, name: &str) -> u64 {
        let micros = self.0.get(name).copied().unwrap_or(0);
        u64::try_from(micros.saturating_add(SECOND / 2) / SECOND).unwrap_or(u64::MAX)
    }

    /// The names of which there is something.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
