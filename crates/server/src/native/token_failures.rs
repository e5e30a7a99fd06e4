//! Wrong tokens are slowed down, by what they start with and by the address that they come from (E1).
//!
//! Behind a proxy many people have one address: a client that sends wrong tokens must not shut out the others. So a token is looked up
//! first, and one that is right always passes; what is counted and slowed down is only what is wrong.
//!
//! Invariants:
//! - a right token is never refused here;
//! - what is kept in mind has an upper bound; beyond it what is wrong counts as too much;
//! - no more than [`MOST_WAITING`] answers wait at the same time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// How many wrong tokens with one start an address may send in [`WINDOW`].
const MOST_ALIKE: u32 = 10;
/// How many wrong tokens of any kind.
const MOST_OF_ADDRESS: u32 = 100;
const WINDOW: Duration = Duration::from_secs(60);
/// How many characters of a token are examined: too few to guess the rest by.
const PREFIX: usize = 8;
/// How many addresses and beginnings are kept in mind.
const MOST_RETAINED: usize = 10_000;
/// How long an answer to one wrong token too many waits.
const PAUSE: Duration = Duration::from_secs(1);
const MOST_WAITING: usize = 64;

/// Wrong tokens recently.
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
    /// Records a wrong token. Returns whether it was one too many.
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
        // What is one too many of an address is not examined any closer, so that an address takes little room.
        is_more_than(String::new(), MOST_OF_ADDRESS)
            || is_more_than(format!(":{}", presented.chars().take(PREFIX).collect::<String>()), MOST_ALIKE)
    }

    /// Has the answer to one wrong token too many wait, unless too many do.
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
    fn tokens_are_counted_by_their_beginning_and_by_their_address() {
        let failures = TokenFailures::default();
        let [one, other] = [1, 2].map(|last| IpAddr::from([127, 0, 0, last]));
        let identical = (0..12).map(|n| failures.note(one, &format!("kso_abcd{n}"))).collect::<Vec<_>>();
        assert_eq!(identical.iter().filter(|too_many| **too_many).count(), 2, "{identical:?}");
        assert!(!failures.note(one, "kso_wxyz") && !failures.note(other, "kso_abcd"));
        let many = (0..200).filter(|n| failures.note(other, &format!("{n:08}"))).count();
        assert_eq!(many, 101, "and all of an address together");
    }

    #[test]
    fn what_is_kept_in_mind_is_bounded_and_beyond_it_what_is_wrong_is_too_much() {
        let failures = TokenFailures::default();
        for n in 0..20_000_u32 {
            failures.note(IpAddr::from(n.to_be_bytes()), "kso_abcd");
        }
        assert!(failures.counts.lock().unwrap().len() <= MOST_RETAINED);
        assert!(failures.note(IpAddr::from([9, 9, 9, 9]), "kso_abcd"));
    }
}
