//! Operations with a result, and the submission of a job to the scheduler.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::daemon::Daemon;
use super::job::Job;
use scheduler::placement::{PlacementOutcome, Request};
use view::act::{Actor, Code, Done, PartitionAct, Refusal};

const PATIENCE: Duration = Duration::from_secs(60);
/// How long a submitter waits; then the view decides, by the same rules.
const SOON: Duration = Duration::from_millis(1);

struct Outcome {
    from: Receiver<Result<Done, Refusal>>,
    arrived: Option<Result<Done, Refusal>>,
}

impl Outcome {
    fn arrived_within(&mut self, most: Duration) -> bool {
        if self.arrived.is_none() {
            self.arrived = match self.from.recv_timeout(most) {
                Ok(outcome) => Some(outcome),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => Some(Err(silent())),
            };
        }
        self.arrived.is_some()
    }

    fn awaited(mut self) -> Result<Done, Refusal> {
        self.arrived_within(PATIENCE);
        self.arrived.unwrap_or_else(|| Err(silent()))
    }
}

fn silent() -> Refusal {
    Refusal::new(Code::NotSupported, "the scheduler does not answer", "it may have stopped")
}

pub(super) struct Offered {
    submitted: Outcome,
    /// `None` if it is sent after the answer.
    asked: Option<Outcome>,
}

impl Offered {
    pub(super) fn is_answered(&mut self) -> bool {
        self.arrived_within(Duration::ZERO)
    }

    fn arrived_within(&mut self, most: Duration) -> bool {
        self.submitted.arrived_within(most) && self.asked.as_mut().is_none_or(|asked| asked.arrived_within(most))
    }
}

impl Daemon {
    /// Performs an operation and waits for its result.
    ///
    /// # Errors
    /// The check that rejected it.
    pub(super) fn perform(&self, actor: &Actor, act: PartitionAct) -> Result<Done, Refusal> {
        self.perform_because(actor, act, "")
    }

    pub(super) fn perform_because(&self, actor: &Actor, act: PartitionAct, reason: &str) -> Result<Done, Refusal> {
        let (answer, from) = channel();
        self.perform_later_because(actor, act, reason, move |outcome| {
            let _ = answer.send(outcome);
        });
        Outcome { from, arrived: None }.awaited()
    }

    fn order(&self, actor: &Actor, act: PartitionAct) -> Outcome {
        let (answer, from) = channel();
        self.perform_later(actor, act, move |outcome| {
            let _ = answer.send(outcome);
        });
        Outcome { from, arrived: None }
    }

    /// The table has the job as queued already.
    pub(super) fn offer(&self, job: &Job) -> Offered {
        let actor = self.submitter(job);
        let submitted = self.order(&actor, PartitionAct::Submit(Self::submission(job)));
        // Sent together, both share a journal sync; without the application the request is rejected.
        let asked = (!job.spec.no_preempt).then(|| self.order(&actor, Self::ask_of(job)));
        Offered { submitted, asked }
    }

    /// Like `offer`, for a waiting submitter. Returns the offer if the answer comes later: the scheduler is busy, and
    /// the view would accept the job.
    ///
    /// # Errors
    /// The check that rejected it.
    pub(super) fn offer_soon(&self, job: &Job) -> Result<Option<Offered>, Refusal> {
        let mut offered = self.offer(job);
        if offered.asked.is_some() && !offered.arrived_within(SOON) && self.would_place(job).is_some() {
            return Ok(Some(offered));
        }
        self.taken(job, offered).map(|()| None)
    }

    pub(super) fn would_place(&self, job: &Job) -> Option<String> {
        let view = self.engine.published().view();
        let submission = Self::submission(job);
        let request = Request {
            queue: &submission.queue,
            user: &submission.who.user,
            groups: &submission.who.groups,
            tags: &submission.tags,
        };
        match Self::partition(&view)?.preview(&request, None).placement.outcome {
            PlacementOutcome::Placed(placed) => Some(placed.path.to_string()),
            PlacementOutcome::Refused(_) => None,
        }
    }

    /// Waits for the scheduler's answer to an offer.
    ///
    /// # Errors
    /// The check that rejected it. The scheduler then has nothing of the job.
    pub(super) fn taken(&self, job: &Job, offered: Offered) -> Result<(), Refusal> {
        let actor = self.submitter(job);
        offered.submitted.awaited()?;
        let outcome = match offered.asked {
            Some(asked) => asked.awaited().map(drop),
            None if self.may_keep_its_space(job) => self.perform(&actor, Self::ask_of(job)).map(drop),
            None => {
                let what = "--no-preempt needs admin access to the job's queue (adminacl)";
                let why = "jobs of other queues need the resources above the queue's guarantee";
                Err(Refusal::new(Code::NotSupported, what, why))
            }
        };
        outcome.inspect_err(|_| self.perform_later(&actor, PartitionAct::Remove { app: job.app() }, |_| {}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_is_answered_when_both_orders_are_and_one_without_an_end_is_refused() {
        let (first, second) = (channel(), channel());
        let outcome = |from| Outcome { from, arrived: None };
        let mut offered = Offered { submitted: outcome(first.1), asked: Some(outcome(second.1)) };
        assert!(!offered.is_answered(), "nothing came");
        first.0.send(Err(Refusal::new(Code::NotFound, "no such queue", ""))).unwrap();
        assert!(!offered.is_answered(), "one of two came");
        drop(second.0);
        assert!(offered.is_answered(), "the scheduler has stopped");
        assert_eq!(offered.submitted.awaited().unwrap_err().code, Code::NotFound);
        assert_eq!(offered.asked.unwrap().awaited().unwrap_err().message, "the scheduler does not answer");
    }
}
