//! Comparison of resources (SCH-023 to SCH-028, SCH-036).

use std::cmp::Ordering;

use super::Resource;

impl Resource {
    /// A name missing here counts 0 (SCH-023).
    pub fn fit_in(&self, smaller: &Self) -> bool {
        // A name absent in `smaller` is 0, which always fits.
        smaller.memory <= self.memory.max(0)
            && smaller.vcore <= self.vcore.max(0)
            && (smaller.other.is_none() || self.others_fit_in(smaller))
    }

    /// Both lists are sorted, so they are walked in parallel.
    fn others_fit_in(&self, smaller: &Self) -> bool {
        let mut own = self.others();
        smaller.others().iter().all(|(name, amount)| {
            let space = loop {
                let [(first, space), rest @ ..] = own else { break 0 };
                match first.cmp(name) {
                    Ordering::Less => own = rest,
                    Ordering::Equal => break *space,
                    Ordering::Greater => break 0,
                }
            };
            *amount <= space.max(0)
        })
    }

    /// A name missing here is unlimited (SCH-024).
    pub fn fit_in_max_undef(&self, smaller: &Self) -> bool {
        self.all(smaller, |l, s| s.is_none_or(|s| s <= 0 || l.is_none_or(|l| s <= l.max(0))))
    }

    /// Whether this is at most `other` in every name; a missing name is unlimited.
    pub fn has_no_more_space_than(&self, other: &Self) -> bool {
        self.all(other, |own, other| other.is_none_or(|other| own.is_some_and(|own| own <= other)))
    }

    /// Whether names and values are identical; `==` treats an absent name as 0.
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.all(other, |own, other| own == other)
    }

    /// All values are at least as large, and one is larger (SCH-025).
    pub fn strictly_greater(&self, other: &Self) -> bool {
        self.at_least(other) && !other.at_least(self)
    }

    /// Compares name by name, with missing values as 0. Consistent with `strictly_greater`.
    pub fn cmp_by_name(&self, other: &Self) -> Ordering {
        let mut order = self.memory.cmp(&other.memory).then_with(|| self.vcore.cmp(&other.vcore));
        if order.is_eq() && !self.are_plain(other) {
            self.union(other, |_, l, r| order = order.then_with(|| l.unwrap_or(0).cmp(&r.unwrap_or(0))));
        }
        order
    }

    /// Whether all values are at least as large; missing ones count as 0 (SCH-026).
    pub fn at_least(&self, other: &Self) -> bool {
        self.memory >= other.memory
            && self.vcore >= other.vcore
            && (self.are_plain(other) || self.all(other, |l, r| l.unwrap_or(0) >= r.unwrap_or(0)))
    }

    /// Whether no value is negative, and one is positive (SCH-027).
    pub fn strictly_greater_than_zero(&self) -> bool {
        let others = self.others();
        self.memory >= 0
            && self.vcore >= 0
            && others.iter().all(|(_, amount)| *amount >= 0)
            && (self.memory > 0 || self.vcore > 0 || others.iter().any(|(_, amount)| *amount > 0))
    }

    /// Whether an amount is negative.
    pub fn has_negative(&self) -> bool {
        self.iter().any(|(_, amount)| amount < 0)
    }

    /// The sum over the positive values of `fit` of the missing share (SCH-036).
    pub fn fit_in_score(&self, fit: &Self) -> f64 {
        let mut score = 0.0;
        for (name, fit) in fit.iter().filter(|(_, fit)| *fit > 0) {
            let have = self.amount(name);
            if have <= 0 {
                score += 1.0;
            } else if have < fit {
                let shortage = (fit - have) as f64 / fit as f64;
                score += shortage;
            }
        }
        score
    }
}

impl PartialEq for Resource {
    /// Equal over the union of names; a missing value is 0 (SCH-028).
    fn eq(&self, other: &Self) -> bool {
        self.memory == other.memory
            && self.vcore == other.vcore
            && (self.are_plain(other) || self.all(other, |l, r| l.unwrap_or(0) == r.unwrap_or(0)))
    }
}

impl Eq for Resource {}
