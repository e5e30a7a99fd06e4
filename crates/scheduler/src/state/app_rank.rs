//! The ranks of applications in their leaf (`scheduler.md` section 6).

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::ops::Bound;

use crate::index::AppKey;
use crate::state::share::ShareList;
use model::{AppId, Priority, Time};

/// The rank of an application in a leaf (SCH-071). A total order: the keys of the leaf's policy, then submission time
/// and id (SCH-001).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AppRank {
    pub(super) keys: [RankKey; 2],
    pub(super) submitted: Time,
    pub(super) id: AppId,
    /// Whose place it is.
    pub app: AppKey,
}

/// In a leaf the same key is at the same position, so variants are never compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum RankKey {
    Priority(Reverse<Priority>),
    Submitted(Time),
    Share(ShareList),
}

/// The reason why one of two queues or applications is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderKey {
    /// The higher priority.
    Priority,
    /// Smaller fair share.
    Share,
    /// More pending resources (SCH-052).
    Pending,
    /// The one that came first.
    Time,
}

impl AppRank {
    /// `None` if only ids decide because the times are `identical`.
    pub(crate) fn apart(&self, other: &Self, identical: impl Fn(Time, Time) -> bool) -> Option<(OrderKey, Ordering)> {
        let keys = self.keys.iter().zip(&other.keys).map(|(own, others)| {
            let key = match own {
                RankKey::Priority(_) => OrderKey::Priority,
                RankKey::Share(_) => OrderKey::Share,
                RankKey::Submitted(_) => OrderKey::Time,
            };
            match (own, others) {
                (RankKey::Submitted(own), RankKey::Submitted(others)) if identical(*own, *others) => {
                    (key, Ordering::Equal)
                }
                _ => (key, own.cmp(others)),
            }
        });
        let submitted = if identical(self.submitted, other.submitted) {
            Ordering::Equal
        } else {
            self.submitted.cmp(&other.submitted)
        };
        keys.chain([(OrderKey::Time, submitted)]).find(|(_, order)| order.is_ne())
    }
}

/// The application of a leaf that follows `last` (SCH-071).
pub(crate) fn next_behind(ranks: &BTreeSet<AppRank>, last: Option<&AppRank>) -> Option<AppRank> {
    match last {
        None => ranks.first(),
        Some(last) => ranks.range((Bound::Excluded(last), Bound::Unbounded)).next(),
    }
    .cloned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A rank in which higher numbers come first.
    pub fn rank(number: u32) -> AppRank {
        AppRank {
            keys: [RankKey::Priority(Reverse(Priority(0))), RankKey::Submitted(Time(0))],
            submitted: Time(1000 - u64::from(number)),
            id: AppId::from(format!("app-{number}")),
            app: AppKey(number),
        }
    }
}
