//! Explains waiting requests on a copy of the scheduler, on its own thread.

use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use super::audit_log::AuditLog;
use super::drained::add_drains;
use forecast::whatif::{Fork, try_remedies};
use view::act::Refusal;
use view::waiting::{Asked, ExplainAnswer, Finding, answer};

pub(super) struct ExplainJob {
    fork: Fork,
    of: Asked,
    answer: ExplainAnswer,
}

/// Starts the thread. It ends when all senders are dropped.
pub(super) fn start(log: Arc<AuditLog>) -> std::io::Result<Sender<ExplainJob>> {
    let (jobs, inbox) = channel::<ExplainJob>();
    let work = move || inbox.into_iter().for_each(|job| (job.answer)(explained(&job.fork, &job.of, Some(&log))));
    Builder::new().name("explain".to_owned()).spawn(work)?;
    Ok(jobs)
}

/// The receiver of an explanation. If the engine stops first, it gets a rejection.
pub(super) struct ExplainReply {
    of: Asked,
    jobs: Sender<ExplainJob>,
    answer: Option<ExplainAnswer>,
}

impl ExplainReply {
    pub fn new(of: Asked, jobs: Sender<ExplainJob>, answer: ExplainAnswer) -> Self {
        Self { of, jobs, answer: Some(answer) }
    }

    pub fn send(mut self, outcome: Result<Fork, Refusal>) {
        let Some(answer) = self.answer.take() else { return };
        match outcome {
            Err(refusal) => answer(Err(refusal)),
            Ok(fork) => {
                // The thread runs while a sender exists.
                if let Err(job) = self.jobs.send(ExplainJob { fork, of: self.of.clone(), answer }) {
                    (job.0.answer)(Err(Refusal::stopped()));
                }
            }
        }
    }
}

impl Drop for ExplainReply {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            answer(Err(Refusal::stopped()));
        }
    }
}

/// Explains why an application, a request, or the requests of a queue wait in a copy, with remedies, and who
/// drained its nodes if there is a log.
///
/// # Errors
/// Returns an error with similar names if the object does not exist.
pub fn explained(fork: &Fork, of: &Asked, log: Option<&AuditLog>) -> Result<Finding, Refusal> {
    let part = fork.partition().ok_or_else(|| Refusal::not_found("partition", fork.partition_name()))?;
    let mut found = answer(part, fork.now(), of)?;
    if let Finding::App(found) = &mut found {
        try_remedies(fork, found);
    }
    if let Some(log) = log {
        add_drains(&mut found, part, log);
    }
    Ok(found)
}
