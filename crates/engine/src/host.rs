//! The interface of a served scheduler: an engine on its own thread, or a manually stepped core.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{AuditLog, Counters, Engine, EventLog, Published};
use forecast::whatif::{Fork, NoFork};
use ledger::Ledger;
use model::Time;
use view::ClockRuns;
use view::act::{Actor, Answer, Order, Refusal};
use view::waiting::{ExplainAnswer, Question};

/// A scheduler behind a server or a console.
pub trait Host: Send + Sync {
    /// The published state.
    fn published(&self) -> &Published;

    /// The event log.
    fn events(&self) -> &Arc<EventLog>;

    /// What has happened, in numbers.
    fn counters(&self) -> &Arc<Counters>;

    /// The audit log and the revisions.
    fn audit_log(&self) -> &Arc<AuditLog>;

    /// A copy of the ledger.
    fn ledger(&self) -> Ledger;

    /// The scheduler time.
    fn now(&self) -> Time;

    /// The wall clock at the start of the scheduler time.
    fn started_at(&self) -> SystemTime;

    /// The speed of the scheduler clock relative to the wall clock.
    fn speed(&self) -> f64;

    /// The runs of the scheduler clock.
    fn clock_runs(&self) -> ClockRuns {
        let started_at = self.started_at().duration_since(UNIX_EPOCH).unwrap_or_default();
        ClockRuns::always(i64::try_from(started_at.as_nanos()).unwrap_or(i64::MAX), self.speed())
    }

    /// Executes an order. `answer` is called once, from any thread, after publication.
    fn perform(&self, actor: Actor, order: Order, answer: Answer);

    /// Records an order that was rejected before it reached the scheduler. `answer` is called once with that rejection.
    fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer);

    /// `answer` is called once, from any thread.
    fn explain(&self, question: Question, answer: ExplainAnswer);

    /// Copies a partition (default: the first one) if two copies fit `most` bytes. The channel closes if the scheduler
    /// has stopped.
    fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>>;
}

impl Host for Engine {
    fn published(&self) -> &Published {
        Self::published(self)
    }

    fn events(&self) -> &Arc<EventLog> {
        Self::events(self)
    }

    fn counters(&self) -> &Arc<Counters> {
        Self::counters(self)
    }

    fn audit_log(&self) -> &Arc<AuditLog> {
        Self::audit_log(self)
    }

    fn ledger(&self) -> Ledger {
        Self::ledger(self)
    }

    fn now(&self) -> Time {
        Self::now(self)
    }

    fn started_at(&self) -> SystemTime {
        self.clock().wall(Time::ZERO)
    }

    fn speed(&self) -> f64 {
        self.clock().speed()
    }

    fn clock_runs(&self) -> ClockRuns {
        self.clock().runs_so_far()
    }

    fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        Self::perform(self, actor, order, answer);
    }

    fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer) {
        Self::refuse(self, actor, order, refusal, answer);
    }

    fn explain(&self, question: Question, answer: ExplainAnswer) {
        Self::explain(self, question, answer);
    }

    fn fork(&self, partition: Option<String>, most: usize) -> Receiver<Result<Fork, NoFork>> {
        Self::fork(self, partition, most)
    }
}
