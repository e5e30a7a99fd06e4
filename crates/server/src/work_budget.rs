//! Limits expensive work per address: configurations and state dumps, but not lists, which consoles repeat.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MOST_ADDRESSES: usize = 10_000;
/// Divisor: one address may use this fraction of the time.
const SHARE: u32 = 4;

/// A burst of work per address, and a quarter of the time in the long run.
#[derive(Debug)]
pub(super) struct WorkBudget {
    most: Duration,
    spent: Mutex<HashMap<IpAddr, Spent>>,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    work: Duration,
    at: Instant,
}

impl Spent {
    /// The part that still counts at a later time.
    fn later(self, now: Instant) -> Duration {
        self.work.saturating_sub(now.saturating_duration_since(self.at) / SHARE)
    }
}

impl WorkBudget {
    pub fn of(most: Duration) -> Self {
        Self { most, spent: Mutex::default() }
    }

    /// # Errors
    /// The seconds to wait.
    pub fn admit(&self, address: IpAddr) -> Result<(), u64> {
        let spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        let over = spent.get(&address).and_then(|spent| spent.later(Instant::now()).checked_sub(self.most));
        over.map_or(Ok(()), |over| Err((over * SHARE).as_secs() + 1))
    }

    pub fn note(&self, address: IpAddr, work: Duration) {
        let now = Instant::now();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        if spent.len() >= MOST_ADDRESSES {
            spent.retain(|_, known| !known.later(now).is_zero());
        }
        if spent.len() < MOST_ADDRESSES || spent.contains_key(&address) {
            let before = spent.get(&address).map_or(Duration::ZERO, |known| known.later(now));
            spent.insert(address, Spent { work: before + work, at: now });
        }
    }
}

pub(super) const TOO_MUCH: &str = "this address has used its request budget; try again later";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_address_has_its_own_budget_that_refills_over_time() {
        let budget = WorkBudget::of(Duration::from_millis(100));
        let [one, other] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        budget.note(one, Duration::from_millis(60));
        assert_eq!(budget.admit(one), Ok(()));
        budget.note(one, Duration::from_secs(60));
        let wait = budget.admit(one).unwrap_err();
        assert!((230..=241).contains(&wait), "{wait}");
        assert_eq!(budget.admit(other), Ok(()));
        let spent = Spent { work: Duration::from_secs(1), at: Instant::now() };
        assert_eq!(spent.later(spent.at + Duration::from_secs(2)), Duration::from_millis(500));
        assert_eq!(spent.later(spent.at + Duration::from_secs(5)), Duration::ZERO);
    }
}
