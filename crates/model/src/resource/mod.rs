//! Resource quantities and their arithmetic (`scheduler.md` section 2).
//!
//! Units: memory in bytes, `vcore` in millicores, other names without conversion. An absent name differs from 0:
//! compare [`Resource::fit_in`] and [`Resource::fit_in_max_undef`]. An unset resource is `Option::None`.
//!
//! `memory` and `vcore` have separate fields for speed.

mod compare;
mod format;

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::sync::Arc;

/// The name of the memory resource, in bytes.
pub const MEMORY: &str = "memory";
/// The name of the processor resource, in millicores.
pub const VCORE: &str = "vcore";

/// A sparse map from resource names to amounts (SCH-020 to SCH-036).
#[derive(Clone, Default)]
pub struct Resource {
    memory: i64,
    vcore: i64,
    present: Present,
    other: Option<Box<Others>>,
}

/// Without `memory` and `vcore`, sorted. Never empty.
#[derive(Clone, Default)]
struct Others(Vec<(Arc<str>, i64)>);

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Present {
    memory: bool,
    vcore: bool,
}

impl Resource {
    /// A resource without any name.
    pub const fn new() -> Self {
        Self { memory: 0, vcore: 0, present: Present { memory: false, vcore: false }, other: None }
    }

    fn memory(&self) -> Option<i64> {
        self.present.memory.then_some(self.memory)
    }

    fn vcore(&self) -> Option<i64> {
        self.present.vcore.then_some(self.vcore)
    }

    fn set_memory(&mut self, amount: Option<i64>) {
        self.memory = amount.unwrap_or(0);
        self.present.memory = amount.is_some();
    }

    fn set_vcore(&mut self, amount: Option<i64>) {
        self.vcore = amount.unwrap_or(0);
        self.present.vcore = amount.is_some();
    }

    fn others(&self) -> &[(Arc<str>, i64)] {
        self.other.as_ref().map_or(&[], |other| &other.0)
    }

    fn others_mut(&mut self) -> &mut [(Arc<str>, i64)] {
        self.other.as_mut().map_or(&mut [], |other| &mut other.0)
    }

    /// A missing value is 0.
    fn change_other(&mut self, name: &str, own: impl FnOnce() -> Arc<str>, change: impl FnOnce(i64) -> i64) {
        let list = &mut self.other.get_or_insert_default().0;
        match list.binary_search_by(|(n, _)| (**n).cmp(name)) {
            Ok(at) => list[at].1 = change(list[at].1),
            Err(at) => list.insert(at, (own(), change(0))),
        }
    }

    /// The amount of `name`, if it is present.
    pub fn get(&self, name: &str) -> Option<i64> {
        match name {
            MEMORY => self.memory(),
            VCORE => self.vcore(),
            _ => {
                let at = self.others().binary_search_by(|(n, _)| (**n).cmp(name)).ok()?;
                Some(self.others()[at].1)
            }
        }
    }

    /// The amount of `name`, 0 where it is absent.
    pub fn amount(&self, name: &str) -> i64 {
        self.get(name).unwrap_or(0)
    }

    /// Sets the amount of `name`.
    pub fn set(&mut self, name: &str, amount: i64) {
        match name {
            MEMORY => self.set_memory(Some(amount)),
            VCORE => self.set_vcore(Some(amount)),
            _ => self.change_other(name, || Arc::from(name), |_| amount),
        }
    }

