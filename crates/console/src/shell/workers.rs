//! The worker threads: one for long lists and drops, and one per other task.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use crate::shell::perform;
use crate::shell::session::{ReplySender, Session};
use crate::state::reply::Reply;
use crate::state::work::{SourceHandle, Work};

/// Runs a task here.
pub fn perform(work: Work) -> Option<Reply> {
    perform::perform(work)
}

/// The worker threads. Dropping this ends the first one.
pub struct Workers {
    quick: Sender<(ReplySender, Work)>,
}

impl Workers {
    /// Starts the list thread.
    ///
    /// # Errors
    /// No thread.
    pub fn new() -> io::Result<Self> {
        let (quick, works) = channel();
        let make = move || works.into_iter().for_each(|(replies, work)| perform_to(&replies, work));
        Builder::new().name("console-lists".to_owned()).spawn(make)?;
        Ok(Self { quick })
    }

    /// The thread sends the reply.
    ///
    /// # Errors
    /// No thread.
    pub fn give(&self, replies: ReplySender, work: Work) -> io::Result<()> {
        if let Work::List(_) | Work::Names(_) | Work::Discard(_) | Work::ReadEvents(..) = work {
            // The thread waits while a sender exists.
            let _ = self.quick.send((replies, work));
            return Ok(());
        }
        Builder::new().name("console-work".to_owned()).spawn(move || perform_to(&replies, work)).map(drop)
    }
}

fn perform_to(replies: &ReplySender, work: Work) {
    if let Work::Simulate(job) = work {
        let (number, progress) = (job.number, replies.clone());
        let answer = job.run(&|reported: &str| progress.send(Reply::SimulationProgress(number, reported.to_owned())));
        return replies.send(Reply::Simulated(number, Box::new(answer)));
    }
    if let Some(reply) = perform(work) {
        replies.send(reply);
    }
}

/// The thread sends the reply.
///
/// # Errors
/// No thread.
pub fn open(session: &Session, name: String) -> io::Result<()> {
    let Some(opener) = session.opener() else { return Ok(()) };
    let replies = session.replies();
    let open = move || {
        let opened = opener.open(&name).map(SourceHandle);
        replies.send(Reply::ContextOpened(name, opened));
    };
    Builder::new().name("console-open".to_owned()).spawn(open).map(drop)
}

/// The thread sends the reply.
///
/// # Errors
/// No thread.
pub fn ask(session: &Session, name: String) -> io::Result<()> {
    let Some(opener) = session.opener() else { return Ok(()) };
    let replies = session.replies();
    let ask = move || {
        let answer = opener.ask(&name);
        replies.send(Reply::ContextAnswered(name, answer));
    };
    Builder::new().name("console-ask".to_owned()).spawn(ask).map(drop)
}
