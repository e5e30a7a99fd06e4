//! Repeated changing requests are executed once: `Idempotency-Key` (E2).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::{NativeRequest, Reply, handle};
use view::act::{Code, Refusal};

/// How long an answer is kept.
const RETAINED: Duration = Duration::from_secs(600);
/// Maximum length of a key, in characters.
const LONGEST_KEY: usize = 128;
/// Maximum number of kept answers.
const MOST: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;
type Slot = Arc<tokio::sync::Mutex<Option<Outcome>>>;

struct Outcome {
    fingerprint: [u8; 32],
    answer: Result<Reply, Refusal>,
}

#[derive(Default)]
pub(super) struct IdempotencyCache(Mutex<Book>);

#[derive(Default)]
struct Book {
    slots: HashMap<Name, Slot>,
    order: VecDeque<(Instant, Name)>,
    /// The sizes of the answers in bytes.
    weights: HashMap<Name, usize>,
    weight: usize,
}

type Name = (String, String);

impl Book {
    fn tidy(&mut self) {
        while let Some((at, _)) = self.order.front() {
            if at.elapsed() < RETAINED && self.order.len() <= MOST && self.weight <= MOST_BYTES {
                return;
            }
            let Some((_, old)) = self.order.pop_front() else { return };
            self.slots.remove(&old);
            self.weight -= self.weights.remove(&old).unwrap_or_default();
        }
    }
}

impl IdempotencyCache {
    fn slot(&self, name: Name) -> Slot {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.tidy();
        if let Some(slot) = book.slots.get(&name) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        book.order.push_back((Instant::now(), name.clone()));
        book.slots.insert(name, Arc::clone(&slot));
        slot
    }

    fn weigh(&self, name: Name, bytes: usize) {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if book.slots.contains_key(&name) && !book.weights.contains_key(&name) {
            book.weights.insert(name, bytes);
            book.weight += bytes;
            book.tidy();
        }
    }
}

/// Handles a changing request; a repeated key returns its first answer without executing the request again.
pub(super) async fn once(request: &NativeRequest, key: Option<&str>, path: &str) -> Result<Reply, Refusal> {
    let Some(key) = key else { return handle(request).await };
    if key.is_empty() || key.chars().count() > LONGEST_KEY {
        let text = format!("a key has 1 to {LONGEST_KEY} characters");
        return Err(Refusal::new(Code::BadRequest, "the Idempotency-Key is invalid", text));
    }
    let mut fingerprint = Sha256::new();
    fingerprint.update(format!(
        "{} {path}?{:?} {:?}\n",
        request.route.method,
        request.query,
        request.header("if-match")
    ));
    fingerprint.update(&request.body.bytes);
    let fingerprint: [u8; 32] = fingerprint.finalize().into();
    let name = (request.who.actor.user().to_owned(), key.to_owned());
    let slot = request.native.remembered.slot(name.clone());
    // A repeated request waits here for the answer of the first one.
    let mut outcome = slot.lock().await;
    if let Some(known) = &*outcome {
        if known.fingerprint == fingerprint {
            // The first request is already in the audit.
            request.who.is_entered_now();
            return known.answer.clone();
        }
        let text = "it was used for another request within the last ten minutes";
        return Err(Refusal::new(Code::KeyReused, "the Idempotency-Key is already used", text));
    }
    let answer = handle(request).await;
    let failed = answer.as_ref().is_err_and(|refusal| matches!(refusal.code, Code::Unavailable | Code::NotDurable));
    if !failed {
        *outcome = Some(Outcome { fingerprint, answer: answer.clone() });
        request.native.remembered.weigh(name, answer.as_ref().map_or(0, |reply| reply.body.len()));
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_answers_push_older_ones_out() {
        let remembered = IdempotencyCache::default();
        let name = |key: usize| ("ann".to_owned(), key.to_string());
        let first = remembered.slot(name(0));
        remembered.weigh(name(0), MOST_BYTES / 2);
        remembered.slot(name(1));
        remembered.weigh(name(1), MOST_BYTES / 2);
        assert!(Arc::ptr_eq(&first, &remembered.slot(name(0))), "there is room for both");
        remembered.slot(name(2));
        remembered.weigh(name(2), 1);
        assert!(!Arc::ptr_eq(&first, &remembered.slot(name(0))), "it was forgotten");
        let book = remembered.0.lock().unwrap();
        assert_eq!((book.weight, book.weights.len(), book.slots.len()), (MOST_BYTES / 2 + 1, 2, 3));
    }
}