    /// All names and values: memory, vcore, then the others by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, i64)> {
        let own = [(MEMORY, self.memory()), (VCORE, self.vcore())];
        own.into_iter()
            .filter_map(|(name, amount)| amount.map(|a| (name, a)))
            .chain(self.others().iter().map(|(name, amount)| (&**name, *amount)))
    }

    /// Visits each name of `self` with its value and that in `other`.
    pub fn each_pair(&self, other: &Self, mut visit: impl FnMut(&str, i64, Option<i64>)) {
        if self.present.memory {
            visit(MEMORY, self.memory, other.memory());
        }
        if self.present.vcore {
            visit(VCORE, self.vcore, other.vcore());
        }
        for (name, amount) in self.others() {
            visit(name, *amount, other.get(name));
        }
    }

    /// The number of names present.
    pub fn len(&self) -> usize {
        usize::from(self.present.memory) + usize::from(self.present.vcore) + self.others().len()
    }

    /// Whether no name is present.
    pub fn is_empty(&self) -> bool {
        self.present == Present::default() && self.other.is_none()
    }

    /// Whether no name is present or all amounts are 0 (SCH-032).
    pub fn is_zero(&self) -> bool {
        self.memory == 0 && self.vcore == 0 && self.others().iter().all(|(_, amount)| *amount == 0)
    }

    fn union<'a>(&'a self, other: &'a Self, mut visit: impl FnMut(&'a str, Option<i64>, Option<i64>)) {
        if self.present.memory || other.present.memory {
            visit(MEMORY, self.memory(), other.memory());
        }
        if self.present.vcore || other.present.vcore {
            visit(VCORE, self.vcore(), other.vcore());
        }
        let (mut left, mut right) = (self.others(), other.others());
        loop {
            let order = match (left.first(), right.first()) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(l), Some(r)) => l.0.cmp(&r.0),
            };
            let (mut name, mut l, mut r) = ("", None, None);
            if order.is_le() {
                (name, l) = (&left[0].0, Some(left[0].1));
                left = &left[1..];
            }
            if order.is_ge() {
                (name, r) = (&right[0].0, Some(right[0].1));
                right = &right[1..];
            }
            visit(name, l, r);
        }
    }

    fn are_plain(&self, other: &Self) -> bool {
        self.other.is_none() && other.other.is_none()
    }

    /// For every name of the union; a missing value is `None`.
    fn all(&self, other: &Self, test: impl Fn(Option<i64>, Option<i64>) -> bool) -> bool {
        if !self.are_plain(other) {
            let mut all_true = true;
            self.union(other, |_, l, r| all_true &= test(l, r));
            return all_true;
        }
        let both = |l: Option<i64>, r: Option<i64>| (l.is_none() && r.is_none()) || test(l, r);
        both(self.memory(), other.memory()) && both(self.vcore(), other.vcore())
    }

    /// Over the union of names; omits a name for `None`.
    fn combine(&self, other: &Self, combine: impl Fn(Option<i64>, Option<i64>) -> Option<i64>) -> Self {
        let both = |l: Option<i64>, r: Option<i64>| if l.is_none() && r.is_none() { None } else { combine(l, r) };
        let mut result = Self::new();
        result.set_memory(both(self.memory(), other.memory()));
        result.set_vcore(both(self.vcore(), other.vcore()));
        if !self.are_plain(other) {
            let mut list = Vec::new();
            self.union(other, |name, l, r| {
                if name != MEMORY
                    && name != VCORE
                    && let Some(amount) = combine(l, r)
                {
                    list.push((Arc::from(name), amount));
                }
            });
            result.other = (!list.is_empty()).then(|| Box::new(Others(list)));
        }
        result
    }

    /// The sum over the union of names, saturating (SCH-020).
    #[must_use]
    pub fn add(&self, other: &Self) -> Self {
        self.combine(other, |l, r| Some(l.unwrap_or(0).saturating_add(r.unwrap_or(0))))
    }

    /// The difference over the union of names, saturating; may be negative (SCH-020).
    #[must_use]
    pub fn sub(&self, other: &Self) -> Self {
        self.combine(other, |l, r| Some(l.unwrap_or(0).saturating_sub(r.unwrap_or(0))))
    }

    /// Whether the sum over the union of names does not overflow.
    pub fn adds_exactly(&self, other: &Self) -> bool {
        self.all(other, |l, r| l.unwrap_or(0).checked_add(r.unwrap_or(0)).is_some())
    }

    /// Adds `other` in place (SCH-020).
    pub fn add_assign(&mut self, other: &Self) {
        self.update(other, i64::saturating_add);
    }

    /// Subtracts `other` in place (SCH-020).
    pub fn sub_assign(&mut self, other: &Self) {
        self.update(other, i64::saturating_sub);
    }

    fn update(&mut self, other: &Self, change: impl Fn(i64, i64) -> i64) {
        // An absent name is 0 and changes nothing.
        self.memory = change(self.memory, other.memory);
        self.vcore = change(self.vcore, other.vcore);
        self.present.memory |= other.present.memory;
        self.present.vcore |= other.present.vcore;
        for (name, by) in other.others() {
            self.change_other(name, || Arc::clone(name), |amount| change(amount, *by));
        }
    }

    /// Drops the names whose amount is 0 (D-20).
    pub fn prune(&mut self) {
        self.present.memory &= self.memory != 0;
        self.present.vcore &= self.vcore != 0;
        if let Some(other) = &mut self.other {
            other.0.retain(|(_, amount)| *amount != 0);
            if other.0.is_empty() {
                self.other = None;
            }
        }
    }

    /// The same without the names whose amount is 0.
    #[must_use]
    pub fn pruned(mut self) -> Self {
        self.prune();
        self
    }

    /// The difference of the names of `self` (SCH-021).
    #[must_use]
    pub fn sub_only_existing(&self, other: &Self) -> Self {
        self.combine(other, |l, r| l.map(|l| l.saturating_sub(r.unwrap_or(0))))
    }

    /// The difference over the union of names, at least 0 (SCH-022).
    #[must_use]
    pub fn sub_eliminate_negative(&self, other: &Self) -> Self {
        self.combine(other, |l, r| Some(l.unwrap_or(0).saturating_sub(r.unwrap_or(0)).max(0)))
    }

    /// The smaller values; missing ones count as 0 (SCH-029, both sides set).
    #[must_use]
    pub fn min_strict(&self, other: &Self) -> Self {
        self.combine(other, |l, r| Some(l.unwrap_or(0).min(r.unwrap_or(0))))
    }

    /// A missing value is ignored (SCH-030, both sides set).
    #[must_use]
    pub fn min_permissive(&self, other: &Self) -> Self {
        self.combine(other, |l, r| match (l, r) {
            (Some(l), Some(r)) => Some(l.min(r)),
            (l, r) => l.or(r),
        })
    }

    /// SCH-030 with unset sides.
    pub fn min_permissive_unset(left: Option<&Self>, right: Option<&Self>) -> Option<Self> {
        match (left, right) {
            (Some(l), Some(r)) => Some(l.min_permissive(r)),
            (one, other) => one.or(other).cloned(),
        }
    }

    /// The larger values; missing ones count as 0 (SCH-031, both sides set).
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        self.combine(other, |l, r| Some(l.unwrap_or(0).max(r.unwrap_or(0))))
    }

    /// Every value times `factor`, truncated towards zero, saturating (SCH-033).
    #[must_use]
    pub fn multiply(&self, factor: f64) -> Self {
        let mut result = self.clone();
        // `as` cuts towards zero, saturates, and converts NaN to 0, as SCH-033 requires.
        let scale = |amount: &mut i64| *amount = (*amount as f64 * factor) as i64;
        scale(&mut result.memory);
        scale(&mut result.vcore);
        result.others_mut().iter_mut().for_each(|(_, amount)| scale(amount));
        result
    }

    /// The usage in percent of the maximum `self`, for names that are also in `usage` (SCH-035).
    #[must_use]
    pub fn used_percent(&self, usage: &Self) -> Self {
        self.combine(usage, |max, used| {
            let (max, used) = (max?, used?);
            Some(match (max, used) {
                (_, ..=0) => 0,
                (..=0, _) => 100,
                _ => i64::try_from(i128::from(used) * 100 / i128::from(max)).unwrap_or(i64::MAX).min(2_147_483_647),
            })
        })
    }
}

impl<'a> FromIterator<(&'a str, i64)> for Resource {
    fn from_iter<I: IntoIterator<Item = (&'a str, i64)>>(pairs: I) -> Self {
        let mut resource = Self::new();
        for (name, amount) in pairs {
            resource.set(name, amount);
        }
        resource
    }
}
