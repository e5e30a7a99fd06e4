//! Why something waits: worked out on a copy of the scheduler unchanged, on a thread of its own.

use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use forecast::whatif::{Fork, try_remedies};
use view::act::Refusal;
use view::waiting::{Asked, ExplainAnswer, Finding, answer};

/// A question about a copy, and where the answer goes.
pub(super) struct ExplainJob {
    fork: Fork,
    of: Asked,
    answer: ExplainAnswer,
}

/// Starts the thread that explains. It ends when no one can ask it any more.
pub(super) fn start() -> std::io::Result<Sender<ExplainJob>> {
    let (jobs, inbox) = channel::<ExplainJob>();
    let work = move || inbox.into_iter().for_each(|job| (job.answer)(explained(&job.fork, &job.of)));
    Builder::new().name("explain".to_owned()).spawn(work)?;
    Ok(jobs)
}

/// Where an explanation goes. When the engine stops before there is one, that is the answer.
pub(super) struct ExplainReply {
    of: Asked,
    jobs: Sender<ExplainJob>,
    answer: Option<ExplainAnswer>,
}

impl ExplainReply {
    pub fn new(of: Asked, jobs: Sender<ExplainJob>, answer: ExplainAnswer) -> Self {
        Self { of, jobs, answer: Some(answer) }
    }

    /// Has the answer worked out on a copy, or gives the refusal.
    pub fn send(mut self, outcome: Result<Fork, Refusal>) {
        let Some(answer) = self.answer.take() else { return };
        match outcome {
            Err(refusal) => answer(Err(refusal)),
            Ok(fork) => {
                // The thread is there as long as someone can ask it.
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

/// Why an application, an ask, or all of a queue waits in a copy, with what lets it run.
///
/// # Errors
/// There is no such application, ask or queue; with the names that are nearest.
pub fn explained(fork: &Fork, of: &Asked) -> Result<Finding, Refusal> {
    let part = fork.partition().ok_or_else(|| Refusal::not_found("partition", fork.partition_name()))?;
    let mut found = answer(part, fork.now(), of)?;
    if let Finding::App(found) = &mut found {
        try_remedies(fork, found);
    }
    Ok(found)
}
