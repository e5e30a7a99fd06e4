//! A scheduler that is stepped by hand, as a server asks it.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::Stepped;
use crate::engine::{AuditLog, Counters, EventLog, Host, Published};
use crate::ledger::Ledger;
use crate::model::Time;
use crate::source::Source;
use crate::view::act::{Actor, Answer, Order, Refusal};
use crate::view::waiting::{ExplainAnswer, Question};
use crate::whatif::{Fork, NoFork};

impl Host for Stepped {
    fn published(&self) -> &Published {
        &self.published
    }

    fn events(&self) -> &Arc<EventLog> {
        &self.events
    }

    fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    fn ledger(&self) -> Ledger {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).ledger().ledger()
    }

    fn now(&self) -> Time {
        Source::now(self)
    }

    fn began(&self) -> SystemTime {
        UNIX_EPOCH + Self::BEGAN
    }

    fn speed(&self) -> f64 {
        1.0
    }

    fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        answer(self.carry_out(&actor, &order));
    }

    fn audit_log(&self) -> &Arc<AuditLog> {
        &self.ledger
    }

    fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        self.core.lock().unwrap_or_else(PoisonError::into_inner).enter_refusal(&actor, &order, &refusal);
        answer(Err(refusal));
    }

    fn explain(&self, question: Question, answer: ExplainAnswer) {
        answer(self.explained(&question));
    }

    fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>> {
        let (answer, answers) = channel();
        let mut core = self.core.lock().unwrap_or_else(PoisonError::into_inner);
        core.share();
        // The receiver is here.
        let _ = answer.send(core.fork(partition.as_deref(), most));
        answers
    }
}
