//! Fair shares, and floats as integers of the same order (`scheduler.md` section 4).

use std::cmp::Ordering;

use smallvec::SmallVec;

use model::Resource;

/// A number of the same order as a float's total order.
pub fn ordered(float: f64) -> i64 {
    let bits = float.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// One share of guaranteed resources per used name, the largest first (SCH-054). The shorter of two lists is filled
/// with zeros.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct ShareList(#[serde(with = "model::saved::list")] SmallVec<[f64; 2]>);

impl Clone for ShareList {
    fn clone(&self) -> Self {
        // Copies the slice at once; cloning would go number by number.
        Self(SmallVec::from_slice(&self.0))
    }
}

impl ShareList {
    /// The shares; a name that is not guaranteed counts with its raw value.
    pub fn of(allocated: &Resource, guaranteed: Option<&Resource>) -> Self {
        let mut shares: SmallVec<[f64; 2]> = SmallVec::new();
        allocated.each_pair(guaranteed.unwrap_or(&Resource::new()), |_, used, guarantee| {
            // Floats, as in the real core.
            let (used, guarantee) = (used as f64, guarantee.unwrap_or(0) as f64);
            shares.push(if guarantee == 0.0 { used } else { used / guarantee });
        });
        shares.sort_unstable_by(|a, b| b.total_cmp(a));
        while shares.last().is_some_and(|share| *share == 0.0) {
            shares.pop();
        }
        Self(shares)
    }

    /// The share of 1.8.0 (SCH-055): the largest over the used names in `base`: the guaranteed value, otherwise the
    /// maximum or the cluster.
    pub fn largest(allocated: &Resource, base: &Resource) -> Self {
        let mut largest: f64 = 0.0;
        allocated.each_pair(base, |_, used, base| {
            let Some(base) = base.filter(|_| used >= 0) else { return };
            // Floats, as in the real core.
            let share = match base {
                ..=0 if used > 0 => 1.0,
                ..=0 => 0.0,
                _ => used as f64 / base as f64,
            };
            largest = largest.max(share);
        });
        Self(if largest == 0.0 { SmallVec::new() } else { SmallVec::from_slice(&[largest]) })
    }

    /// The shares, the largest first.
    pub fn as_slice(&self) -> &[f64] {
        &self.0
    }
}

impl Ord for ShareList {
    fn cmp(&self, other: &Self) -> Ordering {
        let (left, right) = (self.0.as_slice(), other.0.as_slice());
        for at in 0..left.len().max(right.len()) {
            let share = |list: &[f64]| list.get(at).copied().unwrap_or(0.0);
            let order = share(left).total_cmp(&share(right));
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }
}

impl PartialOrd for ShareList {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ShareList {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ShareList {}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(pairs: &[(&str, i64)], guaranteed: &[(&str, i64)]) -> ShareList {
        let guaranteed: Resource = guaranteed.iter().copied().collect();
        ShareList::of(&pairs.iter().copied().collect(), Some(&guaranteed))
    }

    /// EX-26, the rows on shares.
    #[test]
    fn share_lists_of_ex_26() {
        assert_eq!(list(&[("m", 5), ("v", 3), ("g", 0)], &[("m", 10)]).as_slice(), [3.0, 0.5]);
        let shares = |s: &[f64]| ShareList(SmallVec::from_slice(s));
        assert_eq!(shares(&[0.5]), shares(&[0.5, 0.0]));
        assert!(shares(&[0.5]) < shares(&[0.5, 0.1]));
    }

    /// EX-07: without common names.
    #[test]
    fn share_lists_of_ex_07() {
        let one = [("memory", 2), ("vcore", 1000)];
        let a = list(&one, &[("memory", 10), ("vcore", 10_000)]);
        let b = list(&one, &[("memory", 20), ("vcore", 5000)]);
        let c = list(&one, &[("memory", 5)]);
        let d = list(&one, &[("memory", 40), ("vcore", 0)]);
        assert_eq!(a, b);
        assert!(b < d && d < c);
    }
}
