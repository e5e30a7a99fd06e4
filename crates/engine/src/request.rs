//! Requests of other threads to the engine's thread, and its answers.

use std::sync::mpsc::Sender;

use super::core::Core;
use super::explain::ExplainReply;
use forecast::whatif::{Fork, NoFork};
use scheduler::{Command, Event};
use view::act::{Actor, Answer, Done, Order, Refusal};
use view::waiting::Question;

/// A message to the engine's thread.
pub(super) enum Request {
    /// Carry out a command and answer with its events.
    Apply(Box<Command>, Sender<Vec<Event>>),
    /// Carry out an order.
    Perform(Box<(Actor, Order)>, Reply),
    /// Write an order into the audit that was refused before it came here.
    Refuse(Box<(Actor, Order, Refusal)>, Reply),
    /// Say why something waits.
    Explain(Question, ExplainReply),
    /// The configuration's file has another content, or cannot be read.
    Reload(String, Result<Vec<u8>, String>),
    /// Show a warning: one line, and the reason.
    Warn(String, String),
    /// Copy a partition, the first one where none is named, if that takes at most this many bytes.
    Fork(Option<String>, usize, Sender<Result<Fork, NoFork>>),
    /// Do this with the core, between two cycles.
    Work(Box<dyn FnOnce(&mut Core) + Send>),
    /// Check whether the disk fails.
    Wake,
    /// Stop the thread.
    Stop,
}

/// Where an answer goes. When the engine stops before there is one, that is the answer.
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
