//! Messages between other threads and the engine's thread.

use std::sync::mpsc::Sender;

use super::core::Core;
use super::explain::ExplainReply;
use forecast::whatif::{Fork, NoFork};
use scheduler::{Command, Event};
use view::act::{Actor, Answer, Done, Order, Refusal};
use view::waiting::Question;

pub(super) enum Request {
    Apply(Box<Command>, Sender<Vec<Event>>),
    Perform(Box<(Actor, Order)>, Reply),
    Refuse(Box<(Actor, Order, Refusal)>, Reply),
    Explain(Question, ExplainReply),
    /// The configuration file changed or cannot be read.
    Reload(String, Result<Vec<u8>, String>),
    /// Show a warning: a title and a reason.
    Warn(String, String),
    /// Copy a partition (default: the first one), up to a number of bytes.
    Fork(Option<String>, usize, Sender<Result<Fork, NoFork>>),
    /// Run a function on the core, between two cycles.
    Work(Box<dyn FnOnce(&mut Core) + Send>),
    /// Check whether the disk fails.
    Wake,
    Stop,
}

/// The receiver of an answer. If the engine stops first, it gets a rejection.
pub(super) struct Reply(Option<Answer>);

impl Reply {
    pub fn new(answer: Answer) -> Self {
        Self(Some(answer))
    }

    pub fn send(mut self, outcome: Result<Done, Refusal>) {
        if let Some(answer) = self.0.take() {
            answer(outcome);
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(answer) = self.0.take() {
            answer(Err(Refusal::stopped()));
        }
    }
}
