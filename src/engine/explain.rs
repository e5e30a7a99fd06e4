//! Why something waits, answered by the scheduler as it is now.

use super::state::State;
use crate::view::act::Refusal;
use crate::view::waiting::{ExplainAnswer, Finding, Question, answer};

/// Where an explanation goes. When the engine stops before there is one, that is the answer.
pub(super) struct ExplainReply(Option<ExplainAnswer>);

impl ExplainReply {
    pub fn new(answer: ExplainAnswer) -> Self {
        Self(Some(answer))
    }

    pub fn send(mut self, outcome: Result<Finding, Refusal>) {
        if let Some(answer) = self.0.take() {
            answer(outcome);
        }
    }
}

impl Drop for ExplainReply {
    fn drop(&mut self) {
        if let Some(answer) = self.0.take() {
            answer(Err(Refusal::stopped()));
        }
    }
}

/// Why an application, an ask, or all of a queue waits.
///
/// # Errors
/// There is no such partition, application, ask or queue; with the names that are nearest.
pub(super) fn explain(state: &State, question: &Question) -> Result<Finding, Refusal> {
    let found = state.scheduler.partitions().iter().find(|part| part.name == question.partition);
    let part = found.ok_or_else(|| Refusal::not_found("partition", &question.partition))?;
    answer(part, state.now, &question.of)
}
