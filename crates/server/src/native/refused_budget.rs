//! Limits rejections per user: operations and rejections are written, so a user without rights could wear out the disk.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use view::act::{Actor, Code, Details, Refusal};
use view::audit;

/// Maximum rejected bytes per user in [`WINDOW`], and per address.
const MOST_OF_USER: usize = 4 << 20;
const MOST_OF_ADDRESS: usize = 16 << 20;
const WINDOW: Duration = Duration::from_secs(60);
/// Bytes that a rejection counts besides its body: its audit entry and its record.
const EACH: usize = 2 << 10;
/// Maximum number of remembered users and addresses.
const MOST_KNOWN: usize = 10_000;

#[derive(Default)]
pub(super) struct RefusedBudget(Mutex<Book>);

#[derive(Default)]
struct Book {
    users: HashMap<String, Count>,
    addresses: HashMap<String, Count>,
}

struct Count {
    since: Instant,
    bytes: usize,
    reported: bool,
}

pub(super) struct Limited {
    pub refusal: Refusal,
    /// Whether it is the first block within a minute.
    pub first: bool,
}

impl RefusedBudget {
    /// Returns why a caller is blocked, if so.
    pub fn check(&self, actor: &Actor) -> Option<Limited> {
        let (user, address) = (actor.user(), audit::address(&actor.from));
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = current(&mut book.addresses, &address).map_or(0, |count| count.bytes);
        let own = current(&mut book.users, user)?;
        if own.bytes < MOST_OF_USER && of_address < MOST_OF_ADDRESS {
            return None;
        }
        let text = format!("too many bytes of rejected operations of {user}; try again in a minute");
        let first = !std::mem::replace(&mut own.reported, true);
        let details = Details { wait: Some(WINDOW.as_secs()), ..Details::default() };
        Some(Limited { refusal: Refusal::new(Code::RateLimited, "not now", text).with(details), first })
    }

    pub fn charge(&self, actor: &Actor, body: usize) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut book.users, actor.user(), body + EACH);
        add(&mut book.addresses, &audit::address(&actor.from), body + EACH);
    }
}

fn current<'b>(counts: &'b mut HashMap<String, Count>, key: &str) -> Option<&'b mut Count> {
    counts.get_mut(key).filter(|count| count.since.elapsed() < WINDOW)
}

fn add(counts: &mut HashMap<String, Count>, key: &str, bytes: usize) {
    if counts.len() >= MOST_KNOWN {
        counts.retain(|_, count| count.since.elapsed() < WINDOW);
    }
    if counts.len() >= MOST_KNOWN && !counts.contains_key(key) {
        return;
    }
    let fresh = || Count { since: Instant::now(), bytes: 0, reported: false };
    let count = counts.entry(key.to_owned()).or_insert_with(fresh);
    if count.since.elapsed() >= WINDOW {
        *count = fresh();
    }
    count.bytes = count.bytes.saturating_add(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Identity;
    use view::act::ActsFrom;

    fn actor(user: &str, address: &str) -> Actor {
        let from = ActsFrom::Api { address: address.into(), request: "".into() };
        Actor { from, ..Actor::from(Identity::new(user, [user])) }
    }

    #[test]
    fn a_client_without_rejections_is_never_delayed() {
        let budget = RefusedBudget::default();
        for user in ["a", "b", "c", "d", "e", "f"] {
            let (here, there) = (actor(user, "10.0.0.1"), actor(user, "10.0.0.2"));
            assert!(budget.check(&here).is_none());
            while budget.check(&there).is_none() {
                budget.charge(&here, 256 << 10);
            }
        }
        let limited = budget.check(&actor("a", "10.0.0.2")).unwrap();
        assert!(!limited.first && limited.refusal.code == Code::RateLimited, "it is his, wherever he is");
        let (here, there) = (actor("good", "10.0.0.1"), actor("good", "10.0.0.2"));
        assert!(budget.check(&here).is_none());
        budget.charge(&here, 0);
        assert!(budget.check(&here).unwrap().first, "the address is over its share");
        assert!(budget.check(&there).is_none());
        assert!(budget.0.lock().unwrap().users["a"].bytes <= MOST_OF_USER + (258 << 10));
    }
}
