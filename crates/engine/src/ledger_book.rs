//! The shared ledger: the scheduler's thread writes, and readers take cheap copies.
//!
//! If the scheduler lags behind the wall clock, its current usage may change before now: so the ledger stores when
//! something is due next, and is not read beyond that.

use std::sync::{Mutex, PoisonError};

use ledger::Ledger;
use model::Time;
use scheduler::{Event, Scheduler};

/// The ledger of an engine.
#[derive(Debug, Default)]
pub struct LedgerBook(Mutex<Page>);

#[derive(Debug, Default)]
struct Page {
    ledger: Ledger,
    /// `None` if nothing is due.
    next_due: Option<Time>,
}

impl LedgerBook {
    /// Starts with a ledger.
    pub fn new(ledger: Ledger) -> Self {
        Self(Mutex::new(Page { ledger, next_due: None }))
    }

    /// A copy of the ledger.
    pub fn ledger(&self) -> Ledger {
        let page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        page.ledger.clone().whole_until(page.next_due)
    }

    pub(super) fn observe(&self, now: Time, events: &[Event], scheduler: &Scheduler) {
        if !events.is_empty() {
            let mut page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            page.ledger.observe(now, events, scheduler);
            // Several commands can be due at that time.
            page.next_due = page.next_due.map(|due| due.max(now));
        }
    }

    pub(super) fn set_next_due(&self, due: Option<Time>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_due = due;
    }
}
