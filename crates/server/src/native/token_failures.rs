//! Delays answers to wrong tokens, by prefix and address (E1).
//!
//! Users behind a proxy share an address: a client with wrong tokens must not block them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// Maximum number of wrong tokens with one prefix per address in [`WINDOW`].
const MOST_EQUAL: u32 = 10;
const MOST_OF_ADDRESS: u32 = 100;
const WINDOW: Duration = Duration::from_secs(60);
/// Characters of the prefix: too few to guess the rest.
const PREFIX: usize = 8;
/// Maximum number of remembered addresses and prefixes.
const MOST_RETAINED: usize = 10_000;
const PAUSE: Duration = Duration::from_secs(1);
const MOST_WAITING: usize = 64;

pub(super) struct TokenFailures {
    counts: Mutex<HashMap<(IpAddr, String), FailureCount>>,
    waiting: Semaphore,
}

struct FailureCount {
    since: Instant,
    count: u32,
}

impl Default for TokenFailures {
    fn default() -> Self {
        Self { counts: Mutex::default(), waiting: Semaphore::new(MOST_WAITING) }
    }
}

impl TokenFailures {
    /// Returns whether there are too many.
    pub fn note(&self, address: IpAddr, presented: &str) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() + 2 > MOST_RETAINED {
            counts.retain(|_, known| known.since.elapsed() < WINDOW);
        }
        let mut is_more_than = |prefix: String, most: u32| {
            let full = counts.len() >= MOST_RETAINED;
            let key = (address, prefix);
            if full && !counts.contains_key(&key) {
                return true;
            }
            let known = counts.entry(key).or_insert(FailureCount { since: Instant::now(), count: 0 });
            if known.since.elapsed() >= WINDOW {
                *known = FailureCount { since: Instant::now(), count: 0 };
            }
            known.count = known.count.saturating_add(1);
            if known.count == most + 1 {
                tracing::warn!(%address, "too many invalid tokens: answers are delayed for a minute");
            }
            known.count > most
        };
        // Bounds the memory of an address.
        is_more_than(String::new(), MOST_OF_ADDRESS)
            || is_more_than(format!(":{}", presented.chars().take(PREFIX).collect::<String>()), MOST_EQUAL)
    }

    /// Delays an answer, unless too many are waiting.
    pub async fn slow_down(&self) {
        if let Ok(_place) = self.waiting.try_acquire() {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_counted_by_their_prefix_and_by_their_address() {
        let failures = TokenFailures::default();
        let [one, other] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        let identical = (0..12).map(|n| failures.note(one, &format!("kso_abcd{n}"))).collect::<Vec<_>>();
        assert_eq!(identical.iter().filter(|too_many| **too_many).count(), 2, "{identical:?}");
        assert!(!failures.note(one, "kso_wxyz") && !failures.note(other, "kso_abcd"));
        let many = (0..200).filter(|n| failures.note(other, &format!("{n:08}"))).count();
        assert_eq!(many, 101, "and all of an address together");
    }

    #[test]
    fn stored_attempts_are_bounded_and_more_failures_are_rejected() {
        let failures = TokenFailures::default();
        for n in 0..20_000_u32 {
            failures.note(IpAddr::from(n.to_be_bytes()), "kso_abcd");
        }
        assert!(failures.counts.lock().unwrap().len() <= MOST_RETAINED);
        assert!(failures.note(IpAddr::from([9, 9, 9, 9]), "kso_abcd"));
    }
}
