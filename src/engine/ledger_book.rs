//! The ledger, shared with all readers: the scheduler's thread writes, and a reader takes a copy, which costs nothing.

use std::sync::{Mutex, PoisonError};

use crate::ledger::Ledger;
use crate::model::Time;
use crate::scheduler::{Event, Scheduler};

/// The ledger of an engine.
#[derive(Debug, Default)]
pub struct LedgerBook(Mutex<Ledger>);

impl LedgerBook {
    /// A book that begins with a ledger.
    pub fn new(ledger: Ledger) -> Self {
        Self(Mutex::new(ledger))
    }

    /// The ledger as it is.
    pub fn ledger(&self) -> Ledger {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes what a command did.
    pub(super) fn observe(&self, now: Time, events: &[Event], scheduler: &Scheduler) {
        if !events.is_empty() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).observe(now, events, scheduler);
        }
    }
}
