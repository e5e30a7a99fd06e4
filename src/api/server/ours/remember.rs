//! The same changing request twice is one: `Idempotency-Key` (E2).

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use super::{Asked, Reply, handle};
use crate::view::act::{Code, Refusal};

/// How long an answer is kept in mind.
const KEPT: Duration = Duration::from_secs(600);
/// The longest key, in characters.
const LONGEST_KEY: usize = 128;
/// How many answers are kept in mind.
const MOST: usize = 10_000;
type Slot = Arc<tokio::sync::Mutex<Option<Outcome>>>;

/// What was answered.
struct Outcome {
    request: [u8; 32],
    answer: Result<Reply, Refusal>,
}

/// Answers by user and key.
#[derive(Default)]
pub(super) struct Remembered(Mutex<Book>);

#[derive(Default)]
struct Book {
    slots: HashMap<(String, String), Slot>,
    order: VecDeque<(Instant, (String, String))>,
}

impl Remembered {
    fn slot(&self, name: (String, String)) -> Slot {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while book.order.front().is_some_and(|(at, _)| at.elapsed() >= KEPT) || book.order.len() > MOST {
            if let Some((_, old)) = book.order.pop_front() {
                book.slots.remove(&old);
            }
        }
        if let Some(slot) = book.slots.get(&name) {
            return Arc::clone(slot);
        }
        let slot = Slot::default();
        book.order.push_back((Instant::now(), name.clone()));
        book.slots.insert(name, Arc::clone(&slot));
        slot
    }
}

/// Handles a changing request; with a key that was used before, its answer is given again and nothing is done.
pub(super) async fn once(asked: &Asked, key: Option<&str>, path: &str) -> Result<Reply, Refusal> {
    let Some(key) = key else { return handle(asked).await };
    if key.is_empty() || key.chars().count() > LONGEST_KEY {
        let text = format!("a key has 1 to {LONGEST_KEY} characters");
        return Err(Refusal::new(Code::BadRequest, "the Idempotency-Key is not usable", text));
    }
    let mut request = Sha256::new();
    request.update(format!("{} {path}?{:?} {:?}\n", asked.route.method, asked.query, asked.header("if-match")));
    request.update(&asked.body);
    let request: [u8; 32] = request.finalize().into();
    let slot = asked.ours.remembered.slot((asked.who.actor.user().to_owned(), key.to_owned()));
    // The same request again, while the first is under way, waits here for its answer.
    let mut outcome = slot.lock().await;
    if let Some(known) = &*outcome {
        if known.request == request {
            // It is in the audit since the first time.
            asked.who.is_entered_now();
            return known.answer.clone();
        }
        let text = "it was used for another request within the last ten minutes";
        return Err(Refusal::new(Code::KeyReused, "the Idempotency-Key is taken", text));
    }
    let answer = handle(asked).await;
    let failed = answer.as_ref().is_err_and(|refusal| matches!(refusal.code, Code::Unavailable | Code::NotDurable));
    if !failed {
        *outcome = Some(Outcome { request, answer: answer.clone() });
    }
    answer
}
