//! Events on their way from the scheduler to the log.

use std::sync::Arc;

use super::events::{CHUNK, EventLog};
use super::setup::Setup;
use scheduler::Event;

/// Gathers events up to a chunk, and holds them while their records are not on the disk.
pub(super) struct EventOutbox {
    log: Arc<EventLog>,
    /// Events of whole commands that are not in the log yet.
    buffer: Vec<Event>,
    /// Chunks that wait for [`EventOutbox::take`].
    held: Vec<Vec<Event>>,
    holds: bool,
    tap: Option<Tap>,
}

/// Every event once more, for who acts by them.
struct Tap {
    events: Vec<Event>,
    /// Called when there are events after there were none.
    wake: Box<dyn Fn() + Send>,
}

impl EventOutbox {
    /// An empty outbox in front of an empty log.
    pub fn new(setup: &Setup) -> Self {
        let log = Arc::new(EventLog::new(Arc::clone(&setup.instance), setup.profile, &setup.event));
        Self { log, buffer: Vec::new(), held: Vec::new(), holds: false, tap: None }
    }

    /// The log behind it.
    pub fn log(&self) -> &Arc<EventLog> {
        &self.log
    }

    /// From now on events go to [`EventOutbox::take`] instead of the log.
    pub fn hold(&mut self) {
        self.holds = true;
    }

    /// From now on every event is kept for [`EventOutbox::take_tapped`]. `wake` is called when the first one comes after that.
    pub fn tap(&mut self, wake: Box<dyn Fn() + Send>) {
        self.tap = Some(Tap { events: Vec::new(), wake });
    }

    /// The events since the last call, in their order.
    pub fn take_tapped(&mut self) -> Vec<Event> {
        self.tap.as_mut().map(|tap| std::mem::take(&mut tap.events)).unwrap_or_default()
    }

    /// Whether anybody needs to know of events.
    pub fn is_read(&self) -> bool {
        self.tap.is_some() || self.log.is_tracking()
    }

    /// Takes the events of a whole command. While the log does not track, it gets none.
    pub fn push(&mut self, mut events: Vec<Event>) {
        if let Some(tap) = self.tap.as_mut().filter(|_| !events.is_empty()) {
            let was_empty = tap.events.is_empty();
            tap.events.extend_from_slice(&events);
            if was_empty {
                (tap.wake)();
            }
        }
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
