//! The interface of a scheduler that is served: an engine on a thread of its own, or a core that is stepped by hand.

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

/// A running scheduler behind a server or a console.
pub trait Host: Send + Sync {
    /// What it shows.
    fn published(&self) -> &Published;

    /// The events that have happened.
    fn events(&self) -> &Arc<EventLog>;

    /// What has happened, in numbers.
    fn counters(&self) -> &Arc<Counters>;

    /// The audit, and the revisions of the configuration.
    fn audit_log(&self) -> &Arc<AuditLog>;

    /// What was used over time, as a copy.
    fn ledger(&self) -> Ledger;

    /// What time it is for the scheduler.
    fn now(&self) -> Time;

    /// What the wall clock showed when the scheduler's time started.
    fn began(&self) -> SystemTime;

    /// How much faster than the wall clock the scheduler's time runs.
    fn speed(&self) -> f64;

    /// When the scheduler's time ran, by the wall clock.
    fn clock_runs(&self) -> ClockRuns {
        let began = self.began().duration_since(UNIX_EPOCH).unwrap_or_default();
        ClockRuns::always(i64::try_from(began.as_nanos()).unwrap_or(i64::MAX), self.speed())
    }

    /// Has an order carried out. `answer` is called once, from any thread, when its outcome is published.
    fn perform(&self, actor: Actor, order: Order, answer: Answer);

    /// Writes an order into the audit that was refused before it reached the scheduler. `answer` is called once, with that refusal.
    fn refuse(&self, actor: Actor, order: Order, refusal: Refusal, answer: Answer);

    /// Has it explained why something waits. `answer` is called once, from any thread.
    fn explain(&self, question: Question, answer: ExplainAnswer);

    /// A copy of a partition, the first one where none is named, if two copies take at most this many bytes. None comes if the scheduler
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

    fn began(&self) -> SystemTime {
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
