//! Events on their way from the scheduler to the log.

use std::sync::Arc;

use super::events::{CHUNK, EventLog};
use super::setup::Setup;
use crate::scheduler::Event;

/// Gathers events up to a chunk, and holds them while their records are not on the disk.
pub(super) struct EventOutbox {
    log: Arc<EventLog>,
    /// Events of whole commands that are not in the log yet.
    buffer: Vec<Event>,
    /// Chunks that wait for [`EventOutbox::take`].
    held: Vec<Vec<Event>>,
    holds: bool,
}

impl EventOutbox {
    /// An empty outbox in front of an empty log.
    pub fn new(setup: &Setup) -> Self {
        let log = Arc::new(EventLog::new(Arc::clone(&setup.instance), setup.profile, &setup.event));
        Self { log, buffer: Vec::new(), held: Vec::new(), holds: false }
    }

    /// The log behind it.
    pub fn log(&self) -> &Arc<EventLog> {
        &self.log
    }

    /// From now on events go to [`EventOutbox::take`] instead of the log.
    pub fn hold(&mut self) {
        self.holds = true;
    }

    /// Takes the events of a whole command. While the log does not track, they are dropped.
    pub fn push(&mut self, mut events: Vec<Event>) {
        if !self.log.is_tracking() {
            return;
        }
        self.buffer.append(&mut events);
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    /// Passes on what was gathered.
    pub fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.buffer);
        if self.holds {
            self.held.push(events);
        } else {
            self.log.append(events);
        }
    }

    /// The chunks that were held, the oldest first.
    pub fn take(&mut self) -> Vec<Vec<Event>> {
        std::mem::take(&mut self.held)
    }

    /// Puts what was held into the log: its records are on the disk.
    pub fn release(&mut self) {
        self.take().into_iter().for_each(|events| self.log.append(events));
    }
}
