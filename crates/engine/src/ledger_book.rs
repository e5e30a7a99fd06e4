//! The ledger, shared with all readers: the scheduler's thread writes, and a reader takes a copy, which costs nothing.
//!
//! A reader asks about the present by the wall clock. Where the scheduler is behind that, what it has now may not last until then: so the ledger
//! also knows when something is due next, and is not read beyond that.

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
    /// Before this time nothing changes by itself; `None`: nothing is due at all.
    next_due: Option<Time>,
}

impl LedgerBook {
    /// A book that starts with a ledger.
    pub fn new(ledger: Ledger) -> Self {
        Self(Mutex::new(Page { ledger, next_due: None }))
    }

    /// The ledger unchanged.
    pub fn ledger(&self) -> Ledger {
        let page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        page.ledger.clone().whole_until(page.next_due)
    }

    /// Takes what a command did.
    pub(super) fn observe(&self, now: Time, events: &[Event], scheduler: &Scheduler) {
        if !events.is_empty() {
            let mut page = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            page.ledger.observe(now, events, scheduler);
            // What is due at that time may arrive several commands.
            page.next_due = page.next_due.map(|due| due.max(now));
        }
    }

    /// Takes when something is due next.
    pub(super) fn set_next_due(&self, due: Option<Time>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_due = due;
    }
}
